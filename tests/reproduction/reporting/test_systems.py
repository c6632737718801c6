"""The models of a report, and their order."""

import json
import re

import pandas as pd
import pytest

from groundvec.results import schemas
from groundvec.runtime.files import read_json, write_json
from reproduction.reporting import results, systems
from tests.support.refusals import refused
from tests.support.result_files import (
    BAG,
    assert_rows,
    described,
    filled,
    models,
    read_table,
    write,
    write_models,
)
from tests.support.retrieval_scores import training
from tests.support.small_data import run_script


def test_the_best_ensemble_on_the_whole_development_set_is_selected():
    good = training("mscoco", "gru-8-attention", dev=(50, 50), test_sets=["5k", "1k-folds"])
    best = training("mscoco", "lstm-8-attention", dev=(52, 50), test_sets=["5k", "1k-folds"])
    worse_than_chance = training("scenes", "gru-8-max", seed=3, dev=(1, 2))
    # A fold, a single snapshot and the test set must not count.
    misleading = (good["test_set"] == "1k-folds") | (good["kind"] == "snapshot")
    good.loc[misleading | (good["split"] == "test"), "r10"] = 99.0
    measured = pd.concat([good, best, worse_than_chance], ignore_index=True)
    assert systems.select(measured, None, "recall") == {
        "mscoco": ("lstm-8-attention", 1),
        "scenes": ("gru-8-max", 3),
    }


def test_models_are_selected_by_ratings_or_by_name():
    trainings = [
        training("scenes", "gru-8-max", seed=1, dev=(50, 50)),
        training("scenes", "gru-8-max", seed=2, dev=(55, 55)),
        training("scenes", "lstm-8-max", seed=1, dev=(70, 70)),
        training("flickr8k", "gru-8-max", seed=3, dev=(1, 1)),
    ]
    measured = pd.concat(trainings, ignore_index=True)
    # Seeds 1 and 2 are equal but for rounding, and no model is selected by a snapshot.
    rated = read_table("""
        dataset  | model      | seed | kind     | measure        | pearson
        scenes   | lstm-8-max | 1    | ensemble | semantic score | 0.5
        scenes   | gru-8-max  | 2    | ensemble | semantic score | 0.6
        scenes   | gru-8-max  | 1    | ensemble | semantic score | 0.6000000000000001
        scenes   | lstm-8-max | 1    | snapshot | semantic score | 0.9
        flickr8k | gru-8-max  | 3    | ensemble | semantic score | 0.1
                 |            |      | baseline | semantic score | 0.9
    """)
    selected = {
        by: systems.select(measured, rated, by)["scenes"]
        for by in ("recall", "ratings", "gru-8-max")
    }
    assert selected == {
        "recall": ("lstm-8-max", 1),
        "ratings": ("gru-8-max", 2),
        "gru-8-max": ("gru-8-max", 2),
    }
    with refused("flickr8k has no scores of a model 'lstm-8-max'"):
        systems.select(measured, None, "lstm-8-max")
    with refused("flickr8k has no semantic scores to select by"):
        systems.select(measured, rated[rated["dataset"] != "flickr8k"], "ratings")


def test_the_ensemble_and_the_best_snapshot_end_cycles(tmp_path):
    history = read_table("""
        epoch | dev_recall
        0     | 1
        1     | 99
        4     | 60.000000000001
        6     | 60
        8     | 60
        10    | 60
        12    | 59
    """)
    history = filled(history, schemas.History)
    history.to_csv(tmp_path / "history.csv", index=False)
    [model] = write_models(tmp_path, ("scenes", "gru-8-max"), snapshots=(4, 6, 10, 12))
    output = tmp_path / "ensemble.json"
    options = ("--history", tmp_path / "history.csv", "--model", model, "--output", output)
    run_script("ensemble", *options)
    # 1 is better and 8 as good, but no end of a cycle; of equals, up to rounding, it is the later.
    assert read_json(output) == {"epochs": [6, 10], "best": 10}
    model.write_text(model.read_text().replace("12", "14"))
    with refused("the history has no epoch 14, which is a snapshot"):
        run_script("ensemble", *options)


def test_models_stand_in_the_order_of_the_grid_and_unknown_parts_behind(tmp_path):
    """Known: GRU, LSTM; attention, max; sizes. Unknown ones as they come."""
    names = ["floor", "ran", "mean", "gru-8-max", "lstm-8-attention", "gru-16-attention", "dot"]
    table = models(
        tmp_path,
        *(("scenes", name) for name in names),
        ("flickr8k", "gru-8-attention", 2),
        ("scenes", "gru-8-attention", 2),
        ("scenes", "gru-8-attention", 1),
        floor={**BAG, "objective": {"name": "hinge"}, "similarity": "cosine"},
        ran=described("ran-4-attention"),
        mean=described("gru-8-mean"),
        dot=described("gru-4-max", similarity="dot", objective={"name": "squared"}),
    )
    expected = """
        dataset  | model            | seed | network            | pooling   | size
        scenes   | gru-8-attention  | 1    | GRU                | attention | 8
        scenes   | gru-8-attention  | 2    | GRU                | attention | 8
        scenes   | gru-16-attention | 1    | GRU                | attention | 16
        scenes   | gru-8-max        | 1    | GRU                | max       | 8
        scenes   | mean             | 1    | GRU                | mean      | 8
        scenes   | lstm-8-attention | 1    | LSTM               | attention | 8
        scenes   | floor            | 1    | bag (words)        |           | 8
        scenes   | ran              | 1    | RAN                | attention | 4
        scenes   | dot              | 1    | GRU (dot, squared) | max       | 4
        flickr8k | gru-8-attention  | 2    | GRU                | attention | 8
    """
    assert_rows(table, expected)


@pytest.mark.parametrize(
    "changes, message",
    [
        (None, "does not describe a model (it: "),
        ({"description": {"text": {}}}, "does not describe a model (description"),
        ({"seed": "x"}, "does not describe a model (seed: "),
        ({"draw": [800, 100]}, "does not describe a model (draw"),
        ({}, "repeats rows of another input: pass each file once"),
    ],
)
def test_bad_descriptions_are_named(tmp_path, changes, message):
    [good] = write_models(tmp_path / "a", ("scenes", "gru-8-max"))
    bad = tmp_path / "bad.json"
    write_json(bad, [1] if changes is None else json.loads(good.read_text()) | changes)
    with refused(rf"bad\.json {re.escape(message)}"):
        results.read_models([good, bad])


def test_incomplete_retrieval_scores_are_refused(tmp_path):
    good = training("scenes", "lstm-64-attention")
    bad = training("scenes", "gru-64-attention").assign(epochs=None)
    with refused(r"retrieval-1\.csv line 3 has no epochs"):  # after a row of chance
        results.read_retrieval(write(tmp_path, good, bad, name="retrieval"))
