"""Draw the objects of the scenes.

An object's origin is the point where it touches the ground, or its center if it flies.
"""

import math
import random

from reproduction.scenes.pen import INK, PAINT, WOOD, Colour, Pen, shade

_SKIN = ((250, 214, 180), (226, 172, 128), (150, 100, 66))
_HAIR = ((52, 36, 26), (110, 68, 34), (220, 176, 84))


def _eye(pen: Pen, x: float, y: float, r: float = 2.2) -> None:
    pen.ellipse(x, y, r + 1.4, r + 1.4, (255, 255, 255))
    pen.ellipse(x + 0.6, y, r, r, INK)


def _legs(
    pen: Pen, back: float, front: float, top: float, width: float, paint: Colour, pose: str
) -> None:
    """Draw four legs, with darker ones on the far side."""
    run = 0.75 * top if pose == "run" else 0  # how far the feet are from the hips
    for x, reach, colour in (
        (back + 9, -0.5 * run, shade(paint, 0.72)),
        (front - 7, 1.2 * run, shade(paint, 0.72)),
        (back, -1.2 * run, paint),
        (front, 0.6 * run, paint),
    ):
        pen.line([(x, top), (x + reach, 4 + 0.35 * abs(reach))], width, colour)


def _dog(pen: Pen, paint: Colour, pose: str) -> None:
    pen.line("-30,42 -42,52 -48,66", 7, paint)
    _legs(pen, -26, 24, 32, 9, paint, pose)
    pen.ellipse(0, 38, 36, 15, paint)
    pen.ellipse(22, 44, 17, 18, paint, 30)
    pen.ellipse(52, 58, 15, 8, paint, -8)
    pen.ellipse(38, 62, 16, 15, paint)
    pen.ellipse(30, 58, 7, 16, shade(paint, 0.62), 12)
    pen.ellipse(65, 60, 4.5, 4, (10, 10, 10))
    pen.line("58,51 50,52", 2, shade(paint, 0.45))
    pen.ellipse(54, 46, 4, 7, (236, 96, 110))
    _eye(pen, 43, 67)


def _cat(pen: Pen, paint: Colour, pose: str) -> None:
    pen.line("-26,34 -44,38 -50,54 -40,70 -46,80", 7, paint)
    _legs(pen, -22, 20, 26, 8, paint, pose)
    pen.ellipse(0, 32, 31, 13, paint)
    for x in (-16, -5, 6):
        pen.line([(x, 44), (x + 2, 32)], 3, shade(paint, 0.68))
    for ear, inside in (
        ("18,60 31,60 19,82", "21,61 28,61 21,74"),
        ("37,60 50,60 49,82", "40,61 47,61 47,74"),
    ):
        pen.polygon(ear, paint)
        pen.polygon(inside, (240, 160, 170))
    pen.ellipse(34, 54, 18, 15, paint)
    for x in (27, 42):
        pen.ellipse(x, 57, 4.2, 4.6, (150, 220, 90))
        pen.ellipse(x, 57, 1.4, 4.4, INK)
    pen.polygon("32,51 37,51 34.5,48", (240, 120, 140))
    for whisker in ("26,48 10,50", "26,48 10,46", "43,48 59,50", "43,48 59,46"):
        pen.line(whisker, 0.9, shade(paint, 0.35))


def _horse(pen: Pen, paint: Colour, pose: str) -> None:
    # A black horse would have an invisible mane, so its mane is gray.
    mane = shade(paint, 0.45) if sum(paint) > 200 else (110, 104, 104)
    pen.line("-38,66 -52,58 -54,30", 9, mane)
    _legs(pen, -30, 28, 52, 10, paint, pose)
    for x in () if pose == "run" else (-30, -21, 21, 28):
        pen.line([(x, 7), (x, 3)], 10, (40, 34, 32))
    pen.ellipse(-2, 62, 40, 19, paint)
    pen.polygon("12,72 36,56 62,98 42,106", paint)
    pen.ellipse(62, 92, 20, 9.5, paint, -32)
    pen.polygon("44,104 54,102 50,118", paint)
    pen.line("46,110 34,100 22,84 14,76", 9, mane)
    pen.ellipse(76, 84, 2.4, 2.4, (20, 20, 20))
    _eye(pen, 57, 98)


def _sheep(pen: Pen, paint: Colour, pose: str) -> None:
    # The face differs from the wool: dark for light wool, and light for dark wool.
    face = (70, 62, 60) if sum(paint) > 300 else (206, 186, 166)
    _legs(pen, -20, 18, 26, 8, face, pose)
    for k in range(11):
        turn = math.tau * k / 11
        pen.ellipse(27 * math.cos(turn) - 2, 40 + 14 * math.sin(turn), 13, 12, paint)
    pen.ellipse(-2, 40, 30, 18, paint)
    curl = shade(paint, 0.78 if sum(paint) > 300 else 1.35)
    for x, y in ((-20, 46), (-4, 52), (-8, 36), (10, 42), (-24, 34), (6, 28)):
        pen.line([(x - 5, y), (x, y - 4), (x + 5, y)], 1.6, curl)
    pen.ellipse(41, 48, 12, 17, face, 24)
    pen.ellipse(27, 58, 10, 4.5, face, -24)
    pen.ellipse(35, 63, 12, 8, paint)
    _eye(pen, 43, 54)


def _duck(pen: Pen, paint: Colour, pose: str) -> None:
    orange = (246, 140, 30)
    step = 9 if pose == "run" else 0
    for x, reach in ((-4, -step), (8, step)):
        pen.line([(x, 18), (x + reach, 3), (x + reach + 9, 2)], 5, orange)
    pen.polygon("-22,38 -48,50 -26,20", paint)
    pen.ellipse(-2, 28, 32, 18, paint)
    pen.line("20,32 26,60", 16, paint)
    pen.ellipse(-8, 31, 20, 10, shade(paint, 0.78), 12)
    pen.polygon("36,66 58,61 57,57 36,54", orange)
    pen.ellipse(28, 62, 14, 13, paint)
    _eye(pen, 33, 67)


def _rabbit(pen: Pen, paint: Colour, pose: str) -> None:
    pen.ellipse(-27, 24, 9, 9, shade(paint, 1.6))
    for x, tilt in ((12, 100), (24, 78)):
        pen.ellipse(x, 80, 22, 6.5, paint, tilt)
        pen.ellipse(x, 80, 15, 3, (244, 170, 180), tilt)
    stretch = 10 if pose == "run" else 0
    pen.ellipse(-4, 26, 25 + stretch / 2, 21 - stretch / 3, paint, 12)
    pen.ellipse(-14 - stretch, 6 + stretch / 2, 18, 6, paint, -stretch)
    pen.line([(14, 22), (18 + stretch, 5 + stretch / 2)], 9, paint)
    pen.ellipse(-10, 20, 14, 14, shade(paint, 0.85))
    pen.ellipse(20, 50, 17, 15, paint)
    pen.ellipse(36, 47, 3, 2.6, (240, 120, 140))
    pen.polygon("30,39 35,39 34,33 31,33", (255, 255, 255))
    _eye(pen, 26, 54)


def person(pen: Pen, kind: str, paint: Colour, pose: str, look: random.Random) -> None:
    """Draw a person who stands, runs, pushes, raises an arm, lifts both, or rides (hip at 0)."""
    skin = look.choice(_SKIN)
    hair = look.choice(_HAIR)
    hip, shoulder = (44, 76) if kind != "child" else (28, 54)
    if pose == "ride":
        shoulder -= hip
        hip = 0
    # The hands relative to the shoulders, the front one first.
    hands = {
        "run": ((25, -14), (-25, -12)),
        "push": ((38, -14), (35, -20)),
        "ride": ((34, -16), (32, -20)),
        "raise": ((30, 20), (-19, -27)),
        "lift": ((20, 40), (-20, 40)),
    }.get(pose, ((19, -27), (-19, -27)))
    feet = {"run": ((24, 6), (-26, 14)), "ride": ((20, -34), (8, -40))}.get(pose, ((8, 0), (-8, 0)))
    if kind == "woman":
        pen.move(0, shoulder + 16)
        pen.polygon("-17,8 16,8 14,-24 -21,-28", hair)
        pen.move(0, 0)
    pen.line([(-4, shoulder - 4), (hands[1][0], shoulder + hands[1][1])], 8, shade(paint, 0.75))
    for x, y in reversed(feet):
        knee = [(18, hip - 8)] if pose == "ride" else []
        leg = (58, 62, 92) if kind == "man" else skin
        pen.line([(x / 4, hip + 2), *knee, (x, y + 3)], 9 if kind == "child" else 11, leg)
        pen.ellipse(x + 4, y + 3, 9, 4.5, (70, 40, 30))
    pen.move(0, hip)
    if kind == "man":
        pen.polygon("-13,-2 13,-2 15,32 -15,32", paint)
    elif kind == "woman":
        pen.polygon("-26,-26 26,-26 9,12 12,32 -12,32 -9,12", paint)
    else:
        pen.polygon("-12,-12 12,-12 12,2 -12,2", (58, 62, 92))
        pen.polygon("-12,0 12,0 13,26 -13,26", paint)
    pen.move(0, 0)
    pen.line([(5, shoulder - 5), (hands[0][0], shoulder + hands[0][1])], 8, paint)
    for x, y in hands:
        pen.ellipse(x, shoulder + y, 4.6, 4.6, skin)
    pen.move(0, shoulder + 16)
    pen.ellipse(1, 0, 15, 15.5, skin)
    if kind == "man":
        pen.ellipse(4, -8, 12, 9, hair)
        pen.ellipse(4, -2, 10, 5, skin)
        pen.polygon("-14,-4 -15,8 -8,17 6,18 15,10 14,6 -6,8 -9,-4", hair)
    elif kind == "woman":
        pen.polygon("-16,-14 -16,8 -8,17 4,18 15,11 15,5 0,9 -8,4 -10,-14", hair)
    else:
        pen.polygon("-14,3 -13,11 -4,17 8,16 15,8 4,10 -6,7", hair)
        pen.line("-1,16 -4,21 -9,23", 3, hair)
    lips = (206, 40, 60) if kind == "woman" else (170, 70, 70)
    pen.line("3,-7 7,-8.5 11,-6.5", 2.2, lips)
    for x in (4, 11):
        pen.ellipse(x, 2, 1.9, 2.5, INK)
    pen.move(0, 0)


def _bird(pen: Pen, paint: Colour, pose: str) -> None:
    pen.polygon("-14,2 -44,12 -40,-6", shade(paint, 0.7))
    pen.polygon("-2,4 -26,40 14,6", shade(paint, 0.7))
    pen.ellipse(0, 0, 24, 12, paint, 8)
    pen.ellipse(20, 8, 11, 10, paint)
    pen.polygon("29,12 44,6 29,3", (246, 150, 30))
    pen.polygon("-8,2 4,46 16,4", shade(paint, 0.85))
    _eye(pen, 23, 11, 1.8)


def _balloon(pen: Pen, paint: Colour, pose: str) -> None:
    if pose != "held":
        pen.line("0,-22 -3,-38 3,-52 0,-64", 1.4, (90, 90, 90))
    pen.polygon("0,-18 -6,-28 6,-28", shade(paint, 0.8))
    pen.ellipse(0, 4, 21, 25, paint)
    pen.ellipse(-8, 13, 4, 7, shade(paint, 1.7), -25)


def _kite(pen: Pen, paint: Colour, pose: str) -> None:
    tail = ((0, -34), (-10, -46), (-4, -58), (-14, -70))
    pen.line(tail, 2, (90, 90, 90))
    for x, y in tail[1:]:
        pen.move(x, y)
        pen.polygon("-7,5 7,-5 7,5 -7,-5", shade(paint, 0.8))
    pen.move(0, 0)
    pen.polygon("0,34 26,6 0,-34 -26,6", paint)
    pen.polygon("0,34 26,6 0,6", shade(paint, 1.45))
    pen.polygon("0,6 -26,6 0,-34", shade(paint, 0.75))


def _ball(pen: Pen, paint: Colour, pose: str) -> None:
    pen.ellipse(0, 20, 20, 20, paint)
    stripe = (255, 255, 255) if paint != PAINT["white"] else (170, 174, 186)
    pen.line("-14,30 -4,22 -4,14 -13,8", 4, stripe)
    pen.line("14,32 8,22 9,12 14,7", 4, stripe)


def _house(pen: Pen, paint: Colour, pose: str) -> None:
    pen.box(24, 80, 38, 122, (120, 84, 76))
    pen.box(-54, 0, 54, 72, paint)
    pen.polygon("-66,70 66,70 36,114 -36,114", (96, 74, 70))
    pen.box(-12, 0, 12, 42, WOOD)
    pen.ellipse(7, 20, 2.4, 2.4, (240, 210, 90))
    for x in (-36, 36):
        pen.box(x - 14, 26, x + 14, 54, (250, 250, 250))
        for u, v in ((-6, 34), (6, 34), (-6, 46), (6, 46)):
            pen.box(x + u - 5, v - 5, x + u + 5, v + 5, (140, 200, 230))


def _tree(pen: Pen, paint: Colour, pose: str) -> None:
    pen.polygon("-11,0 11,0 7,64 -7,64", WOOD)
    for x, y in ((-30, 76), (30, 76), (-22, 104), (22, 104), (0, 122), (0, 90)):
        pen.ellipse(x, y, 25, 25, paint)
    for x, y in ((-26, 90), (8, 112), (28, 84), (-4, 78)):
        pen.line([(x - 8, y), (x, y - 5), (x + 8, y)], 3, shade(paint, 0.78))


def _wheel(pen: Pen, x: float, y: float, r: float) -> None:
    pen.ellipse(x, y, r, r, (34, 34, 38))
    pen.ellipse(x, y, 0.5 * r, 0.5 * r, (190, 194, 200))


def _car(pen: Pen, paint: Colour, pose: str) -> None:
    """Draw a car; the pose `open` is a convertible around a driver who was drawn before."""
    if pose != "open":
        pen.polygon("-44,40 -32,68 20,68 40,40", paint)
        pen.polygon("-36,42 -28,62 -8,62 -8,42", (176, 220, 240))
        pen.polygon("-2,42 -2,62 17,62 32,42", (176, 220, 240))
    else:
        pen.line("24,42 16,64", 4, (120, 130, 140))
    pen.polygon("-62,14 -62,38 -46,44 44,44 64,34 66,14", paint)
    pen.line("-56,24 60,24", 2, shade(paint, 0.7))
    pen.ellipse(61, 30, 4, 5, (255, 240, 150))
    for x in (-36, 38):
        _wheel(pen, x, 14, 14)


def _boat(pen: Pen, paint: Colour, pose: str) -> None:
    """Draw a boat; the poses `sails` and `hull` are the halves behind and before its passenger."""
    if pose != "hull":
        pen.line("-8,14 -8,104", 4, WOOD)
        pen.polygon("-4,102 -4,34 40,34", shade(paint, 1.25))
        pen.polygon("-12,94 -12,34 -42,34", shade(paint, 1.25))
    if pose != "sails":
        pen.polygon("-60,26 64,26 44,-2 -44,-2", paint)
        pen.line("-54,17 56,17", 3, shade(paint, 0.7))


def _bicycle(pen: Pen, paint: Colour, pose: str) -> None:
    hub = (-32, 20)
    axle = (34, 20)
    pedal = (-2, 20)
    saddle = (-12, 50)
    bar = (24, 50)
    for x, y in (hub, axle):
        ring = [(x + 19 * math.cos(t * 0.35), y + 19 * math.sin(t * 0.35)) for t in range(19)]
        pen.line(ring, 4, (44, 44, 50))
        for t in range(3):
            u = 17 * math.cos(t * 1.05)
            v = 17 * math.sin(t * 1.05)
            pen.line([(x - u, y - v), (x + u, y + v)], 0.8, (150, 150, 156))
    pen.line([hub, saddle, pedal, hub], 5, paint)
    pen.line([saddle, bar, pedal], 5, paint)
    pen.line([bar, axle], 5, paint)
    pen.line([bar, (22, 60), (32, 62)], 4, (60, 60, 66))
    pen.line("-20,56 -6,56", 6, (60, 44, 36))
    pen.line([saddle, (-13, 55)], 4, (60, 60, 66))


def _table(pen: Pen, paint: Colour, pose: str) -> None:
    for x in (-58, 58):
        pen.box(x - 5, 0, x + 5, 66, shade(paint, 0.8))
    pen.polygon("-74,66 74,66 68,78 -68,78", paint)
    pen.box(-74, 60, 74, 67, shade(paint, 0.72))


def cart(pen: Pen) -> None:
    """Draw the cart for a person or an animal that is pulled or pushed."""
    wood = (176, 126, 76)
    pen.polygon("-46,16 46,16 54,48 -54,48", wood)
    for y in (26, 37):
        pen.line([(-48, y), (48, y)], 1.8, shade(wood, 0.7))
    for x in (-28, 28):
        _wheel(pen, x, 14, 14)


_ANIMALS = (_dog, _cat, _horse, _sheep, _duck, _rabbit)
_THINGS = (_bird, _balloon, _kite, _ball, _house, _tree, _car, _boat, _bicycle, _table)
DRAWN = {draw.__name__.strip("_"): draw for draw in (*_ANIMALS, *_THINGS)}
# The height, half the width, and the height at which an object carries another one, in its own
# coordinates.
HEIGHT = {
    "dog": 78, "cat": 82, "horse": 118, "sheep": 70, "duck": 75, "rabbit": 100, "man": 110,
    "woman": 110, "child": 92, "house": 122, "tree": 146, "car": 68, "boat": 104, "bicycle": 62,
    "ball": 40, "table": 78, "cart": 48, "bird": 44, "balloon": 30, "kite": 34,
}  # fmt: skip
HALF = {
    "dog": 62, "cat": 52, "horse": 78, "sheep": 50, "duck": 50, "rabbit": 36, "man": 20,
    "woman": 24, "child": 18, "house": 66, "tree": 56, "car": 66, "boat": 62, "bicycle": 54,
    "ball": 20, "table": 74, "cart": 54, "bird": 44, "balloon": 22, "kite": 26,
}  # fmt: skip
BACK = {
    "dog": 50, "cat": 43, "horse": 79, "sheep": 58, "duck": 44, "rabbit": 44, "man": 113,
    "woman": 113, "child": 92, "table": 76,
}  # fmt: skip
BELOW = {"bird": 8, "balloon": 66, "kite": 74}  # the length below the center of a flying object
SHOULDER = {"man": 76, "woman": 76, "child": 54}
