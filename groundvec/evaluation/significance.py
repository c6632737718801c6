"""Tests whether two systems differ, on the same rated pairs or on the same queries."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import stdtr

from groundvec.data.ratings import CLASSIFIED
from groundvec.evaluation import bootstrap
from groundvec.evaluation.correlation import pearson
from groundvec.results.schemas import CUTOFFS
from groundvec.runtime.errors import InputError

KEYS = ["pair", "task", "subtask", "rating"]
SUBTASK = ["task", "subtask"]
QUERIES = ["test_set", "direction", "image"]
SAME = 1 - 1e-12  # predictions that correlate above this differ only by float64's rounding
SEED = 1  # of the bootstrap's draws


def williams(
    r12: np.ndarray | float, r13: np.ndarray | float, r23: np.ndarray | float, n: np.ndarray | int
) -> tuple[np.ndarray, np.ndarray]:
    """Test whether two dependent correlations that share a variable, r12 and r13, differ.

    Williams (1959, "The comparison of regression variables"), as T2 of Steiger (1980, "Tests for
    comparing elements of a correlation matrix"):

        t = (r12 - r13) sqrt((1 + r23) / v)
        v = 2 D / (n - 3) + ((r12 + r13) / 2)^2 (1 - r23)^3 / (n - 1)

    where D = 1 - r12^2 - r13^2 - r23^2 + 2 r12 r13 r23 is the determinant of the correlation
    matrix. (Steiger multiplies the root's numerator and its denominator by n - 1.)

    Args (numbers or arrays):
        r12, r13: correlations of the ratings with the first and with the second system.
        r23: correlation of the two systems.
        n: number of pairs.

    Returns:
        t, with n - 3 degrees of freedom, positive if r12 is larger; and its two-sided p. If the
        systems are the same, or there are up to three pairs, t is 0 and p 1.
    """
    r12, r13, r23, n = np.broadcast_arrays(*map(np.float64, (r12, r13, r23, n)))
    # Rounding can make the determinant of nearly equal systems negative.
    determinant = np.maximum(1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = 2 * determinant / (n - 3) + ((r12 + r13) / 2) ** 2 * (1 - r23) ** 3 / (n - 1)
        t = (r12 - r13) * np.sqrt((1 + r23) / variance)
    t = np.where((r23 > SAME) | (n <= 3), 0.0, t)
    return t, 2 * stdtr(np.maximum(n - 3, 1), -np.abs(t))


def holm(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Adjust p-values (N,) for N tests by Holm's (1979) step-down procedure.

    The smallest p is multiplied by N, the second by N - 1, and so on. No p may become smaller than
    one before it, which stands for the rule that no test is rejected after one that is not.

    Returns:
        Adjusted p-values (N,), which are compared with the level itself.
    """
    p = np.asarray(p, float)
    order = np.argsort(p)
    factors = np.arange(len(p), 0, -1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.maximum.accumulate(p[order] * factors)
    return np.minimum(adjusted, 1)


def compare(a: pd.DataFrame, b: pd.DataFrame) -> pd.DataFrame:
    """Test on every subtask whether two systems' Pearson correlations with the ratings differ.

    A system's prediction is its classifier's if the task has one, else its cosine.

    Args:
        a, b: the predictions of one system each (`Predictions`), in any order.

    Returns:
        A row per subtask: task, subtask, definition (of the correlations), n (pairs), r_a, r_b, t
            (Williams's; positive if a is better), p and p_holm, adjusted for the number of rows.

    Raises:
        InputError: the tables are not of the same pairs with the same ratings, each pair once, or
            only one of them has a classifier's predictions of a task.
    """
    a = _sorted_pairs(a)
    b = _sorted_pairs(b)
    if not np.array_equal(a[KEYS], b[KEYS]):
        raise InputError(
            f"the two systems were not evaluated on the same pairs ({len(a)} and {len(b)}) and "
            "ratings: make both with the same file of rated pairs"
        )
    one_sided = a["classifier"].isna() != b["classifier"].isna()
    if one_sided.any():
        raise InputError(
            f"only one of the two systems has a classifier for {a['task'][one_sided].iloc[0]}: "
            "evaluate both where torch is installed, or both without it"
        )
    gold = a["rating"].to_numpy()
    # A subtask has either only predictions by the classifier, or none.
    predicted_a = a["classifier"].fillna(a["cosine"]).to_numpy()
    predicted_b = b["classifier"].fillna(b["cosine"]).to_numpy()
    rows = []
    for (task, subtask), pairs in a.groupby(SUBTASK, sort=False):
        method = "cosine" if pairs["classifier"].isna().all() else "classifier"
        i = pairs.index.to_numpy()
        r_a = pearson(predicted_a[i], gold[i])
        r_b = pearson(predicted_b[i], gold[i])
        t, p = williams(r_a, r_b, pearson(predicted_a[i], predicted_b[i]), len(i))
        rows.append((task, subtask, f"SentEval {method}", len(i), r_a, r_b, float(t), float(p)))
    columns = ["task", "subtask", "definition", "n", "r_a", "r_b", "t", "p"]
    table = pd.DataFrame(rows, columns=columns)
    return table.assign(p_holm=holm(table["p"].to_numpy()))


def _sorted_pairs(predictions: pd.DataFrame) -> pd.DataFrame:
    """Sort predictions by pair; InputError if a pair occurs twice."""
    repeated = predictions["pair"][predictions["pair"].duplicated()]
    if len(repeated):
        raise InputError(
            f"pair {repeated.min()} occurs twice: keep one system, kind and epoch per table"
        )
    return predictions.sort_values("pair", ignore_index=True)


def compare_ratings(a: pd.DataFrame, b: pd.DataFrame) -> pd.DataFrame:
    """Test whether two systems differ on every subtask, and in the mean of the cosine's subtasks.

    Returns:
        The rows of `compare`; then the row of the mean, if there are tasks without a classifier.
        The column `test` is the test of the row.
    """
    tables = [compare(a, b).assign(test="Williams"), _compare_means(a, b)]
    return pd.concat(tables, ignore_index=True)


def _compare_means(a: pd.DataFrame, b: pd.DataFrame) -> pd.DataFrame:
    """Compare the weighted means of the tasks by cosine: one row, or none without such tasks.

    Pairs are drawn within each subtask, so that each draw has the same weights.
    """
    both = a.merge(b[["pair", "cosine"]], on="pair", suffixes=("_a", "_b"))
    # Tasks with a classifier have no part in the mean, as in `ratings.evaluate`; without torch,
    # theirs was not computed.
    both = both[both["classifier"].isna() & ~both["task"].isin(CLASSIFIED)]
    if both.empty:
        return pd.DataFrame()
    rng = np.random.default_rng(SEED)
    weighted = []
    for _, pairs in both.groupby(SUBTASK, sort=False):
        cosines = pairs[["cosine_a", "cosine_b"]].to_numpy().T
        times = bootstrap.draws(len(pairs), rng)
        correlations = bootstrap.correlation(cosines, pairs["rating"].to_numpy(), times) / 100
        weighted.append(len(pairs) / len(both) * correlations)
    mean_a, mean_b = np.sum(weighted, axis=0)
    p = bootstrap.two_sided_p(mean_a - mean_b)
    row = {
        "task": "all",
        "subtask": "weighted mean",
        "definition": "SentEval cosine",
        "n": len(both),
        "r_a": mean_a[0],
        "r_b": mean_b[0],
        "t": np.nan,
        "p": p,
        "p_holm": p,  # the only test of its kind
        "test": "paired bootstrap",
    }
    return pd.DataFrame([row])


def compare_ranks(a: pd.DataFrame, b: pd.DataFrame) -> pd.DataFrame:
    """Test whether two systems' recalls and mean ranks differ, by a paired bootstrap over images.

    Args:
        a, b: the rank of every query of one system each (`FoundRanks`).

    Returns:
        A row per test set, direction and measure: queries, a, b, their difference, the ends low and
        high of its 95% interval, p, and p_holm, adjusted for the number of rows.

    Raises:
        InputError: the ranks are not of the same queries.
    """
    if not a.groupby(QUERIES).size().equals(b.groupby(QUERIES).size()):
        raise InputError(
            f"the ranks are not of the same queries ({len(a)} and {len(b)}): make both with "
            "the same captions, images and folds"
        )
    both = pd.concat([a.assign(system=0), b.assign(system=1)], ignore_index=True)
    rows = []
    for (test_set, direction), queries in both.groupby(["test_set", "direction"], sort=False):
        # (systems, images): the number of queries of each image; below, the sums of their values.
        by_image = [queries["system"], queries["image"]]
        counts = queries.groupby(by_image).size().unstack().to_numpy(float)
        times = bootstrap.draws(counts.shape[1], np.random.default_rng(SEED))
        measures = {f"r{k}": 100 * (queries["rank"] <= k) for k in CUTOFFS}
        measures["mean_rank"] = queries["rank"]
        for measure, values in measures.items():
            sums = values.groupby(by_image).sum().unstack().to_numpy(float)
            mean_a, mean_b = bootstrap.mean(sums, counts, times)
            differences = mean_a - mean_b
            low, high = bootstrap.interval(differences)
            row = {
                "test_set": test_set,
                "direction": direction,
                "measure": measure,
                "queries": len(queries) // 2,
                "a": mean_a[0],
                "b": mean_b[0],
                "difference": differences[0],
                "low": low,
                "high": high,
                "p": bootstrap.two_sided_p(differences),
            }
            rows.append(row)
    table = pd.DataFrame(rows)
    return table.assign(p_holm=holm(table["p"].to_numpy()), test="paired bootstrap")
