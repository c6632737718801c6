"""Intervals of a mean over seeds, which say something of other trainings.

A bootstrap over three seeds cannot do that. One in nine of its draws has the same seed three times,
so its interval reaches from about the lowest seed to the highest, and no further. Where the seeds
differ more than the pictures it has the true mean in three of four cases, not in 95 of 100
(tests/test_seeds.py measures it). A t interval allows for how little three seeds say of the next.
"""

from collections.abc import Iterable

import numpy as np
import pandas as pd
from scipy.special import stdtrit


def of_items(low: pd.Series, high: pd.Series) -> float:
    """The variance over items, of 95% intervals over the same items, one for each seed.

    It is for `t_interval`. Seeds that err on different items have a mean that varies less.
    """
    return float((((high - low) / (2 * 1.96)) ** 2).mean())


def t_interval(
    values: Iterable[float], of_items: float = 0.0, test_to_train: float = 0.0
) -> tuple[float, float]:
    """Compute the 95% t interval of the mean over seeds; NaN for a single seed.

    The degrees of freedom of a sum of two variances are those of Satterthwaite (1946, "An
    approximate distribution of estimates of variance components"). Where the seeds differ more than
    the pictures, a few seeds get too many of them: three seeds would cover the mean in 92 of 100
    cases. So the interval is never narrower than that of the seeds alone, which leaves 95 at every
    ratio of the two variances (tests/test_seeds.py). What seeds and pictures do together is in both
    variances, so that the interval is rather too wide than too narrow.

    Args:
        values: one for each seed.
        of_items: the variance of their mean over other pictures, or other pairs, where all seeds
            have the same ones; 0 where each has its own.
        test_to_train: where each seed draws its pictures from one data set, the number of test
            pictures by that of training pictures. Such draws overlap, and vary less than their
            mean over other data would: Nadeau & Bengio (2003, "Inference for the generalization
            error", section 3) multiply the variance by 1/n + test/train in place of 1/n.
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
