"""docs/merkx-frank-2019.md: the grid of Merkx & Frank (2019), after 4 and after 32 epochs."""

from typing import Any

import pandas as pd

from docs.pages import tables
from groundvec.card.text import MISSING, decimals
from groundvec.evaluation.ranks import DIRECTIONS
from reproduction.papers.merkx_frank_2019 import reported
from reproduction.reporting.measures import WAYS
from reproduction.reporting.systems import sorted_by

LONG = "flickr8k-epochs"  # the experiment of 32 epochs
SIZES = [f"gru-{size}-attention" for size in (256, 512, 1024, 2048)]
CLAIMS = {  # the claims of config/flickr8k-epochs.yaml, by the selected model
    model: f"{LONG}/claims{end}"
    for model, end in zip(SIZES, ("", "-512", "-1024", "-2048"), strict=True)
}
TRAINED: dict[str, str] = tables.DECLARED["labels"][LONG]
OF_PAPER = ["char-GRU Flickr8k (reported)", "BOW (reported)", "InferSent (reported)"]


def paper() -> pd.Series:
    """Read the numbers that Merkx & Frank (2019) report, by the names of `tables.WITH_R1`."""
    names = {reported.STS: tables.STS, "STS-B": tables.STSB, "SICK-R": tables.SICK}
    return pd.Series(reported.scores_of_source("flickr8k")).rename(names)


def grid(experiment: str) -> str:
    """Write the scores of each model and its minutes: mean, lowest and highest over its seeds."""
    table = tables.scores(experiment)
    order = table.groupby("model")[tables.STS].mean().sort_values(ascending=False).index
    page_table = table[tables.REACHED].apply(tables.mean_and_range, by="model").loc[order]
    seconds = tables.kept(f"{experiment}/history").groupby(["model", "seed"])["seconds"].max()
    page_table["minutes"] = tables.mean_and_range(seconds / 60, "model", 0)
    page_table.insert(0, "seeds", table.groupby("model").size())
    page_table.insert(0, "model", tables.code(order))
    return tables.markdown(page_table, 2)


def table2() -> str:
    """Write the recalls and median ranks of the paper's Table 2, and the measured means."""
    printed = pd.read_csv(reported.FOLDER / "table2.csv").query("dataset == 'flickr8k'")
    measured = tables.kept(f"{LONG}/retrieval").query("direction in @DIRECTIONS")
    columns = {"r1": "R@1", "r5": "R@5", "r10": "R@10", "median_rank": "median rank"}
    both = pd.concat({"reported": printed, "measured": measured}, names=["source", None])
    means: Any = both.groupby(["source", "model", "direction"])[list(columns)].mean().unstack()
    means = means.sort_values(["source", ("r10", DIRECTIONS[0])], ascending=False)
    cells = {
        f"{WAYS[direction]}: {label}": decimals(means[column, direction])
        for direction in DIRECTIONS
        for column, label in columns.items()
    }
    return tables.markdown(pd.DataFrame(cells, means.index).reset_index(), 2)


def claims_by_size() -> str:
    """Write the differences after 32 epochs for each size, with a mark for the verdict."""
    columns = {}
    for model, file in CLAIMS.items():
        size = model.split("-")[1]
        table = tables.comparisons(file)
        texts = tables.intervals(table, tables.DIFFERENCE) + " " + tables.marks(table)
        systems = table[["better", "worse"]].replace(f"-{size}-", "-", regex=True)
        smaller = rf"^(\w+)-{int(size) // 2}-(\w+)$"
        systems["worse"] = systems["worse"].replace(smaller, r"\1-\2, half the size", regex=True)
        rows = pd.MultiIndex.from_frame(table[["claim", "measure"]].join(systems))
        seeds = table["seeds"].max()
        columns[f"{size} numbers, seeds: {seeds}"] = texts.set_axis(rows)
    page_table = pd.concat(columns, axis=1, sort=False).fillna(MISSING).reset_index()
    page_table = sorted_by(page_table, ["claim"])
    page_table["claim"] = tables.once(page_table["claim"])
    return tables.markdown(page_table, 4)


def subtasks() -> str:
    """Write the correlations of each subtask: measured with interval, reported, and baselines."""
    table = tables.kept(f"{LONG}/table_s1")
    [ensemble] = table.query("kind == 'ensemble'")["name"].unique()
    model = ensemble.split()[0]
    classified = table["method"].eq("classifier").eq(table["task"].isin(["STS-B", "SICK"]))
    means = table.query("statistic == 'weighted mean' and task == 'all'")
    subtasks = table[classified].query("statistic == 'correlation'")
    table = pd.concat([means, subtasks]).sort_index().set_index(["task", "subtask"])
    rows = table.query("name == @ensemble")
    pearson = tables.with_ends("pearson")
    page_table = rows.index.to_frame()
    page_table[tables.code(model)] = tables.intervals(100 * rows[pearson], pearson)
    for name in (*OF_PAPER, f"untrained {model}", "BOW-100d", "trigrams"):
        pearson_of_system = table.query("name == @name")["pearson"].reindex(rows.index)
        page_table[name] = decimals(100 * pearson_of_system)
    names = {"task": {"all": "STS 2012-2016"}, "subtask": {"all": "mean"}}
    return tables.markdown(page_table.replace(names), 2)


def values() -> dict[str, Any]:
    """Compare trainings of 4 and of 32 epochs with the paper and with each other."""
    long = tables.scores(LONG).droplevel("dataset")
    largest = long.loc[[SIZES[-1]]].mean()
    reported = paper()
    # The share of the smallest model's gain in 32 epochs that it has by epoch 4.
    recalls = tables.kept(f"{LONG}/history").pivot(
        index=["model", "seed"], columns="epoch", values="dev_recall"
    )
    start, fourth, last = recalls.loc[[SIZES[0]], [0, 4, 32]].mean().tolist()
    later: pd.Series = recalls[32] - recalls[4]

    def gain_of_512(cell: str) -> str:
        """Write the difference on SICK between sizes 512 and 256, with a t interval over seeds."""
        sick = long[tables.SICK]
        return tables.of_seeds(sick[f"{cell}-512-attention"] - sick[f"{cell}-256-attention"])

    return {
        "below": (reported - largest)[tables.REACHED[:2]].tolist(),
        "largest": largest[tables.REACHED].tolist(),
        "later": [tables.of_seeds(later.loc[model]) for model in SIZES[:2]],
        "share_of_recall": 100 * (fourth - start) / (last - start),
        "later_recall": 100 * (last / fourth - 1),
        "gru_on_sick": gain_of_512("gru"),
        "lstm_on_sick": gain_of_512("lstm"),
    }
