"""The style of figures, and the function that saves them."""

import logging
from functools import cache
from pathlib import Path

import matplotlib
from matplotlib.figure import Figure
from matplotlib.font_manager import findfont, fontManager, get_font
from matplotlib.ft2font import FT2Font
from matplotlib.text import Text

from groundvec.runtime.files import atomic, write_bytes
from reproduction.render import fonts
from reproduction.render.vector import svg

log = logging.getLogger(__name__)

# fontTools logs a line for every glyph that it embeds in a PDF.
logging.getLogger("fontTools").setLevel(logging.WARNING)

# Widths in inches: one column of a two-column page, and the whole page.
COLUMN = 3.4
PAGE = 7.0

# The colors of Okabe & Ito (2008), which color-blind readers can distinguish. Their yellow is left
# out, because it is faint on white.
BLUE = "#0072B2"
VERMILLION = "#D55E00"
GREEN = "#009E73"
PURPLE = "#CC79A7"
ORANGE = "#E69F00"
SKY = "#56B4E9"

FONT = "DejaVu Sans"  # comes with matplotlib, so it is the same on every machine
FONT_SIZE = 7.5

styled = matplotlib.rc_context(
    {
        "font.family": FONT,
        "font.size": FONT_SIZE,
        "axes.titlesize": 8,
        "axes.labelsize": 8,
        "legend.fontsize": 7,
        "legend.frameon": False,
        "axes.linewidth": 0.6,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "axes.axisbelow": True,
        "grid.color": "0.9",
        "grid.linewidth": 0.5,
        "lines.linewidth": 1,
        "lines.markersize": 4,
        "lines.scale_dashes": False,
        "xtick.major.width": 0.6,
        "ytick.major.width": 0.6,
        "pdf.fonttype": 42,  # TrueType; journals refuse Type 3
        "text.parse_math": False,  # a $ in a caption is a dollar
    }
)
"""Decorator: the function draws in this style, without changing matplotlib's settings."""


@cache
def lacking(text: str) -> frozenset[str]:
    """Return the letters of a text that the figures' font lacks."""
    known = _own_font().get_charmap()
    return frozenset(c for c in text if not c.isspace() and ord(c) not in known)


@cache
def _own_font() -> FT2Font:
    return get_font(findfont(FONT))


@cache
def _family(file: str) -> str:
    fontManager.addfont(file)
    return get_font(file).family_name


@styled
def save(figure: Figure, stem: str | Path) -> None:
    """Write `stem`.pdf, `stem`.png (200 dpi) and `stem`.svg; equal figures result in equal files.

    Letters that the font lacks are drawn in a font of the system, or as boxes with a warning.
    """
    boxes: set[str] = set()
    for text in figure.findobj(Text):
        letters = lacking(text.get_text())
        if not letters:
            continue
        file = fonts.with_letters(letters)
        if file:
            text.set_fontfamily([FONT, _family(file)])
        else:
            boxes |= letters
            text.set_text("".join("□" if c in letters else c for c in text.get_text()))
    if boxes:
        log.warning("%s: %s", stem, fonts.boxes(boxes))
    # Without a date, equal figures result in equal files.
    for suffix, metadata in ((".pdf", {"CreationDate": None}), (".png", {})):
        with atomic(f"{stem}{suffix}") as temporary:
            figure.savefig(temporary, dpi=200, metadata=metadata)
    write_bytes(f"{stem}.svg", svg(figure).encode())
