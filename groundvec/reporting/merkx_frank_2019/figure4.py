"""Figure 4 of Merkx & Frank (2019): the training task and the semantic score during training."""

from itertools import cycle
from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from groundvec.reporting.figures import COLOURS, Look, looks, panels
from groundvec.reporting.measures import RECALL, SEMANTIC, as_values, recall
from groundvec.reporting.results import Results
from groundvec.reporting.style import save, styled
from groundvec.reporting.systems import check_scored, in_order


def make(results: Results, stem: Path) -> None:
    """Draw Figure 4; without scores, R@10 only."""
    table = by_epoch(results.retrieval, results.measures)
    save(scores_by_epoch(table, results.models, results.selected), stem)


def by_epoch(retrieval: pd.DataFrame, measures: pd.DataFrame | None) -> pd.DataFrame:
    """The test set's R@10 and the semantic score of every snapshot.

    Args:
        retrieval: as `results.read_retrieval` gives it.
        measures: as `measures.semantic_measures` gives them; without them, R@10 only.

    Returns:
        Columns dataset, model, seed, epoch, measure, and value in percent.

    Raises:
        InputError: a model without semantic measures.
    """
    tables = [as_values(recall(retrieval, "test"))]
    if measures is not None:
        check_scored(tables[0], measures)
        tables.append(as_values(measures[measures["measure"] == SEMANTIC]))
    table = pd.concat(tables)
    table = table[table["kind"] == "snapshot"].rename(columns={"epochs": "epoch"})
    columns = ["dataset", "model", "seed", "epoch", "measure", "value"]
    return table.astype({"epoch": int, "seed": int})[columns].reset_index(drop=True)


@styled
def scores_by_epoch(
    table: pd.DataFrame, models: pd.DataFrame, selected: dict[str, tuple[str, int]]
) -> Figure:
    """R@10 on the test set, mean of both directions, beside the semantic score.

    Epoch 0 is the untrained model. Both are means of the seeds. The selected model is drawn bold.

    Args:
        table: as `by_epoch` gives it.
        models: as `results.read_models` gives them.
        selected: as `systems.select` gives it.

    Raises:
        InputError: a model without a description.
    """
    datasets, measures = (list(table[column].unique()) for column in ("dataset", "measure"))
    table = in_order(table, models)
    table = table.merge(models[["dataset", "model", "seed", "network", "pooling", "size"]])
    look = looks(table["network"])
    for dataset, row, axes in panels(datasets, measures, 3.2, "test set R@10 (%)"):
        rows = table[table["dataset"] == dataset]
        shapes = list(zip(rows["pooling"], rows["size"], strict=True))
        styles = dict(zip(dict.fromkeys(shapes), cycle(COLOURS), strict=False))
        for measure, panel in axes.items():
            _curves(panel, rows[rows["measure"] == measure], selected[dataset][0], look, styles)
            _epoch_axis(panel, rows["epoch"].max())
        axes[RECALL].set_ylim(0, 1.08 * rows.loc[rows["measure"] == RECALL, "value"].max())
        row.legend(
            *panel.get_legend_handles_labels(), loc="outside lower center", ncols=2 * len(axes)
        )
    return row.figure


def _curves(
    panel: Axes,
    rows: pd.DataFrame,
    bold: str,
    look: dict[str, Look],
    styles: dict[tuple[str, int], tuple[str, str]],
) -> None:
    """One curve a model: colour and marker tell the pooling and size, the line the network."""
    for model in rows["model"].unique():
        of_model = rows[rows["model"] == model]
        network, *shape = of_model[["network", "pooling", "size"]].iloc[0]
        colour, marker = styles[tuple(shape)]
        panel.plot(
            of_model.groupby("epoch")["value"].mean(),
            color=colour,
            marker=marker,
            markerfacecolor=colour if look[network].filled else "white",
            linestyle=look[network].line,
            linewidth=2 if model == bold else 0.7,
            zorder=3 if model == bold else 2,
            label=f"{model} (selected)" if model == bold else model,
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
