"""Rated pairs that hold a training caption: how many there are, and the scores without them."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from groundvec.data import dataset
from groundvec.evaluation.overlap import letters_and_digits, score_systems, seen, training_captions
from groundvec.evaluation.ratings import predict
from tests.support.models import saved_model
from tests.support.refusals import refused
from tests.support.result_files import described
from tests.support.small_data import run_script
from tests.support.tables import row_of

# Captions of four images; the last is a test image.
CAPTIONS = {
    "i0": ["A dog 's ball .", "The dog runs !"],
    "i1": ["Two cats sleep .", "A dog's ball", *"ab", ". !", "the sixth caption"],
    "i2": ["A man in a wetsuit ."],
    "i3": ["A test image ."],
}
SPLITS = {"i0": "train", "i1": "train", "i2": "train", "i3": "test"}


def about(**more):
    return {"description": described("gru-8-max"), "seed": 1, **more}


def write_captions(folder, **of_languages):
    rows = [
        (image, language, SPLITS[image], caption)
        for language, captions in ({"en": CAPTIONS} | of_languages).items()
        for image, texts in captions.items()
        for caption in texts
    ]
    path = folder / "captions.csv"
    pd.DataFrame(rows, columns=dataset.CAPTION_COLUMNS).to_csv(path, index=False)
    return path


def test_seen_captions_are_the_captions_that_training_reads(tmp_path):
    """The first five of every training image, in English; none of punctuation alone."""
    path = write_captions(tmp_path, de={"i0": ["Ein Hund ."], "i3": ["Ein Bild ."]})
    read = training_captions(about(), path)
    assert read == {"adogsball", "thedogruns", "twocatssleep", *"ab", "amaninawetsuit"}
    both = described("gru-8-max") | {"languages": ["en", "de"]}
    assert training_captions(about(description=both), path) == {"adogsball", "thedogruns"}


# Which are among CAPTIONS, by hand.
SENTENCES = {
    "a dog 's ball .": True,
    "The dog runs": True,
    "two cats sleep": True,
    "A man in a wet suit .": True,
    "the sixth caption": False,
    "A test image .": False,
    **{f"It is {color} .": False for color in ("red", "blue", "green", "white", "black")},
}


def rated():
    """Pairs of every two sentences, in three subtasks and a task with training pairs."""
    pairs = list(itertools.combinations(SENTENCES, 2))
    subtasks = [("STS 2012", "MSRvid"), ("STS 2012", "OnWN"), ("STS 2015", "Images")]
    rows = [
        (*subtasks[k % 5 // 2], "test", a, b, round(5 * abs(np.sin(k)), 1))
        for k, (a, b) in enumerate(pairs)
    ]
    splits = ["train"] * 20 + ["dev"] * 5 + ["test"] * 30
    rows += [
        ("SICK", "Relatedness", split, b, a, round(1 + 4 * abs(np.cos(k)), 1))
        for k, (split, (a, b)) in enumerate(zip(splits, pairs, strict=True))
    ]
    columns = ["task", "subtask", "split", "sentence_a", "sentence_b", "rating"]
    return pd.DataFrame(rows, columns=columns)


@pytest.fixture(scope="module")
def predictions():
    rng = np.random.default_rng(1)
    vectors = {sentence: rng.standard_normal(6) for sentence in SENTENCES}
    table = predict(rated(), lambda sentences: np.stack([vectors[each] for each in sentences]))
    labels = {"system": "scenes/gru-8-max/seed1", "kind": "snapshot", "epochs": "0"}
    ensemble = table.assign(cosine=table["cosine"] ** 3)
    return pd.concat(
        [table.assign(**labels), ensemble.assign(**labels | {"kind": "ensemble", "epochs": "4"})]
    )


@pytest.fixture(scope="module")
def scores(predictions, tmp_path_factory):
    captions = training_captions(about(), write_captions(tmp_path_factory.mktemp("data")))
    return score_systems(predictions, seen(rated(), captions))


def of_task(pairs, task, subtask):
    """The pairs of a row of the scores."""
    if task == "all":
        return pairs[pairs["task"] != "SICK"]
    pairs = pairs[pairs["task"] == task]
    return pairs if subtask == "all" else pairs[pairs["subtask"] == subtask]


def test_pairs_are_counted_as_by_hand(scores):
    pairs = rated()
    for row in scores.to_dict("records"):
        group = of_task(pairs[pairs["split"] == "test"], row["task"], row["subtask"])
        captions = [
            (SENTENCES[a], SENTENCES[b])
            for a, b in group[["sentence_a", "sentence_b"]].itertuples(index=False)
        ]
        assert row["pairs"] == len(captions)
        assert row["seen"] == sum(a or b for a, b in captions)
        assert row["seen_both"] == sum(a and b for a, b in captions)


def test_scores_without_seen_pairs_use_the_remaining_pairs(scores, predictions):
    pairs = rated()
    in_captions = pairs[["sentence_a", "sentence_b"]].map(SENTENCES.get)
    unseen = ~in_captions.any(axis=1)
    for kind, method, task, subtask, statistic in (
        ("snapshot", "cosine", "all", "all", "concatenated"),
        ("ensemble", "cosine", "SICK", "Relatedness", "correlation"),
        ("ensemble", "classifier", "SICK", "Relatedness", "correlation"),
    ):
        table = predictions[(predictions["kind"] == kind) & predictions["pair"].map(unseen)]
        table = of_task(table, task, subtask)
        row = row_of(scores, task=task, statistic=statistic, method=method, kind=kind)
        assert row["pairs"] - row["seen"] == len(table) > 2
        for name, measure in (("pearson", stats.pearsonr), ("spearman", stats.spearmanr)):
            r = measure(table[method], table["rating"]).statistic
            assert row[f"unseen_{name}"] == pytest.approx(r)
            assert row[f"unseen_{name}_low"] <= r <= row[f"unseen_{name}_high"]


def test_scores_are_the_same_if_no_pair_is_seen_and_missing_if_all_are(predictions):
    scores = score_systems(predictions, seen(rated(), set()))
    assert (scores[["seen", "seen_both"]] == 0).all(axis=None)
    for name in ("pearson_low", "spearman_high"):
        assert scores[name].equals(scores[f"unseen_{name}"])
    every = {letters_and_digits(sentence) for sentence in SENTENCES}
    scores = score_systems(predictions, seen(rated(), every))
    assert scores["unseen_pearson"].isna().all()
    assert scores["seen"].equals(scores["pairs"])


def test_predictions_of_other_pairs_or_of_another_model_are_named(tmp_path, predictions):
    message = r"the predictions are not of these rated pairs \(pair \d+, STS 2012"
    with refused(message):
        score_systems(predictions, seen(rated()[3:].reset_index(drop=True), set()))
    saved_model(tmp_path / "model")
    predictions.to_csv(tmp_path / "predictions.csv", index=False)
    options = ["--model", tmp_path / "model", "--predictions", tmp_path / "predictions.csv"]
    options += ["--ratings", "ratings.csv", "--captions", "captions.csv", "--output", "overlap.csv"]
    with refused("is not about the model scenes/gru-16-attention/seed0"):
        run_script("overlap", *options)
