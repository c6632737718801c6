"""Figure 4 of Merkx & Frank (2019): the training task and the semantic score during training."""

from collections.abc import Iterable
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from groundvec.evaluation.ranks import DIRECTIONS
from groundvec.results.frames import read_csv
from groundvec.results.schemas import Retrieval
from reproduction.render.figures import CORRELATION, curve_styles
from reproduction.render.style import PAGE, save, styled
from reproduction.reporting.measures import RECALL, SEMANTIC, as_values, recall, semantic_measures
from reproduction.reporting.results import Results, shape_of
from reproduction.reporting.systems import NAMES, check_scored, dataset_of, in_order
from reproduction.schemas import Measures, Models

LABELS = {RECALL: "test set R@10 (%)", SEMANTIC: CORRELATION}


def make(results: Results, stem: Path) -> None:
    """Draw Figure 4; without scores, draw R@10 only."""
    table = by_epoch(results.retrieval, results.measures)
    tables = results.given.get("tables") or []
    printed = [path for path in tables if path.stem in ("table2", "table_s1")]
    reported = read_reported(printed, results.models)
    save(scores_by_epoch(table, results.models, results.selected, reported), stem)


def by_epoch(retrieval: Retrieval, measures: Measures | None) -> pd.DataFrame:
    """Select R@10 on the test set and, with measures, the semantic score of every snapshot."""
    tables = [as_values(recall(retrieval, "test"))]
    if measures is not None:
        check_scored(tables[0], measures)
        tables.append(as_values(measures[measures["measure"] == SEMANTIC]))
    table = pd.concat(tables)
    table = table[table["kind"] == "snapshot"].rename(columns={"epochs": "epoch"})
    columns = ["dataset", "model", "seed", "epoch", "measure", "value"]
    return table.astype({"epoch": int, "seed": int})[columns].reset_index(drop=True)


def read_reported(tables: Iterable[str | Path], models: Models) -> pd.DataFrame:
    """Read the paper's numbers for its char-GRU from the CSV files of Tables 2 and S1."""
    parts = [pd.DataFrame(columns=["dataset", "measure", "value"])]
    for path in map(Path, tables):
        table = read_csv(path)
        with shape_of(path):
            printed = table[table["source"] == "reported"]
            if "statistic" in printed:  # Table S1
                datasets = {
                    f"char-GRU {name}": dataset_of(models, source) for source, name in NAMES.items()
                }
                printed = printed.assign(dataset=printed["system"].map(datasets))
                measures = as_values(semantic_measures(printed.dropna(subset="dataset")))
                parts.append(measures[measures["measure"] == SEMANTIC])
            else:
                folds = printed["test_set"].astype(str).str.endswith("-folds")
                printed = printed[printed["model"].eq("char-GRU") & ~folds]
                value = printed[[f"{direction}_r10" for direction in DIRECTIONS]].mean(axis=1)
                parts.append(printed.assign(measure=RECALL, value=value))
    return pd.concat(parts)[parts[0].columns].reset_index(drop=True)


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
    table = table[table["epoch"] > 0]
    keys = ["dataset", "network", "measure", "model", "epoch"]
    means = table.groupby(keys, sort=False)["value"].mean().reset_index().sort_values("epoch")
    longest_legend = table.groupby(["dataset", "network"])["model"].nunique().max()
    height = 0.8 + 1.6 * len(measures) + 0.14 * longest_legend
    figure = Figure((PAGE, height * len(datasets)), layout="constrained")
    parts = figure.subfigures(len(datasets), 1, squeeze=False)[:, 0]
    for dataset, part in zip(datasets, parts, strict=True):
        part.suptitle(NAMES.get(dataset, dataset), x=0.01, ha="left", weight="bold")
        trainings = table[table["dataset"] == dataset]
        names = trainings.groupby("network", sort=False)["model"].unique()
        size = (len(measures), len(names))
        grid = part.subplots(*size, squeeze=False, sharex=True, sharey="row")
        for measure, panels in zip(measures, grid, strict=True):
            panels[0].set_ylabel(f"{measure}\n{LABELS[measure]}")
            rows = means[means["dataset"].eq(dataset) & means["measure"].eq(measure)]
            printed = reported[reported["dataset"].eq(dataset) & reported["measure"].eq(measure)]
            for panel, models_of_network in zip(panels, names, strict=True):
                for model, style in curve_styles(models_of_network).items():
                    points = rows[rows["model"] == model]
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
