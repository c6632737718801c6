"""The scores of a system on rated pairs."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from groundvec.evaluation import ratings
from tests.support.rated_pairs import encoder, frozen
from tests.support.refusals import refused


@pytest.fixture(scope="module")
def predictions():
    pairs, vectors = frozen()
    return ratings.predict(pairs, encoder(vectors))


@pytest.fixture(scope="module")
def scores(predictions):
    return ratings.evaluate(predictions)


def row_of(table, *key):
    keys = ["task", "subtask", "statistic", "method"]
    rows = table[(table[keys] == list(key)).all(axis=1)]
    assert len(rows) == 1
    return rows.iloc[0]


def test_subtasks_and_concatenation_equal_scipy_s(predictions, scores):
    for key, of_key in {
        ("STS 2012", "MSRvid", "correlation"): predictions["subtask"] == "MSRvid",
        ("SICK", "Relatedness", "correlation"): predictions["task"] == "SICK",
        ("STS 2012", "all", "concatenated"): predictions["task"] == "STS 2012",
        ("all", "all", "concatenated"): predictions["task"] != "SICK",
    }.items():
        group = predictions[of_key]
        row = row_of(scores, *key, "cosine")
        for name, measure in (("pearson", stats.pearsonr), ("spearman", stats.spearmanr)):
            r = measure(group["cosine"], group["rating"]).statistic
            variance = 1 + r**2 / 2 if name == "spearman" else 1  # Bonett & Wright (2000)
            z = np.arctanh(r)
            half = 1.96 * np.sqrt(variance / (len(group) - 3))
            interval = np.tanh(z - half), r, np.tanh(z + half)
            assert (row[f"{name}_low"], row[name], row[f"{name}_high"]) == pytest.approx(interval)


def test_means_and_their_intervals_by_hand(scores):
    first = row_of(scores, "STS 2012", "MSRpar", "correlation", "cosine")  # 60 pairs
    second = row_of(scores, "STS 2012", "MSRvid", "correlation", "cosine")  # 90 pairs
    for statistic, w in (("mean", (0.5, 0.5)), ("weighted mean", (0.4, 0.6))):
        row = row_of(scores, "STS 2012", "all", statistic, "cosine")
        for r in ("pearson", "spearman"):
            mean = w[0] * first[r] + w[1] * second[r]
            below = [w[i] * (x[r] - x[f"{r}_low"]) for i, x in enumerate((first, second))]
            above = [w[i] * (x[f"{r}_high"] - x[r]) for i, x in enumerate((first, second))]
            assert row[r] == pytest.approx(mean)
            assert row[f"{r}_low"] == pytest.approx(mean - (below[0] ** 2 + below[1] ** 2) ** 0.5)
            assert row[f"{r}_high"] == pytest.approx(mean + (above[0] ** 2 + above[1] ** 2) ** 0.5)


def test_a_classified_subtask_stays_out_of_the_means_of_its_task(predictions, scores):
    mixed = ratings.evaluate(predictions.replace({"task": {"SICK": "STS 2013"}}))
    for statistic in ("mean", "weighted mean", "concatenated"):
        key = ("STS 2013", "all", statistic, "cosine")
        pd.testing.assert_series_equal(row_of(mixed, *key), row_of(scores, *key), check_names=False)


def test_a_system_that_maps_everything_to_one_point_correlates_with_nothing():
    pairs, _ = frozen()
    constant = ratings.predict(pairs, lambda sentences: np.full((len(sentences), 3), 0.1))
    scores = ratings.evaluate(constant)
    assert (scores[["pearson", "spearman"]] == 0).all(axis=None)


def test_embeddings_that_are_not_finite_are_refused():
    columns = ["task", "subtask", "split", "sentence_a", "sentence_b", "rating"]
    pairs = pd.DataFrame([("STS 2012", "MSRvid", "test", "a cat", "a dog", 2.0)], columns=columns)
    with refused("embedding of 'a dog' is not finite"):
        ratings.predict(pairs, lambda sentences: np.array([[1, 2], [np.nan, 1]]))


def test_embeddings_whose_squares_overflow_are_refused():
    pairs, vectors = frozen()
    with refused("the largest value of all vectors is .*: multiply all vectors by one number"):
        ratings.predict(pairs, encoder(1e20 * vectors))


def test_training_pairs_without_development_pairs_are_named():
    pairs, vectors = frozen()
    with refused("SICK, subtask Relatedness has train pairs but no dev"):
        ratings.predict(pairs[pairs["split"] != "dev"], encoder(vectors))


@pytest.mark.parametrize("tokenized, end", [(True, "p.m. ."), (False, "p.m.")])
def test_tokens_get_the_full_stop_that_captions_have(tokenized, end):
    """Tests of the workflow compare the scores of snapshots and of their ensemble."""
    pairs, vectors = frozen()
    pairs = pairs[pairs["task"] != "SICK"]
    pairs = pairs.assign(sentence_a=pairs["sentence_a"] + " p.m.")

    def encode_sentences(sentences, language, progress):
        assert sentences[0].endswith(end)
        return encoder(vectors)(sentences)

    def load(epoch):
        return SimpleNamespace(encode_sentences=encode_sentences)

    arguments = (load, [0], {"epochs": [0]}, {}, "dot", pairs, {"system": "x"})
    ratings.score_model(*arguments, tokenized=tokenized)
