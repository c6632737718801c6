"""Compare a system's similarities with people's ratings (Merkx & Frank 2019, section 3.4).

The measures are SentEval's (Conneau & Kiela 2018): Pearson and Spearman correlations of the
predicted similarities of a subtask's test pairs with their ratings, with Fisher's intervals.
The prediction is the cosine of the two embeddings and, if a task has training pairs, also the
grade by the supervised classifier of `relatedness`.
"""

import logging
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from groundvec.config.types import Ensemble
from groundvec.evaluation.correlation import cosine, fisher_interval, pearson, spearman
from groundvec.runtime.errors import InputError
from groundvec.similarity import join

if TYPE_CHECKING:
    from groundvec.model.network import Model

PAIRS_PER_BLOCK = 1000  # bounds the memory: 33 MB for float32 embeddings of size 4096
MEASURES = {"pearson": pearson, "spearman": spearman}
LANGUAGE = "en"  # of all rated sentences

log = logging.getLogger(__name__)


def predict(
    ratings: pd.DataFrame,
    encode: Callable[[list[str]], np.ndarray],
    device: str = "cpu",
    classify: bool = True,
) -> pd.DataFrame:
    """Compute a system's similarity of every test pair.

    Args:
        ratings: columns task, subtask, split, sentence_a, sentence_b, rating.
        encode: the system, from sentences to vectors (N, size). It is called once.
        device: where classifiers are trained.
        classify: train the classifiers, which needs torch.

    Returns:
        Columns pair (the row in `ratings`, from 0), task, subtask, rating, cosine and classifier
        (NaN for tasks without a classifier).

    Raises:
        InputError: a vector is not finite, or a task has training pairs but no development pairs.
    """
    # Each distinct sentence is encoded once; `a` and `b` are the rows of each pair's sentences.
    codes, sentences = pd.factorize(pd.concat([ratings["sentence_a"], ratings["sentence_b"]]))
    a, b = np.split(codes, 2)
    embeddings = encode(sentences.tolist())
    finite = np.isfinite(embeddings).all(axis=1)
    if not finite.all():
        raise InputError(
            f"the system's embedding of {sentences[finite.argmin()]!r} is not finite: check its "
            "weights or its training"
        )
    table = ratings[["task", "subtask", "rating"]].reset_index(drop=True)
    table.insert(0, "pair", np.arange(len(table)))
    table[["cosine", "classifier"]] = np.nan

    split = ratings["split"].to_numpy()
    test = np.flatnonzero(split == "test")
    for start in range(0, len(test), PAIRS_PER_BLOCK):
        rows = test[start : start + PAIRS_PER_BLOCK]
        table.loc[rows, "cosine"] = cosine(embeddings[a[rows]], embeddings[b[rows]])

    for (task, subtask), pairs in table.groupby(["task", "subtask"], sort=False):
        rows = pairs.index.to_numpy()
        if not classify or "train" not in split[rows]:
            continue
        if "dev" not in split[rows]:
            raise InputError(
                f"task {task}, subtask {subtask} has train pairs but no dev pairs, which the "
                "classifier needs to know when to stop: add some, or drop the train pairs"
            )
        grades = _classify(ratings.iloc[rows], embeddings, a[rows], b[rows], device)
        table.loc[rows[split[rows] == "test"], "classifier"] = grades
    return table.iloc[test].reset_index(drop=True)


def _classify(
    ratings: pd.DataFrame, embeddings: np.ndarray, a: np.ndarray, b: np.ndarray, device: str
) -> np.ndarray:
    """Train SentEval's classifier on one task and grade its test pairs."""
    from groundvec.evaluation import relatedness  # needs torch

    largest = np.abs(embeddings).max()
    if largest and not 1e-19 < largest < 1e19:
        raise InputError(
            f"the largest value of all vectors is {largest:.0e}, whose square the classifier's "
            "float32 cannot hold: multiply all vectors by one number"
        )
    # SentEval sorts pairs by the length of the first sentence, then of the second, then by rating;
    # this order decides the batches of its training.
    lengths_a = ratings["sentence_a"].str.split().map(len)
    lengths_b = ratings["sentence_b"].str.split().map(len)
    order = np.lexsort([ratings["rating"], lengths_b, lengths_a])
    split = ratings["split"].to_numpy()
    rating = ratings["rating"].to_numpy()
    train = order[split[order] == "train"]
    dev = order[split[order] == "dev"]
    test = np.flatnonzero(split == "test")

    def features(rows: np.ndarray) -> np.ndarray:
        return relatedness.features(embeddings[a[rows]], embeddings[b[rows]])

    grades, dev_pearson = relatedness.train_and_predict(
        (features(train), rating[train]), (features(dev), rating[dev]), features(test), device
    )
    task, subtask = ratings[["task", "subtask"]].iloc[0]
    log.info("%s, %s: development Pearson of the classifier %.4f", task, subtask, dev_pearson)
    return grades


def evaluate(predictions: pd.DataFrame) -> pd.DataFrame:
    """Score predictions: correlations in [-1, 1] with their 95% intervals.

    The statistic `correlation` has a row per subtask and method, `cosine` or `classifier`. After
    these, each task without a classifier, and `all` of them, have three rows (subtask `all`): the
    `mean` of the subtasks' correlations, their mean weighted by pairs, and the correlation of all
    pairs `concatenated`.

    Args:
        predictions: see `predict`.

    Returns:
        Columns task, subtask, statistic, method, pairs, and pearson, pearson_low, pearson_high,
        spearman, spearman_low, spearman_high.
    """
    keys = ["task", "subtask"]
    rows = []
    for (task, subtask), pairs in predictions.groupby(keys, sort=False):
        for method in ("cosine", "classifier"):
            if pairs[method].notna().all():
                row = {"task": task, "subtask": subtask, "statistic": "correlation"}
                rows.append(row | {"method": method} | _correlations(pairs, method))
    unsupervised = predictions[predictions["classifier"].isna()]
    # The rows of the subtasks without a classifier: all of these are cosines.
    subtasks = pd.DataFrame(rows).merge(unsupervised[keys].drop_duplicates())
    groups = list(unsupervised.groupby("task", sort=False))
    if groups:
        groups.append(("all", unsupervised))
    for task, pairs in groups:
        correlations = subtasks[subtasks["task"].isin(pairs["task"])]
        summaries = {
            "mean": _average(correlations, np.ones(len(correlations))),
            "weighted mean": _average(correlations, correlations["pairs"].to_numpy()),
            "concatenated": _correlations(pairs, "cosine"),
        }
        for statistic, summary in summaries.items():
            row = {"task": task, "subtask": "all", "statistic": statistic, "method": "cosine"}
            rows.append(row | summary)
    return pd.DataFrame(rows)


def system_name(dataset: str, model: str, seed: int) -> str:
    """Name a trained model among systems."""
    return f"{dataset}/{model}/seed{seed}"


def score(
    ratings: pd.DataFrame,
    encode: Callable[[list[str]], np.ndarray],
    labels: Mapping[str, Any],
    device: str = "cpu",
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Call `predict` and `evaluate`, and label the rows.

    Args:
        labels: columns to add: system, dataset, model, seed, kind, epochs. The predictions get
            system, kind and epochs only.
    """
    predictions = predict(ratings, encode, device)
    system = {name: labels[name] for name in ("system", "kind", "epochs")}
    return predictions.assign(**system), evaluate(predictions).assign(**labels)


def stopped(sentence: str) -> str:
    """Append a full stop to a tokenized sentence whose last token is longer, as in `5 p.m.`.

    So does the published code of Merkx & Frank. `groundvec.text.characters` looks at the last
    character alone, and appends none here.
    """
    return f"{sentence} ." if re.search(r"\S\.$", sentence) else sentence


def score_model(
    load: Callable[[int], "Model"],
    epochs: Iterable[int],
    ensemble: Ensemble,
    compared: Collection[int],
    similarity: str,
    ratings: pd.DataFrame,
    labels: Mapping[str, Any],
    device: str = "cpu",
    tokenized: bool = False,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Score each of a model's snapshots, and its ensemble, by `score`.

    Args:
        load: returns the model's snapshot of an epoch.
        epochs: the epochs of the snapshots to score, which include the ensemble's.
        ensemble: its `epochs`.
        compared: the epochs of the snapshots whose predictions are returned, besides the
            ensemble's.
        similarity: how the model compares vectors.
        tokenized: the sentences are tokens with spaces between them, and need to be `stopped`.
    """
    members: dict[int, np.ndarray] = {}  # the vectors of the ensemble's snapshots

    def encode(sentences: list[str], epoch: int) -> np.ndarray:
        texts = [stopped(sentence) for sentence in sentences] if tokenized else sentences
        vectors = load(epoch).encode_sentences(texts, LANGUAGE, progress=True)
        if epoch in ensemble["epochs"]:
            members[epoch] = vectors
        return vectors

    def encode_by_ensemble(_: list[str]) -> np.ndarray:
        return join([members[epoch] for epoch in ensemble["epochs"]], similarity)

    # The ensemble comes last, when all of its snapshots have encoded the sentences.
    systems: list[tuple[str, str, Callable[[list[str]], np.ndarray]]] = [
        ("snapshot", str(epoch), partial(encode, epoch=epoch)) for epoch in epochs
    ]
    systems.append(("ensemble", "+".join(map(str, ensemble["epochs"])), encode_by_ensemble))
    predictions = []
    scores = []
    for kind, name, encoder in systems:
        log.info("%s: %s %s", labels["system"], kind, name)
        system = {**labels, "kind": kind, "epochs": name}
        system_predictions, system_scores = score(ratings, encoder, system, device)
        scores.append(system_scores)
        if kind == "ensemble" or int(name) in compared:
            predictions.append(system_predictions)
    return pd.concat(predictions), pd.concat(scores)


def _correlations(predictions: pd.DataFrame, method: str) -> dict[str, float]:
    """Correlate the predictions of a method with the ratings."""
    predicted = predictions[method].to_numpy()
    gold = predictions["rating"].to_numpy()
    row: dict[str, float] = {"pairs": len(gold)}
    for name, measure in MEASURES.items():
        r = measure(predicted, gold)
        low, high = fisher_interval(r, len(gold), ranks=name == "spearman")
        row |= {name: r, f"{name}_low": low, f"{name}_high": high}
    return row


def _average(correlations: pd.DataFrame, weights: np.ndarray) -> dict[str, float]:
    """Average the correlations of subtasks, with weights w.

    Subtasks are independent, so the variances of w r add up: the lower half of the mean's interval
    is sqrt(sum((w (r - low))^2)), and the upper half is computed in the same way from high.
    """
    weights = weights / weights.sum()
    row: dict[str, float] = {"pairs": correlations["pairs"].sum()}
    for name in MEASURES:
        r = correlations[name].to_numpy()
        low = correlations[f"{name}_low"].to_numpy()
        high = correlations[f"{name}_high"].to_numpy()
        mean = weights @ r
        row[name] = mean
        row[f"{name}_low"] = mean - np.linalg.norm(weights * (r - low))
        row[f"{name}_high"] = mean + np.linalg.norm(weights * (high - r))
    return row
