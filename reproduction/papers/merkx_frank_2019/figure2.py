"""Figure 2 of Merkx & Frank (2019): semantic measures and R@10 by embedding size."""

from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from groundvec.results.schemas import Retrieval
from reproduction.render.figures import CORRELATION, curve_styles
from reproduction.render.style import PAGE, save, styled
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

    Each seed's ensemble has its 95% interval. Models of one size are side by side around its tick.
    Without measures, only R@10 is drawn.
    """
    table = as_values(recall(retrieval, "dev"))
    datasets = list(table["dataset"].unique())
    if measures is not None:
        check_scored(table, measures)
        trained = measures.query(f"kind != 'baseline' and measure != {SEMANTIC!r}")
        table = pd.concat([as_values(trained), table])
    measures_drawn = list(table["measure"].unique())
    table = in_order(table.query("kind == 'ensemble'").astype({"seed": int}), models)
    table = table.merge(models[["dataset", "model", "seed", "network", "pooling", "size"]])
    is_usual = table["pooling"].isin(["", "attention"])
    names = table["network"].where(
        is_usual, table["network"] + ", " + table["pooling"] + " pooling"
    )
    table = table.assign(name=names)
    styles = curve_styles(names)
    figure = Figure((PAGE, 2.2 * len(datasets)), layout="constrained")
    parts = figure.subfigures(len(datasets), 1, squeeze=False)[:, 0]
    for dataset, part in zip(datasets, parts, strict=True):
        part.suptitle(NAMES.get(dataset, dataset), x=0.01, ha="left", weight="bold")
        panels = part.subplots(1, len(measures_drawn), squeeze=False)[0]
        rows = table.query("dataset == @dataset")
        sizes = sorted(rows["size"].unique())
        # Each seed of a network has the same place around the tick of every size.
        place = rows.groupby(["name", "seed"], sort=False).ngroup()
        offset = 0.7 * ((place + 0.5) / (place.max() + 1) - 0.5)
        rows = rows.assign(x=rows["size"].map(sizes.index) + offset)
        for measure, panel in zip(measures_drawn, panels, strict=True):
            panel.set_title(measure, loc="left")
            panel.set_ylabel("dev. set R@10 (%)" if measure == RECALL else CORRELATION)
            for name, points in rows.query("measure == @measure").groupby("name", sort=False):
                panel.errorbar(
                    x=points["x"],
                    y=points["value"],
                    yerr=[points["value"] - points["low"], points["high"] - points["value"]],
                    **styles[str(name)],
                    linestyle="none",
                    capsize=2,
                    label=name,
                )
            panel.set_xticks(range(len(sizes)), list(map(str, sizes)))
            panel.set_xlim(-0.5, len(sizes) - 0.5)
            panel.grid(axis="x", visible=False)
            panel.set_xlabel("embedding size")
        handles, labels = panel.get_legend_handles_labels()
        part.legend(handles, labels, loc="outside upper right", ncols=2 * len(panels))
    return figure
