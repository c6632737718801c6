"""Intervals over seeds, and claims that are judged by them."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from groundvec.evaluation import paired
from groundvec.evaluation.seeds import of_items, t_interval
from groundvec.frames import schema_of
from groundvec.reporting import bootstrap
from groundvec.reporting.claims import over_seeds
from groundvec.schemas import Claims


def test_of_seeds_alone_it_is_the_t_interval_of_their_mean():
    values = [10.0, 12.0, 17.0]
    assert t_interval(values) == pytest.approx(stats.t.interval(0.95, 2, 13, stats.sem(values)))
    assert np.isnan(t_interval(values[:1])).all()
    assert t_interval([3.0, 3.0]) == (3, 3)


def test_intervals_of_each_seed_say_how_much_the_items_vary():
    """Half of a 95% interval is 1.96 deviations: here 1 and 3, whose squares are 5 on average."""
    low, high = pd.Series([-1.96, 0.0]), pd.Series([1.96, 6 * 1.96])
    assert of_items(low, high) == pytest.approx(5)


def test_the_variance_of_the_items_is_added_with_satterthwaite_s_degrees_of_freedom():
    """By hand: seeds 1, 2 and 3 have a variance of 1, their mean one of 1/3, and the items 1/6."""
    half = stats.t.ppf(0.975, 2 * (1 / 2) ** 2 / (1 / 3) ** 2) * (1 / 2) ** 0.5  # 4.5 degrees
    assert t_interval([1, 2, 3], of_items=1 / 6) == pytest.approx((2 - half, 2 + half))
    # Of seeds that are all the same only the items are left, and they are many.
    assert t_interval([2, 2, 2], of_items=1) == pytest.approx((2 - 1.96, 2 + 1.96), abs=1e-3)


def test_draws_that_overlap_have_a_wider_interval():
    """By hand: ten draws of 800 and 100 images, 1/10 + 1/8 in place of 1/10, so 1.5 times."""
    values = np.arange(10.0)
    low, high = t_interval(values)
    wide = t_interval(values, test_to_train=100 / 800)
    assert wide == pytest.approx((4.5 - 1.5 * (4.5 - low), 4.5 + 1.5 * (high - 4.5)))


def two_way_bootstrap(values, rng, count):
    """The 95% percentiles of the mean of (seeds, items), both drawn with replacement."""
    seeds, items = (paired.draws(size, rng, count) for size in values.shape)
    return paired.interval(((seeds @ values) * items).sum(axis=1) / values.size)


@pytest.mark.parametrize("of_seeds", [0.0, 0.1, 0.3, 1.0])
def test_three_seeds_cover_the_mean_of_all_trainings(of_seeds):
    """Means of three seeds and 50 items with known deviations; the true mean is 0.

    A bootstrap over the items says nothing of other seeds, and one over seeds and items too little.
    """
    rng, experiments, count = np.random.default_rng(1), 300, 200
    covered = np.zeros(3)
    for _ in range(experiments):
        seeds, items = of_seeds * rng.normal(size=(3, 1)), rng.normal(size=50)
        values = seeds + items + rng.normal(size=(3, 50))
        means = values.mean(axis=0) @ paired.draws(50, rng, count).T / 50
        ends = (
            t_interval(values.mean(axis=1), means[1:].var()),
            two_way_bootstrap(values, rng, count),
            paired.interval(means),
        )
        covered += [low <= 0 <= high for low, high in ends]
    ours, both, items = covered / experiments
    assert 0.91 < ours < 0.99  # 0.95 but for 300 experiments' error, 0.0126
    if of_seeds == 1:
        assert both < 0.85 and items < 0.5


def seeds(differences, **more):
    """Differences of one comparison, a row for each seed."""
    rows = pd.DataFrame({"seed": range(1, len(differences) + 1), "difference": differences})
    about = {"claim": "C", "dataset": "d", "condition": "en", "measure": "R@10"}
    return rows.assign(**about | {"worse": "a", "better": "b"} | more)


def test_the_seeds_of_a_comparison_are_joined():
    rng = np.random.default_rng(0)
    items = rng.normal(5, 1, size=(3, 40))
    times = paired.draws(40, rng)
    draws = pd.Series(list(items @ times.T / 40))
    gains = bootstrap.difference(draws, draws * 0)
    table = seeds(items.mean(axis=1), reported=4.0).assign(**gains)
    one = seeds([-1.0], better="c", low=-2.0, high=-0.5)
    tested = seeds([1.0], better="d", p=0.2)
    found = over_seeds("a_paper", pd.concat([table, one, tested]))
    assert list(found) == list(schema_of(Claims).columns)
    assert found[["better", "seeds", "verdict"]].values.tolist() == [
        ["b", 3, "holds"],
        ["c", 1, "does not hold"],
        ["d", 1, "not decided"],
    ]
    expected = t_interval(items.mean(axis=1), np.var(items.mean(axis=0) @ times[1:].T / 40))
    assert found.loc[0, ["low", "high"]].tolist() == pytest.approx(expected)
    assert found.loc[0, ["paper", "reported"]].tolist() == ["a_paper", 4.0]
    assert found.loc[1, ["low", "high"]].tolist() == [-2, -0.5] and found["p"][2] == 0.2


def test_seeds_that_drew_their_own_pictures_are_not_drawn_again():
    """Their pictures' part of the variance is that between them."""
    values, times = [1.0, 2.0, 3.0], [np.array([value, 0.0, 50.0]) for value in (1, 2, 3)]
    found = over_seeds("", seeds(values, test_to_train=0.25).assign(draws=times))
    assert found.loc[0, ["low", "high"]].tolist() == pytest.approx(t_interval(values, 0, 0.25))
