"""Calixto & Liu (2017): tables about several languages and about re-ranked translations."""

from collections.abc import Mapping
from typing import Any

from reproduction.papers import Paper


def comparable(dataset: Mapping[str, Any]) -> bool:
    """Return whether models of one language and of several read the same text and language."""
    # The texts and languages that models of several languages (True) and of one (False) read.
    read: dict[bool, set[tuple[str, str]]] = {True: set(), False: set()}
    for model in dataset["models"].values():
        languages = model["languages"]
        several = len(languages) > 1
        # With a beta of 0, models of several languages do not learn from images.
        if not several or model["objective"].get("beta") != 0:
            read[several].update((model["text"]["name"], language) for language in languages)
    return bool(read[True] & read[False])


PAPER = Paper(
    name="Calixto & Liu (2017)",
    topic="Languages",
    title="Sentence-level multilingual multi-modal embedding for natural language processing",
    verdicts=("claims",),
)
