"""The largest norms of section 6.7 of Socher et al. (2014), as bars (the paper lists them)."""

from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from groundvec.reporting.results import Results
from groundvec.reporting.socher_2014.section_6_7 import of_models, over_seeds
from groundvec.reporting.style import BLUE, COLUMN, PAGE, VERMILLION, save, styled
from groundvec.reporting.systems import NAMES

SHOWN = 15  # relations of a data set


def make(results: Results, stem: Path) -> None:
    """Draw the largest norms."""
    save(largest(over_seeds(of_models(results))), stem)


@styled
def largest(table: pd.DataFrame) -> Figure:
    """Bars of the largest norms, a panel a data set, and the norms of matrix minus identity.

    Args:
        table: as `section_6_7.over_seeds` gives it.
    """
    datasets = list(table["dataset"].unique())
    columns = min(len(datasets), 2)
    lines = -(-len(datasets) // columns)
    width = COLUMN if columns == 1 else PAGE
    figure = Figure((width, 0.4 + 3 * lines), layout="constrained")
    panels = list(figure.subplots(lines, columns, squeeze=False).flat)
    for unused in panels[len(datasets) :]:
        unused.remove()
    for panel, dataset in zip(panels, datasets, strict=False):
        rows = table[(table["dataset"] == dataset) & (table["place"] <= SHOWN)]
        # A single seed has no interval.
        known = rows.dropna(subset="norm_low")
        panel.barh(rows["relation"], rows["norm"], color=BLUE, label="matrix")
        panel.errorbar(
            x=known["norm"],
            y=known["relation"],
            xerr=[known["norm"] - known["norm_low"], known["norm_high"] - known["norm"]],
            fmt="none",
            ecolor="black",
            elinewidth=0.7,
        )
        panel.plot(
            *(rows["from_identity"], rows["relation"], "o"),
            color=VERMILLION,
            markeredgecolor="white",
            label="matrix minus identity",
        )
        identity = rows["size"].iloc[0] ** 0.5
        panel.axvline(identity, color="0.3", linestyle="--", linewidth=0.8, label="the identity")
        panel.invert_yaxis()
        panel.grid(visible=False, axis="y")
        panel.set_title(NAMES.get(dataset, dataset), loc="left", weight="bold")
        panel.set_xlabel("Frobenius norm")
    figure.legend(*panel.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure
