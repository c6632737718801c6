"""Figures as SVG whose points tell their values, as titles that browsers show."""

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
from matplotlib.collections import PathCollection
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure

# Markers are `use` elements, in the order of their points.
GROUP = r'(?s)<g id="{}">.*?</g>\s*</g>'
FEW = 1000  # more dots stay as they are drawn, for a PDF as a picture
MARKER = re.compile(r"<use ([^>]*)/>")


def svg(figure: Figure) -> str:
    """Draw a figure as SVG; each marker has a title with its series, its values and interval.

    Equal figures give equal text, whose letters are outlines.
    """
    marked: dict[str, list[str]] = {}
    for artist, titles in _series(figure):
        artist.set_gid(f"values-{len(marked)}")
        artist.set_rasterized(False)
        marked[f"values-{len(marked)}"] = titles
    buffer = BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "groundvec", "svg.fonttype": "path"}):
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    text = buffer.getvalue().decode()
    for name, titles in marked.items():
        for group in re.findall(GROUP.format(name), text):  # none if no point is to be seen
            text = text.replace(group, _titled(group, titles))
    return text


def _titled(group: str, titles: list[str]) -> str:
    """Give each marker of a group its title, if there are as many as markers."""
    if len(MARKER.findall(group)) != len(titles):
        return group
    following = iter(titles)
    return MARKER.sub(
        lambda use: f"<use {use[1]}><title>{escape(next(following))}</title></use>", group
    )


def _series(figure: Figure) -> Iterator[tuple[Artist, list[str]]]:
    """Find the artists with markers, but not too many of them, and their titles."""
    for axes in figure.axes:
        if not axes.axison:
            continue
        labels = {}
        intervals = {}
        ends = set()
        for bars in axes.containers:
            if isinstance(bars, ErrorbarContainer) and bars[0] is not None:
                labels[bars[0]] = bars.get_label()
                intervals[bars[0]] = _intervals(bars)
                ends |= set(bars[1])
        for line in axes.lines:
            if line not in ends and line.get_marker() not in ("None", None, "", " "):
                label = str(labels.get(line, line.get_label()))
                points = np.asarray(line.get_xydata())
                if len(points) <= FEW:
                    yield line, _titles(axes, label, points, intervals.get(line, []))
        for dots in axes.collections:
            if isinstance(dots, PathCollection):
                points = np.ma.filled(dots.get_offsets(), np.nan)
                if len(points) <= FEW:
                    yield dots, _titles(axes, str(dots.get_label()), points, [])


def _intervals(bars: ErrorbarContainer) -> list[str]:
    """Write the ends of each point's error bar."""
    along = 0 if bars.has_xerr else 1
    ends = [np.sort(segment[:, along]) for segment in bars[2][0].get_segments()]
    return [f"95% interval: {low:.4g} to {high:.4g}" for low, high in ends]


def _titles(axes: Axes, label: str, points: np.ndarray, intervals: list[str]) -> list[str]:
    """Write for each point its label, its values, and its interval."""
    if len(intervals) != len(points):
        intervals = [""] * len(points)
    series = "" if label.startswith("_") else label
    across = _values(_shared(axes, "x"))
    along = _values(_shared(axes, "y"))
    return [
        "\n".join(filter(None, (series, across(x), along(y), interval)))
        for (x, y), interval in zip(points, intervals, strict=True)
        if np.isfinite([x, y]).all()
    ]


def _shared(axes: Axes, name: str) -> Axis:
    """Return the axis of this name, of the panel that labels it if it is shared."""
    panels = getattr(axes, f"get_shared_{name}_axes")().get_siblings(axes)
    all_axes = [axes, *panels]
    found: list[Axis] = [getattr(panel, f"{name}axis") for panel in all_axes]
    return next((axis for axis in found if axis.get_label_text()), found[0])


def _values(axis: Axis) -> Callable[[float], str]:
    """Return a function that writes a value: with the axis's label, or as a named tick."""
    label = axis.get_label_text().partition(" (")[0]
    places = axis.get_ticklocs()
    names = [tick.get_text() for tick in axis.get_ticklabels()]
    named = len(names) and not _are_numbers(names, places)

    def say(value: float) -> str:
        text = names[int(np.abs(places - value).argmin())] if named else f"{value:.4g}"
        return (f"{label}: {text}" if label else text).replace("\n", " ")

    return say


def _are_numbers(names: list[str], places: np.ndarray) -> bool:
    """Return whether ticks are called by the numbers where they are."""
    plain = [name.replace("\N{MINUS SIGN}", "-").replace(",", "") for name in names]
    return np.allclose(pd.to_numeric(pd.Series(plain), errors="coerce"), places)
