"""Table 2 of Socher et al. (2014): mean ranks by Euclidean distances, of the squared error."""

from pathlib import Path

from groundvec.papers.socher_2014 import retrieval
from groundvec.reporting.results import Results

TITLE = "Mean ranks with a squared error or Euclidean distances."


def make(results: Results, stem: Path) -> None:
    """Write Table 2."""
    table = retrieval.beside(*retrieval.of_objectives(results, squared=True))
    retrieval.write(stem, table, list(retrieval.TASKS), ["mean_rank"], TITLE)
