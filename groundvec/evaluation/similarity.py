"""Semantic similarity: a system's embeddings against ratings (Merkx & Frank 2019, 3.4).

The measures are SentEval's (Conneau & Kiela 2018): Pearson and Spearman correlations of the
predicted similarities of a subtask's test pairs with their ratings, with Fisher's intervals.
The prediction is the cosine of the two embeddings and, where a task has training pairs, also the
grade that the supervised classifier of `relatedness` gives.

Conventions: an undefined correlation, that of predictions which are all the same up to float32's
rounding, counts as 0 (SentEval does so for the classifier and gives NaN for the cosine). A zero
vector has cosine 0.
"""

import logging
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from groundvec.errors import InputError

PAIRS_PER_BLOCK = 1000  # bounds the memory: 33 MB for float32 embeddings of size 4096
ROUNDING = 1e-6  # of float32; what differs by less is the same
MEASURES = ("pearson", "spearman")

log = logging.getLogger(__name__)


def cosine(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The cosine (N,) of each row of a (N, size) with that of b; 0 for a zero vector.

    Computed in the precision of the embeddings with the operations that SentEval uses, to the last
    bit. It matters to Spearman: the cosines of equal sentences, which some subtasks have many of,
    differ from 1 and from one another by rounding only, and their ranks follow from that.
    """
    norms = np.sqrt(np.vecdot(a, a)) * np.sqrt(np.vecdot(b, b))
    return np.divide(np.vecdot(a, b), norms, out=np.zeros_like(norms), where=norms > 0)


def pearson(predicted: np.ndarray, gold: np.ndarray) -> float:
    """Pearson's correlation of two vectors (N,); 0 where one of them is constant."""
    if _constant(predicted) or _constant(gold):
        return 0.0
    return float(stats.pearsonr(predicted, gold).statistic)


def spearman(predicted: np.ndarray, gold: np.ndarray) -> float:
    """Spearman's rank correlation, ties sharing their mean rank; 0 where one is constant."""
    if _constant(predicted):
        return 0.0
    return pearson(stats.rankdata(predicted), stats.rankdata(gold))


def _constant(values: np.ndarray) -> bool:
    return bool(np.ptp(values) <= ROUNDING * np.abs(values).max())


def fisher_interval(r: np.ndarray | float, n: np.ndarray | int) -> tuple[Any, Any]:
    """The 95% interval of a correlation over n pairs: tanh(atanh r -+ 1.96 / sqrt(n - 3)).

    Up to three pairs say nothing: -1 to 1. A correlation of 1 or -1 over more has no width.
    """
    limit = 1 - np.finfo(float).eps
    z = np.arctanh(np.clip(r, -limit, limit))
    with np.errstate(divide="ignore"):
        half = 1.96 / np.sqrt(np.maximum(np.asarray(n) - 3, 0))
    return np.tanh(z - half), np.tanh(z + half)


def predict(
    pairs: pd.DataFrame, encode: Callable[[list[str]], np.ndarray], device: str = "cpu"
) -> pd.DataFrame:
    """A system's similarity of every test pair.

    Args:
        pairs: columns task, subtask, split, sentence_a, sentence_b, score.
        encode: the system: sentences in, vectors (N, size) out. It is called once, with every
            distinct sentence.
        device: where the classifiers of tasks with training pairs are trained.

    Returns:
        Columns pair (the row in `pairs`, from 0), task, subtask, score, cosine and classifier (NaN
        for tasks without training pairs).

    Raises:
        InputError: the embeddings are not finite or not (N, size); a task has training pairs but
            no development pairs.
    """
    codes, sentences = pd.factorize(pd.concat([pairs["sentence_a"], pairs["sentence_b"]]))
    a, b = np.split(codes, 2)
    embeddings = _checked(encode(sentences.tolist()), sentences)
    table = pairs[["task", "subtask", "score"]].reset_index(drop=True)
    table.insert(0, "pair", np.arange(len(table)))
    table[["cosine", "classifier"]] = np.nan

    split = pairs["split"].to_numpy()
    test = np.flatnonzero(split == "test")
    for start in range(0, len(test), PAIRS_PER_BLOCK):
        rows = test[start : start + PAIRS_PER_BLOCK]
        table.loc[rows, "cosine"] = cosine(embeddings[a[rows]], embeddings[b[rows]])

    for (task, subtask), rows in table.groupby(["task", "subtask"], sort=False).indices.items():
        if "train" not in split[rows]:
            continue
        if "dev" not in split[rows]:
            raise InputError(
                f"task {task}, subtask {subtask} has train pairs but no dev pairs, which the "
                "classifier needs to know when to stop: add some, or drop the train pairs"
            )
        table.loc[rows[split[rows] == "test"], "classifier"] = _classify(
            pairs.iloc[rows], embeddings, a[rows], b[rows], device
        )
    return table.iloc[test].reset_index(drop=True)


def _checked(embeddings: np.ndarray, sentences: pd.Index) -> np.ndarray:
    embeddings = np.asarray(embeddings)
    if embeddings.ndim != 2 or len(embeddings) != len(sentences):
        raise InputError(
            f"the system gave an array of shape {embeddings.shape} for {len(sentences)} sentences: "
            "it must give a vector for each, (N, size)"
        )
    finite = np.isfinite(embeddings).all(axis=1)
    if not finite.all():
        raise InputError(
            f"the system's embedding of {sentences[finite.argmin()]!r} is not finite: check its "
            "weights or its training"
        )
    return embeddings


def _classify(
    pairs: pd.DataFrame, embeddings: np.ndarray, a: np.ndarray, b: np.ndarray, device: str
) -> np.ndarray:
    """Train SentEval's classifier on one task and grade its test pairs."""
    from groundvec.evaluation import relatedness  # needs torch

    # SentEval sorts pairs by length, which decides the batches of its training
    lengths = [pairs[column].str.split().str.len() for column in ("sentence_a", "sentence_b")]
    order = np.lexsort([pairs["score"], lengths[1], lengths[0]])
    split, score = pairs["split"].to_numpy(), pairs["score"].to_numpy()
    train, dev = (order[split[order] == name] for name in ("train", "dev"))
    test = np.flatnonzero(split == "test")

    def features(rows: np.ndarray) -> np.ndarray:
        return relatedness.features(embeddings[a[rows]], embeddings[b[rows]])

    grades, dev_pearson = relatedness.train_and_predict(
        (features(train), score[train]), (features(dev), score[dev]), features(test), device
    )
    task, subtask = pairs[["task", "subtask"]].iloc[0]
    log.info("%s, %s: development Pearson of the classifier %.4f", task, subtask, dev_pearson)
    return grades


def evaluate(predictions: pd.DataFrame) -> pd.DataFrame:
    """Score predictions: correlations in [-1, 1] with their 95% intervals.

    Statistics: `correlation`, a row a subtask, for method `cosine` and, where the task has it,
    `classifier`. Then, of the cosines of each task without a classifier and of all such tasks
    together (task `all`): the `mean` of the subtasks' correlations, their `weighted mean` by pairs
    and the correlation of all their pairs `concatenated` (all three with subtask `all`). The
    subtasks being independent samples, half the width of a mean's interval is
    sqrt(sum (weight * half)^2), the upper and the lower half separately.

    Args:
        predictions: what `predict` returns.

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
    subtasks = pd.DataFrame(rows)

    unsupervised = predictions[predictions["classifier"].isna()]
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


def score(
    pairs: pd.DataFrame,
    encode: Callable[[list[str]], np.ndarray],
    labels: dict[str, Any],
    device: str = "cpu",
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """What `predict` and `evaluate` return, labelled: the rows of a system's two result files.

    Args:
        pairs, encode, device: as of `predict`.
        labels: columns to put first: system, dataset, cell, seed, model, epochs. The predictions
            carry system, model and epochs only.
    """
    predictions = predict(pairs, encode, device)
    scores = evaluate(predictions)
    short = {name: labels[name] for name in ("system", "model", "epochs")}
    tables = [(short, predictions), (labels, scores)]
    of_pairs, of_tasks = (table.assign(**of)[[*of, *table]] for of, table in tables)
    return of_pairs, of_tasks


def _correlations(predictions: pd.DataFrame, method: str) -> dict[str, Any]:
    predicted, gold = predictions[method].to_numpy(), predictions["score"].to_numpy()
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
