"""The base of the grammars of the captions' languages.

A sentence has noun phrases for the objects, a clause about them (an action, a relation or that
they exist) and adjuncts (landmark, place, weather). Each choice of a word depends on one random
number and on the name of the choice, not on the order of choices. So the scenes of a family can be
captioned in the same words.
"""

import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TypeVar

from groundvec.scenes.world import Scene, predicates

T = TypeVar("T")


class Grammar(ABC):
    """The base of both languages: choices of words, and the facts about each object."""

    def __init__(self, scene: Scene, mention: set[str], salt: float, negated: bool) -> None:
        self.scene, self.mention, self.salt, self.negated = scene, mention, salt, negated
        self.things = {thing["id"]: thing for thing in scene["objects"]}

    def pick(self, name: str, options: Sequence[T]) -> T:
        """Choose one of `options`, the same one whenever asked again for the same `name`."""
        return random.Random(f"{self.salt} {name}").choice(options)

    def kind(self, name: str) -> str:
        """Return the kind of an object, such as `dog`."""
        kind: str = self.things[name]["kind"]
        return kind

    def many(self, name: str) -> bool:
        """Return whether there are several of an object."""
        count: int = self.things[name]["count"]
        return count > 1

    def value(self, name: str, attribute: str) -> str | None:
        """Return the colour or the size of an object if it is to be mentioned."""
        return self.things[name][attribute] if f"{name}.{attribute}" in self.mention else None

    def count(self, name: str) -> int | None:
        """Return how many there are if it is to be mentioned."""
        return self.things[name]["count"] if f"{name}.count" in self.mention else None

    @abstractmethod
    def action(self, verb: str, agent: str, patient: str) -> list[str]:
        """Clauses that say what the agent does to the patient."""

    @abstractmethod
    def relation(self, subject: str, name: str, object: str, below: str | None) -> list[str]:
        """Clauses that say where the subject is; `below` is what is under the same object."""

    @abstractmethod
    def existence(self, names: list[str]) -> list[str]:
        """Clauses that say that there are these objects."""

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
