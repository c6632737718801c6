"""Arrays that are mapped from files where they are large."""

import errno
import os

import numpy as np
import pytest

from groundvec.evaluation import ranks
from groundvec.runtime import arrays
from groundvec.runtime.errors import InputError
from groundvec.similarity import join
from groundvec.text.characters import Text
from groundvec.text.encoded import Encoded


@pytest.fixture
def all_large(monkeypatch):
    monkeypatch.setattr(arrays, "LARGE", 1)


def test_a_large_array_is_mapped_and_leaves_no_file(tmp_path, monkeypatch, all_large):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    array = arrays.empty((3, 2))
    array[1] = 7
    assert isinstance(array.base, np.memmap) and array.dtype == np.float32
    assert array[1].tolist() == [7, 7] and not list(tmp_path.iterdir())


def test_a_small_array_is_in_memory():
    assert arrays.empty((3, 2), np.float64).base is None


def test_an_ensemble_s_vectors_are_the_same_when_they_are_mapped(monkeypatch):
    vectors = list(np.random.default_rng(0).normal(size=(2, 9, 4)).astype(np.float32))
    expected = {name: join(vectors, name) for name in ("cosine", "dot")}
    monkeypatch.setattr(arrays, "LARGE", 1)
    monkeypatch.setattr("groundvec.similarity.ROWS_PER_BLOCK", 4)
    for name, in_memory in expected.items():
        np.testing.assert_allclose(join(vectors, name), in_memory, atol=1e-6)


def test_sentences_that_are_encoded_in_blocks_are_as_if_encoded_at_once():
    sentences = ["A dog.", "", "Two dogs run", "ä"]
    text = Text.build(sentences)
    whole = text.encode(sentences)
    joined = Encoded.join(text.encode([sentence]) for sentence in sentences)
    assert np.array_equal(joined.indices, whole.indices)
    assert np.array_equal(joined.starts, whole.starts)


def test_ranks_among_many_candidates_take_fewer_queries_at_a_time(monkeypatch):
    assert ranks.queries_in_blocks(2500, 5000) == [
        slice(0, 1000),
        slice(1000, 2000),
        slice(2000, 3000),
    ]
    rng = np.random.default_rng(0)
    captions, images, image = rng.normal(size=(50, 4)), rng.normal(size=(10, 4)), np.arange(50) // 5
    expected = ranks.ranks(captions, images, image)
    monkeypatch.setattr(ranks, "SCORES_PER_BLOCK", 35)
    assert len(ranks.queries_in_blocks(50, 10)) == 17
    assert all(map(np.array_equal, ranks.ranks(captions, images, image), expected))
    assert ranks.queries_in_blocks(2, 10**9) == [slice(0, 1), slice(1, 2)]


@pytest.mark.parametrize(
    "make", [lambda: arrays.empty((9,)), lambda: arrays.concatenate([np.ones(9)])]
)
def test_a_full_disk_gives_one_line(make, monkeypatch, all_large):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(InputError, match=r"has no room .* \(No space left on device\): set TMPDIR"):
        make()
