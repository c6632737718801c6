"""The style of figures, and the function that saves them."""

import logging
from pathlib import Path

import matplotlib
from matplotlib.figure import Figure
from matplotlib.font_manager import fontManager

from groundvec.runtime.files import atomic

# fontTools logs a line for every glyph that it embeds in a PDF.
logging.getLogger("fontTools").setLevel(logging.WARNING)

PAGE = 7.0  # the width of a page, in inches

# The colors of Okabe & Ito (2008), which color-blind readers can distinguish. Their yellow is left
# out, because it is faint on white.
BLUE = "#0072B2"
VERMILLION = "#D55E00"
GREEN = "#009E73"
PURPLE = "#CC79A7"
ORANGE = "#E69F00"
SKY = "#56B4E9"

# DejaVu Sans comes with matplotlib, so it is the same on every machine. A letter that it lacks is
# from the first of the others that is installed and has it, or is a box with matplotlib's warning.
FONT = "DejaVu Sans"
OTHERS = ["Noto Sans CJK JP", "WenQuanYi Zen Hei", "Noto Sans Devanagari", "Noto Sans Thai"]
FONTS = [FONT, *(name for name in OTHERS if name in fontManager.get_font_names())]
FONT_SIZE = 7.5

styled = matplotlib.rc_context(
    {"font.family": FONTS, "font.size": FONT_SIZE}, Path(__file__).with_suffix(".mplstyle")
)
"""Decorator: the function draws in this style, without changing matplotlib's settings."""


@styled
def save(figure: Figure, stem: str | Path) -> None:
    """Write `stem`.pdf, .png (200 dpi) and .svg; equal figures result in equal files."""
    # Without a date, equal figures result in equal files.
    dates = {".pdf": {"CreationDate": None}, ".png": {}, ".svg": {"Date": None}}
    for suffix, metadata in dates.items():
        with atomic(f"{stem}{suffix}") as temporary:
            figure.savefig(temporary, dpi=200, metadata=metadata)
