"""Intervals of a mean over seeds, which also describe trainings with other seeds.

A bootstrap over three seeds hardly reaches beyond the lowest and the highest seed, and contains the
true mean in three of four cases, not in 95 of 100 (tests/reproduction/reporting/test_seeds.py). A t
interval is wider, because the variance itself is estimated from only three seeds.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from scipy.special import stdtr, stdtrit

from groundvec.evaluation import bootstrap

# Half a 95% interval is 1.96 standard deviations of a normal distribution.
NORMAL = 1.96
# A note for tables.
DRAWS = (
    "If the data set is a draw, each seed has its own images. Draws overlap, so the variance over "
    "n seeds is multiplied by 1/n + test/train images instead of 1/n (Nadeau & Bengio 2003)."
)


def variance_over_items(low: float | pd.Series, high: float | pd.Series) -> float:
    """Compute the variance over items from 95% intervals over the same items, one per seed."""
    deviation = (high - low) / (2 * NORMAL)
    return float(np.mean(deviation**2))


def largest_variance(low: float, high: float, seeds: int, test_to_train: float = 0.0) -> float:
    """Compute the largest variance over seeds that the t interval of their mean allows.

    It is for seeds whose values were not kept: `t_interval` is never narrower than the interval of
    the seeds alone, t(n - 1) sqrt(s^2 (1/n + test/train)), which this function solves for s^2. For
    the arguments see `t_interval`.
    """
    half = (high - low) / 2
    variance_of_mean = (half / stdtrit(seeds - 1, 0.975)) ** 2
    return float(variance_of_mean / (1 / seeds + test_to_train))


def pooled(variances: Iterable[float], freedoms: Iterable[int]) -> tuple[float, int]:
    """Pool variances of the same comparison elsewhere, weighted by their degrees of freedom.

    Returns:
        sum((n - 1) s^2) / sum(n - 1), and its degrees of freedom, sum(n - 1): the estimate of a
        variance that all groups of n seeds share (Snedecor & Cochran 1989, "Statistical methods",
        section 6.8).
    """
    weights = np.fromiter(freedoms, int)
    return float(np.average(np.fromiter(variances, float), weights=weights)), int(weights.sum())


def t_interval(
    values: Iterable[float],
    of_items: float = 0.0,
    test_to_train: float = 0.0,
    elsewhere: tuple[float, int] | None = None,
) -> tuple[float, float]:
    """Compute the 95% t interval of the mean over seeds.

    The variance of the mean of n seeds is

        V = s^2 (1/n + test/train) + v

    with the variance s^2 over seeds, which has f = n - 1 degrees of freedom, and the variance v
    over items. The interval is mean +- t(F) sqrt(V), with Satterthwaite's (1946, "An approximate
    distribution of estimates of variance components") degrees of freedom

        F = V^2 / (S^2 / f + v^2 / infinity) = f (V / S)^2,  S = s^2 (1/n + test/train)

    where v counts as known, because it comes from hundreds of items. With few seeds F is too
    large, so the interval is never narrower than the interval of the seeds alone, t(f) sqrt(S)
    (tests/reproduction/reporting/test_seeds.py).

    Args:
        values: one per seed.
        of_items: v, the variance of their mean over other images or pairs, if all seeds have the
            same ones; 0 if each seed has its own.
        test_to_train: if seeds draw their images from one data set, the number of test images
            divided by the number of training images. Nadeau & Bengio (2003, "Inference for the
            generalization error", section 3) add it to 1/n, since the draws overlap.
        elsewhere: for a single seed, the variance s^2 and its degrees of freedom f, which
            `pooled` computes from comparisons with several seeds.

    Returns:
        The lower and upper end; NaN for no seed, or for one without a variance from elsewhere.
    """
    seeds = np.fromiter(values, float)
    if len(seeds) > 1:
        variance_of_one = seeds.var(ddof=1)
        freedom = len(seeds) - 1
    elif elsewhere:
        variance_of_one, freedom = elsewhere
    else:
        return np.nan, np.nan
    mean = float(seeds.mean())
    of_seeds = variance_of_one * (1 / len(seeds) + test_to_train)  # S
    variance = of_seeds + of_items  # V
    if not variance:
        return mean, mean
    satterthwaite = _freedom(variance, of_seeds, freedom)
    # The quantile of t with 97.5% below it: 2.5% are beyond each end of the interval.
    half_of_both = stdtrit(satterthwaite, 0.975) * np.sqrt(variance)
    half_of_seeds = stdtrit(freedom, 0.975) * np.sqrt(of_seeds)
    half = float(max(half_of_both, half_of_seeds))
    return mean - half, mean + half


def _freedom(variance: float, of_seeds: float, freedom: int) -> np.float64:
    """Compute Satterthwaite's degrees of freedom f (V / S)^2.

    They are infinite if all seeds are equal, so that only the items vary.
    """
    with np.errstate(divide="ignore"):
        return freedom * (np.float64(variance) / of_seeds) ** 2


def p_value(differences: Iterable[float], of_items: float) -> float:
    """Test whether the mean of several seeds' differences is zero, by the t of `t_interval`.

    Args:
        differences: one per seed, for the same test items.
        of_items: v of `t_interval`.

    Returns:
        The two-sided p; 1 if nothing varies and the mean is zero.
    """
    seeds = np.fromiter(differences, float)
    of_seeds = seeds.var(ddof=1) / len(seeds)
    variance = of_seeds + of_items
    if not variance:
        return float(seeds.mean() == 0)
    t = abs(seeds.mean()) / np.sqrt(variance)
    return float(2 * stdtr(_freedom(variance, of_seeds, len(seeds) - 1), -t))


def mean_of_seeds(
    draws_of_seeds: Sequence[np.ndarray], test_to_train: float = 0.0
) -> tuple[float, float, float]:
    """Average a statistic over trainings with several seeds, with its 95% interval.

    The interval of several seeds is `t_interval`: the variance over items is the variance of the
    seeds' mean over the draws. With one seed, it is the percentile interval, which describes this
    one training.

    Args:
        draws_of_seeds: for each seed the values (1 + count) of the statistic in the same draws.
        test_to_train: see `t_interval`; if it is not 0, each seed has its own test images.

    Returns:
        The mean, and the lower and upper end of its interval.
    """
    values = np.stack(draws_of_seeds)
    measured = values[:, 0]
    if len(values) == 1:
        low, high = bootstrap.interval(values[0])
    else:
        # Seeds with the same test images also vary by these images; seeds of a draw have their own.
        of_items = 0.0 if test_to_train else values[:, 1:].mean(axis=0).var()
        low, high = t_interval(measured, of_items, test_to_train)
    return measured.mean(), low, high
