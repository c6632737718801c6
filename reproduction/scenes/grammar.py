"""The base class of the grammars of the captions' languages.

A sentence has noun phrases for the objects, a clause about them (an action, a relation or their
existence) and adjuncts (landmark, place, weather). Each choice of a word depends on one random
number and on the name of the choice, but not on the order of choices. So all scenes of a family can
have captions with the same words.
"""

import random
import tomllib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from reproduction.scenes.world import ANIMATE, Scene, predicates

T = TypeVar("T")


def words_of(module: str) -> dict[str, Any]:
    """Read the words of a language from the TOML file with its module's name."""
    return tomllib.loads(Path(module).with_suffix(".toml").read_text("utf-8"))


class Grammar(ABC):
    """Base of both languages: choices of words, and the facts about each object."""

    words: ClassVar[dict[str, Any]]  # see `words_of`

    def __init__(self, scene: Scene, mention: set[str], salt: float, negated: bool) -> None:
        self.scene = scene
        self.mention = mention
        self.salt = salt
        self.negated = negated
        self.things = {thing["id"]: thing for thing in scene["objects"]}

    def pick(self, name: str, options: Sequence[T]) -> T:
        """Choose one of `options`, always the same one for the same `name`."""
        # A new generator for each choice, so that choices do not depend on their order.
        return random.Random(f"{self.salt} {name}").choice(options)

    def kind(self, name: str) -> str:
        """Return the kind of an object, such as `dog`."""
        return self.things[name]["kind"]

    def many(self, name: str) -> bool:
        """Return whether an object is in the plural."""
        return self.things[name]["count"] > 1

    def mentioned(self, name: str) -> list[Any]:
        """Return the size, color and number of an object, None for those not in the caption."""
        thing = self.things[name]
        return [
            thing[attribute] if f"{name}.{attribute}" in self.mention else None
            for attribute in ("size", "colour", "count")
        ]

    def cart(self, verb: str, patient: str) -> str:
        """Write the place of a person or an animal that is pulled or pushed."""
        if verb in ("pull", "push") and self.kind(patient) in ANIMATE:
            return self.pick("cart", self.words["carts"])
        return ""

    def number(self, count: int) -> str:
        """Write a number as a word or in digits."""
        return self.pick("digits", (self.words["numbers"][str(count)], str(count)))

    def adjuncts(self) -> list[str]:
        """List the landmark of an action, the background and the sky, if they are mentioned."""
        adjuncts = [self.in_front_of("c")] if {"action", "c"} <= self.mention else []
        for fact, kind, name in (("background", "places", "place"), ("sky", "skies", "sky")):
            if fact in self.mention:
                adjuncts.append(self.pick(name, self.words[kind][self.scene[fact]]))
        return adjuncts

    def turned(self, subject: str, name: str, object: str) -> tuple[str, str, str]:
        """Choose which object of a relation is the subject; return subject, preposition, object."""
        prepositions, converses = self.words["relations"][name]
        if self.pick("order", (False, True)) and converses:
            subject, object = object, subject
            prepositions = converses
        return subject, self.pick("relation", prepositions), object

    @abstractmethod
    def in_front_of(self, name: str) -> str:
        """Write the adjunct `in front of` an object."""

    @abstractmethod
    def action(self, verb: str, agent: str, patient: str) -> list[str]:
        """Write clauses that state an agent's action on a patient."""

    @abstractmethod
    def relation(self, subject: str, name: str, object: str, below: str | None) -> list[str]:
        """Write clauses about the subject's place; the object `below` is under the same object."""

    @abstractmethod
    def existence(self, names: list[str]) -> list[str]:
        """Write clauses that state the existence of these objects."""

    def clauses(self, mentioned: list[str]) -> list[str]:
        """List all clauses about the predicates `mentioned`, or about the existence of objects."""
        # Without an action or relation, the order of the objects is free.
        if not mentioned:
            named = [name for name in self.things if name in self.mention]
            return self.existence(self.pick("order", (named, named[::-1])))
        if mentioned[0] == "action":
            agent, patient = predicates(self.scene)["action"]
            return self.action(self.scene["action"]["verb"], agent, patient)
        relation, *further = [
            relation
            for relation in self.scene["relations"]
            if f"{relation['subject']} {relation['name']} {relation['object']}" in mentioned
        ]
        return self.relation(**relation, below=further[0]["subject"] if further else None)
