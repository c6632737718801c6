"""The mean of word vectors, by hand."""

import logging

import numpy as np

from reproduction.baselines.bag_of_words import Baseline
from tests.support.word_vectors import GLOVE, write

DOG = [0, 3, 0.1]


def test_a_bag_of_words_by_hand(tmp_path, caplog):
    caplog.set_level(logging.INFO)
    bag = Baseline(write(tmp_path / "v.txt"))
    result = bag.encode(["a dog", "dog  dog zebra a", "zebra Dog", ""])
    assert result.dtype == np.float32
    # "Dog" is looked up in lower case, for the file has no capitals.
    expected = [[0.5, 1.5, -0.95], [1 / 3, 2, -0.6], DOG, [0, 0, 0]]
    np.testing.assert_allclose(result, expected, rtol=1e-6)
    assert "2 of 8 tokens have no vector" in caplog.text


def test_a_file_with_capitals_keeps_words_apart_that_differ_in_case(tmp_path):
    path = tmp_path / "v.txt"
    path.write_text(f"{GLOVE}Dog 7 8 9\n")
    result = Baseline(path).encode(["Dog", "dog", "A Dog"])
    np.testing.assert_allclose(result, [[7, 8, 9], DOG, [7, 8, 9]], rtol=1e-6)
