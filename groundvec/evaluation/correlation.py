"""Correlations of predicted similarities with ratings, and their intervals.

An undefined correlation, that of predictions which are all the same up to float32's rounding,
counts as 0 (SentEval does so for the classifier and gives NaN for the cosine).
"""

from typing import Any

import numpy as np
import pandas as pd

ROUNDING = 1e-6  # of float32; what differs by less is the same


def cosine(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Compute the cosine (N,) of each row of a (N, size) with that of b; 0 for a zero vector.

    The operations and the precision are SentEval's, to the last bit: the cosines of equal sentences
    differ by rounding only, and their ranks follow from that.
    """
    a = scaled(a)
    b = scaled(b)
    norms = np.sqrt(np.vecdot(a, a)) * np.sqrt(np.vecdot(b, b))
    return np.divide(np.vecdot(a, b), norms, out=np.zeros_like(norms), where=norms > 0)


def scaled(vectors: np.ndarray, axis: int | None = 1) -> np.ndarray:
    """Multiply vectors (N, size) by powers of two that bring the largest values to 0.5 to 1.

    Squares neither vanish nor overflow then, and nothing is rounded.

    Args:
        axis: 1 scales each vector by its own factor, None all by one.
    """
    exponents = np.frexp(np.abs(vectors).max(axis=axis, keepdims=True))[1]
    return np.ldexp(vectors, -exponents)


def pearson(predicted: np.ndarray, gold: np.ndarray) -> float:
    """Compute Pearson's correlation of two vectors (N,); 0 if one of them is constant."""
    if _constant(predicted) or _constant(gold):
        return 0.0
    return float(np.corrcoef(predicted, gold)[0, 1])


def spearman(predicted: np.ndarray, gold: np.ndarray) -> float:
    """Compute Spearman's correlation; ties share their mean rank. 0 if one vector is constant."""
    ranks = (pd.Series(values).rank().to_numpy() for values in (predicted, gold))
    return 0.0 if _constant(predicted) else pearson(*ranks)


def _constant(values: np.ndarray) -> bool:
    return bool(np.ptp(values) <= ROUNDING * np.abs(values).max())


def fisher_interval(r: np.ndarray | float, n: np.ndarray | int) -> tuple[Any, Any]:
    """Compute the 95% interval of correlations over n pairs: tanh(atanh r -+ 1.96 / sqrt(n - 3)).

    It is -1 to 1 for up to three pairs.
    """
    limit = 1 - np.finfo(float).eps
    z = np.arctanh(np.clip(r, -limit, limit))
    with np.errstate(divide="ignore"):
        half = 1.96 / np.sqrt(np.maximum(np.asarray(n) - 3, 0))
    return np.tanh(z - half), np.tanh(z + half)
