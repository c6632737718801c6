"""Figures 2 and 4 of Merkx & Frank (2019): the training task beside the semantic measures."""

from collections.abc import Iterator

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

from groundvec.errors import InputError
from groundvec.models.cell import Cell
from groundvec.reporting.results import (
    NAMES,
    development_recall,
    grid_order,
    selected,
    semantic_measures,
)
from groundvec.reporting.style import (
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

RNNS = {"gru": ("GRU", BLUE, "o", BLUE), "lstm": ("LSTM", VERMILLION, "s", "white")}
COLOURS = [(BLUE, "o"), (VERMILLION, "s"), (GREEN, "^"), (PURPLE, "D"), (ORANGE, "v"), (SKY, "P")]
RECALL = "training task"
SEMANTIC = "semantic score"
UNITS = {RECALL: "dev. set R@10 (%)"}
CORRELATION = "Pearson's r \N{MULTIPLICATION SIGN} 100"


def _panels(
    datasets: list[str], measures: list[str], height: float
) -> Iterator[tuple[str, SubFigure, dict[str, Axes]]]:
    """A row of panels for each data set, one for each measure."""
    width = COLUMN if len(measures) == 1 else PAGE
    figure = Figure((width, len(datasets) * height), layout="constrained")
    rows = figure.subfigures(len(datasets), 1, squeeze=False)[:, 0]
    for dataset, row in zip(datasets, rows, strict=True):
        row.suptitle(NAMES.get(dataset, dataset), x=0.01, ha="left", weight="bold")
        panels = dict(zip(measures, row.subplots(1, len(measures), squeeze=False)[0], strict=True))
        for measure, panel in panels.items():
            panel.set_title(measure, loc="left")
            panel.set_ylabel(UNITS.get(measure, CORRELATION))
            panel.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
        yield dataset, row, panels


@styled
def scores_by_size(retrieval: pd.DataFrame, scores: pd.DataFrame | None) -> Figure:
    """Figure 2: semantic measures and R@10 by embedding size, GRU beside LSTM.

    Each seed's ensemble, with its 95% interval. R@10 is `results.development_recall`, the
    semantic measures are `results.semantic_measures`.

    Args:
        retrieval, scores: as `results.read_retrieval` and `results.read_scores` give them;
            without scores, R@10 only.
    """
    recall = development_recall(retrieval).assign(
        measure=RECALL,
        value=lambda rows: rows["r10"],
        low=lambda rows: rows["r10"] - rows["r10_ci"],
        high=lambda rows: rows["r10"] + rows["r10_ci"],
    )
    table = recall if scores is None else pd.concat([_semantic(scores, recall), recall])
    table = table[(table["model"] == "ensemble") & (table["measure"] != SEMANTIC)]
    datasets, measures = (list(dict.fromkeys(c)) for c in (recall["dataset"], table["measure"]))
    for dataset, row, panels in _panels(datasets, measures, 2.2):
        rows = table[table["dataset"] == dataset]
        cells = sorted({Cell.parse(name) for name in rows["cell"]})
        rnns = list(dict.fromkeys(cell.rnn for cell in cells))
        places = sorted({(cell.pooling, cell.size) for cell in cells})
        seeds = sorted(rows["seed"].unique())
        for measure, panel in panels.items():
            _by_size(panel, rows[rows["measure"] == measure], rnns, places, seeds)
        row.legend(*panel.get_legend_handles_labels(), loc="upper right", ncols=2)
    return row.figure


def _semantic(scores: pd.DataFrame, models: pd.DataFrame) -> pd.DataFrame:
    """The semantic measures of trained models in `percent`; InputError if one of `models` lacks."""
    table = percent(semantic_measures(scores[scores["model"] != "baseline"]))
    there = set(table["system"])
    for model in models[["dataset", "cell", "seed"]].drop_duplicates().itertuples():
        system = f"{model.dataset}/{model.cell}/seed{model.seed}"
        if system not in there:
            raise InputError(f"there are no semantic scores of {system}: give its file too")
    return table


def percent(correlations: pd.DataFrame) -> pd.DataFrame:
    """Add columns value, low and high: Pearson's r times 100, and its interval's ends."""
    names = {"value": "pearson", "low": "pearson_low", "high": "pearson_high"}
    return correlations.assign(**{new: 100 * correlations[old] for new, old in names.items()})


def _by_size(
    panel: Axes,
    rows: pd.DataFrame,
    rnns: list[str],
    places: list[tuple[str, int]],
    seeds: list[int],
) -> None:
    """One measure of one data set: its value, low and high at each (pooling, size) of `places`."""
    step = min(0.08, 0.3 / len(seeds))
    shift = {seed: step * (i - (len(seeds) - 1) / 2) for i, seed in enumerate(seeds)}
    cells = [Cell.parse(name) for name in rows["cell"]]
    for rnn in rnns:
        label, colour, marker, face = RNNS[rnn]
        side = 0.4 * (rnns.index(rnn) - (len(rnns) - 1) / 2)
        chosen = rows[[cell.rnn == rnn for cell in cells]]
        panel.errorbar(
            x=[
                places.index((cell.pooling, cell.size)) + side + shift[seed]
                for cell, seed in zip(map(Cell.parse, chosen["cell"]), chosen["seed"], strict=True)
            ],
            y=chosen["value"],
            yerr=[chosen["value"] - chosen["low"], chosen["high"] - chosen["value"]],
            fmt=marker,
            color=colour,
            markerfacecolor=face,
            capsize=2,
            label=label,
        )
    names = [f"{size}" if pooling == "attention" else f"max\n({size})" for pooling, size in places]
    panel.set_xticks(range(len(places)), names)
    panel.set_xlim(-0.5, len(places) - 0.5)
    panel.grid(axis="x", visible=False)
    panel.set_xlabel("embedding size")


@styled
def scores_by_epoch(
    histories: pd.DataFrame, scores: pd.DataFrame | None, retrieval: pd.DataFrame
) -> Figure:
    """Figure 4: R@10 on the development set and the semantic score during training.

    Epoch 0 is the untrained model. R@10 is the mean of both directions; both are means of the
    seeds. The cell that the development set selects is drawn bold. Markers are kept snapshots:
    those with retrieval or semantic scores.

    Args:
        histories, scores, retrieval: as `results.read_histories`, `results.read_scores` and
            `results.read_retrieval` give them; without scores, R@10 only.
    """
    best = selected(retrieval)
    snapshots = pd.concat([retrieval, scores])
    snapshots = snapshots[snapshots["model"] == "snapshot"].astype({"epochs": int})
    table = histories.rename(columns={"dev_recall": "value"}).assign(measure=RECALL)
    if scores is not None:
        semantic = _semantic(scores, histories)
        semantic = semantic[(semantic["measure"] == SEMANTIC) & (semantic["model"] == "snapshot")]
        table = pd.concat([table, semantic.assign(epoch=semantic["epochs"].astype(int))])
    datasets, measures = (list(table[column].unique()) for column in ("dataset", "measure"))
    for dataset, row, panels in _panels(datasets, measures, 3.2):
        rows = table[table["dataset"] == dataset]
        kept = set(snapshots.loc[snapshots["dataset"] == dataset, "epochs"])
        for measure, panel in panels.items():
            _curves(panel, rows[rows["measure"] == measure], best[dataset][0], kept)
            _epoch_axis(panel, rows["epoch"].max())
        panels[RECALL].set_ylim(0, 1.08 * rows.loc[rows["measure"] == RECALL, "value"].max())
        row.legend(
            *panel.get_legend_handles_labels(),
            loc="outside lower center",
            ncols=2 * len(panels),
            title="markers: kept snapshots",
        )
    return row.figure


def _curves(panel: Axes, rows: pd.DataFrame, bold: str, marked: set[int]) -> None:
    """One curve a cell: colour and marker tell the size and pooling, the line the RNN."""
    cells = sorted(rows["cell"].unique(), key=grid_order)
    shapes = sorted({(Cell.parse(name).pooling, Cell.parse(name).size) for name in cells})
    for name in cells:
        cell = Cell.parse(name)
        colour, marker = COLOURS[shapes.index((cell.pooling, cell.size)) % len(COLOURS)]
        curve = rows[rows["cell"] == name].groupby("epoch")["value"].mean()
        panel.plot(
            curve,
            color=colour,
            marker=marker,
            markevery=list(curve.index.isin(marked)),
            markerfacecolor="white" if cell.rnn == "lstm" else colour,
            linestyle="--" if cell.rnn == "lstm" else "-",
            linewidth=2 if name == bold else 0.7,
            zorder=3 if name == bold else 2,
            label=f"{name} (selected)" if name == bold else name,
        )


def _epoch_axis(panel: Axes, last: int) -> None:
    """A log scale from epoch 1, and epoch 0 left of it behind a break in the axis.

    Ticks are doublings and the last epoch, without a doubling so near that the numbers would touch.
    """
    ticks = sorted({0, *(2**k for k in range(20) if 1.4 * 2**k < last), last})
    # Linear from 0 to 1, and that as wide as a doubling.
    panel.set_xscale("symlog", base=2, linthresh=1, linscale=0.5)
    panel.xaxis.set_major_locator(FixedLocator(ticks))
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
