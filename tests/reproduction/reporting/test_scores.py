"""Scores of ratings as tables read them, and the few numbers that sum a model up."""

import numpy as np
import pandas as pd
import pytest

from groundvec.runtime.errors import InputError
from reproduction.reporting import measures, systems
from tests.support.result_files import SELECTED, SYSTEM, baseline, read, sts_rows, trained


def test_scores_keep_baselines_without_model_and_seed(tmp_path):
    scores = read(tmp_path, trained(), baseline())
    assert scores["seed"].dtype == "Int64"
    ours = scores[scores["kind"] == "ensemble"].iloc[0]
    found = ours[["dataset", "model", "seed", "epochs"]].tolist()
    assert found == ["flickr8k", "gru-8-max", 1, "4"]
    theirs = scores[scores["system"] == "trigrams"]
    assert theirs[["dataset", "model", "epochs"]].eq("").all(axis=None)
    assert theirs["seed"].isna().all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.assign(epochs=None), "line 2 has no epochs"),
        (lambda t: t.assign(seed=None), "line 2 has no seed"),
        (lambda t: t[t["kind"] == "snapshot"], "has no rows of an ensemble or a baseline"),
    ],
)
def test_bad_scores_are_named(tmp_path, change, message):
    with pytest.raises(InputError) as error:
        read(tmp_path, baseline(), change(trained()))
    assert "scores-1.csv" in str(error.value) and message in str(error.value)
    assert "\n" not in str(error.value)


def test_the_headline_is_the_classifier_where_there_is_one(tmp_path):
    shown = measures.headline(read(tmp_path, trained(), baseline()))
    first = shown[(shown["system"] == SYSTEM) & (shown["epochs"] == "4")]
    first = first[first["kind"] == "ensemble"]
    assert first[["subtask", "method"]].values.tolist() == [
        ["colour", "cosine"],
        ["negation", "cosine"],
        ["Relatedness", "classifier"],
    ]
    np.testing.assert_allclose(first["pearson"], [0.4, 0.6, 0.7])


def test_few_numbers_sum_a_model_up(tmp_path):
    table = measures.semantic_measures(read(tmp_path, trained(), baseline()))
    ours = table[table["kind"] == "ensemble"]
    assert ours["measure"].tolist() == ["Scenes", "Scenes-R", "semantic score"]
    np.testing.assert_allclose(ours["pearson"], [0.45, 0.7, 0.575])  # the last: (0.45 + 0.7) / 2
    # Halves of 0.04 and 0.03 below and of 0.08 and 0.06 above: sqrt(4^2 + 3^2) / 2 = 2.5
    np.testing.assert_allclose(ours["pearson_low"], [0.41, 0.67, 0.575 - 0.025])
    np.testing.assert_allclose(ours["pearson_high"], [0.53, 0.76, 0.575 + 0.05])
    assert len(table) == 4 * 3  # two snapshots, an ensemble and a baseline
    assert table["system"].tolist() == [SYSTEM] * 9 + ["trigrams"] * 3


def test_of_the_papers_tasks_sts_b_is_no_part_of_the_semantic_score(tmp_path):
    table = measures.semantic_measures(read(tmp_path, trained(r=0.5, make=sts_rows)))
    ours = table[table["kind"] == "ensemble"].set_index("measure")["pearson"].round(9)
    assert ours.to_dict() == {"STS 12-16": 0.5, "STS-B": 0.8, "SICK-R": 0.7, "semantic score": 0.6}


def test_means_are_weighted_and_so_are_their_intervals():
    table = pd.DataFrame(
        {
            "name": ["x", "x"],
            "pearson": [0.2, 0.6],
            "pearson_low": [0.1, 0.2],
            "pearson_high": [0.3, 0.7],
            "pairs": [300, 100],
        }
    )
    mean = measures.means(table, ["name"]).iloc[0]
    weighted = measures.means(table, ["name"], "pairs").iloc[0]
    assert mean["pearson"] == pytest.approx(0.4)
    assert weighted["pearson"] == pytest.approx(0.3)  # 0.75 * 0.2 + 0.25 * 0.6
    assert mean["pearson_low"] == pytest.approx(0.4 - np.hypot(0.1, 0.4) / 2)
    assert weighted["pearson_low"] == pytest.approx(0.3 - np.hypot(0.075, 0.1))
    assert weighted["pearson_high"] == pytest.approx(0.3 + np.hypot(0.075, 0.025))


def test_untrained_networks_of_one_model_on_two_data_sets_have_two_names(tmp_path):
    scores = read(tmp_path, trained(), trained("mscoco/gru-8-max/seed1"))
    selected = {**SELECTED, "mscoco": ("gru-8-max", 1)}
    assert systems.main_systems(scores, selected)["name"].unique().tolist() == [
        "gru-8-max Flickr8k",
        "gru-8-max MSCOCO",
        "untrained gru-8-max Flickr8k",
        "untrained gru-8-max MSCOCO",
    ]
    message = "no semantic results of the ensemble of the selected model scenes/gru-8-max/seed1"
    with pytest.raises(InputError, match=message):
        systems.main_systems(scores, {"scenes": ("gru-8-max", 1)})


def test_main_systems_are_the_selected_one_its_snapshots_and_the_baselines(tmp_path):
    others = [SYSTEM.replace("seed1", "seed2"), "flickr8k/lstm-8-max/seed1"]
    scores = read(tmp_path, baseline(), trained(), *map(trained, others))
    systems_shown = systems.main_systems(scores, SELECTED, {"flickr8k": 4})
    columns = ["name", "system", "kind", "epochs"]
    assert systems_shown[columns].drop_duplicates().values.tolist() == [
        ["gru-8-max Flickr8k", SYSTEM, "ensemble", "4"],
        ["gru-8-max Flickr8k, epoch 4", SYSTEM, "snapshot", "4"],
        ["untrained gru-8-max", SYSTEM, "snapshot", "0"],
        ["trigrams", "trigrams", "baseline", ""],
    ]
    with pytest.raises(InputError, match=f"results of epoch 8 of the selected model {SYSTEM}"):
        systems.main_systems(scores, SELECTED, {"flickr8k": 8})
