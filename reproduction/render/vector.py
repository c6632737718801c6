"""Write figures as SVG, with a title for each point that browsers show as its values."""

import re
from collections.abc import Callable, Iterator
from io import BytesIO
from xml.sax.saxutils import escape

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure

# matplotlib writes markers as `use` elements, in the order of their points.
GROUP = r'(?s)<g id="{}">.*?</g>\s*</g>'
MARKER = re.compile(r"<use ([^>]*)/>")


def svg(figure: Figure) -> str:
    """Draw a figure as SVG, with a title for each marker: its series, values and interval.

    Letters are outlines. Equal figures result in equal text.
    """
    titles_of_group: dict[str, list[str]] = {}
    for artist, titles in _series(figure):
        name = f"values-{len(titles_of_group)}"
        artist.set_gid(name)
        titles_of_group[name] = titles
    buffer = BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "groundvec", "svg.fonttype": "path"}):
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    text = buffer.getvalue().decode()
    for name, titles in titles_of_group.items():
        # There is no group if all points are outside the axes.
        for group in re.findall(GROUP.format(name), text):
            text = text.replace(group, _titled(group, titles))
    return text


def _titled(group: str, titles: list[str]) -> str:
    """Add a title to each marker of a group, if the numbers of both are equal."""
    if len(MARKER.findall(group)) != len(titles):
        return group
    following = iter(titles)
    return MARKER.sub(
        lambda use: f"<use {use[1]}><title>{escape(next(following))}</title></use>", group
    )


def _series(figure: Figure) -> Iterator[tuple[Artist, list[str]]]:
    """Yield the lines that have markers, and the titles of these."""
    for axes in figure.axes:
        if not axes.axison:
            continue
        labels = {}
        intervals = {}
        ends = set()
        # An error bar is a line of markers, the lines at its ends, and the bars between these.
        for bars in axes.containers:
            if isinstance(bars, ErrorbarContainer) and bars[0] is not None:
                labels[bars[0]] = bars.get_label()
                intervals[bars[0]] = _intervals(bars)
                ends |= set(bars[1])
        for line in axes.lines:
            if line not in ends and line.get_marker() not in ("None", None, "", " "):
                label = str(labels.get(line, line.get_label()))
                points = np.asarray(line.get_xydata())
                yield line, _titles(axes, label, points, intervals.get(line, []))


def _intervals(bars: ErrorbarContainer) -> list[str]:
    """Write the ends of each point's error bar."""
    along = 0 if bars.has_xerr else 1
    ends = [np.sort(segment[:, along]) for segment in bars[2][0].get_segments()]
    return [f"95% interval: {low:.4g} to {high:.4g}" for low, high in ends]


def _titles(axes: Axes, label: str, points: np.ndarray, intervals: list[str]) -> list[str]:
    """Write the title of each point: its series, its values and its interval."""
    if len(intervals) != len(points):
        intervals = [""] * len(points)
    series = "" if label.startswith("_") else label
    write_x = _values(_shared(axes, "x"))
    write_y = _values(_shared(axes, "y"))
    return [
        "\n".join(filter(None, (series, write_x(x), write_y(y), interval)))
        for (x, y), interval in zip(points, intervals, strict=True)
        if np.isfinite([x, y]).all()
    ]


def _shared(axes: Axes, name: str) -> Axis:
    """Return the axis `x` or `y` of a panel, or of the panel that shares and labels it."""
    panels = getattr(axes, f"get_shared_{name}_axes")().get_siblings(axes)
    all_axes: list[Axis] = [getattr(panel, f"{name}axis") for panel in [axes, *panels]]
    return next((axis for axis in all_axes if axis.get_label_text()), all_axes[0])


def _values(axis: Axis) -> Callable[[float], str]:
    """Return a function that writes a value with the axis's label, or with the name of its tick."""
    label = axis.get_label_text().partition(" (")[0]
    places = axis.get_ticklocs()
    names = [tick.get_text() for tick in axis.get_ticklabels()]
    named = len(names) and not _are_numbers(names, places)

    def write(value: float) -> str:
        text = names[int(np.abs(places - value).argmin())] if named else f"{value:.4g}"
        return (f"{label}: {text}" if label else text).replace("\n", " ")

    return write


def _are_numbers(names: list[str], places: np.ndarray) -> bool:
    """Return whether the names of ticks are the numbers at their places."""
    plain = [name.replace("\N{MINUS SIGN}", "-").replace(",", "") for name in names]
    return np.allclose(pd.to_numeric(pd.Series(plain), errors="coerce"), places)
