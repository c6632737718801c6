"""Socher et al. (2014): tables and figures about trees, and further ones on the same data."""

from collections.abc import Mapping
from typing import Any

from reproduction.papers import Experiment, Item, Paper


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
    rates_draws=False,  # its experiment has ten draws of one data set
    tables={
        "table1": Item(
            inputs=("trained",),
            reported="tables",
            when=lambda experiment: not all(map(of_table2, experiment.models)),
            caption="""
            Mean ranks on the test set (Table 1 of Socher et al. 2014): of sentences by another
            sentence, of images by a sentence, and of sentences by an image. Lower is better.
            """,
        ),
        "table2": Item(
            inputs=("trained",),
            reported="tables",
            when=lambda experiment: any(map(of_table2, experiment.models)),
            caption="""
            Mean ranks as in Table 1, for models that are trained with a squared error or
            compared by Euclidean distances (Table 2 of Socher et al. 2014). The paper reports
            no sentence similarity for them.
            """,
        ),
        "table3": Item(
            inputs=("trained",),
            reported="tables",
            caption="""
            Mean rank and recall at 1, 5 and 10, in percent, of every system (Table 3 of Socher
            et al. 2014, which has three systems): image search by a sentence, and describing
            images by sentences.
            """,
        ),
        "claims": Item(
            inputs=("trained", "query_ranks"),
            reported="tables",
            numbers=("draws",),
            when=lambda experiment: experiment.compares(3),
            verdicts=True,
            caption="""
            The claims of Socher et al. (2014), and whether they hold here: the difference
            between the mean ranks of two systems, with its 95% interval. The file
            ``claims-draws.csv`` has the difference of every seed.
            """,
        ),
        "section_6_6": Item(
            inputs=("models", "captions", "treebanks", "features"),
            models=has_relations,
            per_dataset=True,
            more=("shares",),
            caption="""
            Sentences of one image with distant vectors in the SDT-RNN (after section 6.6 of
            Socher et al. 2014), and whether one of them has no verb, according to the parser.
            The table with ``shares`` in its name has the share of such pairs among the tenth
            with the worst ranks, and among all pairs.
            """,
        ),
        "section_6_7": Item(
            inputs=("models",),
            reported="section_6_7",
            models=has_relations,
            more=("counts",),
            caption="""
            The relations with the largest Frobenius norms of their matrices in the SDT-RNN
            (section 6.7 of Socher et al. 2014), and their places in the paper. The table
            ``section_6_7-counts`` has the number of relations, and the share of edges that rare
            ones have.
            """,
        ),
        "active_passive": Item(
            inputs=("models",),
            per_dataset=True,
            when=Experiment.in_english,
            caption="""
            Similarity of a sentence to its passive, and to the sentence with agent and patient
            exchanged, which has the same words and another meaning. Socher et al. (2014,
            section 3) expect that trees make the passive similar, but do not measure it.
            """,
        ),
    },
    figures={
        "figure3": Item(
            inputs=("models", "captions", "treebanks"),
            models=has_relations,
            per_dataset=True,
            caption="""
            The dependency tree of a test caption of median length, as the SDT-RNN reads it
            (Figure 3 of Socher et al. 2014).
            """,
        ),
        "samples": Item(
            inputs=("models", "captions", "treebanks", "images", "features"),
            models=has_relations,
            per_dataset=True,
            caption="""
            Retrieval by the SDT-RNN on the test set, with the best snapshot of its first seed
            (after Figure 6 of Socher et al. 2014, which shows the DT-RNN), for a few random
            captions and a few random images. The five best results have their ranks. The first
            right result follows if it is not among these. Right results are green with a tick;
            right images also have a frame.
            """,
        ),
    },
)
