"""Tables 1 to 3 of Socher et al. (2014), and their ratings."""

import pandas as pd
import pytest

from reproduction.papers.socher_2014 import labels
from reproduction.reporting import results
from reproduction.reporting.seeds import t_interval
from tests.support.refusals import refused
from tests.support.tree_files import (
    C2C,
    C2I,
    I2C,
    SYSTEMS,
    results_of,
    tables,
    training,
    trees,
)

LSTM = {"name": "rnn", "cell": "lstm", "size": 8, "pooling": "max"}


@pytest.mark.parametrize(
    "parts, name",
    [
        *SYSTEMS.values(),
        (trees("basic", "relation"), "SDT-RNN"),
        (trees() | {"encoder": {"name": "convolution", "size": 8}}, "mine"),
        (trees() | {"encoder": {"name": "trees", "compose": "something", "size": 8}}, "mine"),
        (trees() | {"encoder": LSTM}, "LSTM (trees)"),
    ],
)
def test_a_system_is_called_by_its_description_or_as_its_model(parts, name):
    described = pd.json_normalize(parts).assign(model="mine")
    assert labels.system(described.iloc[0]) == name


def test_differences_from_the_paper_are_in_the_name(tmp_path):
    """And the model's own name where a data set has two of one system and objective."""
    by_position = {"name": "trees", "compose": "position", "size": 50, "weighted": False}
    larger = trees() | {"encoder": {"name": "trees", "compose": "relation", "size": 100}}
    models = ["a", "d", "e", "g", "large", "u", "x", "y"]
    trainings = [training(model, 10) for model in models]
    arguments = results_of(
        tmp_path,
        *trainings,
        large=larger,
        u=trees("collapsed", "position") | {"encoder": by_position},
        x=trees("collapsed", "position"),
        y=trees() | {"encoder": {"name": "mean", "size": 50, "center": True}},
    )
    models = labels.labelled(results.read_models(arguments[1:9])).set_index("model")
    assert models["name"].to_dict() == {
        "a": "BoW",
        "d": "DT-RNN",
        "e": "SDT-RNN (e)",
        "g": "SDT-RNN",
        "large": "SDT-RNN (large)",
        "x": "DT-RNN (collapsed)",
        "u": "DT-RNN (unweighted) (collapsed)",
        "y": "BoW (centered)",
    }
    systems = {"x": "DT-RNN", "u": "DT-RNN (unweighted)", "y": "BoW"}
    assert models["system"][list(systems)].to_dict() == systems


def test_table1_shows_measured_and_reported_rows(tmp_path):
    arguments = results_of(
        tmp_path,
        *(training("e", rank, seed) for seed, rank in enumerate((10, 12, 17), 1)),
        training("a", 14, best="4"),  # neither the last snapshot, nor the best on the test set
        training("h", 20),
        training("g", 9),
        training("gru-8-max", 8),
    )
    parts, table = tables(tmp_path, "table1", *arguments)
    [(heading, rows)] = parts.items()
    assert heading == "draws, test set 100"
    names = {}
    for kind, name, *_ in rows:
        names.setdefault(kind, []).append(name)
    assert names == {
        "reported": ["Random", "BoW", "CT-RNN", "Recurrent NN", "kCCA", "DT-RNN", "SDT-RNN"],
        "computed": ["Random (calculated)"],
        "simulated": ["Random (simulated)"],
        "measured": ["BoW", "SDT-RNN", "SDT-RNN", "char-GRU"],
    }
    assert rows[0][2:] == ["", "–", "101.1", "52.1", "92.1"]  # noqa: RUF001
    assert rows[6][2:] == ["max margin, inner product", "–", "10.5", "12.5", "16.9"]  # noqa: RUF001
    assert rows[7][4:] == ["26.0", "52.0", "104.0"]
    assert rows[8][4] == "25.5 [24.5, 27.5]"
    # One seed has the interval of the file; several have the t interval and the pictures' part.
    assert rows[9][3:] == ["1", "7.0 [6.0, 9.0]", "14.0 [13.0, 16.0]", "28.0 [27.0, 30.0]"]
    low, high = t_interval([10, 12, 17], (3 / (2 * 1.96)) ** 2)
    assert rows[10][2:4] == ["max margin, inner product", "3"]
    assert rows[10][5] == f"13.0 [{low:.1f}, {high:.1f}]"
    assert [row[2] for row in rows[11:]] == ["mean hinge, cosine"] * 2

    ours = table[table["source"] == "measured"].iloc[1]
    assert ours[["model", "seeds", "epochs", "commit"]].tolist() == ["e", 3, 8, "the commit"]
    assert ours[f"{C2I}_mean_rank_low"] == pytest.approx(low)
    assert ours[f"{I2C}_queries"] == 100
    assert table.loc[table["source"] == "reported", "paper"].eq("socher-et-al-2014").all()


def test_table2_has_the_objectives_that_table1_omits(tmp_path):
    arguments = results_of(tmp_path, training("e", 10), training("h", 20))
    (rows,) = tables(tmp_path, "table2", *arguments)[0].values()
    assert [row[:2] for row in rows if row[0] != "reported"] == [
        ["computed", "Random (calculated)"],
        ["simulated", "Random (simulated)"],
        ["measured", "SDT-RNN"],
    ]
    theirs = {row[1]: row[2:] for row in rows if row[0] == "reported"}
    assert len(theirs) == 6
    assert theirs["DT-RNN"] == [labels.SQUARED, "–", "–", "13.3", "26.8"]  # noqa: RUF001
    (rows,) = tables(tmp_path, "table1", *arguments)[0].values()
    assert [row[2] for row in rows if row[0] == "measured"] == [labels.MARGIN]
    with refused(r"no test scores of the best snapshot of .*/h/1: pass"):
        tables(tmp_path, "table1", *arguments[:-1])
    with refused("no system of this table was measured"):
        tables(tmp_path, "table2", *results_of(tmp_path, training("e", 10)))


def test_reported_ranks_stand_only_with_test_sets_of_their_size(tmp_path):
    large = training("e", 10, dataset="flickr8k").assign(test_set="1k")
    large["queries"] *= 10
    parts, _ = tables(tmp_path, "table1", *results_of(tmp_path, large))
    assert list(parts) == ["Pascal1K, test set 100", "Flickr8k, test set 1k"]
    first, second = parts.values()
    assert {row[0] for row in first} == {"reported"}
    assert {row[0] for row in second} == {"computed", "simulated", "measured"}


def test_table3_has_recall_and_the_three_systems_whose_recall_is_reported(tmp_path):
    arguments = results_of(tmp_path, training("e", 10), training("h", 20))
    (rows,) = tables(tmp_path, "table3", *arguments)[0].values()
    theirs = [row for row in rows if row[0] == "reported"]
    assert [row[1] for row in theirs] == ["BoW", "kCCA", "SDT-RNN"]
    assert theirs[2][4:] == ["12.5", "16.4", "46.6", "65.6", "16.9", "23.0", "45.0", "63.0"]
    ours = [row for row in rows if row[0] == "measured"]
    assert ours[0][4:8] == ["10.0 [9.0, 12.0]", "5.0 [4.0, 6.0]", "7.0 [5.0, 9.0]", *ours[0][7:8]]
    assert [row[2] for row in ours] == [labels.MARGIN, labels.SQUARED]


def test_an_image_with_one_sentence_leaves_a_dash(tmp_path):
    table = training("e", 10)
    arguments = results_of(tmp_path, table[table["direction"] != C2C])
    (rows,) = tables(tmp_path, "table1", *arguments)[0].values()
    assert rows[-1][4:] == ["–", "10.0 [9.0, 12.0]", "20.0 [19.0, 22.0]"]  # noqa: RUF001
