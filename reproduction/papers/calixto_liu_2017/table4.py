"""Table 4 of Calixto & Liu (2017): Table 3 for longer lists."""

from pathlib import Path

from reproduction.papers.calixto_liu_2017.table3 import write
from reproduction.reporting.results import Results


def make(results: Results, stem: Path) -> None:
    """Write Table 4."""
    lengths = results.reranked["n_best"]
    write(results, stem, results.reranked[lengths > lengths.min()])
