"""Intervals over seeds, and their coverage in simulated experiments."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from reproduction.reporting.seeds import (
    largest_variance,
    p_value,
    pooled,
    t_interval,
    variance_over_items,
)


def test_the_interval_of_seeds_alone_is_student_s_t():
    values = [10.0, 12.0, 17.0]
    assert t_interval(values) == pytest.approx(stats.t.interval(0.95, 2, 13, stats.sem(values)))
    assert np.isnan(t_interval(values[:1])).all()
    assert t_interval([3.0, 3.0]) == (3, 3)


def test_intervals_of_each_seed_show_how_much_the_items_vary():
    """Half of a 95% interval is 1.96 deviations: here 1 and 3, whose squares are 5 on average."""
    low = pd.Series([-1.96, 0.0])
    high = pd.Series([1.96, 6 * 1.96])
    assert variance_over_items(low, high) == pytest.approx(5)


def test_the_variance_of_the_items_is_added_with_satterthwaite_s_degrees_of_freedom():
    """By hand: seeds 1, 2 and 3 have a variance of 1, their mean one of 1/3, and the items 3."""
    half = stats.t.ppf(0.975, 2 * (10 / 3) ** 2 / (1 / 3) ** 2) * (10 / 3) ** 0.5
    assert t_interval([1, 2, 3], of_items=3) == pytest.approx((2 - half, 2 + half))
    # If all seeds are equal, only the items vary, and they are many.
    assert t_interval([2, 2, 2], of_items=1) == pytest.approx((2 - 1.96, 2 + 1.96), abs=1e-3)


def test_a_difference_is_tested_by_the_t_of_its_interval():
    """By hand: seeds 1, 2 and 3 have a variance of 1, and their mean one of 1/3."""
    t = 2 / (1 / 3) ** 0.5
    assert p_value([1, 2, 3], 0) == pytest.approx(2 * stats.t.sf(t, 2))
    both = 2 / (10 / 3) ** 0.5
    assert p_value([1, 2, 3], 3) == pytest.approx(2 * stats.t.sf(both, 200))
    assert p_value([2, 2, 2], 1) == pytest.approx(2 * stats.norm.sf(2))
    assert [p_value([3, 3], 0), p_value([0, 0], 0)] == [0, 1]


def test_variances_are_pooled_by_their_degrees_of_freedom():
    assert pooled([1.0, 4.0], [2, 1]) == (2.0, 3)


def test_a_single_seed_has_the_variance_of_seeds_elsewhere():
    """By hand: a variance of 1 over a single seed, and of 3 over items."""
    half = stats.t.ppf(0.975, 4 * 4**2 / 1**2) * 4**0.5
    assert t_interval([2], 3, elsewhere=(1, 4)) == pytest.approx((2 - half, 2 + half))
    half = stats.t.ppf(0.975, 4) * 1.25**0.5  # of a draw of pictures
    assert t_interval([2], 0, 0.25, (1, 4)) == pytest.approx((2 - half, 2 + half))


@pytest.mark.parametrize("ratio, coverage", [(1, 0.95), (1.5, 0.86), (2, 0.77)])
def test_an_interval_with_the_variance_of_other_sizes_covers_less_if_this_size_varies_more(
    ratio, coverage
):
    """Two sizes of three seeds have the deviation 1, and the single seed's has this ratio to it."""
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(3_000):
        elsewhere = pooled(rng.normal(size=(2, 3)).var(axis=1, ddof=1), [2, 2])
        low, high = t_interval([ratio * rng.normal()], elsewhere=elsewhere)
        covered += low <= 0 <= high
    assert covered / 3_000 == pytest.approx(coverage, abs=0.02)


@pytest.mark.parametrize("test_to_train", [0.0, 0.25])
def test_the_largest_variance_gives_the_interval_of_the_seeds_alone(test_to_train):
    values = [10.0, 12.0, 17.0]
    low, high = t_interval(values, test_to_train=test_to_train)
    found = largest_variance(low, high, 3, test_to_train)
    assert found == pytest.approx(np.var(values, ddof=1))
