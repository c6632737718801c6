"""Robustness of a system to typing errors."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from groundvec.evaluation.ranks import DIRECTIONS, ranks
from groundvec.evaluation.ratings import evaluate, predict
from groundvec.results.schemas import CUTOFFS
from groundvec.text.mistakes import KINDS, TYPING, spoil

RATES = (0.0, 0.05, 0.1, 0.15, 0.2)
SEED = 1


def of_ratings(
    ratings: pd.DataFrame, encode: Callable[[list[str]], np.ndarray]
) -> list[dict[str, Any]]:
    """Measure how a system's cosines agree with people's ratings, at every rate.

    The two sentences of a pair are spoilt independently.

    Args:
        ratings, encode: see `groundvec.evaluation.ratings.predict`.

    Returns:
        Rows kind, rate, measure (the task, or `unsupervised`, the mean over the subtasks without
        training pairs weighted by their pairs) and value, Pearson's r times 100.
    """
    supervised = set(ratings.loc[ratings["split"] == "train", "task"])
    test = ratings[ratings["split"] == "test"]

    def measured(kind: str, rate: float) -> dict[str, float]:
        spoilt = {
            column: spoil(test[column].tolist(), kind, rate, seed)
            for seed, column in enumerate(("sentence_a", "sentence_b"), SEED)
        }
        scores = evaluate(predict(test.assign(**spoilt), encode))
        scores = scores[scores["statistic"] == "correlation"]
        names = scores["task"].where(scores["task"].isin(supervised), "unsupervised")
        return {
            str(name): 100 * float(np.average(rows["pearson"], weights=rows["pairs"]))
            for name, rows in scores.groupby(names, sort=False)
        }

    return _curves(measured)


def of_retrieval(
    captions: Sequence[str],
    image: np.ndarray,
    images: np.ndarray,
    encode: Callable[[list[str]], np.ndarray],
    similarity: str,
) -> list[dict[str, Any]]:
    """Measure the recall of retrieval with spoilt captions, at every rate.

    Args:
        image: (M,) the row of each caption's image.
        images: embedded (N, size).
        encode: from sentences to vectors (M, size).

    Returns:
        Rows kind, rate, measure (such as `caption_to_image R@10`) and value, in percent.
    """
    cutoff = CUTOFFS[-1]

    def measured(kind: str, rate: float) -> dict[str, float]:
        found = ranks(encode(spoil(captions, kind, rate, SEED)), images, image, similarity)
        recalls = (100 * float((rank <= cutoff).mean()) for rank in found)
        return dict(zip((f"{way} R@{cutoff}" for way in DIRECTIONS), recalls, strict=True))

    return _curves(measured)


def _curves(measured: Callable[[str, float], dict[str, float]]) -> list[dict[str, Any]]:
    """Measure every kind at every rate; without mistakes once."""
    whole = measured(TYPING, 0.0)
    return [
        {"kind": kind, "rate": rate, "measure": measure, "value": value}
        for kind in KINDS
        for rate in RATES
        for measure, value in (measured(kind, rate) if rate else whole).items()
    ]
