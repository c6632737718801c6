"""Calixto & Liu (2017): the tables of several languages, and of re-ranked translations."""

from collections.abc import Mapping
from typing import Any

from reproduction.papers import Experiment, Item, Paper


def reranked(experiment: Experiment) -> bool:
    """Return whether models that see re-rank translations."""
    return bool(experiment.config.get("translation", {}).get("rerank_by"))


def reranked_longer(experiment: Experiment) -> bool:
    """Return whether there are lists for Table 4; the shortest lists are Table 3's."""
    return reranked(experiment) and len(experiment.config["translation"]["n_best"]) > 1


def can_compare(experiment: Experiment) -> bool:
    """Return whether the experiment has anything that the paper makes a claim about."""
    return reranked(experiment) or any(map(comparable, experiment.datasets.values()))


def comparable(dataset: Mapping[str, Any]) -> bool:
    """Return whether models of one language and of several read the same text, such as words."""
    read: dict[bool, set[str]] = {True: set(), False: set()}
    for model in dataset["models"].values():
        read[len(model["languages"]) > 1].add(model["text"]["name"])
    return bool(read[True] & read[False])


PAPER = Paper(
    name="Calixto & Liu (2017)",
    topic="Languages",
    citation={
        "type": "conference-paper",
        "title": "Sentence-level multilingual multi-modal embedding for natural "
        "language processing",
        "authors": [
            {"family-names": "Calixto", "given-names": "Iacer"},
            {"family-names": "Liu", "given-names": "Qun"},
        ],
        "collection-title": "Proceedings of Recent Advances in Natural Language Processing (RANLP)",
        "conference": {"name": "RANLP"},
        "year": 2017,
    },
    tables={
        "table1": Item(
            inputs=("trained",),
            reported="table1",
            caption="""
            Retrieval on the test set, in each language (Table 1 of Calixto & Liu 2017): from
            sentence to image and back. VSE is a model of one language, MLMME one of several,
            whose objective has β parts of images and sentences and 1 - β of sentences and
            sentences. Rows marked *measured* are this run's ensembles.
            """,
        ),
        "table2": Item(
            inputs=("models", "scores", "predictions"),
            reported="table2",
            when=Experiment.rated_in_part,
            caption="""
            Correlations with ratings of sentence pairs (Table 2 of Calixto & Liu 2017, which has
            image descriptions only).
            """,
        ),
        "table3": Item(
            inputs=("rerankers", "reranked_shortest"),
            reported="tables_3_4",
            when=reranked,
            caption="""
            First translations of the configuration's shortest lists, before and after these
            were re-ranked by models that see (Table 3 of Calixto & Liu 2017, of 20-best lists).
            """,
        ),
        "table4": Item(
            inputs=("rerankers", "reranked_longer"),
            reported="tables_3_4",
            when=reranked_longer,
            caption="""
            As Table 3, of longer lists (Table 4 of Calixto & Liu 2017).
            """,
        ),
        "cross_lingual": Item(
            inputs=("trained",),
            when=lambda experiment: any(len(model["languages"]) > 1 for model in experiment.models),
            caption="""
            How well sentences of one language find those of another that describe the same
            image, which the paper does not report.
            """,
        ),
        "claims": Item(
            inputs=("query_ranks", "predictions"),
            tables=("table1", "table2", "table3", "table4"),
            when=can_compare,
            caption="""
            What Calixto & Liu (2017) claim, and whether it holds in this run.
            """,
        ),
    },
    figures={
        "translations": Item(
            inputs=("rerankers", "translations"),
            each="system",
            when=reranked,
            caption="""
            Random sentences, each beside its picture: the sentence, its reference (green), and
            what is put first by whom. Sentences whose first translation a re-ranker changed are
            preferred.
            """,
        ),
    },
)
