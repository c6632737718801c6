"""Draw the backgrounds of scenes: the sky with its weather, and the landscape.

The origin of the landscape's pen is the bottom left corner. Objects stand on the lowest 80 pixels,
landmarks begin at a height of 72, and boats are at 90.
"""

import math
import random
import tomllib
from pathlib import Path

import numpy as np
from PIL import Image, ImageColor

from reproduction.scenes.pen import FINE, HEIGHT, WIDTH, Pen, shade
from reproduction.scenes.things import shapes

_SKIES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


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
    _LANDSCAPES[name](pen, rng)
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


def _hills(
    pen: Pen, rng: random.Random, colour: str, height: float, rise: float, waves: float
) -> None:
    start = rng.random() * 6
    xs = range(0, WIDTH + 1, 8)
    tops = [(x, height + rise * math.sin(start + waves * x / WIDTH)) for x in xs]
    pen.polygon([(0, 0), *tops, (WIDTH, 0)], colour)


def _dots(pen: Pen, rng: random.Random, count: int, rx: float, ry: float, *colours: str) -> None:
    for _ in range(count):
        x = rng.random() * WIDTH
        y = rng.random() * 76
        pen.ellipse(x, y, rx, ry, rng.choice(colours))


def _beach(pen: Pen, rng: random.Random) -> None:
    pen.box(0, 0, WIDTH, 136, "#2882c4")
    for y in (128, 116, 104):
        for x in range(0, WIDTH, 40):
            pen.move(x + 20 * rng.random(), y)
            pen.line("0,0 9,3 18,0", 1.6, "#c8e2f0")
    pen.move(0, 0)
    _hills(pen, rng, "#fafafa", 84, 3, 14)
    _hills(pen, rng, "#f0d492", 80, 3, 14)
    _dots(pen, rng, 26, 3, 1.5, "#ceac6c")


def _meadow(pen: Pen, rng: random.Random) -> None:
    _hills(pen, rng, "#78b854", 140, 10, 5)
    _hills(pen, rng, "#68b03e", 112, 8, 7)
    _dots(pen, rng, 60, 3, 3, "#fafafa", "#faaad2", "#d2a0fa")


def _street(pen: Pen, rng: random.Random) -> None:
    x = -10.0
    while x < WIDTH:
        wide = rng.uniform(34, 56)
        high = rng.uniform(170, 232)
        tones = "#968680", "#808692", "#a8988a"
        pen.box(x, 0, x + wide, high, rng.choice(tones))
        for u in range(6, int(wide) - 8, 12):
            for v in range(130, int(high) - 10, 16):
                glass = "#fae28c" if rng.random() < 0.4 else "#607086"
                pen.box(x + u, v, x + u + 7, v + 9, glass)
        x += wide + 1
    pen.box(0, 0, WIDTH, 116, "#b0aca6")
    pen.box(0, 0, WIDTH, 100, "#5c5e64")
    for x in range(-20, WIDTH, 64):
        pen.box(x, 48, x + 36, 54, "#f4f4f4")


def _snow(pen: Pen, rng: random.Random) -> None:
    _hills(pen, rng, "#cedcec", 150, 12, 5)
    for x in range(12, WIDTH, 44):
        _fir(pen, x + 14 * rng.random(), 130, 44, "#3e645c", snowy=True)
    _hills(pen, rng, "#eef4fc", 124, 8, 6)
    _dots(pen, rng, 24, 9, 2, "#d6e2f2")


def _mountains(pen: Pen, rng: random.Random) -> None:
    for x, high in ((40, 206), (150, 236), (262, 212), (330, 190)):
        pen.move(x + 20 * rng.random(), high)
        pen.polygon([(-100, 110 - high), (0, 0), (100, 110 - high)], "#767a88")
        pen.polygon([(0, 0), (100, 110 - high), (20, 110 - high)], "#606474")
        pen.polygon("-30,-34 0,0 30,-34 12,-26 0,-38 -14,-26", "#fafafc")
    pen.move(0, 0)
    _hills(pen, rng, "#7e8c5c", 118, 6, 8)
    _dots(pen, rng, 22, 8, 4, "#96948c")


def _lake(pen: Pen, rng: random.Random) -> None:
    _hills(pen, rng, "#468256", 152, 8, 9)
    pen.box(0, 0, WIDTH, 134, "#4a98be")
    for y in (126, 112, 98):
        for _ in range(5):
            x = rng.random() * WIDTH
            pen.line([(x, y), (x + 34, y)], 1.4, "#bedeec")
    _hills(pen, rng, "#84ac54", 82, 3, 8)
    for x in (*range(4, 60, 9), *range(WIDTH - 50, WIDTH, 9)):  # reeds
        pen.line([(x, 76), (x + 2, 108)], 2.4, "#466830")
        pen.line([(x + 2, 104), (x + 2, 114)], 4.4, "#684224")


def _desert(pen: Pen, rng: random.Random) -> None:
    _hills(pen, rng, "#dea45c", 148, 14, 7)
    _hills(pen, rng, "#ecb86c", 120, 12, 5)
    for x, y in ((24, 124), (112, 136), (208, 132), (292, 122)):  # cacti
        pen.move(x + 16 * rng.random(), y)
        for points in ("0,-30 0,46", "-16,32 -16,18 0,16", "16,42 16,24 0,20"):
            pen.line(points, 10, "#468848")
    pen.move(0, 0)
    _hills(pen, rng, "#f4c87e", 92, 8, 6)


def _forest(pen: Pen, rng: random.Random) -> None:
    pen.box(0, 0, WIDTH, 160, "#285434")
    for x in range(0, WIDTH + 20, 26):
        _fir(pen, x + 10 * rng.random(), 100, 100 + 26 * rng.random(), "#225c38")
    for x in range(10, WIDTH + 20, 52):
        _fir(pen, x + 16 * rng.random(), 90, 100 + 20 * rng.random(), "#1c4e30")
    pen.box(0, 0, WIDTH, 94, "#705c3a")
    _dots(pen, rng, 46, 4, 2, "#966830", "#5a6e34", "#54422a")


def _fir(pen: Pen, x: float, y: float, high: float, colour: str, snowy: bool = False) -> None:
    pen.box(x - 3, y, x + 3, y + 0.2 * high, "#5c402c")
    for k in range(3):
        base = y + high * (0.15 + 0.25 * k)
        wide = high * (0.28 - 0.06 * k)
        tip = base + 0.4 * high
        pen.polygon([(x - wide, base), (x + wide, base), (x, tip)], colour)
        if snowy:
            low = tip - 0.14 * high
            pen.polygon([(x - wide / 3, low), (x + wide / 3, low), (x, tip)], "#fafafc")


_DRAWN = (_beach, _meadow, _street, _snow, _mountains, _lake, _desert, _forest)
_LANDSCAPES = {draw.__name__.strip("_"): draw for draw in _DRAWN}
