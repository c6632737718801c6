"""Table 2 of Socher et al. (2014): mean ranks by Euclidean distances, of the squared error."""

from pathlib import Path

import pandas as pd

from groundvec.papers.socher_2014 import ranks
from groundvec.papers.socher_2014.reported import read_ranks
from groundvec.reporting.results import Results

TITLE = "Mean ranks with a squared error or Euclidean distances."


def make(results: Results, stem: Path) -> None:
    """Write Table 2."""
    table = ranks.over_seeds(ranks.of_trainings(results))
    reported = read_ranks(results["reported"])
    table = table[of_table2(table) | table["objective"].eq("")]  # chance has no objective
    reported = reported[of_table2(reported)]
    ranks.write(stem, ranks.beside(table, reported), list(ranks.TASKS), ["mean_rank"], TITLE)


def of_table2(table: pd.DataFrame) -> pd.Series:
    """Say which rows Table 2 shows, and Table 1 does not."""
    return table["objective"].str.contains("squared error|Euclidean")
