"""Colors, styles of curves, and learning curves, which several figures share."""

from collections.abc import Iterable
from itertools import cycle
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from groundvec.results.schemas import History
from reproduction.render.style import BLUE, GREEN, ORANGE, PAGE, PURPLE, SKY, VERMILLION, styled
from reproduction.reporting.systems import NAMES

COLORS = [BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY]
MARKERS = ["o", "s", "^", "D", "v", "P"]
CORRELATION = "Pearson's r \N{MULTIPLICATION SIGN} 100"
RECALL = "dev. set, mean of R@10 (%)"
HIGHEST = 8.0  # of a figure's rows, in inches: a page of a paper is not much longer
# Panels of learning curves: column and label of the y axis, then column and label of the x axis.
PANELS = [
    ("loss", "loss / that of the first epoch", "epoch", "epoch"),
    ("dev_recall", RECALL, "epoch", "epoch"),
    ("dev_recall", RECALL, "minutes", "minutes of training"),
]


def curve_styles(names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Choose a color for each name's curve, and a marker that its neighbors do not have."""
    names = list(dict.fromkeys(names))
    colors: Iterable[Any] = COLORS
    if len(names) > len(COLORS):
        colors = colormaps["turbo"](np.linspace(0.04, 0.96, len(names)))
    return {
        name: {"color": color, "marker": marker}
        for name, color, marker in zip(names, colors, cycle(MARKERS), strict=False)
    }


@styled
def learning_curves(history: History) -> Figure:
    """Draw loss and recall by epoch, and recall by time, as means over the seeds of a model.

    Each data set has a row of panels. Losses are divided by the loss of the first epoch, because
    models may have different objectives.
    """
    keys = ["dataset", "model", "epoch"]
    first = history.groupby(["dataset", "model", "seed"])["loss"].transform("first")
    table = history.assign(minutes=history["seconds"] / 60, loss=history["loss"] / first)
    means = table.groupby(keys, sort=False)[["loss", "dev_recall", "minutes"]].mean().reset_index()
    datasets = list(means.groupby("dataset", sort=False))
    looks = curve_styles(means["model"])
    height = 2.4 * len(datasets) + 0.1 + 0.16 * -(-len(looks) // 4)
    figure = Figure((PAGE, height), layout="constrained")
    rows = figure.subplots(len(datasets), len(PANELS), squeeze=False)
    lines: dict[str, Artist] = {}
    for (dataset, of_dataset), row in zip(datasets, rows, strict=True):
        if len(datasets) > 1:
            row[0].set_title(NAMES.get(str(dataset), dataset), loc="left")
        for panel, (column, label, by, below) in zip(row, PANELS, strict=True):
            for model, points in of_dataset.dropna(subset=column).groupby("model", sort=False):
                name = str(model)
                [lines[name]] = panel.plot(points[by], points[column], label=name, **looks[name])
            panel.set_xlabel(below)
            panel.set_ylabel(label)
            panel.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    figure.legend(list(lines.values()), list(lines), loc="outside lower center", ncols=4)
    return figure


@styled
def forest(table: pd.DataFrame, title: str) -> Figure:
    """Draw rows of values, with one marker and its interval for each series.

    Args:
        table: the columns row, panel (if missing, the value is not drawn), series, value, low,
            high, and open: whether the marker is hollow.
        title: the title of all x axes.
    """
    rows = list(table["row"].unique())
    panels = list(table["panel"].dropna().unique())
    styles = curve_styles(table["series"])
    height = min(0.13 * len(rows) * (len(styles) + 1), HIGHEST)
    figure = Figure((PAGE, 0.9 + height), layout="constrained")
    axes = figure.subplots(1, len(panels) or 1, sharey=True, squeeze=False)[0]
    for axis, panel in zip(axes, panels, strict=False):
        for number, (series, style) in enumerate(styles.items()):
            # Series of a row are below each other.
            offset = (number - (len(styles) - 1) / 2) / (len(styles) + 1)
            chosen = table[table["panel"].eq(panel) & table["series"].eq(series)]
            for is_open, drawn in chosen.groupby("open"):
                axis.errorbar(
                    x=drawn["value"],
                    y=drawn["row"].map(rows.index) + offset,
                    xerr=[drawn["value"] - drawn["low"], drawn["high"] - drawn["value"]],
                    **style,
                    linestyle="none",
                    fillstyle="none" if is_open else "full",
                    markersize=3,
                    elinewidth=0.8,
                )
        axis.axvline(0, color="0.4", linewidth=0.8)
        axis.set_title(panel)
        axis.grid(axis="y", visible=False)
    axes[0].set_yticks(range(len(rows)), rows)
    axes[0].set_ylim(len(rows) - 0.5, -0.5)
    figure.supxlabel(title, fontsize=8)
    handles = [
        axes[0].errorbar([], [], [], **style, linestyle="none", label=series)
        for series, style in styles.items()
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=3)
    return figure
