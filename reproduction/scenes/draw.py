"""Draw the image of a scene: the places and poses of its objects."""

import random
from collections.abc import Callable, Sequence
from functools import partial

from PIL import Image

from reproduction.scenes.backgrounds import background, rain
from reproduction.scenes.pen import FINE, WIDTH, WOOD, Pen, Point
from reproduction.scenes.things import BACK, BELOW, HALF, HEIGHT, SHOULDER, person, shapes
from reproduction.scenes.world import FLYING, PEOPLE, Scene

_SIZE = {"big": 1.3, "small": 0.7, None: 1.0}


class _Group:
    """Objects on one ground, which are moved and scaled together to fit the image."""

    def __init__(
        self, canvas: Image.Image, ground: float, rng: random.Random, turn: bool = False
    ) -> None:
        self.canvas = canvas
        self.ground = ground
        self.rng = rng
        self.flip = turn and rng.random() < 0.5
        self.parts: list[tuple[Point, float, Callable[[Pen], None]]] = []
        self.left = self.right = self.top = 0.0

    def put(
        self, thing: Scene, x: float, y: float = 0, pose: str = "stand", scale: float = 1
    ) -> None:
        """Put an object of a scene at `x`, at the height `y` above the ground."""
        kind = thing["kind"]
        look = random.Random(self.rng.random())
        draw = partial(person, look=look) if kind in PEOPLE else shapes
        draw = partial(draw, kind=kind, colour=thing["colour"], pose=pose)
        self._add(kind, x, y, scale * _SIZE[thing["size"]], draw)

    def cart(self, passenger: Scene) -> None:
        """Put a cart with a person or an animal in it."""
        self.put(passenger, 0, max(16, HEIGHT["cart"] - 0.25 * _high(passenger)))
        self._add("cart", 0, 0, 1, partial(shapes, kind="cart"))

    def line(self, points: Sequence[Point], width: float = 2.4, fill: str = WOOD) -> None:
        self.parts.append(((0, 0), 1, lambda pen: pen.line(points, width, fill)))

    def dust(self, x: float) -> None:
        """Add clouds of dust, which show speed."""
        self.left = min(self.left, x - 34)
        for u, v, r in ((-8, 8, 9), (-22, 14, 7), (-32, 7, 5)):
            puff = partial(Pen.ellipse, x=x + u, y=v, rx=r, ry=r, fill="#ece6dc")
            self.parts.append(((0, 0), 1, puff))

    def _add(
        self, kind: str, x: float, y: float, scale: float, draw: Callable[[Pen], None]
    ) -> None:
        self.left = min(self.left, x - HALF[kind] * scale)
        self.right = max(self.right, x + HALF[kind] * scale)
        self.top = max(self.top, y + HEIGHT[kind] * scale)
        self.parts.append(((x, y), scale, draw))

    def finish(self) -> None:
        """Draw all objects, at a random place that has room for them."""
        # Shrink the group if it is too wide or too high.
        fit = min(1, (WIDTH - 16) / (self.right - self.left), (self.ground - 10) / self.top)
        room = (WIDTH - 16) - fit * (self.right - self.left)
        sign = -1 if self.flip else 1
        middle = WIDTH / 2 + 0.7 * room * (self.rng.random() - 0.5)
        middle -= sign * fit * (self.left + self.right) / 2
        for (x, y), scale, draw in self.parts:
            at = middle + sign * fit * x, self.ground - fit * y
            pen = Pen(self.canvas, *at, fit * scale, self.flip)
            draw(pen)
            pen.finish()


def _wide(thing: Scene) -> float:
    return HALF[thing["kind"]] * _SIZE[thing["size"]]


def _high(thing: Scene) -> float:
    return HEIGHT[thing["kind"]] * _SIZE[thing["size"]]


def _action(group: _Group, verb: str, agent: Scene, patient: Scene) -> None:
    """Arrange agent and patient of an action; they move forwards, to the right or to the left."""
    a = _wide(agent)
    b = _wide(patient)
    if verb == "chase":
        group.dust(-a - 14)
        group.put(agent, 0, pose="run")
        group.put(patient, a + b + 18, pose="run")
    elif verb == "pull":
        group.line([(50, 34), (60 + a, 0.45 * _high(agent))])
        group.cart(patient)
        group.put(agent, 76 + a, pose="run")
    elif verb == "push" and patient["kind"] != "car":
        group.put(agent, -68 - 0.8 * a, pose="push")
        group.line([(-48, 44), (-60, 56), (-68, 56)], 4)
        group.cart(patient)
    elif verb == "push":
        group.dust(-b - 2 * a - 10)
        group.put(agent, -b - 0.85 * a, pose="push")
        group.put(patient, 0)
    elif verb == "carry":
        group.put(patient, -8, BACK[agent["kind"]] * _SIZE[agent["size"]], scale=0.85)
        group.put(agent, 0, pose="lift")
    elif verb == "jump over":
        over = _high(patient) + 22
        run = a + 0.6 * b + 20
        group.left = -run
        for k in (-0.95, -0.75, -0.55):  # the dashed path of the jump
            way = [(run * u, 12 + over * (1 - u * u)) for u in (k - 0.05, k + 0.05)]
            group.line(way, 4, "#ffffff")
        group.put(patient, 0)
        group.put(agent, 10, over, pose="run")
    elif verb == "hold":
        x = 30
        y = SHOULDER[agent["kind"]] + 20
        for k in range(patient["count"]):
            lean = 44 * (k - (patient["count"] - 1) / 2)
            group.line([(x, y), (x + lean, y + 52)], 1.4, "#5a5a5a")
            group.put(patient, x + lean, y + 74, pose="held")
        group.put(agent, 0, pose="raise")
    elif verb == "fly":
        y = SHOULDER[agent["kind"]] + 20
        group.line([(30, y), (90, y + 34), (140, y + 84)], 1.4, "#fafafa")
        group.put(patient, 140, y + 84)
        group.put(agent, 0, pose="raise")
    elif verb == "ride":
        group.dust(-66)
        group.put(patient, 0)
        group.put(agent, -12, 56, pose="ride")
    elif verb == "play with":
        group.put(agent, 0, pose="run")
        group.put(patient, a + 30, 10)
    elif verb == "drive":
        group.dust(-76)
        group.put(agent, -14, 26, pose="push", scale=0.85)
        group.put(patient, 0, pose="open")
    elif verb == "sail in":
        group.put(patient, 0, pose="sails")
        group.put(agent, 0, 8, scale=0.8)
        group.put(patient, 0, pose="hull")


def _relation(group: _Group, name: str, one: Scene, two: Scene) -> None:
    if name == "left of":
        group.put(one, 0)
        group.put(two, _wide(one) + _wide(two) + 30)
    elif name == "above":
        base = BELOW.get(two["kind"], 0) * _SIZE[two["size"]]
        group.put(two, 0, base)
        group.put(one, 6, base + _high(two) + (BELOW[one["kind"]] + 20) * _SIZE[one["size"]])
    elif name == "in front of":
        a = _wide(one)
        b = _wide(two)
        offset = max(0.5 * (a + b) + 16, a + 0.1 * b)  # most of the object behind stays visible
        group.put(two, 0, 34)
        group.put(one, group.rng.choice((-1, 1)) * offset)


def _rows(canvas: Image.Image, things: Sequence[Scene], rng: random.Random) -> None:
    """Draw each kind in its own row: in the air, on the water, or far or near on the ground."""
    kinds = [thing["kind"] for thing in things]
    on_ground = [242] if "boat" in kinds else rng.choice(([188, 242], [242, 188]))
    rows = {"air": [44, 106], "water": [162], "ground": on_ground}
    places = [
        "air" if kind in FLYING else "water" if kind == "boat" else "ground" for kind in kinds
    ]
    placed = [(rows[place].pop(0), thing) for place, thing in zip(places, things, strict=True)]
    for row, thing in sorted(placed, key=lambda pair: pair[0]):  # the farthest row first
        # At most 84 pixels high.
        scale = min(0.9, 84 / HEIGHT[thing["kind"]])
        step = 2 * HALF[thing["kind"]] * scale + 6
        group = _Group(canvas, row, rng)
        for k in range(thing["count"]):
            group.put(thing, step * k, 6 * rng.random(), scale=scale)
        group.finish()


def picture(scene: Scene, rng: random.Random) -> Image.Image:
    """Draw a scene as an RGB image (320, 256); `rng` decides everything but the facts."""
    canvas = background(scene["background"], scene["sky"], rng)
    things = {thing["id"]: thing for thing in scene["objects"]}
    relations = scene["relations"]
    action = scene["action"]
    kinds = [thing["kind"] for thing in scene["objects"]]
    # The landmark of an action is behind it, on its own ground.
    if action and relations:
        behind = _Group(canvas, 184, rng)
        behind.put(things["c"], 0)
        behind.finish()
    ground = 166 if "boat" in kinds else 236 - 10 * rng.random()
    group = _Group(canvas, ground, rng, turn=bool(action))
    if action:
        _action(group, action["verb"], things[action["agent"]], things[action["patient"]])
    elif "table" in kinds:
        upper, lower, table = scene["objects"]
        group.put(table, 0)
        group.put(upper, 0, BACK["table"], scale=0.9)
        group.put(lower, 0, scale=min(1, 57 / _high(lower)))
    elif relations:
        _relation(group, relations[0]["name"], things["a"], things["b"])
    if action or relations:
        group.finish()
    else:
        _rows(canvas, scene["objects"], rng)
    if scene["sky"] == "rainy":
        rain(canvas, rng)
    return canvas.reduce(FINE)
