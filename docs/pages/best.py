"""docs/best.md and docs/best-in-detail.md: the encoders of config/best.yaml."""

from io import StringIO
from typing import Any

import pandas as pd

from docs.pages import tables
from groundvec.card.text import decimals
from groundvec.evaluation.ranks import DIRECTIONS
from groundvec.results.frames import read_csv
from reproduction.papers.merkx_frank_2019 import reported
from reproduction.render.figures import forest
from reproduction.render.style import styled
from reproduction.reporting.measures import as_values
from reproduction.reporting.reported_vs_measured import DIFFERENCE, MEASURED, REPORTED, difference

FOLDER = "best"
# The experiments of ablations, and the names of their versions in the figure.
VERSIONS = {"best-v3": "flickr8k-v3", "best": "the current version"}
HEADS = ["find images: R@1", "find images: R@10", "find captions: R@1", "find captions: R@10"]
RECALL = ["recall", "low", "high"]
RATINGS = [tables.STS, tables.STSB, tables.SICK]
# The columns of the table of models, each with scores that share it.
JOINED = {
    "find images: R@1 / R@10": tables.RECALLS[:2],
    "find captions: R@1 / R@10": tables.RECALLS[2:],
    "STS 2012-2016 / STS-B / SICK": RATINGS,
}


def labels(folder: str) -> dict[tuple[str, str], str]:
    """Return the labels of a folder's models, by data set and model."""
    labels_of_folder = {}
    for path, label in tables.DECLARED["labels"]["best"].items():
        name, dataset, model = path.split("/")
        if name == folder:
            labels_of_folder[dataset, model] = label
    return labels_of_folder


def models() -> str:
    """Write recall and correlations with people's ratings, as means over seeds."""
    scores = tables.scores(FOLDER)
    groups = scores[[*tables.RECALLS, *RATINGS]].groupby(["dataset", "model"])
    history = tables.kept(f"{FOLDER}/history").groupby(["dataset", "model", "seed"])
    last = history["dev_recall"].last().groupby(["dataset", "model"]).mean()
    systems = [system for system in labels(FOLDER) if system in groups.groups]
    numbers = pd.concat([last, groups.mean()], axis=1).loc[systems].apply(decimals)
    models_and_scores = {
        "model": [labels(FOLDER)[system] for system in systems],
        "seeds": groups.size()[systems],
        "development R@10": numbers["dev_recall"],
    }
    models_and_scores |= {
        heading: numbers[columns].agg(" / ".join, axis=1) for heading, columns in JOINED.items()
    }
    return tables.markdown(pd.DataFrame(models_and_scores), 1)


def named(table: pd.DataFrame, systems: list[str]) -> pd.DataFrame:
    """Add a column `name` that joins the columns which identify a system."""
    words = table[systems].fillna("").agg(" ".join, axis=1)
    return table.assign(name=words.str.split().str.join(" "))  # a file may lack some of the columns


def recalls(files: list[str], systems: list[str], names: dict[str, str]) -> str:
    """Write recalls with their intervals, one row per system.

    Args:
        files: in docs/results.
        systems: the columns that identify a system; `file` is the name of its file.
        names: the label of each system, by the texts of these columns.
    """
    table = named(pd.concat(tables.kept(file).assign(file=file) for file in files), systems)
    table["text"] = tables.intervals(table, RECALL)
    table = table.query("name in @names")
    wide = table.pivot(index="name", columns=["direction", "cutoff"], values="text")
    columns = [(direction, cutoff) for direction in DIRECTIONS for cutoff in (1, 10)]
    wide = wide.loc[list(names)][columns]
    wide.columns = HEADS
    wide.insert(0, "", list(names.values()))
    return tables.markdown(wide, 1)


def of_paper() -> pd.DataFrame:
    """Read the recalls of Merkx & Frank's network on Flickr8k, for images and for captions."""
    table = read_csv(reported.FOLDER / "table2.csv")
    return table.query("dataset == 'flickr8k' and model == 'char-GRU'")


def compared() -> pd.DataFrame:
    """Compare the R@10 of this project's encoders and of Merkx & Frank's network.

    Returns:
        A row per declared system and direction: `MEASURED`, `REPORTED` and `DIFFERENCE`.
    """
    names = dict(zip(MEASURED, REPORTED, strict=True))
    paper = as_values(of_paper())[["direction", *MEASURED]].rename(columns=names)
    # The ensembles of an experiment have a binomial interval, as the paper's numbers do.
    alone = tables.kept(f"{FOLDER}/retrieval").query("model == 'best-alone'")
    alone = as_values(alone).assign(file=f"{FOLDER}/retrieval", cutoff=10)
    declared = tables.DECLARED["beside the paper"]
    files = {name.split()[0] for name in declared}
    kept = [tables.kept(file).assign(file=file) for file in sorted(files - {*alone["file"]})]
    kept = [table.rename(columns={"recall": "value"}) for table in kept]
    table = named(pd.concat([*kept, alone]), ["file", "model", "networks", "system"])
    table = table.query("name in @declared and cutoff == 10").merge(paper, on="direction")
    return table.join(difference(table)).set_index(["name", "direction"])


def beside_paper() -> str:
    """Write the differences from Merkx & Frank's network, with the captions that were read."""
    table = compared()
    captions = dict(zip(("Flickr8k", "all"), tables.training_captions(), strict=True))
    texts = tables.intervals(table, MEASURED)
    gaps = tables.intervals(table, DIFFERENCE)
    gaps += table["difference_low"].gt(0).map({True: " ✓", False: " ?"})
    rows = []
    for name, (label, read) in tables.DECLARED["beside the paper"].items():
        row = {"system": label, "training captions": f"{captions[read]:,}"}
        for direction, task in zip(DIRECTIONS, ("images", "captions"), strict=True):
            row[f"R@10, {task}"] = texts[name, direction]
            row[f"{task}: minus {table.loc[(name, direction), 'reported']}"] = gaps[name, direction]
        rows.append(row)
    return tables.markdown(pd.DataFrame(rows), 1)


def values() -> dict[str, Any]:
    """Return the recalls of Merkx & Frank's network, for images and for captions."""
    return {"reported": of_paper().to_dict("records")}


@styled
def ablations() -> str:
    """Draw the differences of each model from `best`, in the current version and in v3."""
    parts = []
    for folder, version in VERSIONS.items():
        table = tables.kept(f"{folder}/ablation").dropna(subset="difference")
        names = pd.Series(labels(folder)).str.replace("`", "").str.wrap(30)
        rows = pd.MultiIndex.from_frame(table[["dataset", "model"]])
        parts.append(table.assign(row=names.reindex(rows).to_numpy(), series=version))
    columns = dict(zip(tables.with_ends("difference"), ["value", "low", "high"], strict=True))
    differences = pd.concat(parts).dropna(subset="row").drop(columns=list(columns.values()))
    differences = differences.rename(columns=columns)
    differences["panel"] = differences["measure"].str.wrap(14)
    differences["open"] = differences["low"].le(0) & differences["high"].ge(0)
    figure = forest(differences, "difference from best, with 95% intervals")
    text = StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()


FILES = {"images/ablations.svg": ablations}
