"""Cosines, and intervals of correlations."""

import numpy as np
import pandas as pd
import pytest

from groundvec.evaluation import correlation
from tests.support import ROOT

REPORTED = ROOT / "reproduction/papers/merkx_frank_2019/reported/table_s1.csv"
REPORTED_SYSTEMS = ("bow", "infersent", "char_gru_flickr8k", "char_gru_mscoco")


def test_cosine_by_hand():
    a = np.array([[3.0, 4], [1, 0], [0, 0], [1, 1]])
    b = np.array([[4.0, 3], [0, 2], [1, 1], [-1, -1]])
    assert correlation.cosine(a, b) == pytest.approx(np.array([0.96, 0, 0, -1]))


def test_intervals_are_the_paper_s():
    """The supplement's halves, to the printed digit."""
    for row in pd.read_csv(REPORTED).to_dict("records"):
        for system in REPORTED_SYSTEMS:
            r = row[system]
            low, high = correlation.fisher_interval(r / 100, row["pairs"])
            printed = (row[f"{system}_down"], row[f"{system}_up"])
            assert printed == pytest.approx((r - 100 * low, 100 * high - r), abs=0.05 + 1e-9), row


def test_intervals_at_the_limits():
    assert correlation.fisher_interval(1.0, 50) == pytest.approx((1, 1))
    assert correlation.fisher_interval(-1.0, 50) == pytest.approx((-1, -1))
    for n in (1, 2, 3):
        for r in (-1.0, 0.2, 1.0):
            assert correlation.fisher_interval(r, n) == (-1, 1)
