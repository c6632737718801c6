"""Figure 2 of Merkx & Frank (2019): semantic measures and R@10 by embedding size."""

from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from groundvec.render.figures import Look, looks, panels
from groundvec.render.style import save, styled
from groundvec.reporting.measures import SEMANTIC, as_values, recall
from groundvec.reporting.results import Results
from groundvec.reporting.systems import check_scored, in_order
from groundvec.results.schemas import Measures, Models, Retrieval


def make(results: Results, stem: Path) -> None:
    """Draw Figure 2; without scores, R@10 only."""
    save(scores_by_size(results.retrieval, results.measures, results.models), stem)


@styled
def scores_by_size(retrieval: Retrieval, measures: Measures | None, models: Models) -> Figure:
    """Draw semantic measures and the development set's R@10 by embedding size.

    Each seed's ensemble has its 95% interval. A network without pooling stands beside those with
    attention. Models of one size stand around its tick. Without measures, only R@10 is drawn.
    """
    table = as_values(recall(retrieval, "dev"))
    datasets = list(table["dataset"].unique())
    if measures is not None:
        check_scored(table, measures)
        trained = measures[measures["kind"] != "baseline"]
        table = pd.concat([as_values(trained[trained["measure"] != SEMANTIC]), table])
    shown = list(table["measure"].unique())
    table = in_order(table[table["kind"] == "ensemble"].astype({"seed": int}), models)
    parts = ["network", "pooling", "size"]
    table = table.merge(models[["dataset", "model", "seed", *parts]])
    table["pooling"] = table["pooling"].replace("", "attention")
    look = looks(table["network"])
    for dataset, row, axes in panels(datasets, shown, 2.2, "dev. set R@10 (%)"):
        rows = table[table["dataset"] == dataset]
        poolings = ["attention", *rows["pooling"].unique()]
        distinct = set(zip(rows["pooling"], rows["size"], strict=True))
        places = sorted(distinct, key=lambda place: (poolings.index(place[0]), place[1]))
        networks = {name: look[name] for name in rows["network"].unique()}
        for measure, panel in axes.items():
            _by_size(panel, rows[rows["measure"] == measure], networks, places)
        handles, labels = panel.get_legend_handles_labels()
        row.legend(handles, labels, loc="outside upper right", ncols=2 * len(axes))
    return row.figure


def _by_size(
    panel: Axes, rows: pd.DataFrame, networks: dict[str, Look], places: list[tuple[str, int]]
) -> None:
    """Draw one measure of one data set at each (pooling, size) of `places`."""
    order = rows["network"].map(list(networks).index)
    rows = rows.assign(order=order).sort_values(["order", "seed"], kind="stable")
    at_place = rows.groupby(["pooling", "size"])["seed"]
    number, count = at_place.cumcount(), at_place.transform("size")
    step = (0.7 / count).clip(upper=0.2)  # of 1 between ticks
    tick = [places.index(place) for place in zip(rows["pooling"], rows["size"], strict=True)]
    rows["x"] = tick + step * (number - (count - 1) / 2)
    for network, look in networks.items():
        chosen = rows[rows["network"] == network]
        panel.errorbar(
            x=chosen["x"],
            y=chosen["value"],
            yerr=[chosen["value"] - chosen["low"], chosen["high"] - chosen["value"]],
            fmt=look.marker,
            color=look.colour,
            markerfacecolor=look.colour if look.filled else "white",
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
