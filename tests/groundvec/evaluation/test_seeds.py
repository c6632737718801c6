"""Intervals over seeds, and claims that are judged by them."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from docs.pages import tables
from groundvec.evaluation import paired
from groundvec.evaluation.seeds import largest_variance, of_items, pooled, t_interval
from groundvec.results import frames
from groundvec.results.frames import schema_of
from groundvec.results.schemas import Claims
from reproduction.reporting import bootstrap
from reproduction.reporting.claims import decide, judged

ROOT = Path(__file__).parents[3]


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
    """By hand: seeds 1, 2 and 3 have a variance of 1, their mean one of 1/3, and the items 3."""
    half = stats.t.ppf(0.975, 2 * (10 / 3) ** 2 / (1 / 3) ** 2) * (10 / 3) ** 0.5
    assert t_interval([1, 2, 3], of_items=3) == pytest.approx((2 - half, 2 + half))
    # Of seeds that are all the same only the items are left, and they are many.
    assert t_interval([2, 2, 2], of_items=1) == pytest.approx((2 - 1.96, 2 + 1.96), abs=1e-3)


@given(st.lists(st.floats(-9, 9), min_size=2, max_size=10), st.floats(0, 9))
def test_the_variance_of_the_items_makes_no_interval_narrower(values, of_items):
    alone, both = (t_interval(values, variance) for variance in (0, of_items))
    assert both[0] <= alone[0] and alone[1] <= both[1]


def test_draws_that_overlap_have_a_wider_interval():
    """By hand: ten draws of 800 and 100 images, 1/10 + 1/8 in place of 1/10, so 1.5 times."""
    values = np.arange(10.0)
    low, high = t_interval(values)
    wide = t_interval(values, test_to_train=100 / 800)
    assert wide == pytest.approx((4.5 - 1.5 * (4.5 - low), 4.5 + 1.5 * (high - 4.5)))


def test_variances_are_pooled_by_their_degrees_of_freedom():
    assert pooled([1.0, 4.0], [2, 1]) == (2.0, 3)


def test_a_single_seed_has_the_variance_of_seeds_elsewhere():
    """By hand: a variance of 1 over seeds, of which there is one, and 3 over items."""
    half = stats.t.ppf(0.975, 4 * 4**2 / 1**2) * 4**0.5
    assert t_interval([2], 3, elsewhere=(1, 4)) == pytest.approx((2 - half, 2 + half))
    half = stats.t.ppf(0.975, 4) * 1.25**0.5  # of a draw of pictures
    assert t_interval([2], 0, 0.25, (1, 4)) == pytest.approx((2 - half, 2 + half))


@pytest.mark.parametrize("test_to_train", [0.0, 0.25])
def test_the_largest_variance_is_that_of_an_interval_of_the_seeds_alone(test_to_train):
    values = [10.0, 12.0, 17.0]
    low, high = t_interval(values, test_to_train=test_to_train)
    found = largest_variance(low, high, 3, test_to_train)
    assert found == pytest.approx(np.var(values, ddof=1))


@pytest.mark.parametrize("of_seeds", [0.3, 1.0, 3.0])
def test_intervals_of_single_seeds_cover_the_mean_of_all_trainings(of_seeds):
    """As for several seeds; the variance is pooled from two sizes with three seeds each."""
    rng, experiments = np.random.default_rng(2), 10_000
    values = of_seeds * rng.normal(size=experiments) + rng.normal(size=experiments)
    sizes = of_seeds * rng.normal(size=(experiments, 2, 3))
    covered = 0
    for value, groups in zip(values, sizes, strict=True):
        elsewhere = pooled(groups.var(axis=1, ddof=1), [2, 2])
        low, high = t_interval([value], of_items=1, elsewhere=elsewhere)
        covered += low <= 0 <= high
    assert 0.941 < covered / experiments < 0.963


def two_way_bootstrap(values, rng, count):
    """The 95% percentiles of the mean of (seeds, items), both drawn with replacement."""
    seeds, items = (paired.draws(size, rng, count) for size in values.shape)
    return paired.interval(((seeds @ values) * items).sum(axis=1) / values.size)


@pytest.mark.parametrize("seeds", [3, 10])
@pytest.mark.parametrize("of_seeds", [0.0, 0.5, 1.0, 3.0, 10.0])
def test_t_intervals_cover_the_mean_of_all_trainings_at_every_ratio_of_the_variances(
    seeds, of_seeds
):
    """The seeds' mean has the deviation of_seeds, the items' 1, and the true mean is 0.

    The bounds are three standard errors of 10,000 experiments around 94.8 and 95.4. Satterthwaite's
    interval of three seeds covers 92.2 at a ratio of 3; the wider one of the items' interval and
    the seeds', 88 of ten seeds at a ratio of 1.
    """
    rng, experiments = np.random.default_rng(0), 10_000
    values = of_seeds * seeds**0.5 * rng.normal(size=(experiments, seeds))
    values += rng.normal(size=(experiments, 1))
    ends = np.array([t_interval(each, of_items=1) for each in values])
    covered = ((ends[:, 0] <= 0) & (ends[:, 1] >= 0)).mean()
    assert 0.941 < covered < 0.961


def test_a_bootstrap_over_three_seeds_covers_too_little():
    """Means of three seeds and 50 items; the true mean is 0.

    A bootstrap over the items says nothing of other seeds, and one over seeds and items too little.
    """
    rng, experiments, count = np.random.default_rng(1), 300, 200
    covered = np.zeros(3)
    for _ in range(experiments):
        seeds, items = rng.normal(size=(3, 1)), rng.normal(size=50)
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
    found = decide("a_paper", pd.concat([table, one, tested]))
    assert list(found) == list(schema_of(Claims).columns)
    assert found[["better", "seeds", "verdict"]].values.tolist() == [
        ["b", 3, "holds"],
        ["c", 1, "does not hold"],
        ["d", 1, "not decided"],
    ]
    expected = t_interval(items.mean(axis=1), np.var(items.mean(axis=0) @ times[1:].T / 40))
    assert found.loc[0, ["low", "high"]].tolist() == pytest.approx(expected)
    assert found.loc[0, ["paper", "reported"]].tolist() == ["a_paper", 4.0]
    assert found.loc[0, ["low", "high"]].tolist() == list(again(found.loc[0]))
    assert found.loc[1, ["low", "high"]].tolist() == [-2, -0.5] and found["p"][2] == 0.2


def again(row):
    """The interval of a row of `Claims`, from the seeds' values that are kept in it."""
    values = map(float, row["of_seeds"].split("; "))
    elsewhere = (row["pooled_variance"], row["pooled_freedom"])
    return t_interval(values, row["of_items"], row["test_to_train"], elsewhere)


def test_intervals_that_pages_show_are_those_of_their_seeds_values():
    tables = [frames.read(path, Claims) for path in (ROOT / "docs/results").glob("*/claims*.csv")]
    kept = pd.concat(tables).dropna(subset="of_seeds").fillna({"of_items": 0})
    kept = kept[kept["seeds"].gt(1) | kept["pooled_variance"].notna()]
    assert len(kept) > 50 and kept["seeds"].eq(1).sum() > 30
    for _, row in kept.iterrows():
        assert again(row) == pytest.approx((row["low"], row["high"]), abs=1e-6)


def test_verdicts_that_pages_show_are_those_of_all_files_of_an_experiment():
    folders = {path.parent for path in (ROOT / "docs/results").glob("*/claims*.csv")}
    assert len(folders) == 6
    for folder in folders:
        paths = sorted(folder.glob("claims*.csv"))
        kept = pd.concat([frames.read(path, Claims) for path in paths], ignore_index=True)
        found = judged(kept)
        assert found["verdict"].tolist() == kept["verdict"].tolist(), folder
        numbers = ["low", "high", "pooled_variance", "pooled_freedom"]
        np.testing.assert_allclose(found[numbers].astype(float), kept[numbers], atol=1e-9)


def test_differences_that_pages_show_are_those_of_the_scores_beside_them():
    """Of ensembles, whose recalls and correlations with ratings are kept for each seed."""
    names = {tables.STS: "STS 12-16", tables.STSB: "STS-B", tables.SICK: "SICK-R"}
    compared = 0
    for folder in ("flickr8k-seeds", "flickr8k-epochs"):
        scores = tables.scores(folder).rename(columns=names).droplevel(["folder", "dataset"])
        scores["training task"] = scores[tables.REACHED[:2]].mean(axis=1)
        for path in (tables.KEPT / folder).glob("claims*.csv"):
            for _, row in frames.read(path, Claims).dropna(subset="of_seeds").iterrows():
                if {row["worse"], row["better"]} <= {*scores.index.get_level_values("model")}:
                    better, worse = (
                        scores.loc[row[of], row["measure"]] for of in ("better", "worse")
                    )
                    expected = (better - worse).dropna()
                    values = [float(value) for value in row["of_seeds"].split("; ")]
                    np.testing.assert_allclose(values, expected, atol=1e-6, err_msg=str(row))
                    compared += 1
    assert compared > 30


def test_one_seed_is_judged_by_the_seeds_of_other_sizes():
    """By hand: variances of 1 and 3 over three seeds, and one seed with a variance of 4."""
    gru = {"worse": "lstm-8-max", "better": "gru-8-max"}
    small = seeds([1.0, 2.0, 3.0], **gru)
    large = seeds([0.0, 3.0, 3.0], worse="lstm-16-max", better="gru-16-max")
    one = {
        "worse": "lstm-32-max",
        "better": "gru-32-max",
        "low": 10 - 2 * 1.96,
        "high": 10 + 2 * 1.96,
    }
    single = seeds([10.0], **one)
    others = [
        single.assign(measure="R@1"),
        single.assign(dataset="e"),
        single.assign(condition="de"),
        single.assign(claim="D"),
        single.assign(better="bag-32-max"),
        seeds([10.0], worse="lstm-64-max", better="gru-64-max", p=0.001),
    ]
    found = decide("", pd.concat([small, large, single, *others], ignore_index=True))
    assert found["seeds"].tolist() == [3, 3] + 7 * [1]
    row = found.loc[2]
    assert (row["pooled_variance"], row["pooled_freedom"]) == (2, 4)
    low, high = t_interval([10], 4, elsewhere=(2, 4))
    assert row[["low", "high", "of_items"]].tolist() == pytest.approx([low, high, 4])
    # Other comparisons are about one training.
    assert found["pooled_variance"][3:].isna().all()
    assert found.loc[3:7, "low"].eq(one["low"]).all() and np.isnan(found["low"][8])
    assert found["verdict"][2:].eq("holds").all()
    # Of seeds whose values were not kept, the interval tells the largest variance.
    lost = judged(found.assign(of_seeds=found["of_seeds"].where(found["seeds"] == 1)))
    assert lost.loc[2, "pooled_variance"] == pytest.approx(2)
    pd.testing.assert_frame_equal(judged(found), found)


def test_seeds_that_drew_their_own_pictures_are_not_drawn_again():
    """Their pictures' part of the variance is that between them."""
    values, times = [1.0, 2.0, 3.0], [np.array([value, 0.0, 50.0]) for value in (1, 2, 3)]
    found = decide("", seeds(values, test_to_train=0.25).assign(draws=times))
    assert found.loc[0, ["low", "high"]].tolist() == pytest.approx(t_interval(values, 0, 0.25))
