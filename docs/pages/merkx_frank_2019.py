"""docs/merkx-frank-2019.md: the grid of Merkx & Frank (2019), after 4 and after 32 epochs."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from docs.pages import tables
from groundvec.card.text import MISSING, decimals
from groundvec.evaluation.ranks import DIRECTIONS
from reproduction.papers.summary import summary
from reproduction.render.figures import curve_styles
from reproduction.render.style import PAGE, styled
from reproduction.reporting.systems import sorted_by

# The experiments of 4 and of 32 epochs.
FOUR = "flickr8k-seeds"
LONG = "flickr8k-epochs"
SIZES = [f"gru-{size}-attention" for size in (256, 512, 1024, 2048)]
CLAIMS = {  # the claims of config/flickr8k-epochs.yaml, by the selected model
    model: f"{LONG}/claims{end}"
    for model, end in zip(SIZES, ("", "-512", "-1024", "-2048"), strict=True)
}
TRAINED: dict[str, str] = tables.DECLARED["labels"][LONG]
REPORTED = ["char-GRU Flickr8k (reported)", "BOW (reported)", "InferSent (reported)"]


def paper() -> pd.Series:
    """Read the numbers that Merkx & Frank (2019) report, by the names of `tables.WITH_R1`."""
    names = {summary.STS: tables.STS, "STS-B": tables.STSB, "SICK-R": tables.SICK}
    return pd.Series(summary.reported("flickr8k")).rename(names)


def grid(experiment: str) -> str:
    """Write the scores of each model: mean, lowest and highest over its seeds."""
    table = tables.scores(experiment)
    order = table.groupby("model")[tables.STS].mean().sort_values(ascending=False).index
    page_table = table[tables.REACHED].apply(tables.mean_and_range, by="model").loc[order]
    page_table.insert(0, "seeds", table.groupby("model").size())
    page_table.insert(0, "model", tables.code(order))
    return tables.markdown(page_table, 2)


def table2() -> str:
    """Write the recalls and median ranks of the paper's Table 2, and the measured means."""
    reported = pd.read_csv(summary.REPORTED / "table2.csv").query("dataset == 'flickr8k'")
    measured = tables.kept(f"{LONG}/retrieval").query("direction in @DIRECTIONS")
    columns = {"r1": "R@1", "r5": "R@5", "r10": "R@10", "median_rank": "median rank"}
    both = pd.concat({"reported": reported, "measured": measured}, names=["source", None])
    means: Any = both.groupby(["source", "model", "direction"])[list(columns)].mean().unstack()
    means = means.sort_values(["source", ("r10", DIRECTIONS[0])], ascending=False)
    cells = {
        f"{summary.WAYS[direction]}: {label}": decimals(means[column, direction])
        for direction in DIRECTIONS
        for column, label in columns.items()
    }
    return tables.markdown(pd.DataFrame(cells, means.index).reset_index(), 2)


def claims(file: str) -> str:
    """Write the differences between models, over seeds, and the verdicts."""
    table = tables.comparisons(file)
    columns = ["measure", "better", "worse", "seeds", "verdict"]
    page_table = table[columns].assign(difference=tables.intervals(table, tables.DIFFERENCE))
    page_table.insert(0, "claim", tables.once(table["claim"]))
    return tables.markdown(page_table, 6)


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


def minutes(experiment: str) -> pd.Series:
    """Read the minutes of each training, by model and seed."""
    return tables.kept(f"{experiment}/history").groupby(["model", "seed"])["seconds"].max() / 60


def times() -> str:
    """Write the minutes of training of each model: mean, lowest and highest over seeds."""
    experiments = {"4 epochs": FOUR, "32 epochs": LONG}
    columns = {
        heading: tables.mean_and_range(minutes(experiment), "model", 0)
        for heading, experiment in experiments.items()
    }
    page_table = pd.DataFrame(columns).fillna(MISSING).loc[list(TRAINED)]
    page_table.insert(0, "minutes of training", tables.code(page_table.index))
    return tables.markdown(page_table, 1)


@styled
def curves() -> Figure:
    """Draw recall by epoch for each size of the GRU, and STS 2012-2016 for models of 2048."""
    history = tables.kept(f"{LONG}/history")
    rated = tables.kept(f"{LONG}/sts-2048").query("kind == 'snapshot'").astype({"epochs": int})
    drawn = {
        "development set R@10 (%)": history.pivot_table("dev_recall", "epoch", "model")[SIZES],
        "STS 2012-2016: Pearson \N{MULTIPLICATION SIGN} 100": 100
        * rated.pivot(index="epochs", columns="model", values="pearson"),
    }
    styles = curve_styles(str(model) for table in drawn.values() for model in table)
    figure = Figure(figsize=(PAGE, 2.6), layout="constrained")
    for axes, (name, table) in zip(figure.subplots(1, 2), drawn.items(), strict=True):
        for model, values in table.drop(index=0).items():
            axes.plot(values, label=model, markersize=3, **styles[str(model)])
        axes.set(xscale="log", xlabel="epoch (logarithmic)", ylabel=name)
        axes.set_xticks([1, 2, 4, 8, 16, 32], [1, 2, 4, 8, 16, 32])
        axes.minorticks_off()
        axes.legend()
    return figure


def selected() -> tuple[str, pd.DataFrame]:
    """Read the name of the selected ensemble of config/flickr8k-epochs.yaml, and Table S1."""
    table = tables.kept(f"{LONG}/table_s1")
    [name] = table.loc[table["kind"] == "ensemble", "name"].unique()
    return name, table


def subtasks() -> str:
    """Write the correlations of each subtask: measured with interval, reported, and baselines."""
    ensemble, table = selected()
    whole = table["statistic"].eq("weighted mean") & table["task"].eq("all")
    classified = table["task"].isin(["STS-B", "SICK"])
    single = table["statistic"].eq("correlation") & table["method"].eq("classifier").eq(classified)
    table = table[whole | single].set_index(["task", "subtask"])
    model = ensemble.split()[0]
    rows = table[table["name"] == ensemble]
    cell = (tables.code(model), [f"100 * {name}" for name in tables.with_ends("pearson")], 1)
    page_table = rows.index.to_frame().join(tables.cells(rows, cell))
    for name in (*REPORTED, f"untrained {model}", "BOW-100d", "trigrams"):
        page_table[name] = decimals(
            100 * table[table["name"] == name]["pearson"].reindex(rows.index)
        )
    names = {"task": {"all": "STS 2012-2016"}, "subtask": {"all": "mean"}}
    return tables.markdown(page_table.replace(names), 2)


def beside_senteval() -> str:
    """Write the largest differences from SentEval's own code."""
    table = tables.kept("evaluate/senteval")
    for measure in ("pearson", "spearman"):
        difference = table[measure] - table[f"senteval_{measure}"]
        table[measure.capitalize()] = difference.abs()
    table["prediction"] = table["definition"].str.removeprefix("SentEval ")
    groups = table.groupby("prediction", sort=False)
    page_table = groups[["Pearson", "Spearman"]].max().map("{:.0e}".format)
    page_table.insert(0, "scores", groups.size())
    return tables.markdown(page_table.reset_index(), 1)


def values() -> dict[str, Any]:
    """Compare trainings of 4 and of 32 epochs with the paper and with each other."""
    ensemble, rated = selected()
    long = tables.scores(LONG).droplevel("dataset")
    four = tables.scores(FOUR).droplevel("dataset")
    means = long.groupby("model").mean()
    reported = paper()
    claims = [tables.comparisons(file).set_index("claim") for file in CLAIMS.values()]
    falls = [table["difference"].filter(like="The semantic score falls") for table in claims[:3]]
    gains = [-fall.item() for fall in falls]
    larger = pd.concat([table.filter(like="larger embeddings", axis=0) for table in claims[1:3]])
    larger = larger[larger["better"].isin(SIZES)]
    cells = claims[3].filter(like="GRUs beat LSTMs", axis=0).query("measure == 'STS 12-16'")
    after_4 = [table.filter(like="The training task still gains", axis=0) for table in claims]
    # The paper prints the fall of its semantic score after the peak, in percent.
    last_score = reported[[tables.STS, tables.SICK]].mean()
    [printed] = pd.read_csv(summary.REPORTED / "section_4_3_4.csv").query(
        "dataset == 'flickr8k' and since == 'peak'"
    )["change"]
    peak_score = last_score / (1 + printed / 100)

    # The share of the smallest model's gain in 32 epochs that it has by epoch 4.
    recalls = tables.kept(f"{LONG}/history").pivot(
        index=["model", "seed"], columns="epoch", values="dev_recall"
    )
    later: pd.Series = recalls[32] - recalls[4]
    start, fourth, last = recalls.loc[[SIZES[0]], [0, 4, 32]].mean().tolist()
    rated = rated[rated["name"].eq(f"untrained {SIZES[0]}")].set_index(["task", "method"])
    rated = rated[rated["statistic"].isin(["weighted mean", "correlation"])]
    begin = 100 * rated["pearson"][[("all", "cosine"), ("SICK", "classifier")]].mean()
    semantic = [tables.STS, tables.SICK]
    early = four.loc[SIZES[0], semantic].to_numpy().mean()
    late = long.loc[SIZES[0], semantic].to_numpy().mean()

    def gain_of_512(cell: str, measures: list[str]) -> str:
        """Write the difference between sizes 512 and 256, with a t interval over seeds alone."""
        table = long[measures].mean(axis=1)
        return tables.of_seeds(table[f"{cell}-512-attention"] - table[f"{cell}-256-attention"])

    on_cpu = minutes(LONG).drop([SIZES[-1], "lstm-2048-attention"])
    of_epochs = tables.kept(f"{LONG}/sts-2048").query("model == @SIZES[-1] and kind == 'snapshot'")
    by_epoch = 100 * of_epochs.set_index(of_epochs["epochs"].astype(int))["pearson"]
    wins = tables.kept(f"{LONG}/section_4_3")
    wins = wins[wins["a"] == ensemble].set_index("b")[["a_interval", "b_interval"]]
    as_paper, bag, infersent = wins.loc[REPORTED].to_numpy().tolist()
    table = pd.read_csv(summary.REPORTED / "table2.csv").query("dataset == 'flickr8k'")
    wehrmann = table[table["model"].str.startswith("Wehrmann")].set_index("direction")
    return {
        "sick": [reported[tables.SICK] - means.loc[model, tables.SICK] for model in SIZES],
        "below": (reported - means.loc[SIZES[-1]])[tables.REACHED[:2]].tolist(),
        "largest": list(means.loc[SIZES[-1], tables.REACHED[:2]]),
        "selected": list(means.loc[SIZES[-1], [tables.STS, tables.STSB, tables.SICK]]),
        "rated": by_epoch.to_dict(),
        "gains": gains,
        "larger": tables.intervals(larger, tables.DIFFERENCE).tolist(),
        "gru_over_lstm": tables.intervals(cells, tables.DIFFERENCE).item(),
        "after_4": [tables.intervals(table, tables.DIFFERENCE).item() for table in after_4],
        "peak_epoch": by_epoch.idxmax(),
        "paper_score": [last_score, peak_score, peak_score - last_score],
        "paper_fall": -printed,
        "later": [tables.of_seeds(later.loc[model]) for model in SIZES[:2]],
        "share_of_recall": 100 * (fourth - start) / (last - start),
        "share_of_score": 100 * (early - begin) / (late - begin),
        "later_recall": 100 * (last / fourth - 1),
        "later_score": 100 * gains[0] / early,
        "gru_in_retrieval": gain_of_512("gru", tables.REACHED[:2]),
        "gru_on_sick": gain_of_512("gru", [tables.SICK]),
        "lstm_on_sick": gain_of_512("lstm", [tables.SICK]),
        "as_paper": 26 - sum(as_paper),
        "as_infersent": 26 - sum(infersent),
        "beside_infersent": infersent,
        "beside_bag": bag,
        "wehrmann": wehrmann.loc[list(DIRECTIONS), ["r10", "r10_ci"]].to_numpy().ravel(),
        "minutes_of_4": minutes(FOUR).sum(),
        "trainings": len(on_cpu),
        "hours": on_cpu.sum() / 60,
        # Random embeddings, or zeros, for the characters that no caption has.
        "printable": tables.rated("printable"),
        "zeros": tables.rated("gru-256"),
    }


FILES = {"images/flickr8k-epochs-2048.svg": lambda: tables.svg(curves())}
