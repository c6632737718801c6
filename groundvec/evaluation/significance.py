"""Is one system better than another? Tests for correlations that share their ratings."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import stdtr

from groundvec.evaluation.correlation import pearson
from groundvec.runtime.errors import InputError

KEYS = ["pair", "task", "subtask", "rating"]
SAME = 1 - 1e-12  # two predictions that correlate above this differ by rounding only


def williams(
    r12: np.ndarray | float, r13: np.ndarray | float, r23: np.ndarray | float, n: np.ndarray | int
) -> tuple[np.ndarray, np.ndarray]:
    """Test whether two dependent correlations that share a variable, r12 and r13, differ.

    Williams (1959, "The comparison of regression variables"); T2 of Steiger (1980, "Tests for
    comparing elements of a correlation matrix").

    Args (numbers or arrays):
        r12, r13: correlations of the ratings with the first and with the second system.
        r23: correlation of the two systems.
        n: number of pairs.

    Returns:
        t, with n - 3 degrees of freedom, positive if r12 is larger; and its two-sided p. If the
        systems are the same, or there are up to three pairs, t is 0 and p 1.
    """
    r12, r13, r23, n = np.broadcast_arrays(*map(np.float64, (r12, r13, r23, n)))
    determinant = np.maximum(1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = 2 * determinant / (n - 3) + ((r12 + r13) / 2) ** 2 * (1 - r23) ** 3 / (n - 1)
        t = (r12 - r13) * np.sqrt((1 + r23) / variance)
    t = np.where((r23 > SAME) | (n <= 3), 0.0, t)
    return t, 2 * stdtr(np.maximum(n - 3, 1), -np.abs(t))


def holm(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """P-values (N,) adjusted for N tests (Holm 1979): compare them with the level itself."""
    p = np.asarray(p, float)
    order = np.argsort(p)
    adjusted = np.empty_like(p)
    adjusted[order] = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return np.minimum(adjusted, 1)


def compare(a: pd.DataFrame, b: pd.DataFrame) -> pd.DataFrame:
    """Test on every subtask whether two systems' Pearson correlations with the ratings differ.

    A system's prediction is its classifier's if the task has one, else its cosine.

    Args:
        a, b: the predictions of one system each (`Predictions`), in any order.

    Returns:
        A row per subtask: task, subtask, n (pairs), r_a, r_b, t (Williams's; positive if a is
            better), p and p_holm, adjusted for the number of rows.

    Raises:
        InputError: the tables are not of the same pairs with the same ratings, each pair once.
    """
    a, b = (table.sort_values("pair", ignore_index=True) for table in (a, b))
    for table in (a, b):
        if table["pair"].duplicated().any():
            pair = table["pair"][table["pair"].duplicated()].iloc[0]
            raise InputError(f"pair {pair} occurs twice: keep one system, kind and epoch per table")
    if not np.array_equal(a[KEYS], b[KEYS]):
        raise InputError(
            f"the two systems were not evaluated on the same pairs ({len(a)} and {len(b)}) and "
            "ratings: make both with the same file of rated pairs"
        )
    gold = a["rating"].to_numpy()
    first, second = (t["classifier"].fillna(t["cosine"]).to_numpy() for t in (a, b))
    rows = []
    for (task, subtask), group in a.groupby(["task", "subtask"], sort=False):
        i = group.index.to_numpy()
        r12 = pearson(first[i], gold[i])
        r13 = pearson(second[i], gold[i])
        t, p = williams(r12, r13, pearson(first[i], second[i]), len(i))
        rows.append((task, subtask, len(i), r12, r13, float(t), float(p)))
    table = pd.DataFrame(rows, columns=["task", "subtask", "n", "r_a", "r_b", "t", "p"])
    return table.assign(p_holm=holm(table["p"].to_numpy()))
