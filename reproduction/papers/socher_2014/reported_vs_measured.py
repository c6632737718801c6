"""List the numbers that Socher et al. (2014) report, and measured ones, table by table."""

from functools import partial

import pandas as pd

from groundvec.results.schemas import CUTOFFS
from reproduction.papers.socher_2014.labels import CCA
from reproduction.papers.socher_2014.retrieval import HEADINGS, TASKS
from reproduction.reporting.reported_vs_measured import test_set


def _of_ranks(content: pd.DataFrame, numbers: list[str]) -> pd.DataFrame:
    """List these numbers of a table."""
    objective = ", " + content["objective"].fillna("")
    content = content.assign(
        of=test_set(content),
        system=content["system"].replace({"kCCA": CCA}) + objective,
        name=content["name"] + objective,
    )
    parts = []
    for direction, task in TASKS.items():
        for number in numbers:
            column = f"{direction}_{number}"
            ends = {"value": column, "low": f"{column}_low", "high": f"{column}_high"}
            values = {end: content[name] for end, name in ends.items()}
            parts.append(content.assign(measure=f"{task}, {HEADINGS[number]}", **values))
    return pd.concat(parts)


table1 = table2 = partial(_of_ranks, numbers=["mean_rank"])
table3 = partial(_of_ranks, numbers=[f"r{k}" for k in CUTOFFS])
