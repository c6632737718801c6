"""Correlations of predicted similarities with ratings, and their intervals.

If all predictions are equal, up to float32's rounding, the correlation is undefined and counts as 0
(so does SentEval for the classifier; for the cosine it returns NaN).
"""

from typing import Any

import numpy as np
import pandas as pd

ROUNDING = 1e-6  # relative to the largest value; numbers that differ by less count as equal
NORMAL = 1.96  # standard deviations in half a 95% interval of a normal distribution


def cosine(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Compute the cosine (N,) of each row of a (N, size) with the row of b; 0 for a zero vector.

    The operations and the precision are SentEval's, to the last bit: many pairs have equal
    sentences, whose cosines differ from 1 by rounding only, and Spearman's ranks depend on it.
    """
    a = scaled(a)
    b = scaled(b)
    norms = np.sqrt(np.vecdot(a, a)) * np.sqrt(np.vecdot(b, b))
    return np.divide(np.vecdot(a, b), norms, out=np.zeros_like(norms), where=norms > 0)


def scaled(vectors: np.ndarray, axis: int | None = 1) -> np.ndarray:
    """Multiply vectors (N, size) by powers of two, so that the largest values are 0.5 to 1.

    Then squares neither vanish nor overflow. A power of two changes the exponent only: no digit is
    rounded.

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
    if _constant(predicted):  # before rounding errors are ranked
        return 0.0
    return pearson(pd.Series(predicted).rank().to_numpy(), pd.Series(gold).rank().to_numpy())


def _constant(values: np.ndarray) -> bool:
    """Return whether all values are equal, up to rounding."""
    return bool(np.ptp(values) <= ROUNDING * np.abs(values).max())


def fisher_interval(
    r: np.ndarray | float, n: np.ndarray | int, ranks: bool = False
) -> tuple[Any, Any]:
    """Compute the 95% interval of correlations over n pairs: tanh(atanh(r) -+ 1.96 s).

    atanh(r) is nearly normal. Pearson's has a standard deviation s that does not depend on r,
    s^2 = 1 / (n - 3) (Fisher 1921, "On the probable error of a coefficient of correlation").
    Spearman's has s^2 = (1 + r^2 / 2) / (n - 3) (Bonett & Wright 2000, "Sample size requirements
    for estimating Pearson, Kendall and Spearman correlations"). The interval is -1 to 1 for up to
    three pairs.

    Args:
        ranks: r is Spearman's.
    """
    limit = 1 - np.finfo(float).eps  # atanh(1) is infinite
    r = np.clip(r, -limit, limit)
    z = np.arctanh(r)
    variance = 1 + r**2 / 2 if ranks else 1.0
    with np.errstate(divide="ignore"):
        half = NORMAL * np.sqrt(variance / np.maximum(np.asarray(n) - 3, 0))
    return np.tanh(z - half), np.tanh(z + half)
