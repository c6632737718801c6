"""Socher et al. (2014): tables and figures about trees, and further ones on the same data."""

from collections.abc import Mapping
from typing import Any

from reproduction.papers import Paper


def of_table2(model: Mapping[str, Any]) -> bool:
    """Return whether a model is trained with a squared error, or compared by distances."""
    return bool(model["similarity"] == "euclidean" or model["objective"]["name"] == "squared_error")


def has_relations(model: Mapping[str, Any]) -> bool:
    """Return whether a model is an SDT-RNN, which has one matrix per relation."""
    return (
        model["encoder"]["name"] == "trees"
        and model["encoder"]["compose"] == "relation"
        and model["text"]["form"] in ("basic", "collapsed")
        and model["objective"]["name"] != "cca"
    )


PAPER = Paper(
    name="Socher et al. (2014)",
    topic="Mean ranks",
    title="Grounded compositional semantics for finding and describing images with sentences",
    verdicts=("claims",),
    rates_draws=False,  # its experiment has ten draws of one data set
)
