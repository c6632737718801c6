"""Compare the numbers that Socher et al. (2014) report with measured ones, table by table."""

from collections.abc import Callable

import pandas as pd

from groundvec.results.schemas import CUTOFFS
from reproduction.papers.socher_2014.labels import CCA
from reproduction.papers.socher_2014.retrieval import HEADINGS, TASKS
from reproduction.reporting.reported_vs_measured import Pairs, joined, test_set


def _of_ranks(names: list[str]) -> Callable[[pd.DataFrame], Pairs]:
    """Return a function that pairs these numbers of a table, reported and measured."""

    def values(content: pd.DataFrame) -> Pairs:
        content = content.fillna({"objective": ""})
        system = content["system"].replace({"kCCA": CCA}) + ", " + content["objective"]
        content = content.assign(of=test_set(content), system=system)
        for direction, task in TASKS.items():
            for name in names:
                column = f"{direction}_{name}"
                pairs = joined(
                    content.assign(
                        measure=f"{task}, {HEADINGS[name]}",
                        value=content[column],
                        low=content[f"{column}_low"],
                        high=content[f"{column}_high"],
                    )
                )
                yield pairs.assign(system=pairs["name"] + ", " + pairs["objective"])

    return values


table1 = table2 = _of_ranks(["mean_rank"])
table3 = _of_ranks([f"r{k}" for k in CUTOFFS])
