"""The controls: scores of encoders that learned from nothing, captions, images or both."""

import numpy as np
import pandas as pd
import pytest

from groundvec.results import schemas
from reproduction.papers.controls.claims import CLAIMS, claims, corrected
from reproduction.papers.controls.conditions import (
    BOTH,
    CAPTIONS,
    IMAGES,
    ITSELF,
    LONGER,
    PERMUTED,
    UNTRAINED,
    conditions,
)
from reproduction.papers.controls.controls import controls
from reproduction.reporting.seeds import t_interval
from tests.support.result_files import (
    assert_rows,
    described,
    filled,
    make,
    models,
    predictions,
    read_table,
    rows,
    shown,
    write,
    write_models,
)

GROUPING, CONTENT, _, _, CAPTIONS_TEACH, _, ADD, _, BASELINES = CLAIMS


def loss(beta, **training):
    """Describe a small GRU with a weighted loss."""
    objective = {"name": "multilingual", "margin": 0.2, "beta": beta}
    return described(
        "gru-8-max", objective=objective, training={"epochs": 4, "cycle": 4, **training}
    )


MODELS = {
    "gru": loss(0.5, paraphrases=True),
    "captions": loss(0, paraphrases=True),
    "images": loss(1),
    "hinge": described("gru-8-max", training={"epochs": 4, "cycle": 4}),
    "longer": loss(0.5, paraphrases=True, epochs=8),
    "itself": loss(0, paraphrases="itself"),
    "permuted": loss(1, permute_images=True),
    "permuted_longer": loss(1, permute_images=True, epochs=16),
}


def test_trainings_that_differ_in_the_loss_alone_are_of_one_encoder(tmp_path):
    table = models(tmp_path, *(("flickr8k", name) for name in MODELS), **MODELS)
    expected = f"""
        model           | encoder | learned_from
        gru             | gru     | {BOTH}
        captions        | gru     | {CAPTIONS}
        images          | gru     | {IMAGES}
        hinge           | gru     | {IMAGES}
        longer          | longer  | {BOTH}
        itself          | gru     | {ITSELF}
        permuted        | gru     | {PERMUTED}
        permuted_longer | gru     | {LONGER}
    """  # the hinge is the paper's loss, which uses images alone
    found = conditions(table).set_index("model").loc[list(MODELS)]
    assert_rows(found.reset_index(), expected)


def measured(text):
    """Read values of a measure, with two draws around each."""
    values = read_table(text)
    draws = [np.array([value, value - 0.1, value + 0.1]) for value in values["value"]]
    return values.assign(measure="SICK, cosine", draws=draws)


VALUES = f"""
dataset  | encoder | learned_from | seed | value
flickr8k | gru     | {UNTRAINED}  | 1    | 60
flickr8k | gru     | {UNTRAINED}  | 2    | 60
flickr8k | gru     | {UNTRAINED}  | 3    | 60
flickr8k | gru     | {PERMUTED}   | 1    | 64.01
flickr8k | gru     | {PERMUTED}   | 2    | 64.02
flickr8k | gru     | {PERMUTED}   | 3    | 64.03
flickr8k | gru     | {IMAGES}     | 1    | 50.1
flickr8k | gru     | {IMAGES}     | 2    | 50.2
flickr8k | gru     | {IMAGES}     | 3    | 50.3
flickr8k | gru     | {CAPTIONS}   | 1    | 71
flickr8k | gru     | {CAPTIONS}   | 2    | 72
flickr8k | gru     | {CAPTIONS}   | 3    | 73
flickr8k | gru     | {BOTH}       | 1    | 71
flickr8k | gru     | {BOTH}       | 2    | 73
flickr8k | gru     | {BOTH}       | 3    | 75
         |         | TF-IDF       |      | 64
flickr8k | bag     | {ITSELF}     | 1    | 99
"""


def test_claims_compare_the_rows_of_one_encoder_seed_by_seed():
    values = measured(VALUES)
    found = claims(values).set_index("claim")
    expected = f"""
        claim       | difference | verdict
        {GROUPING}  | 4.02       | holds
        {CONTENT}   | -13.82     | does not hold
        {ADD}       | 1          | not decided
        {BASELINES} | 9          | holds
    """
    assert_rows(found.loc[[GROUPING, CONTENT, ADD, BASELINES]].reset_index(), expected)
    # The bag has one row, which is compared with nothing.
    assert CAPTIONS_TEACH not in found.index
    assert found["condition"].eq("gru").all() and found["seeds"].eq(3).all()
    # Without a second condition and baselines there is nothing to compare.
    assert claims(values[values["learned_from"] == BOTH]).empty


def test_verdicts_are_corrected_for_the_number_of_comparisons():
    """One seed each: differences of 2.2 and 3 standard deviations have p = 0.0278 and 0.0027."""
    table = pd.DataFrame({"seeds": 1, "difference": [2.2, 3.0], "verdict": "holds"})
    table["low"] = table["difference"] - 1.96
    table["high"] = table["difference"] + 1.96
    found = corrected(table)
    assert found["p"].tolist() == pytest.approx([0.0278, 0.0054], abs=1e-4)
    twice = corrected(pd.concat([table, table[:1]], ignore_index=True))
    assert twice["p"].tolist() == pytest.approx([0.0556, 0.0081, 0.0556], abs=1e-4)
    assert twice["verdict"].tolist() == ["not decided", "holds", "not decided"]


def test_seeds_of_a_draw_have_their_own_test_images():
    values = measured(f"""
        dataset  | encoder | learned_from | seed | value
        flickr8k | gru     | {BOTH}       | 1    | 70
        flickr8k | gru     | {BOTH}       | 2    | 72
        flickr8k | gru     | {IMAGES}     | 1    | 60
        flickr8k | gru     | {IMAGES}     | 2    | 60
    """).assign(test_to_train=0.5)
    [of_both] = controls(values).query("learned_from == @BOTH")[["low", "high"]].values
    assert of_both == pytest.approx(t_interval([70, 72], 0, 0.5))
    assert claims(values)["test_to_train"].eq(0.5).all()


# Ratings 0, 1, 5 of a task without a classifier, and 2, 3, 4.
CONTROLS = f"""\
# Flickr8k: gru
{UNTRAINED} | 1 | 94.5 | 94.5 | 100.0 | -50.0 | - | -
{IMAGES} | 1 | 100.0 | 100.0 | 50.0 | 100.0 | 50.0 | 50.0
{CAPTIONS} | 1 | 100.0 | 100.0 | 50.0 | 100.0 | - | -
{BOTH} | 1 | 100.0 | 100.0 | 50.0 | 100.0 | 100.0 | 100.0
# Baselines
trigrams | 1 | -78.6 | -78.6 | -100.0 | -50.0 | - | -
"""


RANKS = read_table("""
    model    | direction        | image | rank
    gru      | caption_to_image | 0     | 1
    gru      | caption_to_image | 1     | 10
    gru      | image_to_caption | 0     | 1
    gru      | image_to_caption | 1     | 10
    captions | caption_to_image | 0     | 1
    captions | caption_to_image | 1     | 1
    captions | image_to_caption | 0     | 1
    captions | image_to_caption | 1     | 1
    images   | caption_to_image | 0     | 1
    images   | caption_to_image | 1     | 11
    images   | image_to_caption | 0     | 1
    images   | image_to_caption | 1     | 11
""").assign(dataset="flickr8k", seed=1, language="en", kind="ensemble", epochs="4")


def test_the_table_has_a_row_for_each_condition_and_baseline(tmp_path):
    """Draws hold correlations of three pairs, and three with a classifier, and queries' ranks."""
    names = RANKS["model"].unique()
    files = write_models(tmp_path, *(("flickr8k", name) for name in names), **MODELS)
    rated = [predictions("trigrams", None, "baseline", [0.5, 0.1, 0, 0.4, 0.3, 0.2])]
    for name in names:
        system = f"flickr8k/{name}/seed1"
        trained = [
            predictions(system, "0", "snapshot", [0.1, 0.2, 0.3, 0.1, 0.2, 0.3]),
            predictions(system, "4", "snapshot", [0.3, 0.2, 0.1, 0.3, 0.2, 0.1]),
            predictions(system, "4", "ensemble", [0, 0.1, 0.5, 0.2, 0.4, 0.3], [2, 3, 4]),
        ]
        rated.append(pd.concat(trained))
    tasks = "Scenes,colour,image descriptions,0,0,3,0\nScenes-R,Relatedness,drawn,1,0,3,0\n"
    (tmp_path / "tasks.csv").write_text(f"task,subtask,source,train,dev,test,dropped\n{tasks}")
    arguments = ["--models", *files, "--predictions", *write(tmp_path, *rated)]
    ranks = write(tmp_path, filled(RANKS, schemas.QueryRanks), name="ranks")
    arguments += ["--query-ranks", *ranks, "--tasks", tmp_path / "tasks.csv"]
    make("controls", *arguments, "--output", tmp_path / "controls")
    assert shown(tmp_path / "controls.md") == CONTROLS
    head = rows((tmp_path / "controls.md").read_text("utf-8"))["Flickr8k: gru"][0]
    assert " | ".join(head) == (
        "training signal | seeds | Scenes | Scenes, of images and videos | Scenes-R, cosine | "
        "Scenes-R, classifier | R@10, images | R@10, captions"
    )
    assert "Of images and videos: Scenes colour." in (tmp_path / "controls.md").read_text("utf-8")
    stems = [tmp_path / name for name in ("controls", "claims", "differences")]
    make("controls", *arguments, "--output", *stems)
    assert (tmp_path / "differences.svg").stat().st_size > 1000
    assert "Images add to captions" in (tmp_path / "claims.md").read_text("utf-8")
