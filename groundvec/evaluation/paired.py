"""How systems differ on the same items: a paired bootstrap (Efron & Tibshirani 1993, chapter 13).

Items are drawn with replacement, the same ones for all systems, so that what is hard or easy for
all of them does not widen the intervals of their differences.
"""

import numpy as np

DRAWS = 1000


def draws(items: int, rng: np.random.Generator, count: int = DRAWS) -> np.ndarray:
    """How often each of `items` counts: (1 + count, items).

    In the first row each counts once, so that what is measured there is no estimate; the others
    are `count` draws of as many items.
    """
    drawn = rng.multinomial(items, np.full(items, 1 / items), size=count)
    return np.concatenate([np.ones((1, items)), drawn])


def share(hits: np.ndarray, queries: np.ndarray, times: np.ndarray) -> np.ndarray:
    """The percentage of queries that hit, of each system in every draw: (systems, 1 + count).

    Args:
        hits, queries: (systems, items) how many queries of each item hit, and how many there are.
        times: what `draws` gave.
    """
    return 100 * (hits @ times.T) / (queries @ times.T)


def correlation(predicted: np.ndarray, gold: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Pearson's r times 100 of each system in every draw: (systems, 1 + count).

    It is NaN where all that was drawn is equal.

    Args:
        predicted: (systems, items).
        gold: (items,).
        times: what `draws` gave.
    """
    x, y = predicted - predicted.mean(axis=1, keepdims=True), gold - gold.mean()
    items, drawn = times.sum(axis=1), times.T
    mean_x, mean_y = x @ drawn / items, y @ drawn / items
    covariance = (x * y) @ drawn / items - mean_x * mean_y
    variances = ((x * x) @ drawn / items - mean_x**2) * ((y * y) @ drawn / items - mean_y**2)
    with np.errstate(invalid="ignore"):
        return 100 * covariance / np.sqrt(variances)


def interval(values: np.ndarray) -> tuple[float, float]:
    """The 95% interval of what was measured in every draw (1 + count,), the first left out."""
    low, high = np.nanpercentile(values[1:], [2.5, 97.5])
    return float(low), float(high)
