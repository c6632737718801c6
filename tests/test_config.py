import dataclasses
from pathlib import Path

import pytest
import yaml

from grounded.config import SCHEMA, complete
from grounded.errors import InputError
from grounded.training.settings import Settings

ROOT = Path(__file__).parent.parent
SMALL = {
    "experiment": "small",
    "datasets": {"one": {"source": "scenes", "count": 40, "cells": ["gru-8-max"]}},
}


def changed(**changes):
    """The small configuration with keys of its data set changed."""
    return {**SMALL, "datasets": {"one": {**SMALL["datasets"]["one"], **changes}}}


def judged(**baselines):
    """The small configuration with ratings and baselines."""
    return {**SMALL, "semantics": {"pairs": "scenes", "baselines": baselines}}


@pytest.mark.parametrize("path", [ROOT / "config.yaml", *sorted((ROOT / "config").glob("*.yaml"))])
def test_every_experiment_of_the_project_is_valid(path):
    if path != SCHEMA:
        complete(yaml.safe_load(path.read_text()))


def test_the_defaults_of_the_schema_are_those_of_the_library():
    completed = complete(SMALL)["datasets"]["one"]
    assert completed["training"] == dataclasses.asdict(Settings())
    assert (completed["backbone"], completed["language"], completed["seeds"]) == (
        "resnet152",
        "en",
        [1],
    )


def test_ratings_are_prepared_as_senteval_s_unless_said_otherwise():
    completed = complete({**SMALL, "semantics": {"pairs": "sts"}})["semantics"]
    assert (completed["tokenizer"], completed["lowercase"]) == ("moses", ["STS", "STS-B"])
    assert completed["baselines"] == {"trigrams": {"encoder": "trigrams"}}
    assert "semantics" not in complete(SMALL)


def test_the_paper_s_grid_is_the_configured_one():
    data = yaml.safe_load((ROOT / "config" / "flickr8k.yaml").read_text())["datasets"]["flickr8k"]
    grid = {f"{rnn}-{n}-attention" for rnn in ("gru", "lstm") for n in (1024, 2048, 4096)}
    assert set(data["cells"]) == grid | {"gru-2048-max", "lstm-2048-max"}


def test_every_key_of_the_schema_is_described():
    schema = yaml.safe_load(SCHEMA.read_text())
    for part in ("dataset", "training", "semantics", "baseline"):
        for key, value in schema["$defs"][part]["properties"].items():
            obvious = {"epochs", "batch_size", "learning_rate_max", "learning_rate_min"}
            assert key in obvious or "description" in value or "$ref" in value, key


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (changed(bacbone="x"), "datasets.one: unknown key 'bacbone': did you mean 'backbone'?"),
        (changed(training={"lr": 1}), "datasets.one.training: unknown key 'lr': known are epochs"),
        (changed(count="many"), "datasets.one.count: 'many' is not of type 'integer'"),
        (
            changed(training={"learning_rate_max": "fast"}),
            "datasets.one.training.learning_rate_max: 'fast' is not of type 'number'",
        ),
        (changed(training={"epochs": "8.5"}), "epochs: 8.5 is not of type 'integer'"),
        (changed(source="scene"), "datasets.one.source: 'scene' is not one of"),
        (changed(source="scene"), "did you mean 'scenes'?"),
        (changed(cells=["gru-7-max"]), "datasets.one: unknown cell 'gru-7-max'"),
        (changed(cells=[]), "datasets.one.cells"),
        (changed(source="table"), "datasets.one: 'table' is a required property"),
        (changed(backbone="precomputed"), "datasets.one: 'features' is a required property"),
        (changed(training={"epochs": 6}), "datasets.one: epochs 6 is not a multiple of cycle 4"),
        ({**SMALL, "semantics": {"pairs": "stss"}}, "semantics.pairs: 'stss' is not one of"),
        (judged(x={"encoder": "infersent"}), "baselines.x: 'vectors' is a required property"),
        (judged(x={"encoder": "trigram"}), "did you mean 'trigrams'?"),
        (judged(x={"encoder": "trigrams", "vector": "f"}), "unknown key 'vector'"),
        ({"experiment": "x"}, "the top level: 'datasets' is a required property"),
        ({**SMALL, "experiment": "a/b"}, "experiment: 'a/b' does not match"),
    ],
)
def test_a_wrong_configuration_gets_one_line_that_names_the_key(config, message):
    with pytest.raises(InputError) as caught:
        complete(config)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_numbers_that_come_as_text_are_read():
    """YAML takes 1e-3 for text, and Snakemake everything within a value given with --config."""
    text = {"learning_rate_max": "1e-3", "epochs": "8", "clip_image": "null"}
    completed = complete(changed(training=text, seeds=["1", "2"]))["datasets"]["one"]
    training = completed["training"]
    assert (training["learning_rate_max"], training["epochs"], training["clip_image"]) == (
        1e-3,
        8,
        None,
    )
    assert completed["seeds"] == [1, 2]
