"""The base of the grammars of the captions' languages.

A sentence has noun phrases for the objects, a clause about them (an action, a relation or that
they exist) and adjuncts (landmark, place, weather). Each choice of a word depends on one random
number and on the name of the choice, not on the order of choices. So the scenes of a family can be
captioned in the same words.
"""

import random
import tomllib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from reproduction.scenes.world import Scene, predicates

T = TypeVar("T")


def words_of(module: str) -> dict[str, Any]:
    """Read the words of a language: the TOML file beside its module."""
    return tomllib.loads(Path(module).with_suffix(".toml").read_text("utf-8"))


class Grammar(ABC):
    """The base of both languages: choices of words, and the facts about each object."""

    words: ClassVar[dict[str, Any]]  # see `words_of`

    def __init__(self, scene: Scene, mention: set[str], salt: float, negated: bool) -> None:
        self.scene = scene
        self.mention = mention
        self.salt = salt
        self.negated = negated
        self.things = {thing["id"]: thing for thing in scene["objects"]}

    def pick(self, name: str, options: Sequence[T]) -> T:
        """Choose one of `options`, the same one whenever asked again for the same `name`."""
        return random.Random(f"{self.salt} {name}").choice(options)

    def kind(self, name: str) -> str:
        """Return the kind of an object, such as `dog`."""
        return self.things[name]["kind"]

    def many(self, name: str) -> bool:
        """Return whether there are several of an object."""
        return self.things[name]["count"] > 1

    def value(self, name: str, attribute: str) -> str | None:
        """Return the colour or the size of an object if it is to be mentioned."""
        return self.things[name][attribute] if f"{name}.{attribute}" in self.mention else None

    def count(self, name: str) -> int | None:
        """Return how many there are if it is to be mentioned."""
        return self.things[name]["count"] if f"{name}.count" in self.mention else None

    def number(self, count: int) -> str:
        """Write a number as a word or in digits."""
        return self.pick("digits", (self.words["numbers"][str(count)], str(count)))

    def adjuncts(self) -> list[str]:
        """List the landmark of an action, the background and the sky, as far as mentioned."""
        found = [self.in_front_of("c")] if {"action", "c"} <= self.mention else []
        for fact, kind, name in (("background", "places", "place"), ("sky", "skies", "sky")):
            if fact in self.mention:
                found.append(self.pick(name, self.words[kind][self.scene[fact]]))
        return found

    def turned(self, subject: str, name: str, object: str) -> tuple[str, str, str]:
        """Choose which object of a relation is the subject: subject, preposition and object."""
        there, back = self.words["relations"][name]
        if self.pick("order", (False, True)) and back:
            subject, object, there = object, subject, back
        return subject, self.pick("relation", there), object

    @abstractmethod
    def in_front_of(self, name: str) -> str:
        """Say that something is in front of an object."""

    @abstractmethod
    def action(self, verb: str, agent: str, patient: str) -> list[str]:
        """Make clauses in which the agent does something to the patient."""

    @abstractmethod
    def relation(self, subject: str, name: str, object: str, below: str | None) -> list[str]:
        """Make clauses about the subject's place; `below` is under the same object."""

    @abstractmethod
    def existence(self, names: list[str]) -> list[str]:
        """Make clauses that say that there are these objects."""

    def clauses(self, said: list[str]) -> list[str]:
        """List all clauses that say the predicates `said`, or that the mentioned objects exist."""
        if not said:
            named = [name for name in self.things if name in self.mention]
            return self.existence(self.pick("order", (named, named[::-1])))
        if said[0] == "action":
            agent, patient = predicates(self.scene)["action"]
            return self.action(self.scene["action"]["verb"], agent, patient)
        relation, *others = [
            relation
            for relation in self.scene["relations"]
            if f"{relation['subject']} {relation['name']} {relation['object']}" in said
        ]
        return self.relation(**relation, below=others[0]["subject"] if others else None)
