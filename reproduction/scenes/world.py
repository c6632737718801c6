"""Generate the facts of drawn scenes, in families.

A scene is plain JSON::

    {"background": "beach", "sky": "night",
     "objects": [{"id": "a", "kind": "dog", "colour": "black", "size": "big", "count": 1},
                 {"id": "b", "kind": "cat", "colour": "white", "size": null, "count": 1}],
     "relations": [],
     "action": {"verb": "chase", "agent": "a", "patient": "b"}}

A relation is `{"subject": "a", "name": "left of", "object": "b"}`. Its converse (`right of`) occurs
in captions but not in scenes. The color of a person is the color of the clothes.
"""

import copy
import itertools
import random
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Scene = dict[str, Any]

_WORLD = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
COLOURS: dict[str, list[str]] = _WORLD["colours"]  # that each kind of object may have
PEOPLE: list[str] = _WORLD["people"]
ANIMALS: list[str] = _WORLD["animals"]
ANIMATE = PEOPLE + ANIMALS
FLYING: list[str] = _WORLD["flying"]
LANDMARKS: list[str] = _WORLD["landmarks"]
GROUND = [*ANIMATE, *LANDMARKS, "car", "bicycle", "ball"]
AGENTS = {"people": PEOPLE, "animate": ANIMATE}


def facts(scene: Scene) -> dict[str, str]:
    """Name every fact of a scene.

    Returns:
        The value of each fact, by its name, such as `{"a": "dog", "a.colour": "black dog",
        "action": "dog chase cat", "a in front of c": "dog in front of house", "background":
        "beach", ...}`. A caption mentions names. Values do not contain the ids of a scene, so they
        can be compared between scenes. A `count` of 1 is no fact.
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
    action = scene["action"]
    if action:
        named["action"] = f"{kind[action['agent']]} {action['verb']} {kind[action['patient']]}"
    return named | {"background": scene["background"], "sky": scene["sky"]}


def predicates(scene: Scene) -> dict[str, tuple[str, str]]:
    """Return the ids of both objects of each fact about two objects, by its name."""
    action = scene["action"]
    named = {"action": (action["agent"], action["patient"])} if action else {}
    for relation in scene["relations"]:
        pair = relation["subject"], relation["object"]
        named[f"{pair[0]} {relation['name']} {pair[1]}"] = pair
    return named


def swap(scene: Scene, what: str, first: str, second: str) -> Scene:
    """Copy a scene, and exchange the `colour`, `size`, `count` or `role` of two objects, by id.

    For `role` all properties are exchanged, so each object gets the other's role.
    """
    scene = copy.deepcopy(scene)
    objects = {thing["id"]: thing for thing in scene["objects"]}
    keys = ["kind", "colour", "size", "count"] if what == "role" else [what]
    for key in keys:
        value = objects[first][key]
        objects[first][key] = objects[second][key]
        objects[second][key] = value
    return scene


def _swaps(scene: Scene) -> Iterator[tuple[str, str, str]]:
    """Yield the exchanges that keep the words of the scene and can be drawn."""
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
    """Choose a color for each kind, for the first two mostly colors that they can exchange."""
    palettes = [COLOURS[kind] for kind in kinds]
    common = [colour for colour in palettes[0] if colour in palettes[1]]
    if len(common) > 1 and rng.random() < 0.8:
        return [*rng.sample(common, 2), *map(rng.choice, palettes[2:])]
    return [rng.choice(palette) for palette in palettes]


def _scene(rng: random.Random) -> Scene:
    """Generate a scene; the weights favor scenes whose captions differ only in word order."""
    # The percentages of the kinds of scenes.
    (genre,) = rng.choices(("roles", "thing", "relation", "table", "counts"), (34, 32, 17, 5, 12))
    background = rng.choice(_WORLD["backgrounds"])
    relations = []
    action = None
    counts = [1, 1]
    if genre == "roles":
        kinds = rng.sample(ANIMATE, 2)
        action = rng.choice(_WORLD["role_verbs"])
    elif genre == "thing":
        action, agents, thing = rng.choice(_WORLD["thing_verbs"])
        kinds = [rng.choice(AGENTS[agents]), thing]
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
        background = rng.choice(_WORLD["with_water"])
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
        "sky": rng.choice(_WORLD["skies"]),
        "objects": objects,
        "relations": [{"subject": s, "name": n, "object": o} for s, n, o in relations],
        "action": action and {"verb": action, "agent": "a", "patient": "b"},
    }


def _possible(scene: Scene) -> bool:
    """Return whether a scene can be drawn, and whether its exchanges change its meaning."""
    kinds = [thing["kind"] for thing in scene["objects"]]
    relations = [relation["name"] for relation in scene["relations"]]
    return (
        len(set(kinds)) == len(kinds)
        and not (scene["sky"] == "rainy" and scene["background"] in ("snow", "desert"))
        and not (scene["background"] == "forest" and "tree" in kinds)
        # A house hides an object behind it, and most objects hide a ball.
        and not (kinds[0] in LANDMARKS and "in front of" in relations)
        and not ("ball" in kinds and "in front of" in relations)
        # If both colors were equal, their exchange would change nothing.
        and scene["objects"][0]["colour"] != scene["objects"][1]["colour"]
    )


def families(rng: random.Random) -> Iterator[list[Scene]]:
    """Generate families of one to six different scenes, without end.

    The scenes of a family have the same words. They differ in the roles of objects, or in the
    object that a color, size or number belongs to. No two families have scenes with the same facts.
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
        # A scene that an earlier family has would be in two splits.
        key = frozenset(frozenset(facts(member).values()) for member in family)
        if seen.isdisjoint(key):
            seen |= key
            distinct = {frozenset(facts(member).values()): member for member in family}
            rest = list(distinct.values())[1:]
            yield [scene, *rng.sample(rest, min(len(rest), rng.choice((3, 4, 5))))]
