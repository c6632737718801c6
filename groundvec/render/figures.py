"""Colours and styles of curves, which several figures share."""

from collections.abc import Iterable
from itertools import cycle, product
from typing import Any

from groundvec.render.style import BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILLION

COLOURS = [(BLUE, "o"), (VERMILLION, "s"), (GREEN, "^"), (PURPLE, "D"), (ORANGE, "v"), (SKY, "P")]
CORRELATION = "Pearson's r \N{MULTIPLICATION SIGN} 100"


def curve_styles(names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Choose a style for each name's curve: colours and markers, then other lines, 48 in all."""
    looks = cycle(product(("full", "none"), ("-", "--", ":", "-."), COLOURS))
    return {
        name: {"color": colour, "marker": marker, "linestyle": line, "fillstyle": fill}
        for name, (fill, line, (colour, marker)) in zip(dict.fromkeys(names), looks, strict=False)
    }
