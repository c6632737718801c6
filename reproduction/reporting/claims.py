"""Claims of papers, as differences of two systems: one frame and one table for every paper.

A paper's `claims.py` finds the systems of each claim, and measures their differences seed by seed,
in the columns `COMPARED`, seed, difference, low, high, p and draws. `decide` makes `Claims`
of them, which everybody reads.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from groundvec.evaluation.seeds import largest_variance, of_items, pooled, t_interval
from groundvec.results import frames
from groundvec.results.frames import schema_of
from groundvec.results.schemas import Claims

COMPARED = ["claim", "dataset", "condition", "measure", "worse", "better"]
HOLDS = "holds"
FAILS = "does not hold"
OPEN = "not decided"
VERDICTS = [HOLDS, FAILS, OPEN]
LEVEL = 0.05  # of tests, two-sided
ROUNDING = 1e-9  # of means
SIZE = r"-\d+(?=-)"  # of a network, in names such as gru-512-attention


def decide(paper: str, differences: pd.DataFrame) -> Claims:
    """Join the seeds of every comparison, and decide whether the claim holds.

    Args:
        paper: the name of its folder.
        differences: a row for each comparison and seed: the columns `COMPARED` and difference. If
            there are such, low and high of its interval, or p of a test; draws of a bootstrap,
            whose first value is the difference; reported, what the paper's numbers give; and
            test_to_train, as in `Models`. Without two systems, worse and better are missing.
    """
    more = ["reported", "low", "high", "p", "draws", "test_to_train"]
    table = differences.reindex(columns=[*COMPARED, "difference", *more])
    table = table.fillna({"test_to_train": 0.0})
    groups = table.groupby(COMPARED, sort=False, dropna=False)
    rows: list[dict[Any, Any]] = [
        dict(zip(COMPARED, key, strict=True)) | _joined(seeds) for key, seeds in groups
    ]
    table = pd.DataFrame(rows, columns=list(schema_of(Claims).columns)).assign(paper=paper)
    return judged(table)


def _joined(seeds: pd.DataFrame) -> dict[Any, Any]:
    """Average the seeds' differences, with the interval; a single seed keeps its own."""
    first = seeds.iloc[0]
    about = {
        "seeds": len(seeds),
        "reported": first["reported"],
        "difference": seeds["difference"].mean(),
        "of_seeds": "; ".join(map(str, seeds["difference"])),
        "test_to_train": first["test_to_train"],
    }
    if len(seeds) == 1:
        return about | first[["low", "high", "p"]].to_dict()
    variance = 0.0
    if not first["test_to_train"] and seeds["draws"].notna().all():
        variance = float(np.mean(seeds["draws"].tolist(), axis=0)[1:].var())
    low, high = t_interval(seeds["difference"], variance, first["test_to_train"])
    return about | {"low": low, "high": high, "of_items": variance}


def judged(claims: Claims) -> Claims:
    """Decide whether claims hold; a single seed gets the variance over seeds of others.

    The bootstrap's interval of one training says nothing of other seeds. Their variance is pooled
    from the rows with several seeds that compare the same: claim, data set, condition, measure and
    systems, except for the size in the systems' names. It is taken to be the same for all sizes.

    Without such rows the bootstrap's interval decides, and `pooled_variance` is empty: the verdict
    is about this one training, as are the papers' own. "Not decided" would hide what the test
    pictures do decide.

    Args:
        claims: from one run or several; verdicts and earlier pooled variances are replaced.
    """
    table = claims.copy()
    names = ["worse", "better"]
    alike = table[COMPARED].assign(**table[names].replace(SIZE, "", regex=True)).fillna("")
    for _, rows in table.groupby([alike[name] for name in COMPARED], sort=False):
        several = rows[rows["seeds"] > 1]
        single = rows[rows["seeds"].eq(1) & rows["low"].notna()]
        if len(several) and len(single):
            variances = [_variance_over_seeds(row) for _, row in several.iterrows()]
            elsewhere = pooled(variances, several["seeds"] - 1)
            for place, row in single.iterrows():
                interval = _with_other_seeds(row, elsewhere)
                table.loc[place, list(interval)] = list(interval.values())
    tested = table["p"].lt(LEVEL)
    above = table["low"].gt(ROUNDING) | (tested & table["difference"].gt(0))
    below = table["high"].lt(-ROUNDING) | (tested & table["difference"].lt(0))
    return table.assign(verdict=np.select([above, below], [HOLDS, FAILS], OPEN))


def _variance_over_seeds(row: pd.Series) -> float:
    """Compute the variance over the seeds of a claim; the largest if their values were not kept."""
    if pd.isna(row["of_seeds"]):
        return largest_variance(row["low"], row["high"], row["seeds"], row["test_to_train"])
    return float(np.var([float(value) for value in row["of_seeds"].split("; ")], ddof=1))


def _with_other_seeds(row: pd.Series, elsewhere: tuple[float, int]) -> dict[str, float]:
    """Widen the interval of a single seed by the variance over seeds elsewhere."""
    variance = row["of_items"]
    if row["test_to_train"]:  # the variance over seeds has their pictures' part
        variance = 0.0
    elif pd.isna(variance):  # the interval is the bootstrap's
        variance = of_items(row["low"], row["high"])
    low, high = t_interval([row["difference"]], variance, row["test_to_train"], elsewhere)
    return {
        "low": low,
        "high": high,
        "of_items": variance,
        "pooled_variance": elsewhere[0],
        "pooled_freedom": elsewhere[1],
    }


def of_one_training(claims: Claims) -> pd.Series:
    """Return which verdicts are about one training: their intervals do not cover other seeds."""
    return claims["seeds"].eq(1) & claims["pooled_variance"].isna()


def counted(verdicts: pd.Series, by: Any) -> pd.Series:
    """Write how many comparisons of each group hold: `holds in 3, not decided in 1`."""
    counts = verdicts.groupby(by, sort=False).value_counts().unstack(fill_value=0)
    return counts.reindex(columns=VERDICTS, fill_value=0).apply(
        lambda row: ", ".join(f"{verdict} in {n}" for verdict, n in row.items() if n), axis=1
    )


def read(path: str | Path) -> Claims:
    """Read the CSV file that `write` wrote; no text is missing.

    Raises:
        InputError: it is not such a file.
    """
    return frames.read(path, Claims).fillna({"condition": "", "worse": "", "better": ""})
