"""Reported numbers are compared with measured ones of the same system, both with their errors."""

import numpy as np
import pandas as pd

from groundvec.evaluation.ranks import DIRECTIONS
from groundvec.results.schemas import CUTOFFS
from reproduction.papers.socher_2014.retrieval import TASKS
from reproduction.reporting.reported_vs_measured import compare, difference
from tests.support.result_files import read_table


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
    table = read_table("""
        reported | reported_low | reported_high | value | low | high
        79       | 75           | 83            | 83    | 80  | 86
        70       | 67           | 74            | 90    | 87  | 94
        70       |              |               | 80    | 77  | 84
    """)
    # The half-widths are the hypotenuses of 3, 4 and 5; without an interval, of 3, 4 twice.
    assert difference(table).round(9).to_numpy().tolist() == [
        [4.0, -1.0, 9.0],
        [20.0, 15.0, 25.0],
        [10.0, 5.0, 15.0],
    ]


def test_socher_s_systems_are_compared_within_an_objective():
    margin = "max margin, inner product"
    table = read_table(f"""
        dataset  | test_set | source   | system | name           | objective          | rank | half
        pascal1k | 100      | reported | DT-RNN | DT-RNN         | {margin}           | 10   |
        pascal1k | 100      | measured | DT-RNN | DT-RNN         | {margin}           | 11   | 2
        pascal1k | 100      | measured | DT-RNN | DT-RNN (other) | mean hinge, cosine | 30   | 10
    """)
    for task in TASKS:
        table[f"{task}_mean_rank"] = table["rank"]
        table[f"{task}_mean_rank_low"] = table["rank"] - table["half"]
        table[f"{task}_mean_rank_high"] = table["rank"] + table["half"]
    found = compare("socher_2014", "table1", table)
    assert found["measure"].tolist() == [f"{task}, mean rank" for task in TASKS.values()]
    assert set(found["system"]) == {f"DT-RNN, {margin}"}
    assert set(found["verdict"]) == {"no difference shown"} and set(found["reported"]) == {10.0}


def test_a_baseline_is_recognised_by_its_encoder_and_not_by_its_name():
    table = read_table("""
        source   | name               | system      | encoder               | kind     | dataset
        reported | BOW (reported)     | BOW         |                       |          |
        measured | my vectors         | my vectors  | bag-of-words          | baseline |
        measured | BOW                | BOW         | sentence-transformers | baseline |
        measured | gru-8-max Flickr8k | f/gru/seed1 |                       | ensemble | flickr8k
    """)
    table = table.assign(task="SICK", subtask="all", statistic="mean", method="cosine")
    table = table.assign(pearson=0.5, pearson_low=0.4, pearson_high=0.6)
    found = compare("merkx_frank_2019", "table_s1", table)
    assert found["system"].tolist() == ["my vectors"] and found["reported"].tolist() == [50]
