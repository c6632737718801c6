"""Draw pages of images and text; positions and lengths are in inches."""

import textwrap
from collections.abc import Iterable

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import findfont, get_font
from matplotlib.patches import Rectangle

from groundvec.data import dataset
from groundvec.features.images import load
from groundvec.runtime.errors import InputError
from reproduction.render.style import FONT_SIZE, FONTS, GREEN, PAGE
from reproduction.reporting.results import Results

LINE = 1.3 * FONT_SIZE / 72
MARGIN = 0.1
GAP = 0.16
PICTURE = 0.8  # the side of the square that an image is fitted into


def paths_of(results: Results, image_ids: Iterable[str]) -> pd.Series:
    """Return the files of a data set's images, by the images' ids."""
    path_of = dataset.read_images(results["images"]).set_index("image_id")["path"]
    missing = set(image_ids) - set(path_of.index)
    if missing:
        raise InputError(
            f"{results['images']} lacks the image {min(missing)} ({len(missing)} are missing): "
            "build the data set again"
        )
    return path_of


def page(height: float) -> tuple[Figure, Axes]:
    """Make a page as wide as a paper's, with axes in inches from the upper left corner."""
    figure = Figure((PAGE, height))
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, PAGE), ylim=(height, 0))
    axes.set_axis_off()
    return figure, axes


def write(page: Axes, x: float, y: float, text: str, va: str = "top", **font: str) -> None:
    """Write text at a point, without breaking its lines."""
    page.text(x, y, text, font, va=va, linespacing=1.1)


def picture(page: Axes, x: float, y: float, path: str, right: bool = False) -> None:
    """Fit an image into a square at a point, with a green frame if it is right."""
    image = load(path)
    image.thumbnail((300, 300))
    scale = PICTURE / max(image.size)
    width = scale * image.width
    height = scale * image.height
    x = x + (PICTURE - width) / 2
    y = y + (PICTURE - height) / 2
    page.imshow(image, extent=(x, x + width, y + height, y), aspect="auto")
    color, line = (GREEN, 2.5) if right else ("0.5", 0.5)
    page.add_patch(Rectangle((x, y), width, height, fill=False, ec=color, lw=line))


def wrap(text: str, width: float, lines: int) -> list[str]:
    """Break a text into at most `lines` lines of about `width`, and cut the rest."""
    text = " ".join(text.split())
    font = get_font([findfont(name) for name in FONTS])
    font.set_size(FONT_SIZE, 72)
    font.set_text(text)
    measured = font.get_width_height()[0] / 64 / 72  # from 1/64 of a point to inches
    # By the mean width of the text's characters; 7% less, because a line may have wider ones.
    characters = max(1, int(0.93 * width * len(text) / max(measured, 0.01)))
    return textwrap.wrap(text, characters, max_lines=lines, placeholder=" …") or [""]
