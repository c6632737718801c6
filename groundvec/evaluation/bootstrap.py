"""Intervals and tests by a paired bootstrap over items (Efron & Tibshirani 1993, chapter 13).

Items, such as images or rated pairs, are drawn with replacement. All systems are measured on the
same draws, so an item that is hard or easy for all of them does not widen the intervals of their
differences.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from groundvec.evaluation.correlation import ROUNDING

DRAWS = 10_000  # the ends of a 95% interval are then estimated from 250 draws beyond each
BATCH = 1000  # draws computed together: the counts of SICK's 4,927 pairs take 40 MB
# A variance below this fraction of the mean square is the rounding error of a variance of 0:
# subtracting two equal squares in float64 leaves about 1e-16 of them, summed over the items.
CANCELLED = 1e-12


def draws(items: int, rng: np.random.Generator, count: int = DRAWS) -> NDArray[np.uint16]:
    """Draw items with replacement.

    Returns:
        How often each draw contains each item: (1 + count, items). In the first row each item
        counts once, so that the first value of a statistic is measured on the items themselves.
    """
    times = np.ones((1 + count, items), np.uint16)
    for start in range(1, 1 + count, BATCH):
        batch = times[start : start + BATCH]
        drawn = rng.integers(items, size=batch.shape)
        # Each draw gets numbers of its own, so that one `bincount` counts all draws of the batch.
        drawn += items * np.arange(len(batch))[:, None]
        batch[:] = np.bincount(drawn.ravel(), minlength=batch.size).reshape(batch.shape)
    return times


def _in_batches(
    statistic: Callable[[NDArray[np.float64]], NDArray[np.float64]], times: np.ndarray
) -> NDArray[np.float64]:
    """Compute a statistic (systems, draws) of weights (items, draws), batch by batch of draws."""
    batches = []
    for start in range(0, len(times), BATCH):
        weights = times[start : start + BATCH].T.astype(float)
        batches.append(statistic(weights))
    return np.concatenate(batches, axis=1)


def mean(sums: np.ndarray, counts: np.ndarray, times: np.ndarray) -> NDArray[np.float64]:
    """Compute the mean of values, such as ranks of queries, in every draw: (systems, 1 + count).

    Args:
        sums: (systems, items) the sum of the values that belong to each item.
        counts: (systems, items) the number of these values.
        times: see `draws`.
    """
    return _in_batches(lambda weights: (sums @ weights) / (counts @ weights), times)


def correlation(
    predicted: NDArray[np.float64], gold: NDArray[np.float64], times: np.ndarray
) -> NDArray[np.float64]:
    """Compute Pearson's r times 100 of each system in every draw: (systems, 1 + count).

    It is 0 if all predictions are equal, or all items of a draw.

    Args:
        predicted: (systems, items).
        gold: (items,).
        times: see `draws`.
    """
    # Centered values lose fewer digits in the differences of squares below.
    x = predicted - predicted.mean(axis=1, keepdims=True)
    y = gold - gold.mean()
    constant = np.ptp(predicted, axis=1) <= ROUNDING * np.abs(predicted).max(axis=1)
    x[constant] = 0

    # A draw is a weighting of the items, so the moments of all draws are matrix products:
    # cov(x, y) = E[xy] - E[x] E[y], and r = cov(x, y) / sqrt(var(x) var(y)).
    def weighted(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        total = weights.sum(axis=0)
        mean_x = x @ weights / total
        mean_y = y @ weights / total
        covariance = (x * y) @ weights / total - mean_x * mean_y
        squares_x = (x * x) @ weights / total
        squares_y = (y * y) @ weights / total
        variance_x = squares_x - mean_x**2
        variance_y = squares_y - mean_y**2
        # If all items of a draw are equal, the difference is not 0 but rounding error.
        variance_x[variance_x < CANCELLED * squares_x] = 0
        variance_y[variance_y < CANCELLED * squares_y] = 0
        widths = np.sqrt(variance_x * variance_y)
        return 100 * np.divide(covariance, widths, out=np.zeros_like(widths), where=widths > 0)

    return _in_batches(weighted, times)


def interval(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute the 95% percentile interval of a statistic from its values (..., 1 + count).

    Returns:
        Its ends (2, ...). The first value, measured on the items themselves, is not a draw.
    """
    return np.percentile(values[..., 1:], [2.5, 97.5], axis=-1)


def two_sided_p(differences: NDArray[np.float64]) -> float:
    """Compute the two-sided p of a difference from its values (1 + count).

    p is twice the proportion of draws on the smaller side of 0. Both counts include one more
    draw, so that p is never 0 (Davison & Hinkley 1997, "Bootstrap methods and their application",
    chapter 4).
    """
    drawn = differences[1:]
    tail = min(np.count_nonzero(drawn <= 0), np.count_nonzero(drawn >= 0))
    return min(1.0, 2 * (1 + tail) / (1 + len(drawn)))
