"""Table 3 of Socher et al. (2014): mean rank beside recall at 1, 5 and 10, of all systems."""

from pathlib import Path

from reproduction.papers.socher_2014 import retrieval
from reproduction.papers.socher_2014.reported import read_ranks
from reproduction.reporting.results import Results

TITLE = "Mean rank beside recall: image search, and describing images."
DIRECTIONS = ["caption_to_image", "image_to_caption"]


def make(results: Results, stem: Path) -> None:
    """Write Table 3; of the reported systems those whose recall is."""
    table = retrieval.over_seeds(retrieval.of_trainings(results))
    reported = read_ranks(results["reported"])
    reported = reported[reported["caption_to_image_r10"].notna()]
    retrieval.write(stem, retrieval.beside(table, reported), DIRECTIONS, retrieval.NUMBERS, TITLE)
