"""Scores of models and baselines on badly typed sentences, as curves."""

from pathlib import Path

from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from groundvec.results.schemas import Robustness
from groundvec.text.mistakes import KINDS
from reproduction.render.figures import CORRELATION, curve_styles
from reproduction.render.style import PAGE, save, styled
from reproduction.reporting.results import Results

# The rows of panels: a name, the measure, and its axis.
MEASURES = [
    ("sentence similarity", "unsupervised", CORRELATION),
    ("caption \N{RIGHTWARDS ARROW} pictures", "caption_to_image R@10", "R@10 (%)"),
    ("picture \N{RIGHTWARDS ARROW} captions", "image_to_caption R@10", "R@10 (%)"),
]


def make(results: Results, stem: Path) -> None:
    """Draw the curves."""
    save(curves(results.robustness), stem)


@styled
def curves(table: Robustness) -> Figure:
    """Draw a column of panels for each kind of mistake, and a row for each measure."""
    rows = [row for row in MEASURES if (table["measure"] == row[1]).any()]
    figure = Figure((PAGE, 0.6 + 1.9 * len(rows)), layout="constrained")
    panels = figure.subplots(len(rows), len(KINDS), sharex=True, sharey="row", squeeze=False)
    looks = curve_styles(table["system"])
    lines: dict[str, Artist] = {}
    for row, (name, measure, axis) in zip(panels, rows, strict=True):
        row[0].set_ylabel(f"{name}\n{axis}")
        for panel, kind in zip(row, KINDS, strict=True):
            shown = table[(table["measure"] == measure) & (table["kind"] == kind)]
            for system in shown["system"].unique():
                curve = shown[shown["system"] == system]
                [lines[system]] = panel.plot(curve["rate"], curve["value"], **looks[system])
    for panel, kind in zip(panels[0], KINDS, strict=True):
        panel.set_title(kind, loc="left")
        panel.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    for panel, kind in zip(panels[-1], KINDS, strict=True):
        panel.set_xlabel("of spaces" if kind == KINDS[-1] else "of letters")
    figure.legend(list(lines.values()), list(lines), loc="outside lower center", ncols=4)
    return figure
