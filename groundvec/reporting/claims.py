"""Claims of papers, as differences of two systems: one frame and one table for every paper.

A paper's `claims.py` finds the systems of each claim, and measures their differences seed by seed,
in the columns `COMPARED`, seed, difference, low, high, p and draws. `decide` makes `Claims`
of them, which everybody reads.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from groundvec.evaluation.seeds import t_interval
from groundvec.results import frames
from groundvec.results.frames import schema_of
from groundvec.results.schemas import Claims

COMPARED = ["claim", "dataset", "condition", "measure", "worse", "better"]
HOLDS, FAILS, OPEN = "holds", "does not hold", "not decided"
VERDICTS = [HOLDS, FAILS, OPEN]
LEVEL = 0.05  # of tests, two-sided
ROUNDING = 1e-9  # of means


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
    found = pd.DataFrame(rows, columns=list(schema_of(Claims).columns)).assign(paper=paper)
    tested = found["p"].lt(LEVEL)
    above = found["low"].gt(ROUNDING) | (tested & found["difference"].gt(0))
    below = found["high"].lt(-ROUNDING) | (tested & found["difference"].lt(0))
    return found.assign(verdict=np.select([above, below], [HOLDS, FAILS], OPEN))


def _joined(seeds: pd.DataFrame) -> dict[Any, Any]:
    """Average the seeds' differences, with the interval; a single seed keeps its own."""
    first = seeds.iloc[0]
    if len(seeds) == 1:
        own = ["reported", "difference", "low", "high", "p", "test_to_train"]
        return {"seeds": 1, **first[own], "of_seeds": str(first["difference"])}
    of_items, test_to_train = 0.0, first["test_to_train"]
    if not test_to_train and seeds["draws"].notna().all():
        of_items = float(np.mean(seeds["draws"].tolist(), axis=0)[1:].var())
    low, high = t_interval(seeds["difference"], of_items, test_to_train)
    return {
        "seeds": len(seeds),
        "reported": first["reported"],
        "difference": seeds["difference"].mean(),
        "low": low,
        "high": high,
        "of_seeds": "; ".join(map(str, seeds["difference"])),
        "of_items": of_items,
        "test_to_train": test_to_train,
    }


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
