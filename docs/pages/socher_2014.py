"""docs/socher-2014.md: systems over dependency trees, and those beside them."""

from itertools import product
from typing import Any

import pandas as pd
import yaml

from docs.pages.tables import (
    DIFFERENCE,
    MARKS,
    ROOT,
    compared,
    intervals,
    kept,
    markdown,
    rows_of,
    with_ends,
)
from groundvec.papers.socher_2014.labels import BINARISED, CCA, HINGE, MARGIN, SQUARED, labelled
from groundvec.papers.socher_2014.reported import OF_CCA
from groundvec.papers.socher_2014.retrieval import TASKS, sorted_systems
from groundvec.render.tables import MISSING, decimals
from groundvec.reporting.claims import HOLDS, counted
from groundvec.reporting.systems import sorted_by
from groundvec.training.loop import snapshots
from rules.experiment import complete

OBJECTIVES = [MARGIN, HINGE, SQUARED, *OF_CCA.values()]
DATASETS = {"flickr8k-1000": "draws", "flickr8k": "all of Flickr8k"}
# What config/dt-rnn-tuning.yaml varies: columns of `labelled`, their names here, and the usual.
RATE = "training.optimiser.learning_rate"
OPTIONS: dict[str, tuple[str, Any]] = {
    "objective.margin": ("margin", 3),
    "training.optimiser.l2": ("L2 penalty", 0.08),
    "encoder.nonlinearity": ("nonlinearity", "tanh"),
}
RELATIONS = "Relations beat positions"
XAVIER = ", usual first weights of the images' layer"


def tuned(experiment: str) -> pd.DataFrame:
    """Read the models that tune, with the development recall of the best snapshot.

    Returns:
        The columns of `labelled`, with `dev_r10` and the column `usual`: whether none of `OPTIONS`
        differs from the paper's.
    """
    config = complete(yaml.safe_load((ROOT / "config" / f"{experiment}.yaml").read_text()))
    described = config["datasets"]["flickr8k"]["models"]
    models = pd.json_normalize(list(described.values())).assign(model=list(described))
    # As if of different data sets, so that the names of the same system are the same.
    models = labelled(models.assign(dataset=models["model"])).set_index("model")
    if "image.gaussian" in models:
        xavier = models["image.gaussian"].isna()
        models["name"] = models["name"].mask(xavier, models["name"] + XAVIER)
    table = kept(f"{experiment}/snapshots").query("kind == 'snapshot'")
    ends = {name: [*map(str, snapshots(model["training"]))] for name, model in described.items()}
    table = table[[epoch in ends[model] for model, epoch in table[["model", "epochs"]].to_numpy()]]
    usual = {
        name: models[name].isna() | models[name].eq(of)
        for name, (_, of) in OPTIONS.items()
        if name in models
    }
    best = table.groupby("model")["dev_r10"].max()
    return models.assign(dev_r10=best, usual=pd.DataFrame(usual).all(axis=1))


def grid(experiment: str, where: str, rows: str, columns: str) -> str:
    """Write development recall by two columns of `tuned`, the best of each row in bold.

    Args:
        where: a query that selects the models.
    """
    table = tuned(experiment).query(where)
    values = table.pivot(index=rows, columns=columns, values="dev_r10").loc[table[rows].unique()]
    text = values.apply(decimals)
    text = text.mask(values.eq(values.max(axis=1), axis=0), "**" + text + "**")
    text.columns = [f"{value:g}" for value in values.columns]
    return markdown(text.rename_axis(None).reset_index(names=""), 1)


def options() -> str:
    """Write development recall of the SDT-RNN with another margin, penalty or nonlinearity."""
    table = tuned("dt-rnn-tuning")
    table = table[(table["name"] == "SDT-RNN") & (table[RATE] == 0.003)]
    rows = [["as in the paper", *decimals(table.loc[table["usual"], "dev_r10"])]]
    for option, (name, usual) in OPTIONS.items():
        other = table[table[option] != usual]
        values = decimals(other["dev_r10"])
        rows += [[f"{name} {of}", value] for of, value in zip(other[option], values, strict=True)]
    return markdown(pd.DataFrame(rows, columns=["SDT-RNN, learning rate 0.003", "R@10"]), 1)


def mean_ranks() -> str:
    """Write mean ranks of every system: reported, of the draws, and of all of Flickr8k."""
    table = pd.concat([kept("dt-rnn/table1"), kept("dt-rnn/table2")])
    table = sorted_systems(table.fillna({"objective": ""}))
    rows = ["objective", "name"]
    ours = table[table["source"] == "measured"]
    # The paper's numbers stand with the system that is nearest.
    nearest = {"kCCA": CCA, "CT-RNN": BINARISED}
    parts = {"reported": table[table["source"] == "reported"].replace({"name": nearest})}
    parts |= {said: ours[ours["dataset"] == dataset] for dataset, said in DATASETS.items()}
    shown = ours[rows].drop_duplicates().set_index(rows)
    for said, part in parts.items():
        keyed = part.drop_duplicates(rows).set_index(rows).reindex(shown.index)
        for direction, task in TASKS.items():
            shown[f"{said}: {task}"] = intervals(keyed, with_ends(f"{direction}_mean_rank"))
    shown = shown.reset_index()
    shown.insert(0, "system", shown.pop("name"))
    return markdown(shown, 2)


def claims(experiment: str) -> pd.DataFrame:
    """Read the claims that compare two systems, the paper's objective first."""
    table = compared(f"{experiment}/claims").rename(columns={"condition": "objective"})
    return sorted_by(table, ["claim", "objective"], {"objective": OBJECTIVES})


def verdicts() -> str:
    """Write how many comparisons of each claim and objective hold, by data set."""
    table = claims("dt-rnn")
    rows = ["claim", "objective"]
    text = (
        counted(table["verdict"], [table[name] for name in (*rows, "dataset")])
        .unstack("dataset")
        .fillna(MISSING)
    )
    text = text.loc[rows_of(table, rows), list(DATASETS)]
    seeds = table.groupby("dataset")["seeds"].first()
    text.columns = [f"{said}, seeds: {seeds[of]}" for of, said in DATASETS.items()]
    # What the paper prints, once for all data sets and for its one DT-RNN.
    theirs = ~(table["better"] + table["worse"]).str.contains("collapsed|centered")
    once = table[table["dataset"].eq("flickr8k") & theirs].dropna(subset="reported")
    favours = once.assign(reported=once["reported"] > 0).groupby(rows)["reported"]
    said = favours.sum().astype(str) + " of " + favours.size().astype(str)
    text.insert(0, "the paper's numbers", said.reindex(text.index).fillna(MISSING))
    return markdown(text.reset_index(), 5)


def differences(experiment: str, shown: list[str]) -> str:
    """Write differences of every two systems that a claim compares, with intervals and verdicts."""
    table = claims(experiment).query("claim in @shown")
    table["text"] = intervals(table, DIFFERENCE) + " " + table["verdict"].map(MARKS)
    table["column"] = table["dataset"].map(DATASETS) + ": " + table["measure"]
    rows = ["claim", "objective", "worse", "better"]
    text = table.pivot(index=rows, columns="column", values="text").loc[rows_of(table, rows)]
    order = [f"{said}: {task}" for said, task in product(DATASETS.values(), TASKS.values())]
    return markdown(text.reindex(columns=order).fillna(MISSING).reset_index(), 4)


def values() -> dict[str, Any]:
    """Count the comparisons that hold on all of Flickr8k, and on draws of it."""
    table = claims("dt-rnn").assign(holds=lambda of: of["verdict"].eq(HOLDS))
    of_claim = table[table["claim"].eq(RELATIONS)].groupby(["objective", "dataset"])["holds"].sum()
    bag = table[table["claim"].eq("Trees beat the bag")].groupby("objective")["holds"]
    centered = table[table["claim"].eq("Trees beat the centered bag")]["holds"]
    return {
        "margin": of_claim[MARGIN][list(DATASETS)[::-1]].tolist(),
        "hinge": of_claim[HINGE][list(DATASETS)[::-1]].tolist(),
        "squared": of_claim[SQUARED][list(DATASETS)[::-1]].tolist(),
        "bag": [f"{bag.sum()[of]} of {bag.size()[of]}" for of in (MARGIN, SQUARED, HINGE)],
        "centered": f"{centered.sum()} of {len(centered)}",
    }
