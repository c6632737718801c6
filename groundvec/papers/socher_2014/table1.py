"""Table 1 of Socher et al. (2014): mean ranks of all systems but those of Table 2."""

from pathlib import Path

from groundvec.papers.socher_2014 import retrieval
from groundvec.reporting.results import Results

TITLE = "Mean ranks: sentence similarity, image search, and describing images."


def make(results: Results, stem: Path) -> None:
    """Write Table 1."""
    table = retrieval.beside(*retrieval.of_objectives(results, squared=False))
    retrieval.write(stem, table, list(retrieval.TASKS), ["mean_rank"], TITLE)
