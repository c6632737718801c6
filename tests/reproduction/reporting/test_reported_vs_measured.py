"""Reported numbers are compared with measured ones of the same system, both with their errors."""

import numpy as np
import pandas as pd

from groundvec.evaluation.ranks import DIRECTIONS
from groundvec.results.schemas import CUTOFFS
from reproduction.papers.socher_2014.retrieval import TASKS
from reproduction.reporting.reported_vs_measured import compare, difference


def test_a_reported_number_is_compared_with_each_seed():
    recalls = {f"{way}_r{k}": [70.0, 60.0, 80.0] for way in DIRECTIONS for k in CUTOFFS}
    halves = {f"{recall}_ci": [np.nan, 2.0, 2.0] for recall in recalls}
    table = pd.DataFrame({"seed": [np.nan, 1, 2], "source": ["reported", *["measured"] * 2]})
    table = table.assign(name="VSE", dataset="one", language="en", **recalls, **halves)
    found = compare("calixto_liu_2017", "table1", table)
    assert found["system"].unique().tolist() == ["VSE, seed 1", "VSE, seed 2"]
    assert found["verdict"].tolist() == ["reported higher", "reported lower"] * 2 * 3


def test_a_difference_has_the_errors_of_both_numbers():
    """A reported number outside the measured interval alone shows no difference."""
    table = pd.DataFrame(
        {
            "reported": [79.0, 70.0, 70.0],
            "reported_low": [75.0, 67.0, np.nan],
            "reported_high": [83.0, 74.0, np.nan],
            "value": [83.0, 90.0, 80.0],
            "low": [80.0, 87.0, 77.0],
            "high": [86.0, 94.0, 84.0],
        }
    )
    # The half-widths are the hypotenuses of 3, 4 and 5; without an interval, of 3, 4 twice.
    assert difference(table).round(9).to_numpy().tolist() == [
        [4.0, -1.0, 9.0],
        [20.0, 15.0, 25.0],
        [10.0, 5.0, 15.0],
    ]


def test_socher_s_systems_are_compared_within_an_objective():
    margin = "max margin, inner product"
    table = pd.DataFrame(
        {
            "dataset": "pascal1k",
            "test_set": "100",
            "source": ["reported", "measured", "measured"],
            "system": "DT-RNN",
            "name": ["DT-RNN", "DT-RNN", "DT-RNN (other)"],
            "objective": [margin, margin, "mean hinge, cosine"],
        }
    )
    for task in TASKS:
        table[f"{task}_mean_rank"] = [10.0, 11.0, 30.0]
        table[f"{task}_mean_rank_low"] = [np.nan, 9.0, 20.0]
        table[f"{task}_mean_rank_high"] = [np.nan, 12.0, 40.0]
    found = compare("socher_2014", "table1", table)
    assert found["measure"].tolist() == [f"{task}, mean rank" for task in TASKS.values()]
    assert set(found["system"]) == {f"DT-RNN, {margin}"}
    assert set(found["verdict"]) == {"no difference shown"} and set(found["reported"]) == {10.0}


def test_a_baseline_is_recognised_by_its_encoder_and_not_by_its_name():
    table = pd.DataFrame(
        {
            "source": ["reported", *["measured"] * 3],
            "name": ["BOW (reported)", "my vectors", "BOW", "gru-8-max Flickr8k"],
            "system": ["BOW", "my vectors", "BOW", "flickr8k/gru-8-max/seed1"],
            "encoder": [None, "bag-of-words", "sentence-transformers", None],
            "kind": [None, "baseline", "baseline", "ensemble"],
            "dataset": [None, "", "", "flickr8k"],
        }
    )
    table = table.assign(task="SICK", subtask="all", statistic="mean", method="cosine")
    table = table.assign(pearson=0.5, pearson_low=0.4, pearson_high=0.6)
    found = compare("merkx_frank_2019", "table_s1", table)
    assert found["system"].tolist() == ["my vectors"] and found["reported"].tolist() == [50]
