"""Retrieval between sentences of two languages about one image: not in the paper."""

from pathlib import Path

import pandas as pd

from groundvec.card.text import decimals, with_interval
from groundvec.evaluation.retrieval import SENTENCES
from groundvec.results.schemas import CUTOFFS, Models, Retrieval
from groundvec.runtime.errors import InputError
from reproduction.papers.calixto_liu_2017.labels import of_languages
from reproduction.papers.calixto_liu_2017.table1 import ENSEMBLE
from reproduction.render.retrieval_table import chance
from reproduction.render.tables import write_table
from reproduction.reporting.results import MEASURES, Results
from reproduction.reporting.systems import NAMES, PROVENANCE, in_order, with_seeds

KEYS = ["dataset", "test_set", "language"]
TITLE = "Retrieval of sentences by sentences of another language."
NOTES = [
    "R@N: percent of the sentences for which one of the same image, in the other language, is "
    "among the first N of the test set. ± is half the 95% interval, 1.96 sqrt(p(1-p)/n), "
    "as if an image's captions were independent. med r: median rank of the best; the image's "
    "others do not count against it.",
    ENSEMBLE.partition(" Reported")[0],
]


def make(results: Results, stem: Path) -> None:
    """Write the table of retrieval between languages."""
    table = cross_lingual(results.all_retrieval, results.models)
    names = with_seeds(table["name"], table["seed"])
    text = pd.DataFrame({"images": table["test_set"], "model": names})
    for k in CUTOFFS:
        text[f"R@{k}"] = with_interval(table[f"r{k}"], table[f"r{k}_ci"])
    text["med r"] = decimals(table["median_rank"])
    languages = table["language"].str.replace("-", " to ")
    headings = table["dataset"].replace(NAMES) + ", " + languages
    write_table(stem, table, text, "ll" + "r" * (len(CUTOFFS) + 1), TITLE, NOTES, headings)


def cross_lingual(measured: Retrieval, models: Models) -> pd.DataFrame:
    """Take chance and ensembles, one row each per data set and two languages."""
    between = measured["language"].str.contains("-") & (measured["direction"] == SENTENCES)
    test = measured[between & (measured["split"] == "test")]
    if test.empty:
        raise InputError("no model has several languages, which this is about: train one")
    about = of_languages(models)[["dataset", "model", "seed", "name"]]
    ours = in_order(test[test["kind"] == "ensemble"], models)
    ours = ours.merge(about, on=["dataset", "model", "seed"])
    random = chance(test).drop(columns="model").assign(name="chance")
    table = pd.concat([random, ours], ignore_index=True).astype({"seed": "Int64"})
    columns = ["name", "model", "seed", *MEASURES, "mean_rank", "queries", "epochs", *PROVENANCE]
    return table[[*KEYS, *columns]]
