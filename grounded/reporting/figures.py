"""Figures 2 and 4 of Merkx & Frank (2019), as far as they show retrieval."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from grounded.models.cell import Cell
from grounded.reporting.results import development_recall, grid_order
from grounded.reporting.style import (
    BLUE,
    COLUMN,
    GREEN,
    ORANGE,
    PAGE,
    PURPLE,
    SKY,
    VERMILLION,
    styled,
)
from grounded.reporting.tables import NAMES

RNNS = {"gru": ("GRU", BLUE, "o", BLUE), "lstm": ("LSTM", VERMILLION, "s", "white")}
SIZES = [(BLUE, "o"), (VERMILLION, "s"), (GREEN, "^"), (PURPLE, "D"), (ORANGE, "v"), (SKY, "P")]


def _panels(datasets: list[str], height: float) -> tuple[Figure, dict[str, Axes]]:
    """One panel a data set, two beside each other."""
    columns = min(len(datasets), 2)
    rows = -(-len(datasets) // columns)
    figure = Figure((COLUMN if columns == 1 else PAGE, rows * height), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.06, h_pad=0.06)  # inches
    axes = list(figure.subplots(rows, columns, squeeze=False).flat)
    for unused in axes[len(datasets) :]:
        unused.remove()
    panels = dict(zip(datasets, axes, strict=False))
    for dataset, panel in panels.items():
        panel.set_title(NAMES.get(dataset, dataset), loc="left")
        panel.set_ylabel("R@10, development set (%)")
    return figure, panels


@styled
def recall_by_size(measured: pd.DataFrame) -> Figure:
    """Figure 2: R@10 on the development set by embedding size, GRU beside LSTM.

    The mean of both directions, for each seed's ensemble, with its 95% interval: see
    `results.development_recall`.
    """
    recall = development_recall(measured)
    recall = recall[recall["model"] == "ensemble"]
    figure, panels = _panels(list(recall["dataset"].unique()), 2.3)
    for dataset, panel in panels.items():
        rows = recall[recall["dataset"] == dataset]
        cells = [Cell.parse(name) for name in rows["cell"]]
        places = sorted({(cell.pooling, cell.size) for cell in cells})
        seeds = sorted(rows["seed"].unique())
        step = min(0.08, 0.3 / len(seeds))
        shift = {seed: step * (i - (len(seeds) - 1) / 2) for i, seed in enumerate(seeds)}
        rnns = sorted({cell.rnn for cell in cells})
        for rnn in rnns:
            label, colour, marker, face = RNNS[rnn]
            side = 0.4 * (rnns.index(rnn) - (len(rnns) - 1) / 2)
            chosen = [cell.rnn == rnn for cell in cells]
            panel.errorbar(
                x=[
                    places.index((cell.pooling, cell.size)) + side + shift[seed]
                    for cell, seed in zip(cells, rows["seed"], strict=True)
                    if cell.rnn == rnn
                ],
                y=rows["r10"][chosen],
                yerr=rows["r10_ci"][chosen],
                fmt=marker,
                color=colour,
                markerfacecolor=face,
                capsize=2,
                label=label,
            )
        names = [f"{size}" if pool == "attention" else f"max\n({size})" for pool, size in places]
        panel.set_xticks(range(len(places)), names)
        panel.set_xlim(-0.5, len(places) - 0.5)
        panel.grid(axis="x", visible=False)
        panel.set_xlabel("embedding size")
        panel.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, borderaxespad=0.2)
    return figure


@styled
def recall_by_epoch(histories: pd.DataFrame, selected: dict[str, tuple[str, int]]) -> Figure:
    """Figure 4: R@10 on the development set during training, epoch 0 being the untrained model.

    The mean of both directions, and of the seeds.

    Args:
        histories: as `results.read_histories` gives them.
        selected: the cell and seed of each data set whose cell is drawn bold.
    """
    figure, panels = _panels(list(histories["dataset"].unique()), 3.2)
    for dataset, panel in panels.items():
        rows = histories[histories["dataset"] == dataset]
        _curves(panel, rows, "dev_recall", selected[dataset][0])
        _epoch_axis(panel, rows["epoch"].max())
        panel.set_ylim(bottom=0)
        panel.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2)
    return figure


def _curves(panel: Axes, rows: pd.DataFrame, measure: str, bold: str) -> None:
    """One curve a cell: colour and marker tell the size and pooling, the line the RNN."""
    cells = sorted(rows["cell"].unique(), key=grid_order)
    shapes = sorted({(Cell.parse(name).pooling, Cell.parse(name).size) for name in cells})
    for name in cells:
        cell = Cell.parse(name)
        colour, marker = SIZES[shapes.index((cell.pooling, cell.size)) % len(SIZES)]
        curve = rows[rows["cell"] == name].groupby("epoch")[measure].mean()
        panel.plot(
            curve,
            color=colour,
            marker=marker,
            markevery=[i for i, epoch in enumerate(curve.index) if epoch & (epoch - 1) == 0],
            markerfacecolor="white" if cell.rnn == "lstm" else colour,
            linestyle="--" if cell.rnn == "lstm" else "-",
            linewidth=2 if name == bold else 0.7,
            zorder=3 if name == bold else 2,
            label=f"{name} (selected)" if name == bold else name,
        )


def _epoch_axis(panel: Axes, last: int) -> None:
    """A log scale from epoch 1, and epoch 0 left of it behind a break in the axis."""
    # Linear from 0 to 1, and that as wide as a doubling.
    panel.set_xscale("symlog", base=2, linthresh=1, linscale=0.5)
    panel.xaxis.set_major_locator(FixedLocator([0, *(2**k for k in range(20) if 2**k <= last)]))
    panel.xaxis.set_major_formatter(FuncFormatter(lambda epoch, _: f"{epoch:.0f}"))
    panel.xaxis.set_minor_locator(NullLocator())
    panel.set_xlabel("epoch (logarithmic; 0 is untrained)")
    panel.text(
        *(0.5, 0, "//"),
        transform=panel.get_xaxis_transform(),
        ha="center",
        va="center",
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5},
    )
