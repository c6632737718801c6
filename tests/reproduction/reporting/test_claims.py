"""Claims are judged by the seeds of their comparisons."""

import numpy as np
import pandas as pd
import pytest

from docs.pages import tables
from groundvec.evaluation import bootstrap
from groundvec.results import frames
from groundvec.results.frames import schema_of
from reproduction.reporting.claims import LEVEL, OPEN, decide, judged
from reproduction.reporting.seeds import t_interval
from reproduction.schemas import Claims
from tests.support import ROOT
from tests.support.result_files import read_table


def seeds(differences, **more):
    """Differences of one comparison, a row for each seed."""
    rows = pd.DataFrame({"seed": range(1, len(differences) + 1), "difference": differences})
    about = {"claim": "C", "dataset": "d", "condition": "en", "measure": "R@10"}
    return rows.assign(**about | {"worse": "a", "better": "b"} | more)


def test_the_seeds_of_a_comparison_are_joined():
    rng = np.random.default_rng(0)
    items = rng.normal(5, 1, size=(3, 40))
    times = bootstrap.draws(40, rng)
    table = seeds(items.mean(axis=1), reported=4.0).assign(draws=list(items @ times.T / 40))
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
    """Return the interval of a row of `Claims`, from its values for each seed."""
    values = map(float, row["of_seeds"].split("; "))
    elsewhere = (row["pooled_variance"], row["pooled_freedom"])
    return t_interval(values, row["of_items"], row["test_to_train"], elsewhere)


def test_intervals_and_verdicts_of_pages_follow_from_the_seeds_values():
    """A verdict needs all files of an experiment, whose seeds are pooled."""
    folders = {path.parent for path in (ROOT / "docs/results").glob("*/claims*.csv")}
    assert len(folders) == 7
    for folder in folders:
        paths = sorted(folder.glob("claims*.csv"))
        kept = pd.concat([frames.read(path, Claims) for path in paths], ignore_index=True)
        found = judged(kept)
        if folder.name == "controls":  # p is corrected for all comparisons, and has to be small too
            found["verdict"] = found["verdict"].where(kept["p"] < LEVEL, OPEN)
        assert found["verdict"].tolist() == kept["verdict"].tolist(), folder
        numbers = ["low", "high", "pooled_variance", "pooled_freedom"]
        np.testing.assert_allclose(found[numbers].astype(float), kept[numbers], atol=1e-9)
        with_seeds = kept.dropna(subset="of_seeds").fillna({"of_items": 0})
        for _, row in with_seeds.iterrows():
            if row["seeds"] > 1 or row["pooled_variance"] > 0:
                assert again(row) == pytest.approx((row["low"], row["high"]), abs=1e-6)


def test_differences_on_pages_follow_from_the_scores():
    """Ensembles with recalls and correlations for each seed."""
    names = {tables.STS: "STS 12-16", tables.STSB: "STS-B", tables.SICK: "SICK-R"}
    compared = 0
    for folder in ("flickr8k-seeds", "flickr8k-epochs"):
        scores = tables.scores(folder).rename(columns=names).droplevel("dataset")
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


# Two sizes with three seeds, one with a single seed, and others that are no size of the same pair.
COMPARED = """
claim | dataset | condition | measure | worse       | better      | difference | low  | high  | p
C     | d       | en        | R@10    | lstm-8-max  | gru-8-max   | 1          |      |       |
C     | d       | en        | R@10    | lstm-8-max  | gru-8-max   | 2          |      |       |
C     | d       | en        | R@10    | lstm-8-max  | gru-8-max   | 3          |      |       |
C     | d       | en        | R@10    | lstm-16-max | gru-16-max  | 0          |      |       |
C     | d       | en        | R@10    | lstm-16-max | gru-16-max  | 3          |      |       |
C     | d       | en        | R@10    | lstm-16-max | gru-16-max  | 3          |      |       |
C     | d       | en        | R@10    | lstm-32-max | gru-32-max  | 10         | 6.08 | 13.92 |
C     | d       | en        | R@1     | lstm-32-max | gru-32-max  | 10         | 6.08 | 13.92 |
C     | e       | en        | R@10    | lstm-32-max | gru-32-max  | 10         | 6.08 | 13.92 |
C     | d       | de        | R@10    | lstm-32-max | gru-32-max  | 10         | 6.08 | 13.92 |
D     | d       | en        | R@10    | lstm-32-max | gru-32-max  | 10         | 6.08 | 13.92 |
C     | d       | en        | R@10    | lstm-32-max | bag-32-max  | 10         | 6.08 | 13.92 |
C     | d       | en        | R@10    | lstm-64-max | gru-64-max  | 10         |      |       | .001
"""


def test_one_seed_is_judged_by_the_seeds_of_other_sizes():
    """By hand: variances of 1 and 3 over three seeds, and one seed with a variance of 4."""
    found = decide("", read_table(COMPARED))
    assert found["seeds"].tolist() == [3, 3] + 7 * [1]
    row = found.loc[2]
    assert (row["pooled_variance"], row["pooled_freedom"]) == (2, 4)
    low, high = t_interval([10], 4, elsewhere=(2, 4))
    assert row[["low", "high", "of_items"]].tolist() == pytest.approx([low, high, 4])
    # Other comparisons are about one training.
    assert found["pooled_variance"][3:].isna().all()
    assert found.loc[3:7, "low"].eq(6.08).all() and np.isnan(found["low"][8])
    assert found["verdict"][2:].eq("holds").all()
    # Without the values of the seeds, the interval bounds their variance.
    lost = judged(found.assign(of_seeds=found["of_seeds"].where(found["seeds"] == 1)))
    assert lost.loc[2, "pooled_variance"] == pytest.approx(2)
    pd.testing.assert_frame_equal(judged(found), found)


def test_seeds_that_drew_their_own_pictures_are_not_drawn_again():
    """The pictures' part of the variance is the variance between draws."""
    values = [1.0, 2.0, 3.0]
    times = [np.array([value, 0.0, 50.0]) for value in (1, 2, 3)]
    found = decide("", seeds(values, test_to_train=0.25).assign(draws=times))
    assert found.loc[0, ["low", "high"]].tolist() == pytest.approx(t_interval(values, 0, 0.25))
