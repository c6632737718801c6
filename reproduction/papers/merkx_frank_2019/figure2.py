"""Figure 2 of Merkx & Frank (2019): semantic measures and R@10 by embedding size."""

from collections.abc import Iterable
from itertools import cycle
from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from groundvec.results.schemas import Retrieval
from reproduction.render.figures import COLORS, CORRELATION
from reproduction.render.style import BLUE, COLUMN, PAGE, VERMILLION, save, styled
from reproduction.reporting.measures import RECALL, SEMANTIC, as_values, recall
from reproduction.reporting.results import Results
from reproduction.reporting.systems import NAMES, check_scored, in_order
from reproduction.schemas import Measures, Models

Look = tuple[str, str, str]  # the color, the marker and the marker's fill color
LOOKS = {"GRU": (BLUE, "o", BLUE), "LSTM": (VERMILLION, "s", "white")}


def make(results: Results, stem: Path) -> None:
    """Draw Figure 2; without scores, draw R@10 only."""
    save(scores_by_size(results.retrieval, results.measures, results.models), stem)


def looks(networks: Iterable[str]) -> dict[str, Look]:
    """Choose colors and markers for each network, always the same for GRU and LSTM."""
    unknown_networks = [name for name in dict.fromkeys(networks) if name not in LOOKS]
    free = cycle((color, marker, color) for color, marker in COLORS[len(LOOKS) :])
    return LOOKS | dict(zip(unknown_networks, free, strict=False))


@styled
def scores_by_size(retrieval: Retrieval, measures: Measures | None, models: Models) -> Figure:
    """Draw semantic measures and the development set's R@10 by embedding size.

    Each seed's ensemble has its 95% interval. Networks without pooling are drawn next to those with
    attention. Models of one size are spread around its tick. Without measures, only R@10 is drawn.
    """
    table = as_values(recall(retrieval, "dev"))
    datasets = list(table["dataset"].unique())
    if measures is not None:
        check_scored(table, measures)
        trained = measures[measures["kind"] != "baseline"]
        table = pd.concat([as_values(trained[trained["measure"] != SEMANTIC]), table])
    measures_drawn = list(table["measure"].unique())
    table = in_order(table[table["kind"] == "ensemble"].astype({"seed": int}), models)
    table = table.merge(models[["dataset", "model", "seed", "network", "pooling", "size"]])
    # A network without pooling, such as a bag, has its ticks among those with attention.
    table["pooling"] = table["pooling"].replace("", "attention")
    look = looks(table["network"])
    width = COLUMN if len(measures_drawn) == 1 else PAGE
    figure = Figure((width, 2.2 * len(datasets)), layout="constrained")
    parts = figure.subfigures(len(datasets), 1, squeeze=False)[:, 0]
    for dataset, part in zip(datasets, parts, strict=True):
        part.suptitle(NAMES.get(dataset, dataset), x=0.01, ha="left", weight="bold")
        panels = part.subplots(1, len(measures_drawn), squeeze=False)[0]
        axes = dict(zip(measures_drawn, panels, strict=True))
        rows = table[table["dataset"] == dataset]
        poolings = ["attention", *rows["pooling"].unique()]
        distinct = set(zip(rows["pooling"], rows["size"], strict=True))
        places = sorted(distinct, key=lambda place: (poolings.index(place[0]), place[1]))
        networks = {name: look[name] for name in rows["network"].unique()}
        for measure, panel in axes.items():
            panel.set_title(measure, loc="left")
            panel.set_ylabel("dev. set R@10 (%)" if measure == RECALL else CORRELATION)
            panel.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
            _by_size(panel, rows[rows["measure"] == measure], networks, places)
        handles, labels = panel.get_legend_handles_labels()
        part.legend(handles, labels, loc="outside upper right", ncols=2 * len(axes))
    return figure


def _by_size(
    panel: Axes, rows: pd.DataFrame, networks: dict[str, Look], places: list[tuple[str, int]]
) -> None:
    """Draw one measure of one data set, at the ticks `places`: pairs of pooling and size."""
    order = rows["network"].map(list(networks).index)
    rows = rows.assign(order=order).sort_values(["order", "seed"], kind="stable")
    at_place = rows.groupby(["pooling", "size"])["seed"]
    # Models at one tick are spread symmetrically around it.
    number = at_place.cumcount()
    count = at_place.transform("size")
    step = (0.7 / count).clip(upper=0.2)  # ticks are 1 apart
    tick = [places.index(place) for place in zip(rows["pooling"], rows["size"], strict=True)]
    rows["x"] = tick + step * (number - (count - 1) / 2)
    for network, (color, marker, inside) in networks.items():
        chosen = rows[rows["network"] == network]
        panel.errorbar(
            x=chosen["x"],
            y=chosen["value"],
            yerr=[chosen["value"] - chosen["low"], chosen["high"] - chosen["value"]],
            fmt=marker,
            color=color,
            markerfacecolor=inside,
            capsize=2,
            label=network,
        )
    names = [
        f"{size}" if pooling == "attention" else f"{pooling}\n({size})" for pooling, size in places
    ]
    panel.set_xticks(range(len(places)), names)
    panel.set_xlim(-0.5, len(places) - 0.5)
    panel.grid(axis="x", visible=False)
    panel.set_xlabel("embedding size")
