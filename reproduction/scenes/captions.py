"""Captions: what to say about a scene, and how, in English and German."""

import random

from reproduction.scenes.english import English
from reproduction.scenes.german import German
from reproduction.scenes.grammar import Grammar
from reproduction.scenes.world import Scene, facts, predicates

_LANGUAGES: dict[str, type[Grammar]] = {"en": English, "de": German}


def caption(
    scene: Scene, mention: set[str], rng: random.Random, language: str, negated: bool = False
) -> str:
    """Say some facts of a scene in one sentence.

    Args:
        scene: as in `reproduction.scenes.world`.
        mention: names of facts, as in `facts(scene)`; see `choose` for what goes together.
        rng: chooses the words and their order; another draw gives a paraphrase.
        language: `en` or `de`.
        negated: deny it instead: "There is no dog on the beach", "Kein Hund jagt eine Katze".

    Raises:
        ValueError: `mention` has a name that is not a fact of the scene, an attribute without its
            object, or other objects than those of the mentioned action and relations.
    """
    said = [name for name in predicates(scene) if name in mention]
    objects = {thing["id"] for thing in scene["objects"]} & mention
    if unknown := mention - facts(scene).keys():
        raise ValueError(f"not facts of this scene: {sorted(unknown)}")
    needed = {each for name in said for each in predicates(scene)[name]} or objects
    described = {name.partition(".")[0] for name in mention if "." in name}
    if not objects or objects != needed or not described <= objects:
        raise ValueError(f"these facts do not make one sentence: {sorted(mention)}")
    grammar = _LANGUAGES[language](scene, mention, rng.random(), negated)
    return _sentence(grammar, grammar.clauses(said))


def voices(scene: Scene, mention: set[str], rng: random.Random) -> dict[str, str]:
    """Say the action of a scene in English: in the `active` and, where natural, the `passive`.

    The words and their order are chosen alike; with `rng` in the same state also those of another
    scene of the family.

    Args:
        scene: one with an action.
        mention: as of `caption`, with the action.
    """
    grammar = English(scene, mention, rng.random(), negated=False)
    clauses = grammar.voices(scene["action"]["verb"], *predicates(scene)["action"])
    return {voice: _sentence(grammar, options) for voice, options in clauses.items()}


def _sentence(grammar: Grammar, clauses: list[str]) -> str:
    text = " ".join(grammar.pick("clause", clauses).split())
    return text[0].upper() + text[1:] + grammar.pick("end", (*["."] * 8, "", "!"))


def choose(scene: Scene, rng: random.Random) -> set[str]:
    """Choose the facts that a caption mentions: usually the action, rarely all facts.

    The chosen action and relations bring their objects; without any, the caption only says that `a`
    and `b` exist. Then these objects' attributes, the background and the sky are chosen.
    """
    mention: set[str] = set()
    for name, objects in predicates(scene).items():
        landmark = scene["action"] and name != "action"
        if rng.random() < (0.25 if landmark else 0.92):
            mention |= {name, *objects}
    mention = mention or {"a", "b"}
    for name in facts(scene):
        thing, _, attribute = name.partition(".")
        likely = {"colour": 0.75, "size": 0.75, "count": 0.9}.get(attribute, 0)
        if rng.random() < likely and thing in mention:
            mention.add(name)
    place = rng.random()  # both are rare: captions would grow longer than people write them
    if place < 0.4:
        mention.add("background")
    if 0.36 < place < 0.62:
        mention.add("sky")
    return mention
