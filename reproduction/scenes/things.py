"""Draw the objects of the scenes, whose shapes are in things.svg; things.toml has people's poses.

An object's origin is the point where it touches the ground, or its center if it flies.
"""

import random
import re
import tomllib
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

from reproduction.scenes.pen import PAINT, Pen, shade

_PEOPLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_SVG = "{http://www.w3.org/2000/svg}"
# Each object's group of shapes; things.svg explains its attributes.
_DRAWING = ElementTree.parse(Path(__file__).with_suffix(".svg"))
_GROUPS = {group.attrib["id"]: group for group in _DRAWING.iterfind(f"{_SVG}g")}


def _sizes(attribute: str) -> dict[str, float]:
    """Read a size of all objects that have it, in an object's own coordinates."""
    return {
        kind: float(group.attrib[attribute])
        for kind, group in _GROUPS.items()
        if attribute in group.attrib
    }


HEIGHT = _sizes("data-height")
HALF = _sizes("data-half")  # half the width
BACK = _sizes("data-back")  # the height at which an object carries another one
BELOW = _sizes("data-below")  # the length below the center of a flying object
SHOULDER = _sizes("data-shoulder")


def shapes(
    pen: Pen, kind: str, colour: str = "", pose: str = "", look: Mapping[str, str] | None = None
) -> None:
    """Draw the shapes of a group of things.svg.

    Args:
        colour: the object's color, a name of `PAINT`.
        look: the colors of a person's skin and hair.
    """
    for shape in _GROUPS[kind]:
        attributes = shape.attrib
        if attributes.get("data-only", pose) != pose or attributes.get("data-not") == pose:
            continue
        if "class" in attributes and look:
            fill = look[attributes["class"]]
        elif "data-paint" in attributes and f"data-{colour}" not in attributes:
            fill = shade(PAINT[colour], float(attributes["data-paint"]))
        else:
            drawn = attributes.get("fill") or attributes["stroke"]
            fill = attributes.get(f"data-{colour}", drawn)
        if shape.tag == f"{_SVG}ellipse":
            x, y, rx, ry = (float(attributes[name]) for name in ("cx", "cy", "rx", "ry"))
            # The first number of `rotate(30, 22, 44)` is the angle.
            tilt = re.findall(r"[\d.-]+", attributes.get("transform", "0"))[0]
            pen.ellipse(x, y, rx, ry, fill, float(tilt))
        elif shape.tag == f"{_SVG}polyline":
            pen.line(attributes["points"], float(attributes["stroke-width"]), fill)
        else:
            pen.polygon(attributes["points"], fill)


def person(pen: Pen, kind: str, colour: str, pose: str, look: random.Random) -> None:
    """Draw a person who stands, runs, pushes, raises an arm, lifts both, or rides (hip at 0)."""
    skin = look.choice(_PEOPLE["skin"])
    hair = look.choice(_PEOPLE["hair"])
    part = partial(shapes, pen, colour=colour, look={"skin": skin, "hair": hair})
    paint = PAINT[colour]
    hip, shoulder = (44, 76) if kind != "child" else (28, 54)
    if pose == "ride":
        shoulder -= hip
        hip = 0
    hands = _PEOPLE["hands"][pose]
    feet = _PEOPLE["feet"].get(pose, _PEOPLE["feet"]["stand"])
    if kind == "woman":
        pen.move(0, shoulder + 16)
        part("woman-hair")
        pen.move(0, 0)
    pen.line([(-4, shoulder - 4), (hands[1][0], shoulder + hands[1][1])], 8, shade(paint, 0.75))
    for x, y in reversed(feet):
        knee = [(18, hip - 8)] if pose == "ride" else []
        leg = "#3a3e5c" if kind == "man" else skin
        pen.line([(x / 4, hip + 2), *knee, (x, y + 3)], 9 if kind == "child" else 11, leg)
        pen.ellipse(x + 4, y + 3, 9, 4.5, "#46281e")
    pen.move(0, hip)
    part(kind)
    pen.move(0, 0)
    pen.line([(5, shoulder - 5), (hands[0][0], shoulder + hands[0][1])], 8, paint)
    for x, y in hands:
        pen.ellipse(x, shoulder + y, 4.6, 4.6, skin)
    pen.move(0, shoulder + 16)
    part(f"{kind}-head")
    pen.move(0, 0)
