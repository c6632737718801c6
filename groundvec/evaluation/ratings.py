"""A system's embeddings against people's ratings of sentence pairs (Merkx & Frank 2019, 3.4).

The measures are SentEval's (Conneau & Kiela 2018): Pearson and Spearman correlations of the
predicted similarities of a subtask's test pairs with their ratings, with Fisher's intervals.
The prediction is the cosine of the two embeddings and, where a task has training pairs, also the
grade that the supervised classifier of `relatedness` gives.
"""

import logging
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from groundvec.evaluation.correlation import cosine, fisher_interval, pearson, spearman
from groundvec.runtime.errors import InputError
from groundvec.similarity import join

if TYPE_CHECKING:
    from groundvec.model.network import Model

PAIRS_PER_BLOCK = 1000  # bounds the memory: 33 MB for float32 embeddings of size 4096
MEASURES = ("pearson", "spearman")
LANGUAGE = "en"  # of all rated sentences

log = logging.getLogger(__name__)


def predict(
    ratings: pd.DataFrame, encode: Callable[[list[str]], np.ndarray], device: str = "cpu"
) -> pd.DataFrame:
    """Compute a system's similarity of every test pair.

    Args:
        ratings: columns task, subtask, split, sentence_a, sentence_b, rating.
        encode: the system, from sentences to vectors (N, size). It is called once.
        device: where classifiers are trained.

    Returns:
        Columns pair (the row in `ratings`, from 0), task, subtask, rating, cosine and classifier
        (NaN for tasks without training pairs).

    Raises:
        InputError: a vector is not finite, or a task has training pairs but no development pairs.
    """
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

    for (task, subtask), group in table.groupby(["task", "subtask"], sort=False):
        rows = group.index.to_numpy()
        if "train" not in split[rows]:
            continue
        if "dev" not in split[rows]:
            raise InputError(
                f"task {task}, subtask {subtask} has train pairs but no dev pairs, which the "
                "classifier needs to know when to stop: add some, or drop the train pairs"
            )
        table.loc[rows[split[rows] == "test"], "classifier"] = _classify(
            ratings.iloc[rows], embeddings, a[rows], b[rows], device
        )
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
    # SentEval sorts pairs by length, which decides the batches of its training
    lengths = [ratings[column].str.split().map(len) for column in ("sentence_a", "sentence_b")]
    order = np.lexsort([ratings["rating"], lengths[1], lengths[0]])
    split = ratings["split"].to_numpy()
    rating = ratings["rating"].to_numpy()
    train, dev = (order[split[order] == name] for name in ("train", "dev"))
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

    The statistic `correlation` has a row per subtask and method, `cosine` or `classifier`. Then,
    for each task without a classifier and for `all` of them, follow the `mean` of the subtasks'
    correlations, their mean weighted by pairs, and the correlation of all pairs `concatenated`
    (subtask `all`). Subtasks are independent, so half the width of a mean's interval is sqrt(sum
    (weight * half)^2), for the upper and the lower half.

    Args:
        predictions: see `predict`.

    Returns:
        Columns task, subtask, statistic, method, pairs, and pearson, pearson_low, pearson_high,
        spearman, spearman_low, spearman_high.
    """
    keys = ["task", "subtask"]
    rows = []
    for (task, subtask), group in predictions.groupby(keys, sort=False):
        for method in ("cosine", "classifier"):
            if group[method].notna().all():
                row = {"task": task, "subtask": subtask, "statistic": "correlation"}
                rows.append(row | {"method": method} | _correlations(group, method))
    unsupervised = predictions[predictions["classifier"].isna()]
    names = unsupervised[keys].drop_duplicates()
    subtasks = pd.DataFrame(rows).merge(names)  # in their order, cosines alone
    tasks = list(unsupervised.groupby("task", sort=False))
    for task, group in [*tasks, ("all", unsupervised)] if tasks else []:
        table = subtasks[subtasks["task"].isin(group["task"])]
        summaries = {
            "mean": _average(table, np.ones(len(table))),
            "weighted mean": _average(table, table["pairs"].to_numpy()),
            "concatenated": _correlations(group, "cosine"),
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
    labels: dict[str, Any],
    device: str = "cpu",
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Call `predict` and `evaluate`, and label the rows.

    Args:
        labels: columns to add: system, dataset, model, seed, kind, epochs. The predictions carry
            system, kind and epochs only.
    """
    predictions = predict(ratings, encode, device)
    short = {name: labels[name] for name in ("system", "kind", "epochs")}
    return predictions.assign(**short), evaluate(predictions).assign(**labels)


def stopped(sentence: str) -> str:
    """Append a full stop to a tokenized sentence, as the published code does.

    It looks at the last *token*, so `p.m.` gets one, unlike in `groundvec.text.characters`.
    """
    return f"{sentence} ." if re.search(r"\S\.$", sentence) else sentence


def score_model(
    load: Callable[[int], "Model"],
    epochs: Iterable[int],
    ensemble: Mapping[str, Any],
    compared: Collection[int],
    similarity: str,
    ratings: pd.DataFrame,
    labels: dict[str, Any],
    device: str = "cpu",
    tokenized: bool = False,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Score each of a model's snapshots, and its ensemble, by `score`.

    Args:
        load: returns the model's snapshot of an epoch.
        epochs: of the snapshots to score, those of the ensemble among them.
        ensemble: its `epochs`.
        compared: the epochs of the snapshots whose predictions are returned, beside the ensemble's.
        similarity: of the model.
        tokenized: the sentences are tokens with spaces between them, and need to be `stopped`.
    """
    embedded: dict[int, np.ndarray] = {}

    def encode(sentences: list[str], epoch: int) -> np.ndarray:
        given = list(map(stopped, sentences)) if tokenized else sentences
        vectors = load(epoch).encode_sentences(given, LANGUAGE, progress=True)
        if epoch in ensemble["epochs"]:
            embedded[epoch] = vectors
        return vectors

    def encode_together(_: list[str]) -> np.ndarray:
        return join([embedded[epoch] for epoch in ensemble["epochs"]], similarity)

    systems: list[tuple[str, str, Callable[[list[str]], np.ndarray]]] = [
        ("snapshot", str(epoch), partial(encode, epoch=epoch)) for epoch in epochs
    ]
    systems.append(("ensemble", "+".join(map(str, ensemble["epochs"])), encode_together))
    predictions = []
    scores = []
    for kind, name, encoder in systems:
        log.info("%s: %s %s", labels["system"], kind, name)
        of_pairs, of_tasks = score(
            ratings, encoder, labels | {"kind": kind, "epochs": name}, device
        )
        scores.append(of_tasks)
        if kind == "ensemble" or int(name) in compared:
            predictions.append(of_pairs)
    return pd.concat(predictions), pd.concat(scores)


def _correlations(predictions: pd.DataFrame, method: str) -> dict[str, Any]:
    predicted = predictions[method].to_numpy()
    gold = predictions["rating"].to_numpy()
    row: dict[str, Any] = {"pairs": len(gold)}
    for name, measure in zip(MEASURES, (pearson, spearman), strict=True):
        r = measure(predicted, gold)
        low, high = fisher_interval(r, len(gold))
        row |= {name: r, f"{name}_low": low, f"{name}_high": high}
    return row


def _average(table: pd.DataFrame, weights: np.ndarray) -> dict[str, Any]:
    weights = weights / weights.sum()
    row: dict[str, Any] = {"pairs": table["pairs"].sum()}
    for name in MEASURES:
        r, low, high = (table[name + suffix].to_numpy() for suffix in ("", "_low", "_high"))
        mean = weights @ r
        row |= {
            name: mean,
            f"{name}_low": mean - np.linalg.norm(weights * (r - low)),
            f"{name}_high": mean + np.linalg.norm(weights * (high - r)),
        }
    return row
