"""Calixto & Liu (2017): tables about several languages and about re-ranked translations."""

from collections.abc import Mapping
from typing import Any

from reproduction.papers import Experiment, Item, Paper


def reranked(experiment: Experiment) -> bool:
    """Return whether models re-rank translations."""
    return bool(experiment.config.get("translation", {}).get("rerank_by"))


def reranked_longer(experiment: Experiment) -> bool:
    """Return whether there are lists for Table 4, besides the shortest, which are in Table 3."""
    return reranked(experiment) and len(experiment.config["translation"]["n_best"]) > 1


def can_compare(experiment: Experiment) -> bool:
    """Return whether the experiment measures anything that the paper makes a claim about."""
    return reranked(experiment) or any(map(comparable, experiment.datasets.values()))


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
    tables={
        "table1": Item(
            inputs=("trained",),
            reported="table1",
            caption="""
            Retrieval on the test set, in each language (Table 1 of Calixto & Liu 2017): images
            by sentences, and sentences by images. VSE is a model of one language, MLMME a model
            of several. The loss of MLMME weights pairs of an image and a sentence by β, and
            pairs of two sentences by 1 - β. Rows marked *measured* are this run's ensembles.
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
            Scores of the first translations of the configuration's shortest lists, before and
            after re-ranking (Table 3 of Calixto & Liu 2017, which has 20-best lists).
            """,
        ),
        "table4": Item(
            inputs=("rerankers", "reranked_longer"),
            reported="tables_3_4",
            when=reranked_longer,
            caption="""
            Table 3 for longer lists (Table 4 of Calixto & Liu 2017).
            """,
        ),
        "claims": Item(
            inputs=("trained", "query_ranks", "predictions"),
            tables=("table1", "table2", "table3", "table4"),
            when=can_compare,
            verdicts=True,
            caption="""
            The claims of Calixto & Liu (2017), and whether they hold in this run.
            """,
        ),
    },
)
