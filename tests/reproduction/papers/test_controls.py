"""The controls: scores of encoders that learned from nothing, captions, images or both."""

import numpy as np
import pandas as pd
import pytest

from groundvec.card.text import MINUS, MISSING
from groundvec.results import schemas
from reproduction.papers.controls.claims import BASELINES, CLAIMS, claims, corrected
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
    described,
    filled,
    make,
    models,
    predictions,
    rows,
    write,
    write_models,
)

GROUPING, CONTENT, _, _, CAPTIONS_TEACH, _, ADD, _ = CLAIMS


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
    found = conditions(table).set_index("model")[["encoder", "learned_from"]]
    assert found.T.to_dict("list") == {
        "gru": ["gru", BOTH],
        "captions": ["gru", CAPTIONS],
        "images": ["gru", IMAGES],
        "hinge": ["gru", IMAGES],  # the paper's loss uses images alone
        "longer": ["longer", BOTH],
        "itself": ["gru", ITSELF],
        "permuted": ["gru", PERMUTED],
        "permuted_longer": ["gru", LONGER],
    }


def value(learned_from, seed, number, encoder="gru", measure="SICK, cosine"):
    return {
        "dataset": "flickr8k" if encoder else np.nan,
        "encoder": encoder,
        "learned_from": learned_from,
        "seed": seed,
        "measure": measure,
        "draws": np.array([number, number - 0.1, number + 0.1]),
    }


def test_claims_compare_the_rows_of_one_encoder_seed_by_seed():
    values = pd.DataFrame(
        [
            *(value(UNTRAINED, seed, 60.0) for seed in (1, 2, 3)),
            *(value(PERMUTED, seed, 64.0 + seed / 100) for seed in (1, 2, 3)),
            *(value(IMAGES, seed, 50.0 + seed / 10) for seed in (1, 2, 3)),
            *(value(CAPTIONS, seed, 70.0 + seed) for seed in (1, 2, 3)),
            *(value(BOTH, seed, 69.0 + 2 * seed) for seed in (1, 2, 3)),
            value("TF-IDF", np.nan, 64.0, encoder=np.nan),
            value(ITSELF, 1, 99.0, encoder="bag"),
        ]
    )
    found = claims(values).set_index("claim")
    expected = {
        GROUPING: (4.02, "holds"),
        CONTENT: (50.2 - 64.02, "does not hold"),
        ADD: (1, "not decided"),  # 0, 1 and 2
    }
    for claim, (difference, verdict) in expected.items():
        assert found.loc[claim, "difference"] == pytest.approx(difference)
        assert found.loc[claim, "verdict"] == verdict
    assert found.loc[BASELINES, "difference"] == pytest.approx(9)
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
    numbers = ((BOTH, 1, 70.0), (BOTH, 2, 72.0), (IMAGES, 1, 60.0), (IMAGES, 2, 60.0))
    values = pd.DataFrame([value(*number) for number in numbers]).assign(test_to_train=0.5)
    [of_both] = controls(values).query("learned_from == @BOTH")[["low", "high"]].values
    assert of_both == pytest.approx(t_interval([70, 72], 0, 0.5))
    assert claims(values)["test_to_train"].eq(0.5).all()


def test_the_table_has_a_row_for_each_condition_and_baseline(tmp_path):
    """Draws hold correlations of three pairs, and three with a classifier, and queries' ranks."""
    rank_of_second = {"gru": 10, "captions": 1, "images": 11}
    files = write_models(tmp_path, *(("flickr8k", name) for name in rank_of_second), **MODELS)
    rated = [predictions("trigrams", None, "baseline", [0.5, 0.1, 0, 0.4, 0.3, 0.2])]
    ranks = []
    for name, rank in rank_of_second.items():
        system = f"flickr8k/{name}/seed1"
        trained = [
            predictions(system, "0", "snapshot", [0.1, 0.2, 0.3, 0.1, 0.2, 0.3]),
            predictions(system, "4", "snapshot", [0.3, 0.2, 0.1, 0.3, 0.2, 0.1]),
            predictions(system, "4", "ensemble", [0, 0.1, 0.5, 0.2, 0.4, 0.3], [2, 3, 4]),
        ]
        rated.append(pd.concat(trained))
        about = {"dataset": "flickr8k", "model": name, "seed": 1, "language": "en"}
        about |= {"kind": "ensemble", "epochs": "4", "image": [0, 1], "rank": [1, rank]}
        for direction in ("caption_to_image", "image_to_caption"):
            table = pd.DataFrame(about).assign(direction=direction)
            ranks.append(filled(table, schemas.QueryRanks))
    tasks = "Scenes,colour,image descriptions,0,0,3,0\nScenes-R,Relatedness,drawn,1,0,3,0\n"
    (tmp_path / "tasks.csv").write_text(f"task,subtask,source,train,dev,test,dropped\n{tasks}")
    arguments = ["--models", *files, "--predictions", *write(tmp_path, *rated)]
    ranks = write(tmp_path, *ranks, name="ranks")
    arguments += ["--query-ranks", *ranks, "--tasks", tmp_path / "tasks.csv"]
    make("controls", *arguments, "--output", tmp_path / "controls")
    found = rows((tmp_path / "controls.md").read_text("utf-8"))
    assert [*found][1:] == ["Flickr8k: gru", "Baselines"]
    head, *conditions_found = found["Flickr8k: gru"]
    assert " | ".join(head) == (
        "training signal | seeds | Scenes | Scenes, of images and videos | Scenes-R, cosine | "
        "Scenes-R, classifier | R@10, images | R@10, captions"
    )
    # Ratings 0, 1, 5 of a task without a classifier, and 2, 3, 4.
    r = f"{100 * np.corrcoef([0, 1, 5], [1, 2, 3])[0, 1]:.1f}"
    assert conditions_found == [
        [UNTRAINED, "1", r, r, "100.0", f"{MINUS}50.0", MISSING, MISSING],
        [IMAGES, "1", "100.0", "100.0", "50.0", "100.0", "50.0", "50.0"],
        [CAPTIONS, "1", "100.0", "100.0", "50.0", "100.0", MISSING, MISSING],
        [BOTH, "1", "100.0", "100.0", "50.0", "100.0", "100.0", "100.0"],
    ]
    [[name, seeds, *cosines]] = found["Baselines"][1:]
    assert (name, seeds, cosines[2]) == ("trigrams", "1", f"{MINUS}100.0")
    assert "Of images and videos: Scenes colour." in (tmp_path / "controls.md").read_text("utf-8")
    stems = [tmp_path / name for name in ("controls", "claims", "differences")]
    make("controls", *arguments, "--output", *stems)
    assert (tmp_path / "differences.svg").stat().st_size > 1000
    assert "Images add to captions" in (tmp_path / "claims.md").read_text("utf-8")
