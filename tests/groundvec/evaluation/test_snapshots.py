"""The choice of the best snapshots."""

import numpy as np
import pandas as pd

from groundvec.evaluation.snapshots import best_snapshots
from groundvec.model.folder import epochs_compared, epochs_rated_few


def test_the_two_best_snapshots_are_chosen_and_of_equals_the_later():
    dev_recall = pd.Series({4: 50.0, 8: 70.0, 12: 60.0, 16: 60.0})
    assert best_snapshots(dev_recall) == [8, 16]
    assert best_snapshots(dev_recall[[4]]) == [4]
    dev_recall[12] = np.nextafter(60, 61)  # more by rounding only
    assert best_snapshots(dev_recall) == [8, 16]


def test_single_queries_are_stored_of_the_untrained_network_both_ends_and_the_best():
    model = {"snapshots": [4, 8, 12, 16], "saved": [0, 1, 2, 4, 8, 12, 16]}
    assert epochs_compared(model, {"epochs": [8, 12], "best": 12}) == {0, 4, 12, 16}
    assert epochs_rated_few(model, {"epochs": [8, 12], "best": 12}) == [0, 8, 12]
