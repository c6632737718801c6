"""Choose the facts of a scene that a caption mentions, and write it in English or German."""

import random

from reproduction.scenes.english import English
from reproduction.scenes.german import German
from reproduction.scenes.grammar import Grammar
from reproduction.scenes.world import Scene, facts, predicates

_LANGUAGES: dict[str, type[Grammar]] = {"en": English, "de": German}


def caption(
    scene: Scene, mention: set[str], rng: random.Random, language: str, negated: bool = False
) -> str:
    """State some facts of a scene in one sentence.

    Args:
        scene: the facts, in the form of `reproduction.scenes.world`.
        mention: names of facts of `facts(scene)`; `choose` returns a possible combination.
        rng: chooses the words and their order; another state results in a paraphrase.
        language: `en` or `de`.
        negated: deny the facts: "There is no dog on the beach", "Kein Hund jagt eine Katze".

    Raises:
        ValueError: `mention` has a name that is not a fact of the scene, an attribute without its
            object, or an object outside the mentioned action and relations.
    """
    mentioned = [name for name in predicates(scene) if name in mention]
    objects = {thing["id"] for thing in scene["objects"]} & mention
    # An action or relation needs its objects; without any, all mentioned objects are listed.
    needed = {name for predicate in mentioned for name in predicates(scene)[predicate]} or objects
    described = {name.partition(".")[0] for name in mention if "." in name}
    are_facts = mention <= facts(scene).keys()
    if not are_facts or not objects or objects != needed or not described <= objects:
        raise ValueError(f"these facts do not make one sentence: {sorted(mention)}")
    grammar = _LANGUAGES[language](scene, mention, rng.random(), negated)
    return _sentence(grammar, grammar.clauses(mentioned))


def voices(scene: Scene, mention: set[str], rng: random.Random) -> dict[str, str]:
    """State the action of a scene in English, in the `active` and, if natural, the `passive`.

    Both choose the same words and order. So does another scene of the family, if `rng` has the same
    state.

    Args:
        scene: a scene with an action.
        mention: names of facts as for `caption`, with the action.
        rng: chooses the words and their order.
    """
    grammar = English(scene, mention, rng.random(), negated=False)
    clauses = grammar.voices(scene["action"]["verb"], *predicates(scene)["action"])
    return {voice: _sentence(grammar, options) for voice, options in clauses.items()}


def _sentence(grammar: Grammar, clauses: list[str]) -> str:
    """Choose a clause, and write it with a capital letter and an end."""
    text = " ".join(grammar.pick("clause", clauses).split())
    return text[0].upper() + text[1:] + grammar.pick("end", (*["."] * 8, "", "!"))


def choose(scene: Scene, rng: random.Random) -> set[str]:
    """Choose the facts that a caption mentions: usually the action, rarely all facts.

    First the action and relations are chosen, with their objects. Without any, the caption only
    states that `a` and `b` exist. Then attributes of these objects, the background and the sky are
    chosen.
    """
    mention: set[str] = set()
    for name, objects in predicates(scene).items():
        # The landmark of an action is a detail that few captions mention.
        landmark = scene["action"] and name != "action"
        if rng.random() < (0.25 if landmark else 0.92):
            mention |= {name, *objects}
    mention = mention or {"a", "b"}
    for name in facts(scene):
        thing, _, attribute = name.partition(".")
        likely = {"colour": 0.75, "size": 0.75, "count": 0.9}.get(attribute, 0)
        if rng.random() < likely and thing in mention:
            mention.add(name)
    place = rng.random()  # both are rare, so that captions are as long as people's
    if place < 0.4:
        mention.add("background")
    if 0.36 < place < 0.62:
        mention.add("sky")
    return mention
