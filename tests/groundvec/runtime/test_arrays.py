"""Arrays that are mapped from files where they are large."""

import errno
import os
from unittest.mock import Mock

import numpy as np
import pytest

from groundvec.runtime import arrays
from groundvec.similarity import join
from tests.support.refusals import refused


@pytest.fixture
def all_large(monkeypatch):
    monkeypatch.setattr(arrays, "LARGE", 1)


def test_a_large_array_is_mapped_and_leaves_no_file(tmp_path, monkeypatch, all_large):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    array = arrays.empty((3, 2))
    array[1] = 7
    assert isinstance(array.base, np.memmap) and array.dtype == np.float32
    assert array[1].tolist() == [7, 7] and not list(tmp_path.iterdir())


def test_an_ensemble_s_vectors_are_the_same_when_they_are_mapped(monkeypatch):
    vectors = list(np.random.default_rng(0).normal(size=(2, 9, 4)).astype(np.float32))
    expected = {name: join(vectors, name) for name in ("cosine", "dot")}
    monkeypatch.setattr(arrays, "LARGE", 1)
    monkeypatch.setattr("groundvec.similarity.ROWS_PER_BLOCK", 4)
    for name, in_memory in expected.items():
        np.testing.assert_allclose(join(vectors, name), in_memory, atol=1e-6)


@pytest.mark.parametrize(
    "make", [lambda: arrays.empty((9,)), lambda: arrays.concatenate([np.ones(9)])]
)
def test_a_full_disk_is_one_line(make, monkeypatch, all_large):
    full = Mock(side_effect=OSError(errno.ENOSPC, "No space left on device"))
    monkeypatch.setattr(os, "posix_fallocate", full)
    with refused(r"has no room .* \(No space left on device\): set TMPDIR"):
        make()
