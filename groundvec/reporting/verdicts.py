"""Verdicts on a paper's claims."""

from typing import Any

import pandas as pd

LEVEL = 0.05  # of tests, two-sided
HOLDS, FAILS, OPEN = "holds", "does not hold", "not decided"
VERDICTS = [HOLDS, FAILS, OPEN]


def counted(verdicts: pd.Series, by: Any) -> pd.Series:
    """Write how many comparisons of each group hold: `holds in 3, not decided in 1`."""
    counts = verdicts.groupby(by, sort=False).value_counts().unstack(fill_value=0)
    return counts.reindex(columns=VERDICTS, fill_value=0).apply(
        lambda row: ", ".join(f"{verdict} in {n}" for verdict, n in row.items() if n), axis=1
    )
