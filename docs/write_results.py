"""Write the tables of the pages in `PAGES`, and a drawing, from the files in docs/results/.

A table is between `<!-- table: NAME -->` and `<!-- end -->`, in README.md or in one page of docs/:
one of `TABLES`, or FOLDER/TABLE, a table in Markdown as the pipeline wrote it. docs/keep_results.py
copies the files from results/, into folders of the same names; each CSV file says which commit made
it (docs/evaluate.md says what made those in `evaluate`).
"""

import argparse
import re
import sys
import tempfile
from collections.abc import Callable
from itertools import product
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml
from matplotlib.figure import Figure
from scipy.stats import norm

from groundvec import papers, schemas
from groundvec.config import complete
from groundvec.evaluation import retrieval
from groundvec.evaluation.ranks import DIRECTIONS
from groundvec.frames import Column, Schema, schema_of
from groundvec.papers.merkx_frank_2019 import table2
from groundvec.papers.socher_2014.claims import BY_RECALL
from groundvec.reporting.claims import read
from groundvec.reporting.labels import BINARISED, CCA, HINGE, MARGIN, SQUARED, labelled
from groundvec.reporting.ranks import TASKS, sorted_systems
from groundvec.reporting.results import REPORTED_CCA
from groundvec.reporting.style import BLUE, COLUMN, GREEN, VERMILLION, styled
from groundvec.reporting.verdicts import FAILS, HOLDS, OPEN
from groundvec.reporting.write import MISSING, bracketed, decimals
from groundvec.training.loop import snapshots

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "docs"))

from drawing import svg  # noqa: E402

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
MARKERS = re.compile(r"(<!-- table: (.+?) -->\n).*?(<!-- end -->)", re.DOTALL)
KEPT = ROOT / "docs" / "results"
MARKS = {HOLDS: "\N{CHECK MARK}", FAILS: "\N{MULTIPLICATION SIGN}", OPEN: "?"}
OBJECTIVES = [MARGIN, HINGE, SQUARED, *REPORTED_CCA.values()]
DATASETS = {"flickr8k-1000": "draws", "flickr8k": "all of Flickr8k"}


def markdown(table: pd.DataFrame, labels: int) -> str:
    """A table in Markdown, whose first columns are text and the others numbers."""
    rules = ["---"] * labels + ["--:"] * (table.shape[1] - labels)
    rows = [list(table.columns), rules, *table.astype(str).to_numpy().tolist()]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


XAVIER = ", image layer from Xavier's weights"
# What config/dt-rnn-tuning.yaml varies: columns of `labelled`, their names here, and the usual.
RATE, SHRINKAGE = "training.optimiser.learning_rate", "objective.shrinkage"
OPTIONS: dict[str, tuple[str, Any]] = {
    "objective.margin": ("margin", 3),
    "training.optimiser.l2": ("L2 penalty", 0.08),
    "encoder.nonlinearity": ("nonlinearity", "tanh"),
}


def tuned(experiment: str = "dt-rnn-tuning") -> pd.DataFrame:
    """The models of an experiment that tunes, with the development recall of the best snapshot.

    Returns:
        The columns of `labelled`, with `dev_r10` and the column `usual`: whether none of `OPTIONS`
        differs from the paper's.
    """
    config = complete(yaml.safe_load((ROOT / "config" / f"{experiment}.yaml").read_text()))
    described = config["datasets"]["flickr8k"]["models"]
    models = pd.json_normalize(list(described.values())).assign(model=list(described))
    # As if of different data sets, so that the names of the same system are the same.
    models = labelled(models.assign(dataset=models["model"])).set_index("model")
    scores = pd.read_csv(KEPT / experiment / "snapshots.csv")
    candidates = {name: snapshots(model["training"]) for name, model in described.items()}
    chosen = [
        kind == "snapshot" and int(epoch) in candidates[model]
        for model, kind, epoch in scores[["model", "kind", "epochs"]].to_numpy()
    ]
    scores = scores[chosen]
    of_models = models.reindex(columns=list(OPTIONS))
    usual = [of_models[name].isna() | of_models[name].eq(of) for name, (_, of) in OPTIONS.items()]
    best = scores.groupby("model")["dev_r10"].max()
    return models.assign(dev_r10=best, usual=pd.concat(usual, axis=1).all(axis=1))


def grid(table: pd.DataFrame, rows: str, columns: str) -> str:
    """Development recall by two columns, the best of each row in bold."""
    values = table.pivot(index=rows, columns=columns, values="dev_r10")
    text = values.loc[table[rows].unique()].apply(emphasised, axis=1)
    text.columns = [f"{value:g}" for value in values.columns]
    return markdown(text.rename_axis(None).reset_index(names=""), 1)


def learning_rates() -> str:
    """Development recall by system and learning rate."""
    table = tuned()
    return grid(table[table["usual"] & table[SHRINKAGE].isna()], "name", RATE)


def squared_rates() -> str:
    """Development recall under the squared error, by system, first weights and learning rate."""
    table = tuned("dt-rnn-squared")
    xavier = table["image.gaussian"].isna()
    return grid(
        table.assign(name=table["name"].mask(xavier, table["system"] + XAVIER)), "name", RATE
    )


def shrinkages() -> str:
    """Development recall of kernel CCA by how vectors are compared and by shrinkage."""
    table = tuned()
    table = table[table[SHRINKAGE].notna()]
    return grid(table.assign(name=table["objective"]), "name", SHRINKAGE)


def options() -> str:
    """Development recall of the SDT-RNN with another margin, penalty or nonlinearity."""
    table = tuned()
    table = table[(table["name"] == "SDT-RNN") & (table[RATE] == 0.003)]
    rows = [["as in the paper", *decimals(table.loc[table["usual"], "dev_r10"])]]
    for column, (name, usual) in OPTIONS.items():
        other = table[table[column] != usual]
        values = decimals(other["dev_r10"])
        rows += [[f"{name} {of}", value] for of, value in zip(other[column], values, strict=True)]
    return markdown(pd.DataFrame(rows, columns=["SDT-RNN, learning rate 0.003", "R@10"]), 1)


def emphasised(values: pd.Series) -> pd.Series:
    """Numbers with one digit, the largest in bold."""
    texts = pd.Series(decimals(values), index=values.index)
    return texts.where(values < values.max(), "**" + texts + "**")


def mean_ranks() -> str:
    """Mean ranks of every system: reported, of the draws, and of all of Flickr8k."""
    tables = [KEPT / "dt-rnn" / f"table{number}.csv" for number in (1, 2)]
    table = pd.concat(map(pd.read_csv, tables)).drop_duplicates(
        ["dataset", "source", "objective", "name"]
    )
    table = sorted_systems(table.fillna({"objective": ""}))
    columns = {}
    rows = ["objective", "name"]
    theirs = table[table["source"] == "reported"].replace({"name": {"kCCA": CCA}})
    ours = table[table["source"] == "measured"]
    names = {"CT-RNN (binarised)": "CT-RNN"}
    index = pd.MultiIndex.from_frame(ours[rows].drop_duplicates())
    papers = pd.MultiIndex.from_frame(ours[rows].drop_duplicates().replace({"name": names}))
    sources = {"reported": theirs} | {
        said: ours[ours["dataset"] == dataset] for dataset, said in DATASETS.items()
    }
    for said, part in sources.items():
        keyed = part.drop_duplicates(rows).set_index(rows)
        keyed = keyed.reindex(papers if said == "reported" else index)
        for direction, task in TASKS.items():
            stem = f"{direction}_mean_rank"
            values, low, high = (keyed[f"{stem}{end}"] for end in ("", "_low", "_high"))
            columns[f"{said}: {task}"] = bracketed(values, low, high)
    labels = index.to_frame(index=False)[["name", "objective"]]
    labels.columns = ["system", "objective"]
    return markdown(pd.concat([labels, pd.DataFrame(columns)], axis=1), 2)


def renamed(table: pd.DataFrame) -> pd.DataFrame:
    """Call a claim what it is called today; some files of docs/results are older."""
    old = table["claim"].eq("Trees beat constituency trees")
    old &= table["worse"].str.startswith(BINARISED)
    now = "Trees beat binary trees (the paper: constituency trees)"
    return table.assign(claim=table["claim"].mask(old, now))


def claims(experiment: str) -> pd.DataFrame:
    """The claims of Socher et al. (2014) that compare two systems, the paper's objective first."""
    table = read(KEPT / experiment / "claims.csv")
    table = renamed(table[table["worse"] != ""])
    table = table[~(table["condition"] + table["worse"]).str.contains(SQUARED)]  # not reproduced
    orders = {"claim": list(table["claim"].unique()), "condition": OBJECTIVES}
    places = [table[column].map(order.index) for column, order in orders.items()]
    return table.loc[pd.concat(places, axis=1).sort_values(list(orders), kind="stable").index]


def counted(table: pd.DataFrame, rows: list[str]) -> pd.Series:
    """How many comparisons of each row hold, do not hold or are not decided."""
    counts = table.groupby(rows, sort=False)["verdict"].value_counts().unstack(fill_value=0)
    return counts.reindex(columns=[HOLDS, FAILS, OPEN], fill_value=0).apply(
        lambda row: ", ".join(f"{verdict} in {n}" for verdict, n in row.items() if n), axis=1
    )


def verdicts() -> str:
    """How many comparisons of each claim and objective hold, by data set."""
    table = claims("dt-rnn").rename(columns={"condition": "objective"})
    rows = ["claim", "objective"]
    said = counted(table, [*rows, "dataset"])
    text = said.unstack("dataset").fillna(MISSING)[list(DATASETS)].rename(columns=DATASETS)
    text = text.loc[pd.MultiIndex.from_frame(table[rows].drop_duplicates())]
    seeds = table.groupby("dataset")["seeds"].first()
    text.columns = [f"{said}, seeds: {seeds[of]}" for of, said in DATASETS.items()]
    # What the paper prints, once for all data sets and for its one DT-RNN.
    theirs = ~(table["better"] + table["worse"]).str.contains("collapsed|centered")
    once = table[table["dataset"].eq("flickr8k") & theirs].dropna(subset="reported")
    favours = (once["reported"] > 0).groupby([once[row] for row in rows]).agg(["sum", "count"])
    said = favours["sum"].astype(str) + " of " + favours["count"].astype(str)
    text.insert(0, "the paper's numbers", said.reindex(text.index).fillna(MISSING))
    return markdown(text.reset_index(), 5)


def turned() -> str:
    """Count the verdicts on Socher et al. (2014) with private features, and with public ones."""
    keys = ["claim", "dataset", "condition", "measure", "worse", "better"]
    before, after = (
        renamed(read(KEPT / file).query("worse != ''")).set_index(keys)["verdict"]
        for file in ("private-features/dt-rnn-claims.csv", "dt-rnn/claims.csv")
    )
    both = before.index.intersection(after.index)
    order = [HOLDS, FAILS, OPEN]
    counts = pd.crosstab(before[both], after[both]).reindex(
        index=order, columns=order, fill_value=0
    )
    counts.columns = [f"now: {verdict}" for verdict in order]
    return markdown(counts.rename_axis("with private features").reset_index(), 1)


CLAIMS_32 = {  # of config/flickr8k-epochs.yaml, by the model that was selected
    "gru-256-attention": "flickr8k-epochs/claims.csv",
    "gru-512-attention": "flickr8k-epochs/claims-512.csv",
    "gru-1024-attention": "flickr8k-epochs/claims-1024.csv",
}


def turned_of_grid() -> str:
    """Write the comparisons of Merkx & Frank (2019) that public features turned."""
    then = pd.read_csv(KEPT / "private-features" / "merkx-frank-claims.csv")
    found = []
    for model, file in CLAIMS_32.items():
        table = read(KEPT / file)
        of_model = table["better"].where(table["better"].str.contains("-"), model)
        found.append(table.assign(model=of_model))
    keys = ["claim", "measure", "model", "worse"]
    both = then.merge(pd.concat(found), on=keys, suffixes=("_then", "_now"), validate="1:1")
    turned = both[both["verdict_then"] != both["verdict_now"]]
    shown = turned[["claim", "measure"]].copy()
    shown["model"] = "`" + turned["model"] + "`"
    shown["beside"] = turned["worse"]
    for when in ("then", "now"):
        value, low, high = (turned[f"{column}_{when}"] for column in ("difference", "low", "high"))
        text = pd.Series(bracketed(value, low, high), turned.index)
        shown[f"{when}: difference"] = turned[f"verdict_{when}"] + ": " + text
    return markdown(shown, 6)


def turned_of_languages() -> str:
    """Count the verdicts on Calixto & Liu (2017) with private features, and with public ones."""
    then = pd.read_csv(KEPT / "private-features" / "calixto-liu-counts.csv")
    table = read(KEPT / "mlmme" / "claims.csv")
    of_images = table["measure"].str.fullmatch("STS 201[45] images")
    table["measure"] = table["measure"].mask(of_images, "STS 2014 and 2015 images")
    keys = ["claim", "measure"]
    before = then.melt(keys, [HOLDS, FAILS, OPEN], "verdict", "count")
    before = before.loc[before.index.repeat(before["count"])]
    shown = pd.DataFrame({"then": counted(before, keys), "now": counted(table, keys)})
    return markdown(shown.loc[pd.MultiIndex.from_frame(then[keys])].reset_index(), 4)


def multilingual_verdicts() -> str:
    """How many comparisons of each claim of Calixto & Liu (2017) hold, and the differences."""
    table = read(KEPT / "mlmme" / "claims.csv")
    table["models of"] = table["dataset"].where(table["dataset"] == "characters", "words")
    rows = ["claim", "models of", "seeds", "measure"]
    found = table.groupby(rows, sort=False)["difference"]
    lowest, highest = found.min(), found.max()
    ends = pd.DataFrame({"verdicts": counted(table, rows)}).loc[lowest.index]
    ends["lowest difference"] = decimals(lowest)
    ends["highest"] = decimals(highest)
    return markdown(ends.reset_index(), 5)


def of_languages(names: str) -> pd.DataFrame:
    """Read what models of one language and of several reach: means over seeds, lowest and highest.

    Args:
        names: a pattern of the models.

    Returns:
        A row for each source and model, a column for each measure.
    """
    recalls, ratings = (pd.read_csv(KEPT / "mlmme" / f"table{number}.csv") for number in (1, 2))
    ways = {f"{way}_r10": name for way, name in zip(DIRECTIONS, REACHED[:2], strict=True)}
    recalls = recalls.melt(["source", "name", "language"], list(ways), "way")
    recalls["measure"] = recalls["language"] + ": " + recalls["way"].map(ways)
    recalls = recalls.replace({"name": {"VSE (retrained)": "VSE"}})
    table = pd.concat([recalls.sort_values("language", ascending=False, kind="stable"), ratings])
    table = table[table["name"].str.fullmatch(names)]
    groups = table.groupby(["source", "name", "measure"], sort=False)["value"]
    mean, low, high = groups.mean(), groups.min(), groups.max()
    text = pd.Series(bracketed(mean, low.where(low < high), high), mean.index).unstack()
    return text[table["measure"].unique()].fillna(MISSING).rename_axis(["source", "model"])


def languages_with_seeds() -> str:
    """Write what models of words reach, on what the paper reports."""
    table = of_languages(r"VSE|MLMME, β = [\d.]+").loc[["reported", "measured"]]
    return markdown(table.filter(regex=": |images").reset_index(), 2)


def words_and_characters() -> str:
    """Write what models over characters reach beside those over words."""
    table = of_languages(r"(VSE|MLMME, β = 0.5)( \(.*\))?").loc["measured"]
    return markdown(table.reset_index(), 1)


def marked(table: pd.DataFrame) -> pd.Series:
    """Differences with their intervals, and a mark for their verdicts."""
    text = bracketed(table["difference"], table["low"], table["high"])
    return pd.Series(text, index=table.index) + " " + table["verdict"].map(MARKS)


def by_recall() -> str:
    """How much higher the SDT-RNN's recall is than that of the systems in the paper's Table 3."""
    table = claims("dt-rnn")
    table = table[table["claim"].eq(BY_RECALL)]
    table = table.assign(text=marked(table), dataset=table["dataset"].map(DATASETS))
    rows = ["condition", "worse", "dataset"]
    text = table.pivot(index=rows, columns="measure", values="text")[table["measure"].unique()]
    text = text.loc[pd.MultiIndex.from_frame(table[rows].drop_duplicates())].reset_index()
    theirs = table.dropna(subset="reported").drop_duplicates(["worse", "measure"])
    theirs = theirs[~theirs["worse"].str.contains("centered")].assign(dataset="the paper")
    paper = theirs.assign(text=decimals(theirs["reported"]))
    paper = paper.pivot(index=rows, columns="measure", values="text").reset_index()
    text = pd.concat([paper, text], ignore_index=True)
    return markdown(text.rename(columns={"condition": "objective", "worse": "SDT-RNN and"}), 3)


def recall_of_systems() -> str:
    """Recall of the systems that are trained by the margin, as in the paper's Table 3."""
    table = pd.read_csv(KEPT / "dt-rnn" / "table3.csv")
    table = table[table["objective"].isin([MARGIN, REPORTED_CCA["max_margin"]])]
    table = table.drop_duplicates(["dataset", "source", "name"])
    reported = table["source"].eq("reported")
    shown = table[["name"]].assign(of=table["dataset"].map(DATASETS).mask(reported, "the paper"))
    ways = ["caption_to_image", "image_to_caption"]
    for stem, k in product(ways, (1, 5, 10)):
        value, low, high = (table[f"{stem}_r{k}{end}"] for end in ("", "_low", "_high"))
        shown[f"{TASKS[stem]}: R@{k}"] = bracketed(value, low, high)
    place = shown["of"].map(["the paper", *DATASETS.values()].index)
    shown = shown.loc[place.sort_values(kind="stable").index]
    return markdown(shown.rename(columns={"name": "system", "of": "data"}), 2)


def differences(experiment: str, shown: list[str]) -> str:
    """The difference of every two systems that a claim compares, with its interval and verdict."""
    table = claims(experiment).query("claim in @shown")
    table = table.assign(text=marked(table))
    table["column"] = table["dataset"].map(DATASETS) + ": " + table["measure"]
    order = [f"{said}: {task}" for said in DATASETS.values() for task in TASKS.values()]
    rows = ["claim", "condition", "worse", "better"]
    grid = table.pivot(index=rows, columns="column", values="text")
    grid = grid.reindex(columns=order).fillna(MISSING)
    grid = grid.loc[pd.MultiIndex.from_frame(table[rows].drop_duplicates())].reset_index()
    return markdown(grid.set_axis(["claim", "objective", "worse", "better", *order], axis=1), 4)


RECALLS = ["caption_to_image_r1", "caption_to_image_r5", "caption_to_image_r10"]


def by_pictures() -> list[pd.DataFrame]:
    """Read retrieval by the number of training pictures: means over seeds, lowest and highest."""
    table = pd.read_csv(KEPT / "few-pictures" / "snapshots.csv")
    table = table[table["kind"] == "ensemble"]
    pictures = table["dataset"].replace("flickr8k", "few-6000").str.removeprefix("few-")
    table = table.assign(pictures=pictures.astype(int))
    groups = table.groupby("pictures", sort=True)[[*RECALLS, "image_to_caption_r10"]]
    return [groups.mean(), groups.min(), groups.max()]


def few_pictures() -> str:
    """Write retrieval by the number of training pictures."""
    mean, low, high = by_pictures()
    cells = {column: bracketed(mean[column], low[column], high[column]) for column in mean}
    text = pd.DataFrame(cells, index=mean.index).reset_index()
    text["pictures"] = text["pictures"].map("{:,}".format)
    heads = ["R@1", "R@5", "R@10", "R@10, captions by pictures"]
    return markdown(text.set_axis(["training pictures", *heads], axis=1), 1)


@styled
def curve_of_pictures() -> Figure:
    """Draw retrieval by the number of training pictures."""
    mean, low, high = by_pictures()
    figure = Figure(figsize=(COLUMN, 2.2), layout="constrained")
    axes = figure.subplots()
    for column, colour in zip(reversed(RECALLS), (BLUE, VERMILLION, GREEN), strict=True):
        ends = [mean[column] - low[column], high[column] - mean[column]]
        label = column.rpartition("_")[2].replace("r", "R@")
        axes.errorbar(mean.index, mean[column], ends, marker="o", color=colour, label=label)
    axes.set(xscale="log", ylim=(0, None), xlabel="training pictures", ylabel="captions, percent")
    axes.set_xticks(mean.index, [f"{size:,}" for size in mean.index])
    axes.minorticks_off()
    axes.legend()
    return figure


RATED = {
    "flickr8k-v3": "`flickr8k-v3`",
    "flickr8k-v2": "`flickr8k-v2`",
    "flickr8k-v1": "`flickr8k-v1`",
    "trigrams": "character trigrams",
    "bag": "GloVe bag",
    "untrained": "untrained network",
}


def rated() -> str:
    """What encoders reach by SentEval's definition (Pearson) and by MTEB's (Spearman)."""
    columns = {}
    for name, heading in RATED.items():
        path = KEPT / "evaluate" / f"{name}.csv"
        if not path.exists():
            continue
        table = pd.read_csv(path)
        table = table[
            (table["statistic"] == "weighted mean")
            | table["definition"].isin(["SentEval classifier", "MTEB cosine"])
        ]
        measure = table["definition"].map(
            lambda definition: "spearman" if definition.startswith("MTEB") else "pearson"
        )
        records = list(zip(measure, table.to_dict("records"), strict=True))
        value, low, high = (
            [100 * row[f"{of}{end}"] for of, row in records] for end in ("", "_low", "_high")
        )
        labels = table[["definition", "task", "statistic", "pairs"]].assign(
            measure=measure.str.capitalize()
        )
        columns[heading] = bracketed(value, low, high)
    table = pd.concat([labels.reset_index(drop=True), pd.DataFrame(columns)], axis=1)
    table = table.sort_values("definition", key=lambda of: of.str.startswith("MTEB"), kind="stable")
    table["pairs"] = table["pairs"].map("{:,}".format)
    order = ["definition", "task", "statistic", "measure", "pairs", *columns]
    return markdown(table[order], 4)


def evaluated(name: str) -> pd.DataFrame:
    """Read what `groundvec evaluate ratings` wrote of an encoder; correlations times 100."""
    table = pd.read_csv(KEPT / "evaluate" / f"{name}.csv")
    numbers = table.filter(regex="pearson|spearman").columns
    table[numbers] *= 100
    return table.set_index(["task", "subtask", "definition", "statistic"])


PARTS = {
    "outputs": "outputs, compared with pictures (512)",
    "state": "state (512)",
    "learned": "both: all that is learned",
    "counts": "counts (1,024)",
    "flickr8k-v3": "the whole vector",
}
SUBTASKS = [
    ("STS 2015", "Images"),
    ("STS 2014", "Images"),
    ("STS 2012", "MSRvid"),
    ("STS 2014", "OnWN"),
    ("STS 2015", "HDL"),
    ("STS 2014", "HDL"),
    ("STS 2015", "Answers forum"),
    ("STS 2013", "FNWN"),
]


def parts() -> str:
    """Write what each part of the shipped encoder's vector reaches alone, by cosine."""
    cosine = "SentEval cosine"
    rows = {f"{task} {name}": (task, name, cosine, "correlation") for task, name in SUBTASKS}
    rows["STS 2012-2016, weighted mean"] = ("all", "all", cosine, "weighted mean")
    rows["STS-B"] = ("STS-B", "STS 12-16", cosine, "correlation")
    rows["SICK"] = ("SICK", "Relatedness", cosine, "correlation")
    found = {
        heading: decimals(evaluated(name)["pearson"][list(rows.values())])
        for name, heading in PARTS.items()
    }
    return markdown(pd.DataFrame({"pairs": list(rows)} | found), 1)


def training_captions() -> str:
    """Write in which subtasks rated sentences are training captions."""
    table = evaluated("flickr8k-v3").reset_index()
    table = table[
        table["statistic"].eq("correlation")
        & table["definition"].eq("SentEval cosine")
        & table["seen"].gt(0)
    ].sort_values("seen", ascending=False)
    counts = ["pairs", "seen", "seen_both"]
    shown = table[["task", "subtask"]].join(table[counts].map("{:,}".format))
    heads = ["task", "subtask", "pairs", "one sentence or both", "both"]
    return markdown(shown.set_axis(heads, axis=1), 2)


def punctuation() -> str:
    """Write what it gives to set punctuation apart."""
    table = pd.read_csv(KEPT / "evaluate" / "punctuation.csv")
    columns = ["stsb", "sick", "sts"]
    shown = (
        (100 * table[columns]).apply(decimals).set_axis(["STS-B", "SICK", "STS 2012-2016"], axis=1)
    )
    shown["cosine of a caption with and without its final stop"] = decimals(table["final_stop"], 3)
    shown.insert(0, "sentences", table["sentences"])
    return markdown(shown, 1)


def precisions() -> str:
    """Write what weights of fewer bits cost an exported encoder."""
    table = pd.read_csv(KEPT / "evaluate" / "onnx.csv")
    shown = table[["weights"]].assign(
        MB=decimals(table["megabytes"]),
        difference=table["largest_difference"].map("{:.0e}".format),
        pearson=decimals(table["pearson"], 4),
    )
    heads = {"difference": "largest difference", "pearson": "Pearson's r"}
    return markdown(shown.rename(columns=heads), 1)


UNSEEN = {
    "STS 2012-2016, weighted mean": ("all", "all", "SentEval cosine", "weighted mean"),
    "STS 2012-2016, mean": ("all", "all", "SentEval cosine", "mean"),
    "STS 2015 Images": ("STS 2015", "Images", "SentEval cosine", "correlation"),
    "STS-B, classifier": ("STS-B", "STS 12-16", "SentEval classifier", "correlation"),
    "SICK, classifier": ("SICK", "Relatedness", "SentEval classifier", "correlation"),
}


def without_training_captions() -> str:
    """Write what the shipped encoder reaches with and without pairs that hold a caption."""
    table = evaluated("flickr8k-v3").loc[list(UNSEEN.values())]
    stems = {"all pairs": "pearson", "without these pairs": "unseen_pearson"}
    columns = {
        heading: bracketed(table[stem], table[f"{stem}_low"], table[f"{stem}_high"])
        for heading, stem in stems.items()
    }
    columns["pairs left"] = [f"{left:,}" for left in table["pairs"] - table["seen"]]
    return markdown(pd.DataFrame({"score": list(UNSEEN)} | columns), 1)


def beside_senteval() -> str:
    """Write the largest differences from SentEval's own code."""
    table = pd.read_csv(KEPT / "evaluate" / "senteval.csv")
    measures = ["pearson", "spearman"]
    apart = pd.DataFrame({of: (table[of] - table[f"senteval_{of}"]).abs() for of in measures})
    groups = apart.groupby(table["definition"].str.removeprefix("SentEval "), sort=False)
    scores = groups.size().astype(str)
    largest = groups.max().map("{:.0e}".format)
    shown = largest.set_axis([of.capitalize() for of in measures], axis=1)
    shown.insert(0, "scores", scores)
    return markdown(shown.rename_axis("prediction").reset_index(), 1)


def private_features() -> str:
    """Write what networks reached on features that are not public, after 32 epochs."""
    table = pd.read_csv(KEPT / "private-features" / "grid.csv")
    columns = ["caption_to_image_r10", "image_to_caption_r10", "sts", "stsb", "sick"]
    shown = table[columns].apply(decimals).set_axis(REACHED, axis=1)
    shown.insert(0, "ensemble of epochs", table["epochs"].str.replace("+", ", "))
    shown.insert(0, "model", "`" + table["model"] + "`")
    return markdown(shown, 2)


def authors_network() -> str:
    """Write what the authors' network and this project's reach on the same features."""
    table = pd.read_csv(KEPT / "authors-network" / "retrieval.csv")
    recalls = [f"{way}_r{k}" for way in DIRECTIONS for k in (1, 5, 10)]
    shown = table[recalls].apply(decimals)
    heads = ["images by captions: R@1", "R@5", "R@10", "captions by images: R@1", "R@5", "R@10"]
    shown = shown.set_axis(heads, axis=1)
    shown.insert(0, "8 epochs, percent", table["network"])
    return markdown(shown, 1)


BEST = ["best", "best-v2"]  # folders: config/best.yaml now, and when flickr8k-v2 was trained
COUNTING = [("best", "flickr8k", "best"), ("best", "parts", "mistyped")]  # append n-gram counts
LEARNED = ("evaluate", "flickr8k", "learned")
CONTRASTIVE = {  # by folder, data set and model, what is shown of config/best.yaml
    ("best", "flickr8k", "best"): "`best`: subword embeddings (character n-grams), a bag and a GRU",
    ("best", "parts", "mistyped"): "`best`, up to a fifth of the letters mistyped in training",
    LEARNED: "`best` without the counts, seed 2",
    ("best", "flickr8k", "bag"): "`bag`: n-grams, no order of the words",
    ("best", "parts", "bag-no-paraphrases"): "`bag`, one caption of each picture, not two",
    ("best", "parts", "bag-no-idf"): "`bag`, no weights by document frequency",
    ("best", "parts", "bag-no-dropout"): "`bag`, no dropout",
    ("best", "parts", "bag-deviation-1"): "`bag`, initial embeddings of deviation 1, not 0.1",
    ("best", "parts", "bag-hinge"): "`bag`, the hinge loss, not InfoNCE",
    ("best", "parts", "bag-not-standardised"): "`bag`, image features not standardised",
    ("best", "pooled", "bag"): "`bag`, only each network's last features",
    ("best", "flickr8k", "bag-words"): "bag of words",
    ("best", "parts", "gru-256"): "GRU 256 over characters",
    ("best", "parts", "gru-1024"): "GRU 1024 over characters",
    ("best-v2", "flickr8k", "best"): "`flickr8k-v2`: its bag, last features of three networks",
}
SYSTEM = ["folder", "dataset", "model"]
# Task and method of the ratings in short tables.
RATINGS = [("all", "cosine"), ("STS-B", "classifier"), ("SICK", "classifier")]


def of_best(name: str) -> pd.DataFrame:
    """Read a file of both folders, with the column folder, indexed by `SYSTEM`."""
    files = {folder: KEPT / folder / name for folder in BEST}
    parts = [pd.read_csv(path).assign(folder=of) for of, path in files.items() if path.exists()]
    return pd.concat(parts).set_index(SYSTEM)


def contrastive_retrieval() -> str:
    """Recall of the models of config/best.yaml: means over their seeds."""
    table = of_best("retrieval.csv")
    recalls = table.pivot_table(index=SYSTEM, columns="direction", values=["r1", "r10"])
    history = of_best("history.csv").groupby([*SYSTEM, "seed"])["dev_recall"].last()
    labels = {system: label for system, label in CONTRASTIVE.items() if system in recalls.index}
    shown = pd.DataFrame(
        {"model": labels.values()}, pd.MultiIndex.from_tuples(labels, names=SYSTEM)
    )
    shown["seeds"] = table.groupby(SYSTEM)["seed"].nunique()
    shown["development R@10"] = history.groupby(SYSTEM).mean()
    for direction, name in [("caption_to_image", "images"), ("image_to_caption", "captions")]:
        for cutoff in ("r1", "r10"):
            shown[f"find {name}: {cutoff.replace('r', 'R@')}"] = recalls[cutoff, direction]
    numbers = shown.columns[2:]
    shown[numbers] = shown[numbers].apply(decimals)
    return markdown(shown, 1)


def contrastive_ratings() -> str:
    """Correlations with people's ratings: means over seeds, lowest and highest."""
    table = of_best("ratings.csv")
    names = table["task"].replace("all", "STS 2012-2016") + ", " + table["method"]
    groups = (100 * table["pearson"]).groupby(
        [*(table.index.get_level_values(level) for level in SYSTEM), names]
    )
    mean, low, high = groups.mean(), groups.min(), groups.max()
    text = pd.Series(bracketed(mean, low, high), mean.index)
    shown = text.where(low < high, decimals(mean)).unstack()
    learned = evaluated("learned").reset_index()
    learned = learned[learned["statistic"].isin(["weighted mean", "correlation"])]
    names = learned["task"].replace("all", "STS 2012-2016") + ", "
    names += learned["definition"].str.removeprefix("SentEval ")
    shown.loc[LEARNED] = decimals(learned.set_index(names)["pearson"][shown.columns])
    there = [system for system in CONTRASTIVE if system in shown.index]
    shown = shown.loc[there].fillna(MISSING)
    shown.insert(0, "counts", ["yes" if system in COUNTING else "no" for system in there])
    shown.insert(0, "model", [CONTRASTIVE[system].partition(":")[0] for system in there])
    return markdown(shown, 2)


REACHED = [
    "R@10, images by captions",
    "R@10, captions by images",
    "STS 2012-2016, cosine",
    "STS-B, classifier",
    "SICK, classifier",
]
WITH_R1 = ["R@1, images by captions", REACHED[0], "R@1, captions by images", *REACHED[1:]]


def of_grid(experiment: str) -> list[pd.DataFrame]:
    """Read recalls and ratings of the ensembles of a grid's cells."""
    return [pd.read_csv(KEPT / experiment / f"{name}.csv") for name in ("retrieval", "ratings")]


def grid_with_seeds(experiment: str) -> str:
    """Write what each cell reaches: the mean over its seeds, the lowest and the highest."""
    recalls, ratings = of_grid(experiment)
    ways = [recalls[recalls["direction"] == way].set_index("model")["r10"] for way in DIRECTIONS]
    chosen = [ratings[["task", "method"]].eq(list(key)).all(axis=1) for key in RATINGS]
    rated = [100 * ratings[rows].set_index("model")["pearson"] for rows in chosen]
    columns = dict(zip(REACHED, [*ways, *rated], strict=True))
    found = {name: of.groupby("model").agg(["mean", "min", "max"]) for name, of in columns.items()}
    seeds = recalls.groupby("model")["seed"].nunique()
    order = found[REACHED[2]].sort_values("mean", ascending=False).index
    shown = pd.DataFrame({"model": "`" + order + "`", "seeds": seeds[order].to_numpy()})
    for name, of in found.items():
        mean, low, high = (of.loc[order, each] for each in ("mean", "min", "max"))
        shown[name] = bracketed(mean, low.where(seeds[order] > 1), high)
    return markdown(shown, 2)


def widest(table: pd.DataFrame) -> pd.Series:
    """Whether intervals are the widest that older ones allow: the seeds' values were not kept."""
    return table["seeds"].eq(3) & table["of_seeds"].isna()


def claims_with_seeds(file: str) -> str:
    """Write the differences of models, over seeds, and their verdicts."""
    table = read(KEPT / file)
    table = table[table["worse"] != ""]
    names = table["claim"]
    text = bracketed(table["difference"], table["low"], table["high"])
    differences = pd.Series(text, table.index).mask(widest(table), lambda of: of + " (widest)")
    columns = ["measure", "better", "worse", "seeds", "verdict"]
    shown = table[columns].assign(difference=differences)
    shown.insert(0, "claim", names.where(~names.duplicated(), ""))
    return markdown(shown, 6)


FEW_DRAWS = 1000  # of the bootstraps behind these folders; newer ones have 10,000
OF_FEW_DRAWS = ["dt-rnn", "dt-rnn-rate", "flickr8k-epochs", "mlmme"]


def near_zero() -> str:
    """Write the comparisons of one seed that other draws of the bootstrap may decide otherwise.

    An end of their interval is within two Monte-Carlo errors of zero: those of a percentile of a
    normal distribution.
    """
    paths = [path for folder in OF_FEW_DRAWS for path in (KEPT / folder).glob("claims*.csv")]
    table = pd.concat([read(path) for path in sorted(paths)]).query("seeds == 1")
    deviation = (table["high"] - table["low"]) / (2 * 1.96)
    error = deviation * np.sqrt(0.025 * 0.975 / FEW_DRAWS) / norm.pdf(1.96)
    close = table[table[["low", "high"]].abs().min(axis=1) < 2 * error]
    shown = close[["claim", "condition", "measure", "better", "worse", "verdict"]].rename(
        columns={"condition": "objective"}
    )
    text = bracketed(close["difference"], close["low"], close["high"], 2)
    return markdown(shown.assign(difference=text), 6)


def training_times() -> str:
    """Write the minutes of training of each model: the mean over seeds, lowest and highest."""
    columns = {}
    for heading, experiment in (("4 epochs", "flickr8k-seeds"), ("32 epochs", "flickr8k-epochs")):
        minutes = training_minutes(experiment).groupby("model").agg(["mean", "min", "max"])
        low = minutes["min"].where(minutes["min"] < minutes["max"])
        columns[heading] = pd.Series(
            bracketed(minutes["mean"], low, minutes["max"], 0), minutes.index
        )
    shown = pd.DataFrame(columns).fillna(MISSING).loc[list(TRAINED)]
    shown.insert(0, "minutes of training", "`" + shown.index + "`")
    return markdown(shown, 1)


def training_minutes(experiment: str) -> pd.Series:
    """Read the minutes of each training, by model and seed."""
    table = pd.read_csv(KEPT / experiment / "history.csv")
    return table.groupby(["model", "seed"])["seconds"].max() / 60


RATED_BESIDE = ["char-GRU Flickr8k (reported)", "BOW (reported)", "InferSent (reported)"]
BASELINES = ["BOW-100d", "trigrams"]


def long_training() -> tuple[str, pd.DataFrame]:
    """Read the name of the ensemble of config/flickr8k-epochs.yaml, and its paper's Table S1."""
    table = pd.read_csv(KEPT / "flickr8k-epochs" / "table_s1.csv", low_memory=False)
    [name] = table.loc[table["kind"] == "ensemble", "name"].unique()
    return name, table


def subtasks_rated() -> str:
    """Write the correlations of each subtask: measured with its interval, reported, baselines."""
    own, table = long_training()
    whole = table["statistic"].eq("weighted mean") & table["task"].eq("all")
    classified = table["task"].isin([task for task, method in RATINGS if method == "classifier"])
    single = table["statistic"].eq("correlation") & table["method"].eq("classifier").eq(classified)
    table = table[whole | single]
    rows = ["task", "subtask"]
    keyed = {name: 100 * of.set_index(rows)["pearson"] for name, of in table.groupby("name")}
    of_own = table[table["name"] == own].set_index(rows)
    value, low, high = (100 * of_own[f"pearson{end}"] for end in ("", "_low", "_high"))
    shown = of_own.index.to_frame(index=False)
    shown[f"`{own.split()[0]}`"] = bracketed(value, low, high)
    for name in (*RATED_BESIDE, f"untrained {own.split()[0]}", *BASELINES):
        shown[name] = decimals(keyed[name].reindex(of_own.index))
    return markdown(
        shown.replace({"task": {"all": "STS 2012-2016"}, "subtask": {"all": "mean"}}), 2
    )


def subtasks_won() -> str:
    """Write on how many subtasks the long training is better or worse than other systems."""
    own, _ = long_training()
    table = pd.read_csv(KEPT / "flickr8k-epochs" / "section_4_3.csv").query("a == @own")
    counts = {
        "better: Williams' test, Holm's correction": "a_holm",
        "worse": "b_holm",
        "better: r above the other's interval": "a_interval",
        "worse ": "b_interval",
    }
    shown = pd.DataFrame({head: decimals(table[column], 0) for head, column in counts.items()})
    shown.insert(0, f"`{own.split()[0]}` and", table["b"].to_list())
    return markdown(shown, 1)


def differences_in_recall(experiment: str, dataset: str) -> str:
    """Write how models differ from the first one of an ablation in R@10, by a paired bootstrap.

    Not in ratings: `best` appends counts of n-grams there, which the others do not have.
    """
    table = pd.read_csv(KEPT / experiment / "ablation.csv").query("dataset == @dataset")
    table = table[table["measure"].str.startswith("R@10")].dropna(subset="difference")
    differences = bracketed(table["difference"], table["difference_low"], table["difference_high"])
    table = table.assign(text=differences)
    shown = table.pivot(index=["model", "seeds"], columns="measure", values="text")
    shown = shown.reindex(table["model"].unique(), level="model").reset_index()
    labels = {model: label for (_, of, model), label in CONTRASTIVE.items() if of != "pooled"}
    shown["model"] = [labels.get(model, f"`{model}`") for model in shown["model"]]
    return markdown(shown, 2)


MISTYPED = {
    "caption_to_image R@10": "find images: R@10",
    "image_to_caption R@10": "find captions: R@10",
    "unsupervised": "STS 2012-2016",
    "STS-B": "STS-B",
    "SICK": "SICK",
}


def mistyped() -> str:
    """Write what two models reach, by cosine, where a share of the letters is mistyped."""
    table = pd.read_csv(KEPT / "best" / "robustness.csv")
    table = table[table["model"].isin(["best", "mistyped"]) & table["kind"].eq("typing errors")]
    values = table.pivot(index=["model", "rate"], columns="measure", values="value")
    shown = values[list(MISTYPED)].apply(decimals).rename(columns=MISTYPED)
    names, rates = (shown.index.get_level_values(level) for level in ("model", "rate"))
    shown.insert(0, "letters mistyped", [f"{100 * rate:.0f} %" for rate in rates])
    shown.insert(0, "model", ("`" + names + "`").where(~names.duplicated(), ""))
    return markdown(shown, 2)


PAPER = papers.FOLDER / "merkx_frank_2019" / "reported"
TRAINED = {  # models of config/flickr8k-epochs.yaml, whose ensembles are of two snapshots
    "gru-1024-attention": "the paper's recipe, ensembles of two: GRU 1024",
    "gru-512-attention": "the paper's recipe, ensembles of two: GRU 512",
    "gru-256-attention": "the paper's recipe, ensembles of two: GRU 256",
    "lstm-1024-attention": "the same, LSTM 1024",
    "lstm-512-attention": "the same, LSTM 512",
    "lstm-256-attention": "the same, LSTM 256",
    "gru-512-max": "the same, GRU 512 with max pooling in place of attention",
    "lstm-512-max": "the same, LSTM 512 with max pooling",
    "gru-256-max": "the same, GRU 256 with max pooling",
    "bag-ngrams": "the same, a bag of character n-grams",
    "bag-words": "the same, a bag of words",
}
SEEDS = {1: "one seed", 2: "two seeds", 3: "three seeds"}
RATED_ALONE = {
    "trigrams": "character trigrams, nothing learned",
    "untrained": "a network before training",
}


def of_recalls(found: pd.DataFrame) -> list[float]:
    """R@1 and R@10 of both directions, which are the rows."""
    recalls: list[float] = found.loc[list(DIRECTIONS), ["r1", "r10"]].to_numpy().ravel().tolist()
    return recalls


def of_paper() -> pd.Series:
    """Read what Merkx & Frank (2019) report, by `WITH_R1`."""
    recalls = pd.read_csv(PAPER / "table2.csv").query("dataset == 'flickr8k'")
    recalls = recalls[recalls["model"] == "char-GRU"].set_index("direction")
    ratings = pd.read_csv(PAPER / "table_s1.csv").set_index("task")
    value, sts = ratings["char_gru_flickr8k"], ratings.filter(like="STS 20", axis=0)
    mean = (sts["char_gru_flickr8k"] * sts["pairs"]).sum() / sts["pairs"].sum()
    return pd.Series([*of_recalls(recalls), mean, value["STS-B"], value["SICK"]], WITH_R1)


def of_models(recalls: pd.DataFrame, ratings: pd.DataFrame) -> pd.Series:
    """The means over a model's seeds, by `WITH_R1`."""
    values = 100 * ratings.groupby(["task", "method"])["pearson"].mean()
    found = recalls.groupby("direction")[["r1", "r10"]].mean()
    return pd.Series([*of_recalls(found), *values[RATINGS]], WITH_R1)


def of_ratings(name: str) -> pd.Series:
    """What an encoder reaches that is rated alone, by `WITH_R1`."""
    table = pd.read_csv(KEPT / "evaluate" / f"{name}.csv").set_index(["task", "definition"])
    table = table[table["statistic"].isin(["weighted mean", "correlation"])]
    pearson = table["pearson"]
    named = [(task, f"SentEval {method}") for task, method in RATINGS]
    return pd.Series([100 * pearson[[key]].iloc[0] for key in named], REACHED[2:])


def reached() -> pd.DataFrame:
    """Read what every system reaches on Flickr8k."""
    rows = {"the paper: GRU 2048, ResNet-152, ensemble of two snapshots": of_paper()}
    of_seeds = "folder == 'best' and dataset == 'flickr8k' and model == 'best'"
    best = [of_best(name).query(of_seeds) for name in ("retrieval.csv", "ratings.csv")]
    rows[
        "[`best`](docs/best.md): subword embeddings (character n-grams) and a GRU, "
        "single snapshots, other features, three seeds"
    ] = of_models(*best)
    trained = of_grid("flickr8k-epochs")
    for model, label in TRAINED.items():
        recalls, ratings = (table[table["model"] == model] for table in trained)
        seeds = SEEDS[recalls["seed"].nunique()]
        rows[f"{label}, {seeds}"] = of_models(recalls, ratings)
    rows |= {label: of_ratings(name) for name, label in RATED_ALONE.items()}
    table = pd.DataFrame(rows, index=WITH_R1).T.apply(decimals)
    return table.rename_axis("system").reset_index()


def table_2() -> str:
    """Write the paper's Table 2 beside the models of config/flickr8k-epochs.yaml."""
    recalls, _ = of_grid("flickr8k-epochs")
    models = recalls[["dataset", "model", "seed"]].drop_duplicates().assign(data_source="flickr8k")
    models = models.sort_values("model", key=lambda of: of.map(list(TRAINED).index), kind="stable")
    images = np.repeat(np.arange(1000), 5)  # of the test set's captions
    by_chance = retrieval.chance(images).assign(
        dataset="flickr8k", test_set="1k", language="en", split="test", kind="chance"
    )
    _, rated = long_training()
    own = rated[rated["kind"] == "ensemble"].iloc[0]
    selected = {"flickr8k": (own["model"], int(own["seed"]))}
    measured, reported = pd.concat([recalls, by_chance]), pd.read_csv(PAPER / "table2.csv")
    table = table2.table2(measured, reported, models, selected)
    with tempfile.TemporaryDirectory() as folder:
        table2.show(table, own["model"], Path(folder) / "table2")
        return (Path(folder) / "table2.md").read_text(encoding="utf-8").rstrip()


def short() -> str:
    """Write the rows that the README shows."""
    shown = ("the paper", "[`best`]", "character trigrams")
    table = reached()
    return markdown(table[table["system"].str.startswith(shown)], 1)


def systems() -> str:
    """Write all systems, with links as from docs/."""
    table = reached()
    return markdown(table.replace({"system": {r"\]\(docs/": "]("}}, regex=True), 1)


TYPES = {str: "text", int: "whole number", float: "number"}


def result_files() -> str:
    """Write the schema of every result file."""
    forms = {name: form for name, form in vars(schemas).items() if hasattr(form, "__metadata__")}
    return "\n\n".join(of_schema(name, schema_of(form)) for name, form in forms.items())


def of_schema(name: str, schema: Schema) -> str:
    """Write a heading, what a row is about, and the columns."""
    rows = [
        {
            "column": f"`{column}`",
            "type": TYPES[about.dtype],
            "unit": about.unit,
            "values": allowed(about),
            "description": about.what,
        }
        for column, about in schema.columns.items()
    ]
    text = f"{schema.row[0].upper()}{schema.row[1:]}. File: {schema.file}."
    if schema.keys:
        text += f" No two rows have the same {', '.join(f'`{key}`' for key in schema.keys)}."
    return f"### {name}\n\n{text}\n\n{markdown(pd.DataFrame(rows), 5)}"


def allowed(column: Column) -> str:
    """Write what a field of a column may be."""
    low, high = (f"{end:g}" if isfinite(end) else "" for end in (column.low, column.high))
    ends = f"{low} to {high}" if low and high else f"from {low}" if low else ""
    words = [", ".join(f"`{value}`" for value in column.among), ends]
    if column.empty is True:
        words.append("may be empty")
    elif column.empty:
        words.append(f"empty for {', '.join(column.empty)}")
    return "; ".join(filter(None, words))


# The command behind each folder of docs/results, and what has to be known of how it ran.
SNAKEMAKE = "snakemake all --configfile config/"
AGAIN = "intervals over seeds computed again from the seeds' values"
RUNS = {
    "authors-network": ("docs/private-features.md", "outside the pipeline"),
    "best": (
        f"{SNAKEMAKE}best.yaml",
        "features at `e783d9e-dirty`, before batch normalisations were folded; beside other "
        "programs; without cards, galleries and overlaps of the variants, and `best-no-counts`; "
        f"{AGAIN}",
    ),
    "best-v2": (f"{SNAKEMAKE}best.yaml", "as it was for `flickr8k-v2`"),
    "char-gru-variants": (f"{SNAKEMAKE}char-gru-variants.yaml", "beside other programs"),
    "demo": ("make all", ""),
    "demo-times": ("make all", "by hand, from `time`"),
    "dt-rnn": (f"{SNAKEMAKE}dt-rnn.yaml", "84 minutes, without cards and page"),
    "dt-rnn-rate": ("docs/socher-2014.md", ""),
    "dt-rnn-squared": (f"{SNAKEMAKE}dt-rnn-squared.yaml", ""),
    "dt-rnn-tuning": (f"{SNAKEMAKE}dt-rnn-tuning.yaml", ""),
    "dt-rnn-variants": (f"{SNAKEMAKE}dt-rnn-variants.yaml", ""),
    "evaluate": ("groundvec evaluate ratings; programs in benchmarks/encoders/", ""),
    "few-pictures": ("docs/your-own-data.md", ""),
    "flickr8k-epochs": (
        f"{SNAKEMAKE}flickr8k-epochs.yaml",
        "several runs, two trainings at a time; trainings of LSTM 1024 and of 512 with max pooling "
        "were paused; of these the ensembles alone were evaluated, and of some others a few "
        f"epochs, by the library and not by its rules; {AGAIN}",
    ),
    "flickr8k-seeds": (f"{SNAKEMAKE}flickr8k-seeds.yaml", f"beside other programs; {AGAIN}"),
    "mlmme": (
        f"{SNAKEMAKE}mlmme.yaml",
        "three runs: words, three seeds, without `translation` (so `-dirty`); translations; "
        "characters; claims on TER, on BLEU against the baseline and on the best β are later, from "
        f"the kept tables; {AGAIN}",
    ),
    "private-features": ("none any more", "features that are not public"),
}


def runs() -> str:
    """Write the command, commits and machines behind each folder of docs/results."""
    columns = ["commit", "versions", "machine"]
    rows = []
    for folder in sorted(path for path in KEPT.iterdir() if path.is_dir()):
        if folder.name not in RUNS:
            raise SystemExit(f"error: say in RUNS which command made {folder}")
        files = [
            pd.read_csv(path, dtype=str, keep_default_na=False)
            for path in sorted(folder.glob("*.csv"))
            if path.stat().st_size
        ]
        table = pd.concat([file.reindex(columns=columns, fill_value="") for file in files])
        said = ["; ".join(sorted({*table[column]} - {""})) or MISSING for column in columns]
        command, note = RUNS[folder.name]
        rows.append([f"`{folder.name}`", f"`{command}`", *said, note])
    heads = ["docs/results", "command", "commits", "versions", "machines", "note"]
    return markdown(pd.DataFrame(rows, columns=heads), 6)


def demo_times() -> str:
    """Write how long the demo took, in minutes and seconds."""
    table = pd.read_csv(KEPT / "demo-times" / "times.csv", keep_default_na=False)
    shown = table[["note"]].copy()
    shown.insert(0, "command", "`" + table["command"] + "`")
    shown["commit"] = "`" + table["commit"] + "`"
    shown["machine"] = table["machine"]
    for column in ("seconds", "processor_seconds"):
        minutes, seconds = table[column] // 60, table[column] % 60
        shown[column] = minutes.astype(str) + ":" + seconds.map("{:02}".format)
    return markdown(
        shown.rename(columns={"seconds": "time", "processor_seconds": "processor time"}), 4
    )


COUNTS, RELATIONS = "Counts of words help (Eq. 4 beats Eq. 3)", "Relations beat positions"
SHOWN = [
    "Trees beat the bag",
    "Trees beat the centered bag",
    RELATIONS,
    "Not in the paper: trees beat the char-GRU",
]
TABLES: dict[str, Callable[[], str]] = {
    "runs": runs,
    "demo times": demo_times,
    "short": short,
    "systems": systems,
    "result files": result_files,
    "learning rates": learning_rates,
    "options": options,
    "shrinkages": shrinkages,
    "mean ranks": mean_ranks,
    "verdicts": verdicts,
    "turned": turned,
    "turned of the grid": turned_of_grid,
    "turned of languages": turned_of_languages,
    "differences": lambda: differences("dt-rnn", SHOWN),
    "another rate": lambda: differences("dt-rnn-rate", [RELATIONS, "Trees beat kernel CCA"]),
    "multilingual verdicts": multilingual_verdicts,
    "languages with seeds": languages_with_seeds,
    "words and characters": words_and_characters,
    "few pictures": few_pictures,
    "rated": rated,
    "contrastive retrieval": contrastive_retrieval,
    "contrastive ratings": contrastive_ratings,
    "differences from best": lambda: differences_in_recall("best", "parts"),
    "margins and embeddings": lambda: differences_in_recall("char-gru-variants", "flickr8k"),
    "mistyped": mistyped,
    "parts of the vector": parts,
    "training captions": training_captions,
    "without training captions": without_training_captions,
    "beside SentEval": beside_senteval,
    "punctuation": punctuation,
    "precisions": precisions,
    "private features": private_features,
    "authors' network": authors_network,
    "grid after 4 epochs": lambda: grid_with_seeds("flickr8k-seeds"),
    "claims after 4 epochs": lambda: claims_with_seeds("flickr8k-seeds/claims.csv"),
    "Table 2 after 32 epochs": table_2,
    "grid after 32 epochs": lambda: grid_with_seeds("flickr8k-epochs"),
    "claims after 32 epochs": lambda: claims_with_seeds(CLAIMS_32["gru-256-attention"]),
    "claims of 512": lambda: claims_with_seeds(CLAIMS_32["gru-512-attention"]),
    "claims of 1024": lambda: claims_with_seeds(CLAIMS_32["gru-1024-attention"]),
    "near zero": near_zero,
    "training times": training_times,
    "subtasks rated": subtasks_rated,
    "subtasks won": subtasks_won,
}


def page(path: Path) -> str:
    """A page with its tables written anew."""

    def written(match: re.Match[str]) -> str:
        start, name, end = match.groups()
        whole = KEPT / f"{name}.md"
        if whole.exists():
            return f"{start}{whole.read_text(encoding='utf-8')}{end}"
        if name not in TABLES:
            raise SystemExit(
                f"error: {path} names the table {name!r}: use one of {', '.join(TABLES)}, or a "
                "table in docs/results/, as FOLDER/TABLE"
            )
        return f"{start}{TABLES[name]()}\n{end}"

    return MARKERS.sub(written, path.read_text(encoding="utf-8"))


def files() -> dict[Path, str]:
    """What this program writes."""
    images = ROOT / "docs" / "images"
    return {path: page(path) for path in PAGES} | {
        images / "few-pictures.svg": svg(curve_of_pictures())
    }


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    for path, content in files().items():
        if not path.exists() or path.read_text(encoding="utf-8") != content:
            path.write_text(content, encoding="utf-8")
