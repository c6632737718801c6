"""Figure 2 of Merkx & Frank (2019): semantic measures and R@10 by embedding size."""

from itertools import cycle
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from groundvec.results.schemas import Retrieval
from reproduction.render.figures import CORRELATION, MARKERS, curve_styles
from reproduction.render.style import COLUMN, PAGE, save, styled
from reproduction.reporting.measures import RECALL, SEMANTIC, as_values, recall
from reproduction.reporting.results import Results
from reproduction.reporting.systems import NAMES, check_scored, in_order
from reproduction.schemas import Measures, Models


def make(results: Results, stem: Path) -> None:
    """Draw Figure 2; without scores, draw R@10 only."""
    save(scores_by_size(results.retrieval, results.measures, results.models), stem)


@styled
def scores_by_size(retrieval: Retrieval, measures: Measures | None, models: Models) -> Figure:
    """Draw semantic measures and the development set's R@10 by embedding size.

    Each seed's ensemble has its 95% interval. The color is the network, the marker the pooling; a
    network without pooling has the marker of attention. Models of one size are spread around its
    tick. Without measures, only R@10 is drawn.
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
    styles = curve_styles(["GRU", "LSTM", *table["network"]])
    poolings = dict.fromkeys(["attention", *table["pooling"].replace("", "attention")])
    markers = dict(zip(poolings, cycle(MARKERS), strict=False)) | {"": MARKERS[0]}
    width = COLUMN if len(measures_drawn) == 1 else PAGE
    figure = Figure((width, 2.2 * len(datasets)), layout="constrained")
    parts = figure.subfigures(len(datasets), 1, squeeze=False)[:, 0]
    for dataset, part in zip(datasets, parts, strict=True):
        part.suptitle(NAMES.get(dataset, dataset), x=0.01, ha="left", weight="bold")
        panels = part.subplots(1, len(measures_drawn), squeeze=False)[0]
        axes = dict(zip(measures_drawn, panels, strict=True))
        rows = table[table["dataset"] == dataset]
        sizes = sorted(rows["size"].unique())
        models_drawn = list(rows.groupby(["network", "pooling"], sort=False).groups)
        for measure, panel in axes.items():
            panel.set_title(measure, loc="left")
            panel.set_ylabel("dev. set R@10 (%)" if measure == RECALL else CORRELATION)
            panel.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
            points = _spread(rows[rows["measure"] == measure], models_drawn, sizes)
            for (network, pooling), chosen in points.groupby(["network", "pooling"], sort=False):
                is_usual = pooling in ("", "attention")
                panel.errorbar(
                    x=chosen["x"],
                    y=chosen["value"],
                    yerr=[chosen["value"] - chosen["low"], chosen["high"] - chosen["value"]],
                    fmt=markers[pooling],
                    color=styles[str(network)]["color"],
                    capsize=2,
                    label=network if is_usual else f"{network}, {pooling} pooling",
                )
            panel.set_xticks(range(len(sizes)), list(map(str, sizes)))
            panel.set_xlim(-0.5, len(sizes) - 0.5)
            panel.grid(axis="x", visible=False)
            panel.set_xlabel("embedding size")
        handles, labels = panel.get_legend_handles_labels()
        part.legend(handles, labels, loc="outside upper right", ncols=2 * len(axes))
    return figure


def _spread(rows: pd.DataFrame, order: list[tuple[str, str]], sizes: list[int]) -> pd.DataFrame:
    """Add the place `x` of each model: around the tick of its size, in order of the networks."""
    names = pd.Series(list(zip(rows["network"], rows["pooling"], strict=True)), rows.index)
    rows = rows.assign(order=names.map(order.index))
    rows = rows.sort_values(["order", "seed"], kind="stable")
    of_size = rows.groupby("size")["seed"]
    # Models at one tick are spread symmetrically around it.
    number = of_size.cumcount()
    count = of_size.transform("size")
    step = (0.7 / count).clip(upper=0.2)  # ticks are 1 apart
    return rows.assign(x=rows["size"].map(sizes.index) + step * (number - (count - 1) / 2))
