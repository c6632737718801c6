"""Small result files of the systems of Socher et al. (2014)."""

from functools import partial
from itertools import product

import numpy as np
import pandas as pd

from groundvec.results import schemas
from groundvec.runtime.files import write_json
from reproduction.papers.socher_2014 import retrieval
from tests.support import ROOT, retrieval_scores
from tests.support.result_files import described, filled, make, rows

REPORTED = ROOT / "reproduction/papers/socher_2014/reported"
C2C, C2I, I2C = retrieval.TASKS
MARGIN = {"objective": {"name": "hinge", "margin": 3, "reduction": "sum"}, "similarity": "dot"}
HINGE = {"objective": {"name": "hinge", "margin": 0.2, "reduction": "mean"}, "similarity": "cosine"}
SQUARED = {"objective": {"name": "squared_error"}, "similarity": "euclidean"}
CCA = {"objective": {"name": "cca"}, "similarity": "dot"}


def trees(form="collapsed", compose="relation", **objective):
    """The description of a recursive network over trees."""
    return {
        "languages": ["en"],
        "text": {"name": "trees", "form": form, "parser": "en_core_web_sm", "vectors": "captions"},
        "encoder": {"name": "trees", "compose": compose, "size": 50},
        **(objective or MARGIN),
    }


def bag(**objective):
    return {**trees(**objective), "encoder": {"name": "mean", "size": 50}}


SYSTEMS = {
    "a": (bag(), "BoW"),
    "b": (trees("binary", "position"), "CT-RNN"),
    "c": (trees("chain", "position"), "Recurrent NN"),
    "d": (trees("basic", "position"), "DT-RNN"),
    "e": (trees(), "SDT-RNN"),
    "f": (bag(**CCA), "kCCA (linear)"),
    "g": (trees(**HINGE), "SDT-RNN"),
    "h": (trees(**SQUARED), "SDT-RNN"),
    "gru-8-max": (described("gru-8-max"), "char-GRU"),
}


WAYS = ((C2C, 0.5, 500), (C2I, 1, 500), (I2C, 2, 100))  # how ranks differ, and the queries


def training(model, rank, seed=1, best="8", dataset="draws"):
    """Make scores of one training: its best snapshot has the mean rank `rank` on the test set.

    Captions of an image rank twice as low, and sentences half. Other snapshots are worse on the
    development set, and better on the test set.
    """
    rows = []
    for split, (direction, factor, queries) in product(("dev", "test"), WAYS):
        ranks = {("chance", ""): 52}
        for epochs in ("4", "8"):
            other = 40 if split == "dev" else rank / 2
            ranks["snapshot", epochs] = rank if epochs == best else other
        ranks["ensemble", "4+8"] = 1.5
        for (kind, epochs), mean_rank in ranks.items():
            row = {"split": split, "direction": direction, "kind": kind, "epochs": epochs}
            rows.append(row | {"mean_rank": max(mean_rank * factor, 1), "queries": queries})
    table = pd.DataFrame(rows)
    rank = table["mean_rank"]
    table = table.assign(mean_rank_low=(rank - 1).clip(lower=1), mean_rank_high=rank + 2)
    table = table.assign(r1=50 / rank, r1_ci=1, r5=70 / rank, r5_ci=2, r10=90 / rank, r10_ci=3)
    table = table.assign(dataset=dataset, model=model, seed=seed, language="en", test_set="100")
    return filled(table, schemas.Retrieval)


def results_of(folder, *trainings, **descriptions):
    """The options of scripts/report.py for the results of some trainings."""
    descriptions = {name: parts for name, (parts, _) in SYSTEMS.items()} | descriptions
    descriptions = {name.replace("-", "_"): parts for name, parts in descriptions.items()}
    options = retrieval_scores.results_of(folder, *trainings, **descriptions)
    for table, model in zip(trainings, options[1:], strict=False):
        dev = table[table["split"].eq("dev") & table["kind"].eq("snapshot")]
        best = int(dev.loc[dev["r10"].idxmax(), "epochs"])
        write_json(model.with_name("ensemble.json"), {"epochs": [best], "best": best})
    return options


def query_ranks(folder, *trainings):
    """Return the option for the ranks of four images' queries: the means of `training` plus 10.

    Each image has four queries, whose ranks are whole numbers.
    """
    table = pd.concat(trainings)
    table = table[table["split"].eq("test") & table["kind"].eq("snapshot")]
    labels = ["dataset", "model", "seed", "language", "kind", "epochs", "direction"]
    images = pd.DataFrame({"image": range(4), "more": [-3, -1, 1, 3]})
    ranks = table.merge(images, how="cross").merge(pd.DataFrame({"quarter": range(4)}), how="cross")
    mean = ranks["mean_rank"] + ranks["more"] + 10
    ranks = ranks[[*labels, "image"]].assign(rank=np.floor(mean + ranks["quarter"] / 4))
    filled(ranks, schemas.QueryRanks).to_csv(folder / "ranks.csv", index=False)
    return ["--query-ranks", folder / "ranks.csv"]


def claimed(folder, *trainings, **descriptions):
    """Make the claims; return what `tables` returns."""
    arguments = results_of(folder, *trainings, **descriptions)
    return tables(folder, "claims", *arguments, *query_ranks(folder, *trainings))


run = partial(make, "socher_2014")


def tables(folder, item, *arguments, reported="tables"):
    """Make a table; return the parts of its Markdown, each with its rows, and its CSV."""
    beside = ["--reported", REPORTED / f"{reported}.csv"] if reported else []
    run(*arguments, *beside, "--output", folder / item)
    _, *parts = rows((folder / f"{item}.md").read_text("utf-8")).items()
    return {heading: cells[1:] for heading, cells in parts}, pd.read_csv(folder / f"{item}.csv")
