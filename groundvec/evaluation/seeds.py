"""Intervals of a mean over seeds, which say something of other trainings.

A bootstrap over three seeds hardly reaches beyond the lowest and the highest one, and has the true
mean in three of four cases, not in 95 of 100 (tests/groundvec/evaluation/test_seeds.py). A t
interval allows for how little three seeds say of the next.
"""

from collections.abc import Iterable

import numpy as np
import pandas as pd
from scipy.special import stdtrit


def of_items(low: float | pd.Series, high: float | pd.Series) -> float:
    """Compute the variance over items from 95% intervals over the same items, one per seed."""
    deviation = (high - low) / (2 * 1.96)
    return float(np.mean(deviation**2))


def largest_variance(low: float, high: float, seeds: int, test_to_train: float = 0.0) -> float:
    """Compute the largest variance over seeds that the t interval of their mean allows.

    It is for seeds whose values were not kept: `t_interval` is never narrower than that of the
    seeds alone. Arguments are as of `t_interval`.
    """
    half = (high - low) / 2
    of_seeds = (half / stdtrit(seeds - 1, 0.975)) ** 2
    return float(of_seeds / (1 / seeds + test_to_train))


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
    """Compute the 95% t interval of the mean over seeds; of one seed NaN, unless it has a variance.

    The degrees of freedom of a sum of two variances are Satterthwaite's (1946, "An approximate
    distribution of estimates of variance components"). For few seeds they are too many, so the
    interval is never narrower than that of the seeds alone
    (tests/groundvec/evaluation/test_seeds.py).

    Args:
        values: one for each seed.
        of_items: the variance of their mean over other pictures or pairs, if all seeds have the
            same ones; 0 if each has its own.
        test_to_train: if seeds draw their pictures from one data set, the number of test pictures
            by that of training pictures. Nadeau & Bengio (2003, "Inference for the generalization
            error", section 3) multiply the variance by 1/n + test/train, since draws overlap.
        elsewhere: for a single seed, the variance of one seed and its degrees of freedom, which
            `pooled` computes from comparisons with several seeds.
    """
    seeds = np.fromiter(values, float)
    if len(seeds) > 1:
        variance_of_one = seeds.var(ddof=1)
        freedom = len(seeds) - 1
    elif elsewhere:
        variance_of_one, freedom = elsewhere
    else:
        return np.nan, np.nan
    of_seeds = variance_of_one * (1 / len(seeds) + test_to_train)
    variance = of_seeds + of_items
    if not variance:
        return float(seeds.mean()), float(seeds.mean())
    with np.errstate(divide="ignore"):
        of_both = freedom * (np.float64(variance) / of_seeds) ** 2
    half = max(
        stdtrit(of_both, 0.975) * np.sqrt(variance), stdtrit(freedom, 0.975) * np.sqrt(of_seeds)
    )
    return float(seeds.mean() - half), float(seeds.mean() + half)
