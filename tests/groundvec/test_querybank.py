"""Querybank normalization: a candidate that is near to every query is moved down."""

import math

import numpy as np
import pytest

from groundvec import querybank


def test_normalizers_by_hand():
    """Two bank queries with the cosines 1 and 0, at b = ln 3, weigh 3 and 1."""
    bank = np.eye(2, dtype=np.float32)
    found = querybank.normalizers(bank, bank[:1], math.log(3))
    assert found == pytest.approx([math.log((3 + 1) / 2, 3)], abs=1e-6)
    weights = np.array([1, 3])  # only the proportion counts: 3 x 1/4 + 1 x 3/4
    found = querybank.normalizers(bank, bank[:1], math.log(3), weights)
    assert found == pytest.approx([math.log(1.5, 3)], abs=1e-6)
