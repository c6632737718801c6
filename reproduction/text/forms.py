"""Forms of a sentence's tree (Socher et al. 2014, sections 3 and 6): nodes, and their edges.

The DT-RNN reads the form `basic` (section 3.2), the SDT-RNN `collapsed` (section 3.3), the CT-RNN
`binary`, and the recurrent network `chain`. `binary` is the dependency tree, binarized from the
head outwards; the paper's CT-RNN reads constituency trees. No form has nodes for punctuation.
"""

import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from reproduction.text.treebank import ROOT, Tree

WORDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
PHRASES = frozenset(WORDS["phrases"])
LONGEST_PHRASE = 3  # words
# spaCy's relations of a preposition to its head; `dative` is "gives it to her".
PREPOSITIONS = {"prep", "agent", "dative"}
# Relations of an object to its preposition, and the start of its collapsed relation.
OBJECTS = {"pobj": "prep", "pcomp": "prepc"}
CONJUNCTIONS = {"&": "and", "n": "and"}
POSSESSIVE = {"'s", "'", "\u2019s", "\u2019"}

REMOVED = -2  # the head of a word that was removed


class Nodes(NamedTuple):
    """The nodes of a tree; children to the left of their parent come before it."""

    words: list[str | None]  # in lower case; None of a phrase
    parents: list[int]  # the root's is -1
    relations: list[str]  # of each to its parent; the root's is "root"


def basic(tree: Tree) -> Nodes:
    """Return the dependency tree as it was parsed, without punctuation (Figure 3 of the paper)."""
    remaining = _Remaining(tree)
    remaining.drop_punctuation()
    return remaining.nodes()


def collapsed(tree: Tree) -> Nodes:
    """Return the dependency tree, collapsed like the Stanford parser's (de Marneffe et al. 2006).

    - A preposition is removed. Its object becomes a child of the preposition's head by the relation
      `prep_at`, or `prepc_by` if it is a clause, or `agent` in the passive.
    - Conjuncts become children of the first conjunct by `conj_and`.
    - In Universal Dependencies, where a preposition is the `case` of its object, the object's
      relation becomes `nmod_at`.
    - Other children of a removed word become children of the word in its place.

    A preposition that is the root stays: it has no relation to fold into. A sentence of punctuation
    alone keeps its root, and an empty one is an unknown word. Other labels stay as they are.
    """
    remaining = _Remaining(tree)
    remaining.fold_prepositions()
    remaining.fold_conjunctions()
    remaining.fold_cases()
    remaining.drop_punctuation()
    return remaining.nodes()


def binary(tree: Tree) -> Nodes:
    """Make a binary tree over all words from the dependency tree: head-outward binarization.

    A word is joined with its children to the right, the nearest first, then with its children to
    the left: (a man) (rides (a bike)). Where edges cross, words are first lifted to the head of
    their head (Nivre & Nilsson 2005), so that words stay in order.
    """
    words, parents, _ = basic(tree)
    parents = _without_crossings(parents)
    depths = [sum(1 for _ in ancestors(word, parents)) for word in range(len(words))]
    # Word i is node 2 i. A phrase that joins a part ending in word i with the part after it is the
    # node between them, 2 i + 1.
    count = len(words)
    nodes: list[str | None] = [None] * (2 * count - 1)
    nodes[::2] = words
    node_parents = [ROOT] * len(nodes)
    sides = ["root"] * len(nodes)
    # The part that each word heads so far: its last word, and its node.
    last = list(range(count))
    top = list(range(0, 2 * count, 2))
    # Deepest words first, so that a word has all its children before it joins its head. Among words
    # of one depth, those to the right of their head come first, and the nearest of these.
    children = [word for word, parent in enumerate(parents) if parent != ROOT]
    children.sort(key=lambda word: (-depths[word], word < parents[word], abs(word - parents[word])))
    for word in children:
        left, right = sorted((word, parents[word]))
        phrase = 2 * last[left] + 1
        node_parents[top[left]] = phrase
        node_parents[top[right]] = phrase
        sides[top[left]] = "left"
        sides[top[right]] = "right"
        last[parents[word]] = last[right]
        top[parents[word]] = phrase
    return Nodes(nodes, node_parents, sides)


def chain(tree: Tree) -> Nodes:
    """Make each word the left child of the next: the last one is the root."""
    words = basic(tree).words
    last = len(words) - 1
    return Nodes(words, [*range(1, last + 1), ROOT], ["left"] * last + ["root"])


FORMS = {"basic": basic, "collapsed": collapsed, "binary": binary, "chain": chain}


class _Remaining:
    """A dependency tree that stays a tree while words are removed."""

    def __init__(self, tree: Tree) -> None:
        empty = not tree.words
        self.words = [""] if empty else [word.lower() for word in tree.words]
        self.heads: list[int] = [ROOT] if empty else list(tree.heads)
        self.relations = ["root"] if empty else list(tree.relations)
        self.relations[self.heads.index(ROOT)] = "root"
        self.tags = ["X"] if empty else tree.tags

    def children(self, word: int) -> list[int]:
        """List the children of a word."""
        return [child for child, head in enumerate(self.heads) if head == word]

    def drop(self, word: int) -> None:
        """Remove a word; its children become children of its head."""
        for child in self.children(word):
            self.heads[child] = self.heads[word]
        self.heads[word] = REMOVED

    def replace(self, word: int, child: int) -> None:
        """Remove a word, and put one of its children in its place."""
        for sibling in self.children(word):
            self.heads[sibling] = child
        self.heads[child] = self.heads[word]
        self.heads[word] = REMOVED

    def fold_prepositions(self) -> None:
        """Fold every preposition that has an object into the object's relation."""
        # From the right, since the last word of "in front of" has the object.
        for word in reversed(range(len(self.words))):
            objects = [child for child in self.children(word) if self.relations[child] in OBJECTS]
            if objects:
                self.fold_preposition(word, objects)

    def fold_preposition(self, word: int, objects: list[int]) -> None:
        """Fold a preposition into the relations of its objects to its head."""
        phrase, top = self.phrase(word, objects)
        # In "on the bed or under the table", `under` is a conjunct of `on`.
        first = top
        while self.relations[first] == "conj":
            first = self.heads[first]
        if self.is_preposition(first):
            role = self.relations[first]
            head = self.heads[first]
        elif first != top and self.is_preposition(top):
            # In "jumps off the bed and under the table", `under` is a conjunct of `jumps`.
            role = "prep"
            head = first
        else:
            # Nothing but an object suggests a preposition here, so only known phrases are folded.
            role = "prep"
            head = self.heads[top] if len(phrase) > 1 else ROOT
        if head == ROOT:
            return
        for part in phrase:
            if part != top:
                self.drop(part)
        if first != top:
            for conjunction in self.children(self.heads[top]):
                if self.relations[conjunction] == "cc":
                    self.drop(conjunction)
        name = "_".join(self.words[part] for part in phrase)
        for child in objects:
            prefix = OBJECTS[self.relations[child]]
            self.relations[child] = "agent" if role == "agent" else f"{prefix}_{name}"
        # The preposition's other children become the first object's.
        self.replace(top, objects[0])
        for child in objects:
            self.heads[child] = head

    def is_preposition(self, word: int) -> bool:
        """Return whether a word is a preposition, by its relation or its tag."""
        return self.relations[word] in PREPOSITIONS or self.tags[word] == "ADP"

    def phrase(self, word: int, objects: list[int]) -> tuple[list[int], int]:
        """Return the words of a preposition that ends at `word`, and their head."""
        for length in range(LONGEST_PHRASE, 1, -1):
            words = list(range(max(word - length + 1, 0), word + 1))
            if " ".join(self.words[part] for part in words) not in PHRASES:
                continue
            tops = [part for part in words if self.heads[part] not in words]
            is_subtree = len(tops) == 1 and self.heads[tops[0]] != ROOT
            if is_subtree and not set(objects) & set(words):
                return words, tops[0]
        return [word], word

    def fold_conjunctions(self) -> None:
        """Make conjuncts children of the first one, by a relation with the conjunction's name."""
        groups: dict[int, list[int]] = {}  # conjunctions and conjuncts after each first conjunct
        for word, relation in enumerate(self.relations):
            if relation in ("conj", "cc") and self.heads[word] != REMOVED:
                first = self.heads[word]
                while self.relations[first] == "conj":
                    first = self.heads[first]
                groups.setdefault(first, []).append(word)
        folded: list[int] = []
        for first, members in groups.items():
            names = {word: self.words[word] for word in members if self.relations[word] == "cc"}
            for place, word in enumerate(members):
                if word in names:
                    continue
                # In "a cat, a dog and a cow", "and" joins the first two as well: the conjunction is
                # the word before, or else the next one after.
                candidates = members[max(place - 1, 0) :]
                name = next((names[member] for member in candidates if member in names), "")
                self.relations[word] = f"conj_{CONJUNCTIONS.get(name, name)}" if name else "conj"
                self.heads[word] = first
            if len(names) < len(members):  # a conjunction without a conjunct stays
                folded += names
        for word in folded:
            self.drop(word)

    def fold_cases(self) -> None:
        """Fold every `case` of Universal Dependencies into the relation of its head."""
        for word, relation in enumerate(self.relations):
            head = self.heads[word]
            if relation != "case" or head == REMOVED:
                continue
            if self.words[word] in POSSESSIVE:
                self.drop(word)
            elif head != ROOT and not self.relations[head].startswith(("root", "conj")):
                # "because of": `of` is `fixed` to `because`.
                fixed = [child for child in self.children(word) if self.relations[child] == "fixed"]
                name = "_".join(self.words[part] for part in (word, *fixed))
                self.relations[head] += f"_{name}"
                for part in (*fixed, word):
                    self.drop(part)

    def drop_punctuation(self) -> None:
        """Remove punctuation, unless there is nothing else."""
        remaining = [word for word, head in enumerate(self.heads) if head != REMOVED]
        marks = [word for word in remaining if not _has_letters(self.words[word])]
        for word in marks:
            if self.heads[word] != ROOT:
                self.drop(word)
            elif len(marks) < len(remaining):
                # The root needs a successor: its first child that is a word, if there is one.
                children = self.children(word)
                child = next((child for child in children if child not in marks), children[0])
                self.replace(word, child)
                self.relations[child] = "root"

    def nodes(self) -> Nodes:
        """Return the words that remain, numbered anew."""
        remaining = [word for word, head in enumerate(self.heads) if head != REMOVED]
        number = {word: place for place, word in enumerate(remaining)}
        number[ROOT] = ROOT
        return Nodes(
            [self.words[word] for word in remaining],
            [number[self.heads[word]] for word in remaining],
            [self.relations[word] for word in remaining],
        )


def _has_letters(word: str) -> bool:
    """Return whether a word has a letter or a digit; others are punctuation."""
    return any(map(str.isalnum, word))


def ancestors(word: int, parents: Sequence[int]) -> Iterator[int]:
    """Yield the parent of a word, its parent, and so on up to the root."""
    parent = parents[word]
    while parent != ROOT:
        yield parent
        parent = parents[parent]


def _without_crossings(parents: Sequence[int]) -> list[int]:
    """Lift words to the head of their head, until no edge spans a word that is not below it."""
    parents = list(parents)

    def crosses(word: int) -> bool:
        parent = parents[word]
        if parent == ROOT:
            return False
        between = range(min(word, parent) + 1, max(word, parent))
        return any(parent not in ancestors(other, parents) for other in between)

    while True:
        crossing = next(filter(crosses, range(len(parents))), None)
        if crossing is None:
            return parents
        parents[crossing] = parents[parents[crossing]]
