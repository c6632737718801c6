"""How systems differ on the same items: a paired bootstrap (Efron & Tibshirani 1993, chapter 13).

Items are drawn with replacement, the same ones for all systems, so that what is hard or easy for
all of them does not widen the intervals of their differences.
"""

import numpy as np
from numpy.typing import NDArray

from groundvec.evaluation.correlation import ROUNDING

DRAWS = 1000
CANCELLED = 1e-12  # of a mean square: what rounding leaves of a variance that is 0


def draws(items: int, rng: np.random.Generator, count: int = DRAWS) -> NDArray[np.float64]:
    """How often each of `items` counts: (1 + count, items).

    In the first row each counts once, so that what is measured there is no estimate; the others
    are `count` draws of as many items.
    """
    drawn = rng.multinomial(items, np.full(items, 1 / items), size=count)
    return np.concatenate([np.ones((1, items)), drawn])


def mean(sums: np.ndarray, counts: np.ndarray, times: np.ndarray) -> NDArray[np.float64]:
    """The mean of what belongs to the items, of each system in every draw: (systems, 1 + count).

    Args:
        sums, counts: (systems, items) the sum of what belongs to each item, and how much does.
        times: what `draws` gave.
    """
    means: NDArray[np.float64] = (sums @ times.T) / (counts @ times.T)
    return means


def correlation(
    predicted: NDArray[np.float64], gold: NDArray[np.float64], times: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Pearson's r times 100 of each system in every draw: (systems, 1 + count).

    As in `evaluation.correlation`, it is 0 where all predictions, or all that was drawn, are equal.

    Args:
        predicted: (systems, items).
        gold: (items,).
        times: what `draws` gave.
    """
    x, y = predicted - predicted.mean(axis=1, keepdims=True), gold - gold.mean()
    x[np.ptp(predicted, axis=1) <= ROUNDING * np.abs(predicted).max(axis=1)] = 0
    items, drawn = times.sum(axis=1), times.T
    mean_x, mean_y = x @ drawn / items, y @ drawn / items
    covariance = (x * y) @ drawn / items - mean_x * mean_y
    squares_x, squares_y = (x * x) @ drawn / items, (y * y) @ drawn / items
    variance_x, variance_y = squares_x - mean_x**2, squares_y - mean_y**2
    # Where all that was drawn is equal, only what rounding left.
    variance_x[variance_x < CANCELLED * squares_x] = 0
    variance_y[variance_y < CANCELLED * squares_y] = 0
    widths = np.sqrt(variance_x * variance_y)
    r: NDArray[np.float64] = np.divide(
        covariance, widths, out=np.zeros_like(widths), where=widths > 0
    )
    return 100 * r


def interval(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The ends (2, ...) of the 95% interval of what was measured in every draw (..., 1 + count)."""
    ends: NDArray[np.float64] = np.percentile(values[..., 1:], [2.5, 97.5], axis=-1)
    return ends
