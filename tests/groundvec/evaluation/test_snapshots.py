"""The choice of the best snapshots."""

import numpy as np
import pandas as pd

from groundvec.evaluation.snapshots import best_snapshots


def test_the_two_best_snapshots_are_chosen_and_of_equals_the_later():
    dev_recall = pd.Series({4: 50.0, 8: 70.0, 12: 60.0, 16: 60.0})
    assert best_snapshots(dev_recall) == [8, 16]
    assert best_snapshots(dev_recall[[4]]) == [4]
    dev_recall[12] = np.nextafter(60, 61)  # more by rounding only
    assert best_snapshots(dev_recall) == [8, 16]
