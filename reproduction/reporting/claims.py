"""Claims of papers as differences between two systems: one data frame and one table for all papers.

A paper's `claims.py` finds the two systems of each claim and measures their differences seed by
seed, in the columns `COMPARED`, seed, difference, low, high, p and draws. `decide` turns these into
`Claims`.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from groundvec.evaluation import bootstrap
from groundvec.results import frames
from groundvec.results.frames import schema_of
from reproduction.reporting.seeds import largest_variance, pooled, t_interval, variance_over_items
from reproduction.schemas import Claims

COMPARED = ["claim", "dataset", "condition", "measure", "worse", "better"]
HOLDS = "holds"
FAILS = "does not hold"
OPEN = "not decided"
VERDICTS = [HOLDS, FAILS, OPEN]
LEVEL = 0.05  # significance level of the two-sided tests
# Means of the same numbers in another order differ in the last bits: such a difference is none.
ROUNDING = 1e-9
SIZE = r"-\d+(?=-)"  # the size in a model's name, such as gru-512-attention


def claimed_pairs(
    systems: pd.DataFrame, claims: Mapping[str, str], same: list[str]
) -> pd.DataFrame:
    """Pair every two systems, and select the pairs that each claim compares.

    Args:
        systems: columns name, draws, those in `same` and those that the claims read.
        claims: for each claim a condition in the form of `DataFrame.query`. Columns end in `_worse`
            for the system that is claimed to be worse, and in `_better` for the other.
        same: columns that have to be equal in both, such as the seed.

    Returns:
        Columns claim, worse and better (names), draws of the difference, and all of both systems.
    """
    pairs = systems.merge(systems, on=same, suffixes=("_worse", "_better"))
    table = pd.concat([pairs.query(pair).assign(claim=claim) for claim, pair in claims.items()])
    table = table.rename(columns={"name_worse": "worse", "name_better": "better"})
    return table.assign(draws=table["draws_better"] - table["draws_worse"])


def stacked(parts: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Stack the comparisons of several claims; without any, the frame has no rows."""
    compared = [part for part in parts if len(part)]
    return pd.concat(compared, ignore_index=True) if compared else pd.DataFrame(columns=COMPARED)


def decide(paper: str, differences: pd.DataFrame) -> Claims:
    """Average the seeds of every comparison, and decide whether the claim holds.

    Args:
        paper: the name of the paper's folder.
        differences: one row per comparison and seed, with the columns `COMPARED` and difference;
            or draws of a bootstrap, which begin with the difference itself. Optional columns: low
            and high, the ends of its interval; p of a test, which decides in place of the draws;
            reported, the difference between the paper's numbers; test_to_train, as in `Models`.
            Rows that compare no two systems have no worse and better.
    """
    optional = ["difference", "reported", "low", "high", "p", "draws", "test_to_train"]
    table = differences.reindex(columns=[*COMPARED, *optional]).fillna({"test_to_train": 0.0})
    table["difference"] = table["difference"].fillna(table["draws"].astype(object).str[0])
    groups = table.groupby(COMPARED, sort=False, dropna=False)
    rows: list[dict[Any, Any]] = [
        dict(zip(COMPARED, key, strict=True)) | _joined(seeds) for key, seeds in groups
    ]
    table = pd.DataFrame(rows, columns=list(schema_of(Claims).columns)).assign(paper=paper)
    return judged(table)


def _joined(seeds: pd.DataFrame) -> dict[Any, Any]:
    """Average the seeds' differences, with the interval; a single seed keeps its own interval."""
    first = seeds.iloc[0]
    has_draws = seeds["draws"].notna().all()
    row = {
        "seeds": len(seeds),
        "reported": first["reported"],
        "difference": seeds["difference"].mean(),
        "of_seeds": "; ".join(map(str, seeds["difference"])),
        "test_to_train": first["test_to_train"],
    }
    if len(seeds) == 1:
        low, high, p = first[["low", "high", "p"]]
        if has_draws and pd.isna(p):
            low, high = bootstrap.interval(first["draws"])
        return row | {"low": low, "high": high, "p": p}
    variance = 0.0
    # Seeds of one data set share its test items, so the variance over these is added. Seeds of a
    # subsample have their own, and their variance over seeds includes it.
    if has_draws and not first["test_to_train"]:
        variance = float(np.mean(seeds["draws"].tolist(), axis=0)[1:].var())
    low, high = t_interval(seeds["difference"], variance, first["test_to_train"])
    return row | {"low": low, "high": high, "of_items": variance}


def judged(claims: Claims) -> Claims:
    """Decide whether claims hold; a single seed gets the variance over the seeds of other claims.

    The bootstrap interval of one training does not cover other seeds. Their variance is pooled over
    the rows with several seeds and the same comparison: claim, data set, condition, measure and
    systems, except for the size in the systems' names. It is assumed to be the same for all sizes.
    If the seeds of this size have a larger standard deviation, its interval is too narrow
    (tests/reproduction/reporting/test_seeds.py).

    Without such rows the bootstrap interval decides, and `pooled_variance` is empty. The verdict is
    then about this one training, as the papers' own verdicts are. "Not decided" would hide what the
    test images do decide.

    Args:
        claims: claims of one run or several; verdicts and earlier pooled variances are replaced.
    """
    table = claims.copy()
    names = ["worse", "better"]
    comparison = table[COMPARED].assign(**table[names].replace(SIZE, "", regex=True)).fillna("")
    for _, rows in table.groupby([comparison[name] for name in COMPARED], sort=False):
        several = rows[rows["seeds"] > 1]
        single = rows[rows["seeds"].eq(1) & rows["low"].notna()]
        if len(several) and len(single):
            variances = [_variance_over_seeds(row) for _, row in several.iterrows()]
            pooled_variance = pooled(variances, several["seeds"] - 1)
            for label, row in single.iterrows():
                interval = _with_other_seeds(row, pooled_variance)
                table.loc[label, list(interval)] = list(interval.values())
    tested = table["p"].lt(LEVEL)
    above = table["low"].gt(ROUNDING) | (tested & table["difference"].gt(0))
    below = table["high"].lt(-ROUNDING) | (tested & table["difference"].lt(0))
    return table.assign(verdict=np.select([above, below], [HOLDS, FAILS], OPEN))


def _variance_over_seeds(row: pd.Series) -> float:
    """Compute the variance over a claim's seeds; if their values are missing, its upper bound."""
    if pd.isna(row["of_seeds"]):
        return largest_variance(row["low"], row["high"], row["seeds"], row["test_to_train"])
    return float(np.var([float(value) for value in row["of_seeds"].split("; ")], ddof=1))


def _with_other_seeds(row: pd.Series, pooled_variance: tuple[float, int]) -> dict[str, float]:
    """Widen the interval of a single seed by the pooled variance and its degrees of freedom."""
    variance = row["of_items"]
    if row["test_to_train"]:  # the variance over seeds includes that over their test images
        variance = 0.0
    elif pd.isna(variance):  # the interval is the bootstrap's
        variance = variance_over_items(row["low"], row["high"])
    low, high = t_interval([row["difference"]], variance, row["test_to_train"], pooled_variance)
    return {
        "low": low,
        "high": high,
        "of_items": variance,
        "pooled_variance": pooled_variance[0],
        "pooled_freedom": pooled_variance[1],
    }


def of_one_training(claims: Claims) -> pd.Series:
    """Return whether each verdict is about one training, with an interval for that seed alone."""
    return claims["seeds"].eq(1) & claims["pooled_variance"].isna()


def counted(verdicts: pd.Series, by: Any) -> pd.Series:
    """Write how many comparisons of each group hold: `holds in 3, not decided in 1`."""
    counts = verdicts.groupby(by, sort=False).value_counts().unstack(fill_value=0)
    return counts.reindex(columns=VERDICTS, fill_value=0).apply(
        lambda row: ", ".join(f"{verdict} in {n}" for verdict, n in row.items() if n), axis=1
    )


def read(path: str | Path) -> Claims:
    """Read the CSV file of a paper's claims; missing texts are empty.

    Raises:
        InputError: the file holds no claims.
    """
    return frames.read(path, Claims).fillna({"condition": "", "worse": "", "better": ""})
