"""The pen that draws the scenes' objects and backgrounds, and its colors, written as in CSS."""

import math
from collections.abc import Iterable, Sequence

from PIL import Image, ImageColor, ImageDraw

# The size of the final image, in pixels.
WIDTH = 320
HEIGHT = 256
FINE = 2  # images are drawn twice as large and scaled down, for smooth edges

Point = tuple[float, float]

PAINT = {
    "red": "#d82424",
    "blue": "#2654d6",
    "green": "#24a03e",
    "yellow": "#fcd024",
    "black": "#2c2c32",
    "white": "#f8f8f8",
    "brown": "#86522a",
    "grey": "#92969e",
}
INK = "#18161c"
WOOD = "#704a2c"


def shade(colour: str, factor: float) -> str:
    """Make a color darker by a factor below 1, or brighter by a factor above 1."""
    # Each channel's distance from black or from white is scaled.
    end, scale = (0, factor) if factor <= 1 else (255, 2 - factor)
    channels = ImageColor.getrgb(colour)
    red, green, blue = (round(end + scale * (channel - end)) for channel in channels)
    return f"rgb({red}, {green}, {blue})"


class Pen:
    """Collects the shapes of one object, and draws them with one outline around all of them.

    Coordinates are relative to the object's origin, in pixels of the final image: x forwards (to
    the right unless flipped) and y upwards. The origin is at `x`, `y` from the top left of the
    canvas. Points can be text, `"x,y x,y"`, as in SVG. `light` multiplies the colors.
    """

    def __init__(
        self, canvas: Image.Image, x: float, y: float, scale: float = 1, flip: bool = False
    ) -> None:
        self.draw = ImageDraw.Draw(canvas)
        self.x = x
        self.y = y
        self.scale = scale
        self.flip = flip
        self.light = (1.0, 1.0, 1.0)
        self.offset = (0.0, 0.0)
        self.shapes: list[tuple[list[Point], tuple[int, ...], float]] = []

    def move(self, x: float, y: float) -> None:
        """Put the origin of the next shapes at `x`, `y` of the object."""
        self.offset = (x, y)

    def polygon(self, points: str | Iterable[Point], fill: str) -> None:
        """Fill a polygon."""
        self._add(points, fill, 0)

    def box(self, left: float, bottom: float, right: float, top: float, fill: str) -> None:
        """Fill a rectangle."""
        self.polygon([(left, bottom), (right, bottom), (right, top), (left, top)], fill)

    def line(self, points: str | Iterable[Point], width: float, fill: str) -> None:
        """Draw a line through these points, with round ends."""
        self._add(points, fill, width * self.scale * FINE)

    def ellipse(self, x: float, y: float, rx: float, ry: float, fill: str, tilt: float = 0) -> None:
        """Fill an ellipse around `x`, `y`; a positive `tilt` (degrees) raises its front."""
        cos = math.cos(math.radians(tilt))
        sin = math.sin(math.radians(tilt))
        turn = [math.tau * k / 36 for k in range(36)]
        around = [(rx * math.cos(t), ry * math.sin(t)) for t in turn]
        self.polygon([(x + u * cos - v * sin, y + u * sin + v * cos) for u, v in around], fill)

    def finish(self, outline: float = 1.6) -> None:
        """Draw an outline of `outline` pixels, and all shapes over it, in order."""
        for points, _, width in self.shapes if outline else ():
            self._stroke(points if width else [*points, points[0]], width + 2 * outline * FINE, INK)
        for points, fill, width in self.shapes:
            if width:
                self._stroke(points, width, fill)
            else:
                self.draw.polygon(points, fill=fill)
        self.shapes = []

    def _add(self, points: str | Iterable[Point], fill: str, width: float) -> None:
        if isinstance(points, str):
            pairs = (point.split(",") for point in points.split())
            points = [(float(u), float(v)) for u, v in pairs]
        # The canvas has its origin at the top left and y downwards.
        sign = -self.scale if self.flip else self.scale
        x, y = self.offset
        placed = [
            ((self.x + sign * (x + u)) * FINE, (self.y - self.scale * (y + v)) * FINE)
            for u, v in points
        ]
        channels = zip(ImageColor.getrgb(fill), self.light, strict=True)
        lit = tuple(round(channel * light) for channel, light in channels)
        self.shapes.append((placed, lit, width))

    def _stroke(self, points: Sequence[Point], width: float, fill: str | tuple[int, ...]) -> None:
        self.draw.line(points, fill=fill, width=round(width), joint="curve")
        r = width / 2
        for x, y in (points[0], points[-1]):
            self.draw.ellipse((x - r, y - r, x + r, y + r), fill=fill)
