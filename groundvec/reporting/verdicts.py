"""Verdicts on a paper's claims."""

import pandas as pd

LEVEL = 0.05  # of tests, two-sided
HOLDS, FAILS, OPEN = "holds", "does not hold", "not decided"


def counted(claims: pd.Series, verdicts: pd.Series) -> pd.Series:
    """Write headings of claims that say how many of their rows hold: `CLAIM (holds in 3)`."""
    counts = verdicts.groupby(claims, sort=False).value_counts().unstack(fill_value=0)
    said = {
        claim: f"{claim} ({', '.join(f'{verdict} in {n}' for verdict, n in row.items() if n)})"
        for claim, row in counts.reindex(columns=[HOLDS, FAILS, OPEN], fill_value=0).iterrows()
    }
    return claims.map(said)
