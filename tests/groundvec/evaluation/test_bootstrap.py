"""Statistics in the draws of a paired bootstrap."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundvec.evaluation import bootstrap


def test_each_draw_is_of_as_many_items_and_the_first_is_all_of_them():
    times = bootstrap.draws(7, np.random.default_rng(0), count=50)
    assert times.shape == (51, 7)
    assert (times[0] == 1).all() and (times.sum(axis=1) == 7).all()
    assert len(np.unique(times, axis=0)) > 40


def test_measures_equal_those_computed_on_the_drawn_items():
    rng = np.random.default_rng(1)
    times = bootstrap.draws(9, rng, count=20)
    sums = rng.normal(size=(2, 9))
    counts = rng.integers(1, 4, size=(2, 9))
    predicted = rng.normal(size=(2, 9))
    gold = rng.normal(size=9)
    means = bootstrap.mean(sums, counts, times)
    correlations = bootstrap.correlation(predicted, gold, times)
    for draw, drawn in enumerate(times.astype(int)):
        items = np.repeat(np.arange(9), drawn)
        for system in range(2):
            mean = sums[system, items].sum() / counts[system, items].sum()
            assert means[system, draw] == pytest.approx(mean)
            r = np.corrcoef(predicted[system, items], gold[items])[0, 1]
            assert correlations[system, draw] == pytest.approx(100 * r)


def test_predictions_that_are_all_the_same_correlate_with_nothing():
    """Also where they differ by float32's rounding, as elsewhere."""
    rng = np.random.default_rng(1)
    same = np.full((2, 50), 0.3)
    same[1] += 1e-9 * rng.normal(size=50)
    found = bootstrap.correlation(same, rng.normal(size=50), bootstrap.draws(50, rng, count=20))
    assert (found == 0).all()


@given(st.lists(st.floats(-5, 5), min_size=6, max_size=6))
def test_one_item_drawn_again_and_again_correlates_with_nothing(numbers):
    predicted = np.array(numbers[:3])[None]
    gold = np.array(numbers[3:])
    times = np.vstack([np.ones(3), 3 * np.eye(3)])
    assert (bootstrap.correlation(predicted, gold, times)[:, 1:] == 0).all()


def test_the_interval_leaves_the_measured_value_out():
    draws = np.array([1000.0, *range(101)])
    assert bootstrap.interval(draws).tolist() == [2.5, 97.5]
    assert bootstrap.interval(np.stack([draws, -draws])).tolist() == [[2.5, -97.5], [97.5, -2.5]]


def test_p_counts_the_draws_beyond_zero_and_one_more():
    """By hand: of 99 draws three are not positive, so p is 2 (1 + 3) / (1 + 99)."""
    differences = np.array([9.0, *range(-2, 97)])
    assert bootstrap.two_sided_p(differences) == pytest.approx(0.08)
    assert bootstrap.two_sided_p(np.zeros(100)) == 1
