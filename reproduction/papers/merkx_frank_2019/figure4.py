"""Figure 4 of Merkx & Frank (2019): the training task and the semantic score during training."""

from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from groundvec.results.schemas import Retrieval
from reproduction.papers.merkx_frank_2019.reported import STS, scores_of_network
from reproduction.render.figures import CORRELATION, curve_styles
from reproduction.render.style import PAGE, save, styled
from reproduction.reporting.measures import RECALL, SEMANTIC, WAYS, as_values, recall
from reproduction.reporting.results import Results
from reproduction.reporting.systems import NAMES, check_scored, in_order
from reproduction.schemas import Measures, Models

LABELS = {RECALL: "test set R@10 (%)", SEMANTIC: CORRELATION}


def make(results: Results, stem: Path) -> None:
    """Draw Figure 4; without scores, draw R@10 only."""
    table = by_epoch(results.retrieval, results.measures)
    reported = reported_scores(results.models)
    save(scores_by_epoch(table, results.models, results.selected, reported), stem)


def by_epoch(retrieval: Retrieval, measures: Measures | None) -> pd.DataFrame:
    """Select R@10 on the test set and, with measures, the semantic score of every snapshot."""
    tables = [as_values(recall(retrieval, "test"))]
    if measures is not None:
        check_scored(tables[0], measures)
        tables.append(as_values(measures.query(f"measure == {SEMANTIC!r}")))
    table = pd.concat(tables)
    table = table.query("kind == 'snapshot'").rename(columns={"epochs": "epoch"})
    columns = ["dataset", "model", "seed", "epoch", "measure", "value"]
    return table.astype({"epoch": int, "seed": int})[columns].reset_index(drop=True)


def reported_scores(models: Models) -> pd.DataFrame:
    """Average the scores of the paper's network as `by_epoch` does."""
    names = dict.fromkeys([f"R@10, {way}" for way in WAYS.values()], RECALL)
    names |= dict.fromkeys([STS, "SICK-R"], SEMANTIC)
    table = scores_of_network(models)
    table["measure"] = table["measure"].map(names)
    return table.groupby(["dataset", "measure"])["value"].mean().reset_index()


@styled
def scores_by_epoch(
    table: pd.DataFrame,
    models: Models,
    selected: dict[str, tuple[str, int]],
    reported: pd.DataFrame,
) -> Figure:
    """Draw R@10 on the test set, mean of both directions, above the semantic score.

    Each network has a column with the curves of its models, means over the seeds; the selected
    model's is bold. Dashed lines are the paper's numbers.
    """
    datasets = list(table["dataset"].unique())
    measures = list(table["measure"].unique())
    table = in_order(table, models).merge(models[["dataset", "model", "seed", "network"]])
    # Untrained models score so low that the other curves would overlap.
    table = table.query("epoch > 0")
    keys = ["dataset", "network", "measure", "model", "epoch"]
    means = table.groupby(keys, sort=False)["value"].mean().reset_index().sort_values("epoch")
    longest_legend = table.groupby(["dataset", "network"])["model"].nunique().max()
    height = 0.8 + 1.6 * len(measures) + 0.14 * longest_legend
    figure = Figure((PAGE, height * len(datasets)), layout="constrained")
    parts = figure.subfigures(len(datasets), 1, squeeze=False)[:, 0]
    for dataset, part in zip(datasets, parts, strict=True):
        part.suptitle(NAMES.get(dataset, dataset), x=0.01, ha="left", weight="bold")
        trainings = table.query("dataset == @dataset")
        names = trainings.groupby("network", sort=False)["model"].unique()
        size = (len(measures), len(names))
        grid = part.subplots(*size, squeeze=False, sharex=True, sharey="row")
        for measure, panels in zip(measures, grid, strict=True):
            panels[0].set_ylabel(f"{measure}\n{LABELS[measure]}")
            rows = means.query("dataset == @dataset and measure == @measure")
            printed = reported.query("dataset == @dataset and measure == @measure")
            for panel, models_of_network in zip(panels, names, strict=True):
                for model, style in curve_styles(models_of_network).items():
                    points = rows.query("model == @model")
                    width = 2 if model == selected[dataset][0] else 0.9
                    panel.plot(
                        points["epoch"],
                        points["value"],
                        label=model,
                        linewidth=width,
                        markersize=3,
                        **style,
                    )
                for value in printed["value"]:
                    panel.axhline(value, color="0.3", linestyle="--", linewidth=0.8, zorder=1)
            for value in printed["value"]:
                where = panels[-1].get_yaxis_transform()
                panels[-1].text(1.02, value, f"paper\n{value:.1f}", va="center", transform=where)
        for panel, network in zip(grid[0], names.index, strict=True):
            panel.set_title(network, loc="left")
        for panel in grid[-1]:
            panel.set_xscale("log", base=2)
            panel.xaxis.set_major_formatter("{x:.0f}")
            panel.set_xlabel("epoch (logarithmic)")
            panel.legend(loc="upper left", bbox_to_anchor=(-0.1, -0.3), fontsize=6.5)
    return figure
