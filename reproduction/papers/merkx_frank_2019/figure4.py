"""Figure 4 of Merkx & Frank (2019): the training task and the semantic score during training."""

from collections.abc import Iterable
from pathlib import Path
from textwrap import fill

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

from groundvec.evaluation.ranks import DIRECTIONS
from groundvec.results.frames import read_csv
from groundvec.results.schemas import Retrieval
from reproduction.render.figures import CORRELATION, curve_styles
from reproduction.render.style import COLUMN, PAGE, save, styled
from reproduction.reporting.measures import RECALL, SEMANTIC, as_values, recall, semantic_measures
from reproduction.reporting.results import Results, shape_of
from reproduction.reporting.systems import NAMES, check_scored, dataset_of, in_order
from reproduction.schemas import Measures, Models

GRAY = "0.7"  # the color of the selected model in the columns of other networks
COLUMNS = 4  # panels side by side
WIDEST = 22  # characters of a name in a line of the legend, which is as narrow as a panel
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

    Each network has a column with the curves of its models, means over the seeds. The selected
    model is bold in its own column, and gray behind the curves of the others. A curve is dotted
    over snapshots without a score. The scores of untrained models (epoch 0) are printed and not
    drawn, because they are so low that the other curves would overlap. Dashed lines are the paper's
    numbers.
    """
    datasets = list(table["dataset"].unique())
    measures = list(table["measure"].unique())
    table = in_order(table, models).merge(models[["dataset", "model", "seed", "network"]])
    networks = {name: list(rows["network"].unique()) for name, rows in table.groupby("dataset")}
    # Lines of panels: one for a single network, else some for each measure.
    lines = {
        name: 1 if len(columns) == 1 else len(measures) * -(-len(columns) // COLUMNS)
        for name, columns in networks.items()
    }
    models_of_network = table.groupby(["dataset", "network"])["model"].nunique()
    longest_legend = models_of_network.groupby("dataset").max()
    heights = [1.7 * lines[name] + 0.6 + 0.13 * (longest_legend[name] + 1) for name in datasets]
    one_panel = len(measures) == 1 and max(map(len, networks.values())) == 1
    figure = Figure((COLUMN if one_panel else PAGE, sum(heights)), layout="constrained")
    parts = figure.subfigures(len(datasets), 1, squeeze=False, height_ratios=heights)[:, 0]
    for part, dataset in zip(parts, datasets, strict=True):
        rows = table[table["dataset"] == dataset]
        part.suptitle(NAMES.get(dataset, dataset), x=0.01, ha="left", weight="bold")
        axes = _panels(part, networks[dataset], measures, lines[dataset])
        # Every kept snapshot of each model, so that those without a score are visible.
        snapshots = rows[["network", "model", "epoch"]].drop_duplicates()
        for (network, measure), panel in axes.items():
            values = rows[rows["measure"] == measure].groupby(["model", "epoch"])["value"]
            means = snapshots.merge(values.mean().reset_index(), "left").sort_values("epoch")
            models_of_column = dict.fromkeys(rows.loc[rows["network"] == network, "model"])
            _curves(panel, means, list(models_of_column), selected[dataset][0])
            _epoch_axis(panel, rows["epoch"].max())
            of_panel = reported["dataset"].eq(dataset) & reported["measure"].eq(measure)
            for value in reported["value"][of_panel]:
                panel.axhline(value, color="0.3", linestyle="--", linewidth=0.8, zorder=1)
                if network == networks[dataset][-1]:
                    panel.annotate(
                        f"paper\n{value:.1f}",
                        (1, value),
                        (3, 0),
                        xycoords=panel.get_yaxis_transform(),
                        textcoords="offset points",
                        va="center",
                        color="0.3",
                    )
        for network in networks[dataset]:
            panel = axes[network, measures[0 if lines[dataset] == 1 else -1]]
            panel.legend(
                loc="upper left", bbox_to_anchor=(-0.1, -0.3), fontsize=6.5, handlelength=1.5
            )
    return figure


def _panels(
    part: SubFigure, networks: list[str], measures: list[str], lines: int
) -> dict[tuple[str, str], Axes]:
    """Make a panel for each network and measure; panels of one measure share their y axis."""
    alone = len(networks) == 1
    columns = len(measures) if alone else min(len(networks), COLUMNS)
    grid = part.subplots(lines, columns, squeeze=False).reshape(len(measures), -1)
    panels = {}
    for row, measure in zip(grid, measures, strict=True):
        for unused in row[len(networks) :]:
            unused.remove()
        for place, (panel, network) in enumerate(zip(row, networks, strict=False)):
            panels[network, measure] = panel
            if place:
                panel.sharey(row[0])
            if place % columns == 0:
                panel.set_ylabel(f"{measure}\n{LABELS[measure]}")
            else:
                panel.tick_params(labelleft=False)
            panel.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
            if alone or measure == measures[0]:
                panel.set_title(network, loc="left")
            if alone or measure == measures[-1]:
                panel.set_xlabel("epoch (logarithmic)")
    return panels


def _curves(panel: Axes, means: pd.DataFrame, models: list[str], bold: str) -> None:
    """Draw the curves of one network's models, and the curve of the selected model."""
    of_model = {name: rows.set_index("epoch")["value"] for name, rows in means.groupby("model")}
    for model, style in curve_styles(models).items():
        values = of_model[model].drop(0, errors="ignore")
        width, order = (2, 4) if model == bold else (0.9, 3)
        panel.plot(
            values.index,
            values,
            linewidth=width,
            markersize=3,
            zorder=order,
            label=fill(model, WIDEST),
            **style,
        )
        scored = values.dropna()
        if len(scored) < len(values):
            panel.plot(scored, color=style["color"], linestyle=":", linewidth=0.8, zorder=2)
    if bold not in models:
        best = of_model[bold].drop(0, errors="ignore").dropna()
        panel.plot(best, color=GRAY, linewidth=2, zorder=1, label="selected model")
    untrained = means[means["model"].isin(models) & means["epoch"].eq(0)]["value"].dropna()
    if len(untrained):
        ends = dict.fromkeys(f"{value:.1f}" for value in (untrained.min(), untrained.max()))
        font = {"ha": "right", "va": "bottom", "color": "0.3", "fontsize": 6.5}
        text = f"untrained: {' to '.join(ends)}"
        panel.text(0.98, 0.02, text, font, transform=panel.transAxes)


def _epoch_axis(panel: Axes, last: int) -> None:
    """Set a log scale from epoch 1, with ticks at doublings and at the last epoch.

    Leave out a doubling that is so close to the last epoch that the numbers would touch.
    """
    ticks = sorted({*(2**k for k in range(20) if 1.4 * 2**k < last), last} - {0})
    panel.set_xscale("log", base=2)
    panel.xaxis.set_major_locator(FixedLocator(ticks))
    panel.xaxis.set_major_formatter(FuncFormatter(lambda epoch, _: f"{epoch:.0f}"))
    panel.xaxis.set_minor_locator(NullLocator())
