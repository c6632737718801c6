"""Differences of systems on the same items: a paired bootstrap (Efron & Tibshirani 1993, ch. 13).

Items are drawn with replacement, the same ones for all systems. So an item that is hard or easy for
all systems does not widen the intervals of their differences.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from groundvec.evaluation.correlation import ROUNDING

DRAWS = 10_000
BATCH = 1000  # draws at once: those of the 4,927 pairs of SICK are 40 MB
CANCELLED = 1e-12  # of a mean square: what rounding leaves of a variance that is 0


def draws(items: int, rng: np.random.Generator, count: int = DRAWS) -> NDArray[np.uint16]:
    """Draw items with replacement: how often each counts, (1 + count, items).

    In the first row each counts once, so that it measures and does not estimate.
    """
    times = np.ones((1 + count, items), np.uint16)
    for start in range(1, 1 + count, BATCH):
        batch = times[start : start + BATCH]
        drawn = rng.integers(items, size=batch.shape)
        drawn += items * np.arange(len(batch))[:, None]  # so that one call counts all of them
        batch[:] = np.bincount(drawn.ravel(), minlength=batch.size).reshape(batch.shape)
    return times


def _in_batches(
    statistic: Callable[[NDArray[np.float64]], NDArray[np.float64]], times: np.ndarray
) -> NDArray[np.float64]:
    """Compute a statistic (systems, draws) of weights (items, draws), batch by batch of draws."""
    starts = range(0, len(times), BATCH)
    parts = [statistic(times[start : start + BATCH].T.astype(float)) for start in starts]
    return np.concatenate(parts, axis=1)


def mean(sums: np.ndarray, counts: np.ndarray, times: np.ndarray) -> NDArray[np.float64]:
    """Compute the mean over items in every draw: (systems, 1 + count).

    Args:
        sums, counts: (systems, items) the sum of what belongs to each item, and how much does.
        times: see `draws`.
    """
    return _in_batches(lambda drawn: (sums @ drawn) / (counts @ drawn), times)


def correlation(
    predicted: NDArray[np.float64], gold: NDArray[np.float64], times: np.ndarray
) -> NDArray[np.float64]:
    """Compute Pearson's r times 100 of each system in every draw: (systems, 1 + count).

    It is 0 if all predictions, or all that was drawn, are equal.

    Args:
        predicted: (systems, items).
        gold: (items,).
        times: see `draws`.
    """
    x = predicted - predicted.mean(axis=1, keepdims=True)
    y = gold - gold.mean()
    x[np.ptp(predicted, axis=1) <= ROUNDING * np.abs(predicted).max(axis=1)] = 0

    def of_drawn(drawn: NDArray[np.float64]) -> NDArray[np.float64]:
        items = drawn.sum(axis=0)
        mean_x = x @ drawn / items
        mean_y = y @ drawn / items
        covariance = (x * y) @ drawn / items - mean_x * mean_y
        squares_x = (x * x) @ drawn / items
        squares_y = (y * y) @ drawn / items
        variance_x = squares_x - mean_x**2
        variance_y = squares_y - mean_y**2
        # Where all that was drawn is equal, only what rounding left.
        variance_x[variance_x < CANCELLED * squares_x] = 0
        variance_y[variance_y < CANCELLED * squares_y] = 0
        widths = np.sqrt(variance_x * variance_y)
        return 100 * np.divide(covariance, widths, out=np.zeros_like(widths), where=widths > 0)

    return _in_batches(of_drawn, times)


def interval(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute the ends (2, ...) of the 95% interval of the values of all draws."""
    return np.percentile(values[..., 1:], [2.5, 97.5], axis=-1)
