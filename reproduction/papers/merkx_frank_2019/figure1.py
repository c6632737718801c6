"""Figure 1 of Merkx & Frank (2019): the architecture."""

from itertools import pairwise
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyBboxPatch, Polygon, Rectangle

from reproduction.render.style import save, styled
from reproduction.reporting.results import Results

# Fill colors: light tints of blue (image), vermillion (caption) and gray (no parameters).
IMAGE = "#d5e8f5"
CAPTION = "#fbe3d3"
PLAIN = "#f2f2f2"
INK = "0.2"

# The centers of the rows, in inches from the bottom, which both branches share.
INPUT = 0.4
FIRST = 1.15
SECOND = 2.05
THIRD = 3.0
NORM = 3.62
EMBEDDING = 3.98
TOP = 4.42
LEFT = 0.95  # the center of the image branch
STEPS = [2.55, 3.4, 4.25, 5.55]  # the centers of characters 1, 2, 3 and t
RIGHT = (STEPS[0] + STEPS[-1]) / 2
DOTS = (STEPS[2] + STEPS[3]) / 2


def make(results: Results, stem: Path) -> None:
    """Draw Figure 1."""
    save(architecture(), stem)


@styled
def architecture() -> Figure:
    """Draw both branches, from an image and the characters of a caption up to their cosine."""
    figure = Figure((6.8, 4.75))
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, 6.8), ylim=(0, 4.75))  # data units are inches
    axes.set_axis_off()
    _image_branch(axes)
    _caption_branch(axes)

    middle = (LEFT + RIGHT) / 2
    _box(axes, middle, TOP, "cosine similarity", PLAIN, width=1.3)
    for x, name in ((LEFT, "img"), (RIGHT, "cap")):
        _arrow(axes, (x, NORM + 0.14), (x, EMBEDDING - 0.1))
        _label(axes, x, EMBEDDING, rf"$\mathbf{{emb}}_\mathbf{{{name}}}$")
        side = -0.65 if x < middle else 0.65
        axes.plot([x, x], [EMBEDDING + 0.1, TOP], color=INK, linewidth=0.8)
        _arrow(axes, (x, TOP), (middle + side, TOP))
    return figure


def _image_branch(axes: Axes) -> None:
    _picture(axes, LEFT, INPUT)
    _box(axes, LEFT, SECOND, "CNN: ResNet-152\nmean of ten crops", PLAIN, 1.5, 0.5, dashed=True)
    _box(axes, LEFT, THIRD, r"linear: $\mathbf{img}\,A^T + \mathbf{b}$", IMAGE, 1.5, 0.4)
    _box(axes, LEFT, NORM, "L2 norm", PLAIN)
    _arrow(axes, (LEFT, INPUT + 0.27), (LEFT, SECOND - 0.25))
    _arrow(axes, (LEFT, SECOND + 0.25), (LEFT, THIRD - 0.2))
    _label(axes, LEFT + 0.08, (SECOND + THIRD) / 2, r"$\mathbf{img}$", ha="left")
    _arrow(axes, (LEFT, THIRD + 0.2), (LEFT, NORM - 0.14))


def _caption_branch(axes: Axes) -> None:
    # The box of one direction's state.
    width = 0.5
    height = 0.25
    forward = SECOND - height / 2
    backward = SECOND + height / 2
    for x, character, t in zip(STEPS, ["A", "␣", "d", "."], ["1", "2", "3", "t"], strict=True):
        _box(axes, x, INPUT, character, PLAIN, 0.3, family="DejaVu Sans Mono")
        _box(axes, x, FIRST, rf"$\mathbf{{e}}_{t}$", CAPTION, 0.42)
        for y, arrow in ((forward, "right"), (backward, "left")):
            corner = (x - width / 2, y - height / 2)
            axes.add_patch(Rectangle(corner, width, height, fc=CAPTION, ec=INK, lw=0.8))
            _label(axes, x, y - 0.02, rf"$\over{arrow}arrow{{\mathbf{{h}}}}_{t}$")
        _arrow(axes, (x, INPUT + 0.14), (x, FIRST - 0.14))
        _arrow(axes, (x, FIRST + 0.14), (x, SECOND - height))
        _arrow(axes, (x, SECOND + height), (x, THIRD - 0.2))
        _label(axes, x + 0.06, (SECOND + THIRD) / 2, rf"$\mathbf{{h}}_{t}$", ha="left")
    stops = [(x - width / 2, x + width / 2) for x in STEPS]
    stops.insert(3, (DOTS - 0.14, DOTS + 0.14))
    for (_, left), (right, _) in pairwise(stops):
        _arrow(axes, (left, forward), (right, forward))
        _arrow(axes, (right, backward), (left, backward))
    for y in (INPUT, FIRST, forward, backward):
        _label(axes, DOTS, y, "· · ·")
    for y, text in (
        (INPUT, "characters"),
        (FIRST, "embeddings"),
        (SECOND, "bidirectional\nGRU or LSTM,\n$n$ units a\ndirection"),
        ((SECOND + THIRD) / 2, "$2n$ features"),
    ):
        _label(axes, STEPS[-1] + 0.4, y, text, ha="left", style="italic")
    attention = (
        r"attention: $\sum_t \mathbf{a}_t \circ \mathbf{h}_t$,   $\mathbf{a}_t = "
        r"\mathrm{softmax}(V\,\tanh(W \mathbf{h}_t + \mathbf{b}_w) + \mathbf{b}_v)$"
    )
    _box(axes, RIGHT, THIRD, attention, CAPTION, STEPS[-1] - STEPS[0] + width, 0.4)
    _arrow(axes, (RIGHT, THIRD + 0.2), (RIGHT, NORM - 0.14))
    _box(axes, RIGHT, NORM, "L2 norm", PLAIN)


def _box(
    axes: Axes,
    x: float,
    y: float,
    text: str,
    colour: str,
    width: float = 0.8,
    height: float = 0.28,
    dashed: bool = False,
    **font: str,
) -> None:
    axes.add_patch(
        FancyBboxPatch(
            (x - width / 2, y - height / 2),
            width,
            height,
            boxstyle="round,pad=0,rounding_size=0.05",
            facecolor=colour,
            edgecolor=INK,
            linewidth=0.8,
            linestyle="--" if dashed else "-",
        )
    )
    _label(axes, x, y, text, **font)


def _label(axes: Axes, x: float, y: float, text: str, ha: str = "center", **font: str) -> None:
    axes.text(x, y, text, font, ha=ha, va="center", parse_math="$" in text)


def _arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    style = {"arrowstyle": "-|>,head_width=0.15,head_length=0.3", "color": INK, "linewidth": 0.8}
    axes.annotate("", end, start, arrowprops={**style, "shrinkA": 0, "shrinkB": 0})


def _picture(axes: Axes, x: float, y: float) -> None:
    """Draw a small landscape as the input image."""
    left = x - 0.36
    right = x + 0.36
    bottom = y - 0.27
    frame = Rectangle((left, bottom), 0.72, 0.54, facecolor="white", edgecolor="none")
    hills = [
        Polygon([(left - 0.1, bottom), (x - 0.1, y + 0.12), (x + 0.25, bottom)], facecolor="0.6"),
        Polygon([(x - 0.12, bottom), (x + 0.16, y), (right + 0.1, bottom)], facecolor="0.75"),
    ]
    sun = Circle((x + 0.2, y + 0.13), 0.07, facecolor="#E69F00")
    outline = Rectangle(frame.get_xy(), 0.72, 0.54, fill=False, edgecolor=INK, linewidth=0.8)
    for patch in (frame, *hills, sun, outline):
        axes.add_patch(patch)
        patch.set_clip_path(frame)
