"""Table 3 of Socher et al. (2014): mean rank and recall at 1, 5 and 10 of all systems."""

from pathlib import Path

from reproduction.papers.socher_2014 import retrieval
from reproduction.papers.socher_2014.reported import read_ranks
from reproduction.reporting.results import Results

TITLE = "Mean rank and recall: image search and describing images."
DIRECTIONS = ["caption_to_image", "image_to_caption"]


def make(results: Results, stem: Path) -> None:
    """Write Table 3, with the reported systems that have a recall."""
    table = retrieval.over_seeds(retrieval.of_trainings(results))
    reported = read_ranks(results.reported_file("tables")).dropna(subset="caption_to_image_r10")
    retrieval.write(
        stem, retrieval.with_reported(table, reported), DIRECTIONS, retrieval.NUMBERS, TITLE
    )
