"""Draw the backgrounds of scenes: the sky with its weather, and the landscape.

backgrounds.toml has the colors, and the layers of each landscape from back to front. A layer's
`draw` names a function of `_LAYERS`; the rest are its arguments. The origin of the landscape's pen
is the bottom left corner. Objects stand on the lowest 80 pixels, landmarks begin at a height of 72,
and boats are at 90.
"""

import math
import random
import tomllib
from pathlib import Path

import numpy as np
from PIL import Image, ImageColor

from reproduction.scenes.pen import FINE, HEIGHT, WIDTH, Pen, Point, shade
from reproduction.scenes.things import shapes

_BACKGROUNDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_SKIES = _BACKGROUNDS["skies"]


def background(name: str, sky: str, rng: random.Random) -> Image.Image:
    """Draw the scene without objects, `FINE` times as large as the final image."""
    colours = _SKIES[sky]
    # A vertical gradient, which reaches the horizon's color at 56% of the height.
    steps = np.clip(np.linspace(0, 1.8, HEIGHT * FINE), 0, 1)[:, None]
    top = ImageColor.getrgb(colours["top"])
    horizon = ImageColor.getrgb(colours["horizon"])
    rows = np.outer(1 - steps, top) + np.outer(steps, horizon)
    canvas = Image.fromarray(np.repeat(rows.astype(np.uint8)[:, None], WIDTH * FINE, axis=1))
    pen = Pen(canvas, 0, HEIGHT)
    _in_the_sky(pen, sky, rng)
    pen.finish(outline=0)
    pen.light = colours["light"]
    for layer in _BACKGROUNDS["landscapes"][name]:
        options = dict(layer)
        _LAYERS[options.pop("draw")](pen, rng, **options)
        pen.move(0, 0)
    pen.finish(outline=0)
    return canvas


def rain(canvas: Image.Image, rng: random.Random) -> None:
    """Draw rain over everything."""
    pen = Pen(canvas, 0, HEIGHT)
    for _ in range(150):
        x = rng.random() * WIDTH
        y = rng.random() * HEIGHT
        pen.line([(x, y), (x - 4, y - 14)], 1.1, "#cedcee")
    pen.finish(outline=0)


def _in_the_sky(pen: Pen, sky: str, rng: random.Random) -> None:
    """Draw sun, moon, stars and clouds; sun and moon are on the left, so no image is symmetric."""
    pen.move(40 + 20 * rng.random(), 220)
    if sky in ("sunny", "sunset", "night"):
        shapes(pen, sky)
    pen.move(0, 0)
    for _ in range(60 if sky == "night" else 0):
        r = 0.6 + rng.random()
        pen.ellipse(rng.uniform(80, WIDTH), rng.uniform(130, HEIGHT), r, r, "#fafadc")
    clouds = _SKIES[sky].get("clouds", 0)
    for k in range(clouds):
        tone = _SKIES[sky]["cloud"]
        x = (k + rng.random()) * WIDTH / clouds + 90 * (sky == "sunny")
        pen.move(x, rng.uniform(190, 242))
        for u, v, r in ((-22, -2, 13), (-6, 7, 17), (14, 3, 15), (28, -3, 11)):
            pen.ellipse(u, v, r, r * 0.8, shade(tone, 0.95) if k % 2 else tone)
    pen.move(0, 0)


def _fill(pen: Pen, rng: random.Random, top: float, colour: str) -> None:
    pen.box(0, 0, WIDTH, top, colour)


def _hills(
    pen: Pen, rng: random.Random, colour: str, height: float, rise: float, waves: float
) -> None:
    start = rng.random() * 6
    xs = range(0, WIDTH + 1, 8)
    tops = [(x, height + rise * math.sin(start + waves * x / WIDTH)) for x in xs]
    pen.polygon([(0, 0), *tops, (WIDTH, 0)], colour)


def _dots(
    pen: Pen, rng: random.Random, count: int, rx: float, ry: float, colours: list[str]
) -> None:
    for _ in range(count):
        x = rng.random() * WIDTH
        y = rng.random() * 76
        pen.ellipse(x, y, rx, ry, rng.choice(colours))


def _row(pen: Pen, rng: random.Random, thing: str, places: list[Point], jitter: float = 0) -> None:
    """Draw a group of things.svg at several places, each up to `jitter` pixels to the right."""
    for x, y in places:
        pen.move(x + (jitter * rng.random() if jitter else 0), y)
        shapes(pen, thing)


def _houses(pen: Pen, rng: random.Random, tones: list[str]) -> None:
    x = -10.0
    while x < WIDTH:
        wide = rng.uniform(34, 56)
        high = rng.uniform(170, 232)
        pen.box(x, 0, x + wide, high, rng.choice(tones))
        for u in range(6, int(wide) - 8, 12):
            for v in range(130, int(high) - 10, 16):
                glass = "#fae28c" if rng.random() < 0.4 else "#607086"
                pen.box(x + u, v, x + u + 7, v + 9, glass)
        x += wide + 1


def _mountains(pen: Pen, rng: random.Random, peaks: list[Point]) -> None:
    for x, high in peaks:
        pen.move(x + 20 * rng.random(), high)
        pen.polygon([(-100, 110 - high), (0, 0), (100, 110 - high)], "#767a88")
        pen.polygon([(0, 0), (100, 110 - high), (20, 110 - high)], "#606474")
        pen.polygon("-30,-34 0,0 30,-34 12,-26 0,-38 -14,-26", "#fafafc")


def _firs(
    pen: Pen,
    rng: random.Random,
    places: list[Point],
    jitter: float,
    high: float,
    colour: str,
    higher: float = 0,
    snowy: bool = False,
) -> None:
    """Draw firs at several places, up to `jitter` pixels to the right and `higher` higher."""
    for start, y in places:
        x = start + jitter * rng.random()
        height = high + (higher * rng.random() if higher else 0)
        pen.box(x - 3, y, x + 3, y + 0.2 * height, "#5c402c")
        for k in range(3):
            base = y + height * (0.15 + 0.25 * k)
            wide = height * (0.28 - 0.06 * k)
            tip = base + 0.4 * height
            pen.polygon([(x - wide, base), (x + wide, base), (x, tip)], colour)
            if snowy:
                low = tip - 0.14 * height
                pen.polygon([(x - wide / 3, low), (x + wide / 3, low), (x, tip)], "#fafafc")


_DRAWN = (_fill, _hills, _dots, _row, _houses, _mountains, _firs)
_LAYERS = {draw.__name__.strip("_"): draw for draw in _DRAWN}
