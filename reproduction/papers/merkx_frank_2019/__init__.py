"""Merkx & Frank (2019): tables and figures of the char-GRU, and further ones on the same data."""

from collections.abc import Mapping
from typing import Any

from reproduction.papers import Paper


def has_paper_architecture(description: Mapping[str, Any]) -> bool:
    """Return whether a model has the architecture of Figure 1."""
    # Figure 1 shows characters, both directions and attention, of any cell and size.
    encoder = description["encoder"]
    return (
        description["text"]["name"] == "characters"
        and encoder.get("pooling") == "attention"
        and encoder.get("bidirectional", True)
    )


PAPER = Paper(
    name="Merkx & Frank (2019)",
    topic="Scores",
    title="Learning semantic sentence representations from visually grounded "
    "language without lexical knowledge",
    verdicts=("section_4_3", "section_4_3_4", "claims"),
    every_epoch=True,  # for the curves of Figure 4
    selects=True,
)
