"""Table 2 of Socher et al. (2014): mean ranks by Euclidean distances, of the squared error."""

from pathlib import Path

from groundvec.papers.socher_2014 import ranks
from groundvec.reporting.results import Results

TITLE = "Mean ranks with a squared error or Euclidean distances."


def make(results: Results, stem: Path) -> None:
    """Write Table 2."""
    table = ranks.beside(*ranks.of_objectives(results, squared=True))
    ranks.write(stem, table, list(ranks.TASKS), ["mean_rank"], TITLE)
