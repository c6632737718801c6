"""Tables 1 to 3 of Socher et al. (2014), and their ratings."""

import pandas as pd
import pytest

from reproduction.papers.socher_2014 import has_relations, labels
from reproduction.reporting import results
from reproduction.reporting.seeds import t_interval
from tests.support.refusals import refused
from tests.support.result_files import assert_rows, shown, write
from tests.support.tree_files import (
    C2C,
    C2I,
    CCA,
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
        (trees("binary", "relation"), "CT-RNN"),
        (trees(**CCA), "kCCA (linear)"),
        (trees() | {"encoder": {"name": "convolution", "size": 8}}, "mine"),
        (trees() | {"encoder": {"name": "trees", "compose": "something", "size": 8}}, "mine"),
        (trees() | {"encoder": LSTM}, "LSTM (trees)"),
    ],
)
def test_a_system_is_called_by_its_description_or_as_its_model(parts, name):
    described = pd.json_normalize(parts).assign(model="mine")
    assert labels.system(described.iloc[0]) == name
    assert has_relations(parts) == (name == "SDT-RNN")


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
    models = labels.labelled(results.read_models(arguments[1:9])).sort_values("model")
    expected = """
        model | system              | name
        a     | BoW                 | BoW
        d     | DT-RNN              | DT-RNN
        e     | SDT-RNN             | SDT-RNN (e)
        g     | SDT-RNN             | SDT-RNN
        large | SDT-RNN             | SDT-RNN (large)
        u     | DT-RNN (unweighted) | DT-RNN (unweighted) (collapsed)
        x     | DT-RNN              | DT-RNN (collapsed)
        y     | BoW                 | BoW (centered)
    """
    assert_rows(models, expected)


# One seed has the interval of the file; several have the t interval and the pictures' part.
TABLE1 = """\
# draws, test set 100
Random |  | - | 101.1 | 52.1 | 92.1
BoW | max margin, inner product | - | 11.8 | 14.6 | 21.1
CT-RNN | max margin, inner product | - | 15.8 | 16.1 | 23.9
Recurrent NN | max margin, inner product | - | 18.5 | 19.2 | 27.1
kCCA | CCA, inner product | - | 10.7 | 15.9 | 18.0
DT-RNN | max margin, inner product | - | 11.1 | 13.6 | 19.2
SDT-RNN | max margin, inner product | - | 10.5 | 12.5 | 16.9
Random (calculated) |  | - | 26.0 | 52.0 | 104.0
BoW | max margin, inner product | 1 | 7.0 [6.0, 9.0] | 14.0 [13.0, 16.0] | 28.0 [27.0, 30.0]
SDT-RNN | max margin, inner product | 3 | 6.5 [2.0, 11.0] | 13.0 [4.0, 22.0] | 26.0 [8.1, 43.9]
SDT-RNN | mean hinge, cosine | 1 | 4.5 [3.5, 6.5] | 9.0 [8.0, 11.0] | 18.0 [17.0, 20.0]
char-GRU | mean hinge, cosine | 1 | 4.0 [3.0, 6.0] | 8.0 [7.0, 10.0] | 16.0 [15.0, 18.0]
"""


def test_table1_shows_measured_and_reported_rows(tmp_path):
    arguments = results_of(
        tmp_path,
        *(training("e", rank, seed) for seed, rank in enumerate((10, 12, 17), 1)),
        training("a", 14, best="4"),  # neither the last snapshot, nor the best on the test set
        training("h", 20),
        training("g", 9),
        training("gru-8-max", 8),
    )
    _, table = tables(tmp_path, "table1", *arguments)
    assert shown(tmp_path / "table1.md", 1, 2, 3, 4, 5, 6) == TABLE1
    ours = table[table["source"] == "measured"].iloc[1]
    assert ours[["model", "seeds", "epochs", "commit"]].tolist() == ["e", 3, 8, "the commit"]
    ends = [f"{C2I}_mean_rank_low", f"{C2I}_mean_rank_high"]
    expected = t_interval([10, 12, 17], (3 / (2 * 1.96)) ** 2)
    assert ours[ends].tolist() == pytest.approx(expected)
    assert ours[f"{I2C}_queries"] == 100
    assert table.loc[table["source"] == "reported", "paper"].eq("socher-et-al-2014").all()


TABLE2 = """\
# draws, test set 100
reported | BoW | squared error, Euclidean distance | 24.7 | 30.7
reported | CT-RNN | squared error, Euclidean distance | 22.2 | 29.4
reported | Recurrent NN | squared error, Euclidean distance | 28.4 | 31.4
reported | kCCA | CCA, Euclidean distance | 13.7 | 38.0
reported | DT-RNN | squared error, Euclidean distance | 13.3 | 26.8
reported | SDT-RNN | squared error, Euclidean distance | 15.8 | 37.5
computed | Random (calculated) |  | 52.0 | 104.0
measured | SDT-RNN | squared error, Euclidean distance | 20.0 [19.0, 22.0] | 40.0 [39.0, 42.0]
"""


def test_table2_has_the_objectives_that_table1_omits(tmp_path):
    arguments = results_of(tmp_path, training("e", 10), training("h", 20))
    tables(tmp_path, "table2", *arguments)
    assert shown(tmp_path / "table2.md", 0, 1, 2, 5, 6) == TABLE2
    _, table = tables(tmp_path, "table1", *arguments)
    assert table.loc[table["source"] == "measured", "objective"].tolist() == [labels.MARGIN]
    with refused(r"no test scores of the best snapshot of .*/h/1: pass"):
        one = write(tmp_path, training("e", 10), name="one")
        tables(tmp_path, "table1", *arguments[:-1], *one)
    with refused("no system of this table was measured"):
        tables(tmp_path, "table2", *results_of(tmp_path, training("e", 10)))


def test_reported_ranks_stand_only_with_test_sets_of_their_size(tmp_path):
    large = training("e", 10, dataset="flickr8k").assign(test_set="1k")
    large["queries"] *= 10
    parts, _ = tables(tmp_path, "table1", *results_of(tmp_path, large))
    assert list(parts) == ["Pascal1K, test set 100", "Flickr8k, test set 1k"]
    first, second = parts.values()
    assert {row[0] for row in first} == {"reported"}
    assert {row[0] for row in second} == {"computed", "measured"}


BY_CAPTION = """\
# draws, test set 100
BoW | 14.6 | 15.8 | 42.2 | 60.0
kCCA | 15.9 | 16.4 | 41.4 | 58.0
SDT-RNN | 12.5 | 16.4 | 46.6 | 65.6
Random (calculated) | 52.0 | 1.0 | 1.3 | 1.7
SDT-RNN | 10.0 [9.0, 12.0] | 5.0 [4.0, 6.0] | 7.0 [5.0, 9.0] | 9.0 [6.0, 12.0]
SDT-RNN | 20.0 [19.0, 22.0] | 2.5 [1.5, 3.5] | 3.5 [1.5, 5.5] | 4.5 [1.5, 7.5]
"""
BY_IMAGE = """\
# draws, test set 100
max margin, inner product | 21.1 | 19.0 | 38.0
CCA, inner product | 18.0 | 21.0 | 47.0
max margin, inner product | 16.9 | 23.0 | 45.0
 | 104.0 | 0.5 | 0.7
max margin, inner product | 20.0 [19.0, 22.0] | 2.5 [1.5, 3.5] | 3.5 [1.5, 5.5]
squared error, Euclidean distance | 40.0 [39.0, 42.0] | 1.2 [0.2, 2.2] | 1.8 [-0.2, 3.8]
"""


def test_table3_has_recall_and_the_three_systems_whose_recall_is_reported(tmp_path):
    tables(tmp_path, "table3", *results_of(tmp_path, training("e", 10), training("h", 20)))
    assert shown(tmp_path / "table3.md", 1, 4, 5, 6, 7) == BY_CAPTION
    assert shown(tmp_path / "table3.md", 2, 8, 9, 10) == BY_IMAGE


def test_an_image_with_one_sentence_leaves_a_dash(tmp_path):
    table = training("e", 10)
    arguments = results_of(tmp_path, table[table["direction"] != C2C])
    (rows,) = tables(tmp_path, "table1", *arguments)[0].values()
    assert rows[-1][4:] == ["–", "10.0 [9.0, 12.0]", "20.0 [19.0, 22.0]"]  # noqa: RUF001
