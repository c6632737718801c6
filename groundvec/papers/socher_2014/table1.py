"""Table 1 of Socher et al. (2014): mean ranks of all systems but those of Table 2."""

from pathlib import Path

from groundvec.papers.socher_2014 import ranks
from groundvec.papers.socher_2014.reported import read_ranks
from groundvec.papers.socher_2014.table2 import of_table2
from groundvec.reporting.results import Results

TITLE = "Mean ranks: sentence similarity, image search, and describing images."


def make(results: Results, stem: Path) -> None:
    """Write Table 1."""
    table = ranks.over_seeds(ranks.of_trainings(results))
    reported = read_ranks(results["reported"])
    table, reported = table[~of_table2(table)], reported[~of_table2(reported)]
    ranks.write(stem, ranks.beside(table, reported), list(ranks.TASKS), ["mean_rank"], TITLE)
