"""Intervals of a mean over seeds, which say something of other trainings.

A bootstrap over three seeds hardly reaches beyond the lowest and the highest one, and has the true
mean in three of four cases, not in 95 of 100 (tests/evaluation/test_seeds.py). A t interval allows
for how little three seeds say of the next.
"""

from collections.abc import Iterable

import numpy as np
import pandas as pd
from scipy.special import stdtrit


def of_items(low: pd.Series, high: pd.Series) -> float:
    """Compute the variance over items from 95% intervals over the same items, one per seed."""
    return float((((high - low) / (2 * 1.96)) ** 2).mean())


def t_interval(
    values: Iterable[float], of_items: float = 0.0, test_to_train: float = 0.0
) -> tuple[float, float]:
    """Compute the 95% t interval of the mean over seeds; NaN for a single seed.

    The degrees of freedom of a sum of two variances are Satterthwaite's (1946, "An approximate
    distribution of estimates of variance components"). For few seeds they are too many, so the
    interval is never narrower than that of the seeds alone (tests/evaluation/test_seeds.py).

    Args:
        values: one for each seed.
        of_items: the variance of their mean over other pictures or pairs, if all seeds have the
            same ones; 0 if each has its own.
        test_to_train: if seeds draw their pictures from one data set, the number of test pictures
            by that of training pictures. Nadeau & Bengio (2003, "Inference for the generalization
            error", section 3) multiply the variance by 1/n + test/train, since draws overlap.
    """
    seeds = np.fromiter(values, float)
    if len(seeds) < 2:
        return np.nan, np.nan
    of_seeds = seeds.var(ddof=1) * (1 / len(seeds) + test_to_train)
    variance, freedom = of_seeds + of_items, len(seeds) - 1
    if not variance:
        return float(seeds.mean()), float(seeds.mean())
    with np.errstate(divide="ignore"):
        of_both = freedom * (variance / of_seeds) ** 2
    half = max(
        stdtrit(of_both, 0.975) * np.sqrt(variance), stdtrit(freedom, 0.975) * np.sqrt(of_seeds)
    )
    return float(seeds.mean() - half), float(seeds.mean() + half)
