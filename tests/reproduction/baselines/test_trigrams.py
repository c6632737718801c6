"""Hashed character trigrams, by hand."""

import numpy as np
import pytest

from reproduction.baselines.trigrams import Baseline
from tests.support.refusals import refused


def test_trigrams_count_shared_spelling():
    a, b, c = Baseline().encode(["abcd", "abcabc", "xyz"])
    # abcd: abc bcd; abcabc: abc twice, bca, cab
    assert a @ b == pytest.approx(2 / np.sqrt(2) / np.sqrt(6), abs=1e-6)
    assert a @ c == pytest.approx(0)
    assert a.dtype == np.float32


# Neither the development caption nor the German one counts.
CAPTIONS = """\
image_id,language,split,caption
1.jpg,en,train,abc abc
1.jpg,en,train,abcd
1.jpg,en,train,xyz
1.jpg,en,dev,xyz
1.jpg,de,train,xyz
"""


def test_trigrams_are_weighted_by_their_rarity_in_training_captions(tmp_path):
    """scikit-learn's smooth inverse document frequency: 1 + log((1 + n) / (1 + documents))."""
    captions = tmp_path / "captions.csv"
    captions.write_text(CAPTIONS)
    a, b, c = Baseline(captions).encode(["abcxyz", "abc", "xyz"])
    of_abc, of_xyz, unseen = (1 + np.log(4 / (1 + documents)) for documents in (2, 1, 0))
    length = np.sqrt(of_abc**2 + of_xyz**2 + 2 * unseen**2)  # bcx and cxy are in no caption
    assert a @ b == pytest.approx(of_abc / length) and a @ c == pytest.approx(of_xyz / length)


def test_trigrams_need_english_captions_to_weight_them(tmp_path):
    captions = tmp_path / "captions.csv"
    captions.write_text("image_id,language,split,caption\n1.jpg,de,train,Ein Hund\n")
    with refused("no English training captions"):
        Baseline(captions)


def test_trigrams_keep_case_and_have_unit_length():
    result = Baseline().encode(["A dog runs .", "a DOG RUNS .", "ab", "", "é🐶."])
    np.testing.assert_allclose((result**2).sum(axis=1), [1, 1, 0, 0, 1], atol=1e-6)
    assert result[0] @ result[1] < 0.5
