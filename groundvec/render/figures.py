"""What several figures share: panels, axes, and a look for every network."""

from collections.abc import Iterable, Iterator
from itertools import cycle, product
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.ticker import MaxNLocator

from groundvec.render.style import BLUE, COLUMN, GREEN, ORANGE, PAGE, PURPLE, SKY, VERMILLION
from groundvec.reporting.measures import RECALL
from groundvec.reporting.systems import NAMES

COLOURS = [(BLUE, "o"), (VERMILLION, "s"), (GREEN, "^"), (PURPLE, "D"), (ORANGE, "v"), (SKY, "P")]
CORRELATION = "Pearson's r \N{MULTIPLICATION SIGN} 100"


class Look(NamedTuple):
    """How a network is drawn."""

    colour: str
    marker: str
    filled: bool
    line: str | tuple[int, tuple[int, ...]]  # as matplotlib's linestyle


LOOKS = {"GRU": Look(BLUE, "o", True, "-"), "LSTM": Look(VERMILLION, "s", False, "--")}
# Of further networks, in their order of appearance: other colours, and dotted and dashed lines.
LINES: list[str | tuple[int, tuple[int, ...]]] = ["-.", ":", (0, (6, 1, 1, 1, 1, 1)), (0, (1, 4))]


def looks(networks: Iterable[str]) -> dict[str, Look]:
    """Choose a look for each network: always the same for GRU and LSTM, others for the rest."""
    others = [name for name in dict.fromkeys(networks) if name not in LOOKS]
    free = zip(cycle(COLOURS[len(LOOKS) :]), cycle(LINES), strict=False)
    further = {
        name: Look(colour, marker, True, line)
        for name, ((colour, marker), line) in zip(others, free, strict=False)
    }
    return LOOKS | further


def curve_styles(names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Choose a style for each name's curve: colours and markers, then other lines, 48 in all."""
    looks = cycle(product(("full", "none"), ("-", "--", ":", "-."), COLOURS))
    return {
        name: {"color": colour, "marker": marker, "linestyle": line, "fillstyle": fill}
        for name, (fill, line, (colour, marker)) in zip(dict.fromkeys(names), looks, strict=False)
    }


def panels(
    datasets: list[str], measures: list[str], height: float, recall: str
) -> Iterator[tuple[str, SubFigure, dict[str, Axes]]]:
    """Make a row of panels for each data set, one for each measure.

    Args:
        height: of a row, in inches.
        recall: the label of the axis of R@10.
    """
    width = COLUMN if len(measures) == 1 else PAGE
    figure = Figure((width, len(datasets) * height), layout="constrained")
    rows = figure.subfigures(len(datasets), 1, squeeze=False)[:, 0]
    for dataset, row in zip(datasets, rows, strict=True):
        row.suptitle(NAMES.get(dataset, dataset), x=0.01, ha="left", weight="bold")
        axes = dict(zip(measures, row.subplots(1, len(measures), squeeze=False)[0], strict=True))
        for measure, panel in axes.items():
            panel.set_title(measure, loc="left")
            panel.set_ylabel(recall if measure == RECALL else CORRELATION)
            panel.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
        yield dataset, row, axes
