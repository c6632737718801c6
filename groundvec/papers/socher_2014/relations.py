"""The largest norms of section 6.7 of Socher et al. (2014), drawn (the paper lists them)."""

from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from groundvec.papers.socher_2014.section_6_7 import of_models, over_seeds
from groundvec.render.style import BLUE, COLUMN, PAGE, VERMILLION, save, styled
from groundvec.reporting.results import Results
from groundvec.reporting.systems import NAMES

SHOWN = 15  # relations of a data set


def make(results: Results, stem: Path) -> None:
    """Draw the largest norms."""
    save(largest(over_seeds(of_models(results))), stem)


@styled
def largest(table: pd.DataFrame) -> Figure:
    """Draw the largest norms, and beside each the norm of matrix minus identity.

    All matrices begin near the identity, so that what was learned is the distance from it.
    """
    datasets = list(table["dataset"].unique())
    columns = min(len(datasets), 2)
    lines = -(-len(datasets) // columns)
    figure = Figure((COLUMN if columns == 1 else PAGE, 3 * lines), layout="constrained")
    parts = list(figure.subfigures(lines, columns, squeeze=False).flat)
    for part, dataset in zip(parts, datasets, strict=False):
        rows = table[(table["dataset"] == dataset) & (table["place"] <= SHOWN)]
        part.suptitle(NAMES.get(dataset, dataset), x=0.01, ha="left", weight="bold")
        norm, distance = part.subplots(1, 2, sharey=True)
        # A single seed has no interval.
        known = rows.dropna(subset="norm_low")
        norm.errorbar(
            x=known["norm"],
            y=known["relation"],
            xerr=[known["norm"] - known["norm_low"], known["norm_high"] - known["norm"]],
            fmt="none",
            ecolor=BLUE,
        )
        norm.plot(rows["norm"], rows["relation"], "o", color=BLUE)
        identity = rows["size"].iloc[0] ** 0.5
        norm.axvline(identity, color="0.3", linestyle="--", linewidth=0.8)
        distance.hlines(rows["relation"], 0, rows["from_identity"], color=VERMILLION, linewidth=1)
        distance.plot(rows["from_identity"], rows["relation"], "o", color=VERMILLION)
        distance.set_xlim(left=0)
        distance.tick_params(left=False)
        norm.invert_yaxis()
        norm.set_xlabel("matrix")
        distance.set_xlabel("minus identity")
        part.supxlabel("Frobenius norm (dashed: of the identity)", fontsize=8)
    return figure
