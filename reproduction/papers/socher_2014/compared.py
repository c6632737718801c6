"""Numbers of Socher et al. (2014) beside measured ones, of the tables that have both."""

from collections.abc import Callable

import pandas as pd

from groundvec.results.schemas import CUTOFFS
from reproduction.papers.socher_2014.labels import CCA
from reproduction.papers.socher_2014.retrieval import HEADINGS, TASKS
from reproduction.reporting.compared import Values, joined, test_set


def _of_ranks(names: list[str]) -> Callable[[pd.DataFrame], Values]:
    """Compare such numbers of the tables of Socher et al. (2014)."""

    def values(content: pd.DataFrame) -> Values:
        content = content.fillna({"objective": ""})
        system = content["system"].replace({"kCCA": CCA}) + ", " + content["objective"]
        content = content.assign(of=test_set(content), system=system)
        for direction, task in TASKS.items():
            for name in names:
                column = f"{direction}_{name}"
                measure = f"{task}, {HEADINGS[name]}"
                ends = {"value": "", "low": "_low", "high": "_high"}
                numbers = {key: content[f"{column}{end}"] for key, end in ends.items()}
                found = joined(content.assign(measure=measure, **numbers))
                yield found.assign(system=found["name"] + ", " + found["objective"])

    return values


table1 = table2 = _of_ranks(["mean_rank"])
table3 = _of_ranks([f"r{k}" for k in CUTOFFS])
