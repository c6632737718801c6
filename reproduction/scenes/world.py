"""The facts of the drawn world: what there is, what it can do, and families of scenes.

A scene is plain JSON::

    {"background": "beach", "sky": "night",
     "objects": [{"id": "a", "kind": "dog", "colour": "black", "size": "big", "count": 1},
                 {"id": "b", "kind": "cat", "colour": "white", "size": null, "count": 1}],
     "relations": [],
     "action": {"verb": "chase", "agent": "a", "patient": "b"}}

A relation is `{"subject": "a", "name": "left of", "object": "b"}`. Its converse (`right of`) is
never stored, only spoken. The colour of a person is that of the clothes.
"""

import copy
import itertools
import random
from collections.abc import Iterator
from typing import Any

Scene = dict[str, Any]

BACKGROUNDS = ("beach", "meadow", "street", "snow", "mountains", "lake", "desert", "forest")
SKIES = ("sunny", "cloudy", "rainy", "sunset", "night")
WITH_WATER = ("beach", "lake")

PEOPLE = ("man", "woman", "child")
ANIMALS = ("dog", "cat", "horse", "sheep", "duck", "rabbit")
ANIMATE = PEOPLE + ANIMALS
FLYING = ("bird", "balloon", "kite")
GROUND = (*ANIMATE, "house", "tree", "car", "bicycle", "ball")
LANDMARKS = ("house", "tree")

_BRIGHT = ("red", "blue", "green", "yellow")
_FUR = ("black", "white", "brown", "grey")
COLOURS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(PEOPLE, (*_BRIGHT, "black", "white")),
    **dict.fromkeys(("car", "bicycle", "ball", "bird"), (*_BRIGHT, "black", "white")),
    **dict.fromkeys(("boat", "house"), (*_BRIGHT, "white")),
    **dict.fromkeys(("balloon", "kite"), _BRIGHT),
    **dict.fromkeys(("dog", "cat", "rabbit", "horse", "sheep"), _FUR),
    "duck": ("black", "white", "brown", "yellow"),
    "tree": ("green", "yellow", "red"),
    "table": ("brown", "white", "red", "blue"),
}

# What two living beings can do to each other, and what they can do with a thing: verb, agents,
# thing. To pull and to push a living being takes a cart, in which it sits.
ROLE_VERBS = ("chase", "pull", "push", "carry", "jump over")
THING_VERBS = (
    ("hold", PEOPLE, "balloon"),
    ("fly", PEOPLE, "kite"),
    ("ride", PEOPLE, "bicycle"),
    ("play with", ANIMATE, "ball"),
    ("drive", ANIMATE, "car"),
    ("push", ANIMATE, "car"),
    ("sail in", ANIMATE, "boat"),
)


def facts(scene: Scene) -> dict[str, str]:
    """Name every fact of a scene.

    So `{"a": "dog", "a.colour": "black dog", "action": "dog chase cat",
    "a in front of c": "dog in front of house", "background": "beach", ...}`.
    The names are what a caption can mention; the values do not depend on the scene's ids, so that
    the facts of two scenes can be compared. `count` is a fact where it is not one.
    """
    kind = {thing["id"]: thing["kind"] for thing in scene["objects"]}
    named: dict[str, str] = {}
    for thing in scene["objects"]:
        named[thing["id"]] = thing["kind"]
        for attribute in ("colour", "size", "count"):
            if thing[attribute] not in (None, 1):
                named[f"{thing['id']}.{attribute}"] = f"{thing[attribute]} {thing['kind']}"
    for relation in scene["relations"]:
        subject = relation["subject"]
        name = relation["name"]
        other = relation["object"]
        named[f"{subject} {name} {other}"] = f"{kind[subject]} {name} {kind[other]}"
    if action := scene["action"]:
        named["action"] = f"{kind[action['agent']]} {action['verb']} {kind[action['patient']]}"
    return named | {"background": scene["background"], "sky": scene["sky"]}


def predicates(scene: Scene) -> dict[str, tuple[str, str]]:
    """Return the facts about two objects, and these objects' ids."""
    action = scene["action"]
    named = {"action": (action["agent"], action["patient"])} if action else {}
    for relation in scene["relations"]:
        pair = relation["subject"], relation["object"]
        named[f"{pair[0]} {relation['name']} {pair[1]}"] = pair
    return named


def swap(scene: Scene, what: str, first: str, second: str) -> Scene:
    """Copy a scene and exchange the `colour`, `size`, `count` or `role` of two objects, by id.

    For `role` all properties are exchanged, so that each object takes the other's part.
    """
    scene = copy.deepcopy(scene)
    one, two = (next(o for o in scene["objects"] if o["id"] == i) for i in (first, second))
    for key in ("kind", "colour", "size", "count") if what == "role" else (what,):
        one[key], two[key] = two[key], one[key]
    return scene


def _swaps(scene: Scene) -> Iterator[tuple[str, str, str]]:
    """Yield the exchanges that keep the words of the scene, and that can be drawn."""
    for one, two in itertools.combinations(scene["objects"], 2):
        pair = one["id"], two["id"]
        kinds = one["kind"], two["kind"]
        for relation in scene["relations"]:
            if (relation["subject"], relation["object"]) == pair and (
                relation["name"] == "left of"
                or (relation["name"] == "in front of" and kinds[1] not in LANDMARKS)
                or (relation["name"] == "above" and kinds[1] in FLYING)
            ):
                yield "role", *pair
        if scene["action"] and set(kinds) <= set(ANIMATE):
            yield "role", *pair
        if [r["name"] for r in scene["relations"]] == ["on", "under"] and "table" not in kinds:
            yield "role", *pair
        if one["colour"] in COLOURS[kinds[1]] and two["colour"] in COLOURS[kinds[0]]:
            yield "colour", *pair
        if None not in (one["size"], two["size"]):
            yield "size", *pair
        if not scene["action"]:
            yield "count", *pair


def _colours(rng: random.Random, kinds: list[str]) -> list[str]:
    """Choose a colour for each kind; the first two mostly get colours that they can exchange."""
    palettes = [COLOURS[kind] for kind in kinds]
    common = [colour for colour in palettes[0] if colour in palettes[1]]
    if len(common) > 1 and rng.random() < 0.8:
        return [*rng.sample(common, 2), *map(rng.choice, palettes[2:])]
    return [rng.choice(palette) for palette in palettes]


def _scene(rng: random.Random) -> Scene:
    """Draw a scene at random; the weights favour scenes that differ only in the order of words."""
    (genre,) = rng.choices(("roles", "thing", "relation", "table", "counts"), (34, 32, 17, 5, 12))
    background = rng.choice(BACKGROUNDS)
    relations = []
    action = None
    counts = [1, 1]
    if genre == "roles":
        kinds = rng.sample(ANIMATE, 2)
        action = rng.choice(ROLE_VERBS)
    elif genre == "thing":
        action, agents, thing = rng.choice(THING_VERBS)
        kinds = [rng.choice(agents), thing]
        if thing == "balloon":
            counts = [1, rng.choice((1, 2, 3))]
    elif genre == "relation":
        name = rng.choice(("left of", "above", "in front of"))
        if name == "above":
            kinds = [rng.choice(FLYING), rng.choice(FLYING + GROUND)]
        else:
            kinds = [rng.choice(GROUND), rng.choice(GROUND)]
        relations = [("a", name, "b")]
    elif genre == "table":
        kinds = [*rng.sample(("dog", "cat", "duck", "rabbit", "ball"), 2), "table"]
        relations = [("a", "on", "c"), ("b", "under", "c")]
        counts = [1, 1, 1]
    else:
        kinds = rng.sample((*GROUND, *FLYING, "boat"), 2)
        counts = rng.sample((1, 2, 3, 4), 2)
    if "boat" in kinds:
        background = rng.choice(WITH_WATER)
    if action and "boat" not in kinds and rng.random() < 0.4:
        kinds = [*kinds, rng.choice(LANDMARKS)]
        counts = [*counts, 1]
        relations = [("a", "in front of", "c")]
    objects = [
        {"id": name, "kind": kind, "colour": colour, "size": None, "count": count}
        for name, kind, colour, count in zip(
            "abc", kinds, _colours(rng, kinds), counts, strict=False
        )
    ]
    if genre in ("roles", "relation") and rng.random() < 0.75:
        objects[0]["size"], objects[1]["size"] = rng.choice((("big", "small"), ("small", "big")))
    return {
        "background": background,
        "sky": rng.choice(SKIES),
        "objects": objects,
        "relations": [{"subject": s, "name": n, "object": o} for s, n, o in relations],
        "action": action and {"verb": action, "agent": "a", "patient": "b"},
    }


def _possible(scene: Scene) -> bool:
    kinds = [thing["kind"] for thing in scene["objects"]]
    relations = [relation["name"] for relation in scene["relations"]]
    return (
        len(set(kinds)) == len(kinds)
        and not (scene["sky"] == "rainy" and scene["background"] in ("snow", "desert"))
        and not (scene["background"] == "forest" and "tree" in kinds)
        # A house hides what is behind it, and most things hide a ball.
        and not (kinds[0] in LANDMARKS and "in front of" in relations)
        and not ("ball" in kinds and "in front of" in relations)
        # Two colours that differ, so that it matters which belongs to what.
        and scene["objects"][0]["colour"] != scene["objects"][1]["colour"]
    )


def families(rng: random.Random) -> Iterator[list[Scene]]:
    """Draw endless families of one to six different scenes.

    The scenes of a family share their words and differ in who does what, or in which colour, size
    or number belongs to which object. No two families are made of the same facts.
    """
    seen: set[frozenset[str]] = set()
    while True:
        scene = _scene(rng)
        if not _possible(scene):
            continue
        family = [scene]
        for exchange in _swaps(scene):
            swapped = [swap(m, *exchange) for m in family if exchange in _swaps(m)]
            family += filter(_possible, swapped)
        key = frozenset(frozenset(facts(member).values()) for member in family)
        if seen.isdisjoint(key):
            seen |= key
            distinct = {frozenset(facts(member).values()): member for member in family}
            rest = list(distinct.values())[1:]
            yield [scene, *rng.sample(rest, min(len(rest), rng.choice((3, 4, 5))))]
