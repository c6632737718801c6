"""Querybank normalization: a candidate that is near to every query is moved down."""

import math

import numpy as np
import pytest

from groundvec import querybank


def unit(rng, *shape):
    vectors = rng.normal(size=shape).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_normalizers_by_hand():
    """Two bank queries with the cosines 1 and 0, at b = ln 3, weigh 3 and 1."""
    bank = np.eye(2, dtype=np.float32)
    found = querybank.normalizers(bank, bank[:1], math.log(3))
    assert found == pytest.approx([math.log((3 + 1) / 2, 3)], abs=1e-6)
    weights = np.array([1, 3])  # only the proportion counts: 3 x 1/4 + 1 x 3/4
    found = querybank.normalizers(bank, bank[:1], math.log(3), weights)
    assert found == pytest.approx([math.log(1.5, 3)], abs=1e-6)


def test_the_bank_s_order_and_repetitions_change_nothing():
    rng = np.random.default_rng(1)
    bank, candidates = unit(rng, 7, 5), unit(rng, 4, 5)
    once = querybank.normalizers(bank, candidates, 10)
    twice = querybank.normalizers(np.concatenate([bank[::-1], bank]), candidates, 10)
    counted = querybank.normalizers(bank, candidates, 10, np.full(7, 3))
    np.testing.assert_allclose(twice, once, atol=1e-6)
    np.testing.assert_allclose(counted, once, atol=1e-6)
