"""Scores of ratings as tables read them, and the few numbers that sum a model up."""

import pytest

from reproduction.reporting import measures, systems
from tests.support.refusals import refused
from tests.support.result_files import (
    SELECTED,
    STS,
    SYSTEM,
    assert_rows,
    baseline,
    read,
    trained,
)


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda t: t.assign(epochs=None), "line 2 has no epochs"),
        (lambda t: t.assign(seed=None), "line 2 has no seed"),
    ],
)
def test_bad_scores_are_named(tmp_path, change, message):
    with refused(rf"scores-1\.csv:? {message}"):
        read(tmp_path, baseline(), change(trained()))


def test_few_numbers_sum_a_model_up(tmp_path):
    table = measures.semantic_measures(read(tmp_path, trained(), baseline()))
    ours = table[table["kind"] == "ensemble"]
    # Halves of 0.04 and 0.03 below and of 0.08 and 0.06 above: sqrt(4^2 + 3^2) / 2 = 2.5
    expected = """
        measure        | pearson | pearson_low | pearson_high
        Scenes         | 0.45    | 0.41        | 0.53
        Scenes-R       | 0.7     | 0.67        | 0.76
        semantic score | 0.575   | 0.55        | 0.625
    """
    assert_rows(ours, expected)
    assert len(table) == 4 * 3  # two snapshots, an ensemble and a baseline
    assert table["system"].tolist() == [SYSTEM] * 9 + ["trigrams"] * 3


def test_the_semantic_score_omits_sts_b(tmp_path):
    table = measures.semantic_measures(read(tmp_path, trained(r=0.5, form=STS)))
    ours = table[table["kind"] == "ensemble"].set_index("measure")["pearson"].round(9)
    assert ours.to_dict() == {"STS 12-16": 0.5, "STS-B": 0.8, "SICK-R": 0.7, "semantic score": 0.6}


def test_main_systems_are_the_selected_ones_their_snapshots_and_the_baselines(tmp_path):
    """Two data sets have untrained networks with different features."""
    others = [SYSTEM.replace("seed1", "seed2"), "flickr8k/lstm-8-max/seed1"]
    of_mscoco = "mscoco/gru-8-max/seed1"
    scores = read(tmp_path, baseline(), trained(), trained(of_mscoco), *map(trained, others))
    selected = {**SELECTED, "mscoco": ("gru-8-max", 1)}
    systems_shown = systems.main_systems(scores, selected, {"flickr8k": 4})
    expected = f"""
        name                         | system      | kind
        gru-8-max Flickr8k           | {SYSTEM}    | ensemble
        gru-8-max MSCOCO             | {of_mscoco} | ensemble
        gru-8-max Flickr8k, epoch 4  | {SYSTEM}    | snapshot
        untrained gru-8-max Flickr8k | {SYSTEM}    | snapshot
        untrained gru-8-max MSCOCO   | {of_mscoco} | snapshot
        trigrams                     | trigrams    | baseline
    """
    systems_shown = systems_shown.drop_duplicates("name")
    assert_rows(systems_shown, expected)
    assert systems_shown["epochs"].tolist() == ["4", "4", "4", "0", "0", ""]
    message = "no semantic results of the ensemble of the selected model scenes/gru-8-max/seed1"
    with refused(message):
        systems.main_systems(scores, {"scenes": ("gru-8-max", 1)})
    with refused(f"results of epoch 8 of the selected model {SYSTEM}"):
        systems.main_systems(scores, SELECTED, {"flickr8k": 8})
