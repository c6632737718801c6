"""Socher et al. (2014): the tables and figures of trees, and more of the same data."""

from collections.abc import Mapping
from typing import Any

from reproduction.papers import Experiment, Item, Paper


def of_table2(model: Mapping[str, Any]) -> bool:
    """Return whether a model has a squared error as loss, or Euclidean distances."""
    return bool(model["similarity"] == "euclidean" or model["objective"]["name"] == "squared_error")


def has_relations(model: Mapping[str, Any]) -> bool:
    """Return whether a model is an SDT-RNN, whose matrices belong to relations."""
    return (
        model["encoder"]["name"] == "trees"
        and model["encoder"]["compose"] == "relation"
        and model["text"]["form"] in ("basic", "collapsed")
        and model["objective"]["name"] != "cca"
    )


PAPER = Paper(
    name="Socher et al. (2014)",
    topic="Mean ranks",
    citation={
        "type": "article",
        "title": "Grounded compositional semantics for finding and describing images "
        "with sentences",
        "authors": [
            {"family-names": "Socher", "given-names": "Richard"},
            {"family-names": "Karpathy", "given-names": "Andrej"},
            {"family-names": "Le", "given-names": "Quoc V."},
            {"family-names": "Manning", "given-names": "Christopher D."},
            {"family-names": "Ng", "given-names": "Andrew Y."},
        ],
        "journal": "Transactions of the Association for Computational Linguistics",
        "volume": 2,
        "year": 2014,
        "start": 207,
        "end": 218,
        "doi": "10.1162/tacl_a_00177",
    },
    rates_draws=False,
    tables={
        "table1": Item(
            inputs=("trained",),
            reported="tables",
            when=lambda experiment: not all(map(of_table2, experiment.models)),
            caption="""
            Mean ranks on the test set (Table 1 of Socher et al. 2014): of the nearest other
            sentence of the same image (*sentence similarity*), of the right image (*image
            search*), and of the best of an image's own sentences (*describing images*). Lower
            is better. Rows marked *computed* and *simulated* are what chance gives; *measured*
            ones are each model's best snapshot: of several seeds the mean with its 95% t
            interval, of one with the interval over the test set's images.
            """,
        ),
        "table2": Item(
            inputs=("trained",),
            reported="tables",
            when=lambda experiment: any(map(of_table2, experiment.models)),
            caption="""
            Mean ranks as in Table 1, of models that are trained with a squared error or
            compared by Euclidean distances (Table 2 of Socher et al. 2014). The paper reports
            no sentence similarity for them.
            """,
        ),
        "table3": Item(
            inputs=("trained",),
            reported="tables",
            caption="""
            Mean rank beside recall at 1, 5 and 10, in percent, of every system (Table 3 of
            Socher et al. 2014, which has three of them): image search by a sentence, and
            describing images by sentences.
            """,
        ),
        "claims": Item(
            inputs=("trained", "query_ranks"),
            reported="tables",
            numbers=("draws",),
            when=lambda experiment: experiment.compares(3),
            caption="""
            What Socher et al. (2014) claim, and whether it holds here: the difference of the
            mean ranks of two systems, positive where the claim holds, with its 95% interval.
            Over several seeds each seed is compared with itself, so that both systems have seen
            the same draw; the interval allows for draws that overlap. The file
            ``claims-draws.csv`` has the difference of every seed.
            """,
        ),
        "section_6_6": Item(
            inputs=("models", "captions", "treebanks", "features"),
            models=has_relations,
            each="dataset",
            more=("shares",),
            caption="""
            Sentences of one image that the SDT-RNN puts far apart (after section 6.6 of Socher
            et al. 2014), and whether one of them has no verb, as the parser tags it. The table
            with ``shares`` in its name says how often that is so among the tenth of the pairs
            with the worst ranks and among all pairs.
            """,
        ),
        "section_6_7": Item(
            inputs=("models",),
            reported="section_6_7",
            models=has_relations,
            more=("counts",),
            caption="""
            The relations whose matrices in the SDT-RNN have the largest Frobenius norms
            (section 6.7 of Socher et al. 2014), beside their places in the paper; how far each
            matrix is from the identity, which all of them start near; and how often the
            relation occurs. The table ``section_6_7-counts`` has the number of relations beside
            the paper's 141, and how many edges the rare ones have.
            """,
        ),
        "ratings": Item(
            inputs=("rated_models", "scores"),
            when=Experiment.rated_in_part,
            caption="""
            Correlation of every system with ratings of pairs of sentences (not in Socher et al.
            2014), as for the char-GRU of Merkx & Frank (2019), of each model's best snapshot
            and of the same network before training, which has the same word vectors. Of several
            data sets the whole ones, not their draws.
            """,
        ),
        "active_passive": Item(
            inputs=("models",),
            each="dataset",
            when=Experiment.in_english,
            caption="""
            How near a sentence is to its passive, and to the sentence with agent and patient
            exchanged, in which the words are the same and the facts are not. Socher et al.
            (2014, section 3) expect of trees that the passive is near, and do not measure it.
            The sentences are about drawn scenes, whatever the models were trained on.
            """,
        ),
    },
    figures={
        "figure3": Item(
            inputs=("models", "captions", "treebanks"),
            models=has_relations,
            each="dataset",
            caption="""
            The dependency tree of a test caption of middle length, as the SDT-RNN reads it
            (after Figure 3 of Socher et al. 2014). The area of a node is the weight of its
            vector in the root's by the counts of Eq. 4: the product of l(child) / l(parent)
            along the path, which is the share of the words at and under the node. It is the
            first number below the node's word. By these counts alone, the words themselves
            would all weigh the same. The percentage below it is what the model has learned to
            make of the word: how much the sentence's vector changes with the word's (the
            Frobenius norm of the derivative), as a share of all words'.
            """,
        ),
        "samples": Item(
            inputs=("models", "captions", "treebanks", "images", "features"),
            models=has_relations,
            each="dataset",
            caption="""
            What the SDT-RNN retrieves on the test set (after Figure 6 of Socher et al. 2014,
            which is of the DT-RNN), by the best snapshot of its first seed, for a few random
            captions and a few random images: the five best with their ranks, and behind them
            the first right one where it is not among them. What is right is green with a tick,
            a picture also framed.
            """,
        ),
    },
)
