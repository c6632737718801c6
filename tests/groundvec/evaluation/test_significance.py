import numpy as np
import pandas as pd
import pytest

from groundvec.evaluation.significance import compare, compare_ratings, holm, williams
from tests.support.refusals import refused


@pytest.mark.parametrize(
    "r12, r13, r23, n, t",
    [
        (0.4, 0.5, 0.1, 103, -0.89),  # Steiger (1980), and R's psych::r.test on his example
        # `williams1959` of R's cocor, from correlations of four decimals
        (-0.1741, 0.2015, 0.3734, 646, -9.0340),
        (0.8066, 0.2383, 0.2255, 177, 9.3823),
        (0.5447, 0.8000, 0.0729, 70, -2.8114),
    ],
)
def test_published_examples(r12, r13, r23, n, t):
    assert williams(r12, r13, r23, n)[0] == pytest.approx(t, abs=2e-3)


def test_p_is_two_sided_with_n_minus_3_degrees_of_freedom():
    assert williams(0.5447, 0.8, 0.0729, 70)[1] == pytest.approx(0.0065, abs=5e-5)  # cocor's


def test_the_same_system_twice_does_not_differ():
    t, p = williams([0.5, 0.5], [0.5, 0.5 + 1e-16], [1, 1 - 1e-15], 100)
    assert t.tolist() == [0, 0]
    assert p.tolist() == [1, 1]


def test_three_pairs_say_nothing():
    t, p = williams(0.9, 0.1, 0.2, [3, 2])
    assert (t.tolist(), p.tolist()) == ([0, 0], [1, 1])


def test_holm_by_hand():
    """0.005 x 4; 0.01 x 3; 0.03 x 2; 0.04 x 1, but not below the one before."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.9]).tolist() == [1, 1]
    assert holm([]).tolist() == []


def predictions(seed, noise):
    """Two subtasks, the second of them with a classifier; `noise` makes a system worse."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"pair": np.arange(5, 305), "rating": rng.uniform(0, 5, 300)})
    table["task"] = np.where(table.index < 200, "STS 2012", "SICK")
    table["subtask"] = np.where(table.index < 200, "MSRvid", "Relatedness")
    rng = np.random.default_rng(seed)
    table["cosine"] = table["rating"] + noise * rng.standard_normal(300)
    graded = table["rating"] + 2 * noise * rng.standard_normal(300)
    return table.assign(classifier=graded.where(table["task"] == "SICK"))


def test_systems_are_compared_by_their_headline_predictions():
    a = predictions(1, 1.0)
    b = predictions(2, 3.0)
    table = compare(a, b)
    assert table["subtask"].tolist() == ["MSRvid", "Relatedness"]
    for row, column, i in ((0, "cosine", slice(0, 200)), (1, "classifier", slice(200, 300))):
        r = np.corrcoef([a["rating"][i], a[column][i], b[column][i]])
        count = i.stop - i.start
        t_and_p = np.array(williams(r[0, 1], r[0, 2], r[1, 2], count))
        expected = [count, r[0, 1], r[0, 2], *t_and_p]
        assert table.loc[row, ["n", "r_a", "r_b", "t", "p"]].tolist() == pytest.approx(expected)
    assert table["p_holm"].tolist() == pytest.approx(holm(table["p"]).tolist())


def test_the_mean_leaves_out_tasks_with_a_classifier_also_where_it_is_missing():
    a, b = (predictions(seed, 1.0).assign(classifier=np.nan) for seed in (1, 2))
    mean = compare_ratings(a, b).iloc[-1]
    assert (mean["subtask"], mean["n"]) == ("weighted mean", 200)
    assert mean["r_a"] == pytest.approx(np.corrcoef(a["rating"][:200], a["cosine"][:200])[0, 1])


def test_rows_are_joined_by_pair_whatever_their_order():
    a = predictions(1, 1.0)
    b = predictions(2, 3.0)
    shuffled = b.sample(frac=1, random_state=0)
    pd.testing.assert_frame_equal(compare(a, shuffled), compare(a, b))


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda t: t.iloc[1:], r"not evaluated on the same pairs \(300 and 299\)"),
        (lambda t: t.assign(rating=t["rating"] / 2), "not evaluated on the same pairs"),
        (lambda t: pd.concat([t, t]), "pair 5 occurs twice"),
    ],
)
def test_systems_judged_on_other_pairs_are_refused(change, message):
    with refused(message):
        compare(predictions(1, 1.0), change(predictions(2, 1.0)))
