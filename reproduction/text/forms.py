"""The forms of a sentence's tree (Socher et al. 2014, sections 3 and 6): nodes, and their edges.

`basic` is what the DT-RNN reads (section 3.2), `collapsed` the SDT-RNN (section 3.3), `binary` the
RNN over constituency trees, and `chain` the recurrent network. No form has nodes for punctuation.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from reproduction.text.treebank import ROOT, Tree

# Prepositions of several words: those of the Stanford parser's that captions have.
PHRASES = {
    *("across from", "ahead of", "along with", "alongside of", "apart from", "aside from"),
    *("away from", "because of", "by means of", "close to", "due to", "far from", "in addition to"),
    *("except for", "in back of", "in front of", "in place of", "in spite of", "inside of"),
    *("instead of", "near to", "next to", "off of", "on top of", "out of", "outside of", "such as"),
    "together with",
}
# The relations of a preposition that has an object, and what becomes of the object's own;
# `dative` is "gives it to her".
PREPOSITIONS = {"prep", "agent", "dative"}
OBJECTS = {"pobj": "prep", "pcomp": "prepc"}
CONJUNCTIONS = {"&": "and", "n": "and"}
POSSESSIVE = {"'s", "'", "\u2019s", "\u2019"}

GONE = -2  # the head of a word that is no longer there


class Nodes(NamedTuple):
    """The nodes of a tree; children to the left of their parent stand before it."""

    words: list[str | None]  # in small letters; None of a phrase
    parents: list[int]  # the root's is -1
    relations: list[str]  # of each to its parent; the root's is "root"


def basic(tree: Tree) -> Nodes:
    """Return the dependency tree as it was parsed, without punctuation (Figure 3 of the paper)."""
    left = _Remaining(tree)
    left.drop_punctuation()
    return left.nodes()


def collapsed(tree: Tree) -> Nodes:
    """Return the dependency tree, collapsed as by the Stanford parser (de Marneffe et al. 2006).

    A preposition's node goes, and its object hangs from the preposition's head by the relation
    `prep_at`, or `prepc_by` if it is a clause; the passive's by `agent`. Conjuncts hang from the
    first one by `conj_and`. What else hung from a word that goes hangs from the one in its place.
    Where prepositions are the `case` of their object, as in Universal Dependencies, that one's
    relation becomes `nmod_at`; labels of yet another kind stay as they are. A preposition that is
    the root stays: it has no relation to fold into. A sentence of punctuation alone keeps its
    root, and an empty one is an unknown word.
    """
    left = _Remaining(tree)
    left.fold_prepositions()
    left.fold_conjunctions()
    left.fold_cases()
    left.drop_punctuation()
    return left.nodes()


def binary(tree: Tree) -> Nodes:
    """Make a binary tree over all words from the dependency tree: head-outward binarization.

    A word is joined with what hangs to its right, the nearest first, then with what hangs to its
    left: (a man) (rides (a bike)). Where edges cross, words are first lifted to the head of their
    head (Nivre & Nilsson 2005), so that all stay in their order.
    """
    words, parents, _ = basic(tree)
    parents = _without_crossings(parents)
    depths = [sum(1 for _ in ancestors(word, parents)) for word in range(len(words))]
    # Word i is node 2 i. A phrase that joins what ends in word i with what follows is the node
    # between them, 2 i + 1.
    count = len(words)
    nodes: list[str | None] = [None] * (2 * count - 1)
    nodes[::2] = words
    above = [ROOT] * len(nodes)
    sides = ["root"] * len(nodes)
    # Of the part that each word heads so far: its last word, and its node.
    last = list(range(count))
    top = list(range(0, 2 * count, 2))
    # From the deepest words up: what hangs from a word is joined with it before it goes on.
    below = [word for word, parent in enumerate(parents) if parent != ROOT]
    for word in sorted(below, key=lambda w: (-depths[w], w < parents[w], abs(w - parents[w]))):
        left, right = sorted((word, parents[word]))
        phrase = 2 * last[left] + 1
        for part, side in ((left, "left"), (right, "right")):
            above[top[part]] = phrase
            sides[top[part]] = side
        last[parents[word]] = last[right]
        top[parents[word]] = phrase
    return Nodes(nodes, above, sides)


def chain(tree: Tree) -> Nodes:
    """Make each word the left child of the next: the last one is the root."""
    words = basic(tree).words
    last = len(words) - 1
    return Nodes(words, [*range(1, last + 1), ROOT], ["left"] * last + ["root"])


FORMS = {"basic": basic, "collapsed": collapsed, "binary": binary, "chain": chain}


class _Remaining:
    """A dependency tree while words are removed; it is a tree after each removal."""

    def __init__(self, tree: Tree) -> None:
        empty = not tree.words
        self.words = [""] if empty else [word.lower() for word in tree.words]
        self.heads: list[int] = [ROOT] if empty else list(tree.heads)
        self.relations = ["root"] if empty else list(tree.relations)
        self.relations[self.heads.index(ROOT)] = "root"
        self.tags = ["X"] if empty else tree.tags

    def children(self, word: int) -> list[int]:
        return [child for child, head in enumerate(self.heads) if head == word]

    def drop(self, word: int) -> None:
        """Drop a word, and hang its dependents from its head."""
        for child in self.children(word):
            self.heads[child] = self.heads[word]
        self.heads[word] = GONE

    def replace(self, word: int, child: int) -> None:
        """Let a word go and one of its children take its place."""
        for other in self.children(word):
            self.heads[other] = child
        self.heads[child] = self.heads[word]
        self.heads[word] = GONE

    def fold_prepositions(self) -> None:
        for word in reversed(range(len(self.words))):  # first the last word of "in front of"
            if objects := [c for c in self.children(word) if self.relations[c] in OBJECTS]:
                self.fold_preposition(word, objects)

    def fold_preposition(self, word: int, objects: list[int]) -> None:
        phrase, top = self.phrase(word, objects)
        first = top  # of "on the bed or under the table": `on`, which `under` hangs from
        while self.relations[first] == "conj":
            first = self.heads[first]
        if self.is_preposition(first):
            role = self.relations[first]
            head = self.heads[first]
        elif first != top and self.is_preposition(top):  # "jumps off the bed and under the table"
            role = "prep"
            head = first
        else:
            role = "prep"
            head = self.heads[top] if len(phrase) > 1 else ROOT
        if head == ROOT:
            return
        for each in phrase:
            if each != top:
                self.drop(each)
        if first != top:
            for conjunction in self.children(self.heads[top]):
                if self.relations[conjunction] == "cc":
                    self.drop(conjunction)
        name = "_".join(self.words[each] for each in phrase)
        for each in objects:
            kind = OBJECTS[self.relations[each]]
            self.relations[each] = "agent" if role == "agent" else f"{kind}_{name}"
        self.replace(top, objects[0])
        for each in objects:
            self.heads[each] = head

    def is_preposition(self, word: int) -> bool:
        return self.relations[word] in PREPOSITIONS or self.tags[word] == "ADP"

    def phrase(self, word: int, objects: list[int]) -> tuple[list[int], int]:
        """Return the words of a preposition that ends at `word`, and their head."""
        for length in (3, 2):
            inside = list(range(max(word - length + 1, 0), word + 1))
            if " ".join(self.words[each] for each in inside) not in PHRASES:
                continue
            tops = [each for each in inside if self.heads[each] not in inside]
            if len(tops) == 1 and self.heads[tops[0]] != ROOT and not {*objects} & {*inside}:
                return inside, tops[0]
        return [word], word

    def fold_conjunctions(self) -> None:
        groups: dict[int, list[int]] = {}  # conjunctions and conjuncts after each first conjunct
        for word, relation in enumerate(self.relations):
            if relation in ("conj", "cc") and self.heads[word] != GONE:
                first = self.heads[word]
                while self.relations[first] == "conj":
                    first = self.heads[first]
                groups.setdefault(first, []).append(word)
        folded: list[int] = []
        for first, members in groups.items():
            names = {w: self.words[w] for w in members if self.relations[w] == "cc"}
            for place, word in enumerate(members):
                if word in names:
                    continue
                # Of "a cat, a dog and a cow", "and" joins the first two as well.
                near = members[max(place - 1, 0) :]
                name = next((names[each] for each in near if each in names), "")
                self.relations[word] = f"conj_{CONJUNCTIONS.get(name, name)}" if name else "conj"
                self.heads[word] = first
            if len(names) < len(members):
                folded += names
        for word in folded:
            self.drop(word)

    def fold_cases(self) -> None:
        for word, relation in enumerate(self.relations):
            head = self.heads[word]
            if relation != "case" or head == GONE:
                continue
            if self.words[word] in POSSESSIVE:
                self.drop(word)
            elif head != ROOT and not self.relations[head].startswith(("root", "conj")):
                fixed = [c for c in self.children(word) if self.relations[c] == "fixed"]
                name = "_".join(self.words[each] for each in (word, *fixed))
                self.relations[head] += f"_{name}"
                for each in (*fixed, word):
                    self.drop(each)

    def drop_punctuation(self) -> None:
        left = [word for word, head in enumerate(self.heads) if head != GONE]
        marks = [word for word in left if not _has_letters(self.words[word])]
        for word in marks:
            if self.heads[word] != ROOT:
                self.drop(word)
            elif len(marks) < len(left):
                below = self.children(word)
                child = next((each for each in below if each not in marks), below[0])
                self.replace(word, child)
                self.relations[child] = "root"

    def nodes(self) -> Nodes:
        left = [word for word, head in enumerate(self.heads) if head != GONE]
        number = {word: place for place, word in enumerate(left)} | {ROOT: ROOT}
        return Nodes(
            [self.words[word] for word in left],
            [number[self.heads[word]] for word in left],
            [self.relations[word] for word in left],
        )


def _has_letters(word: str) -> bool:
    """Return whether a word has a letter or a digit; others are punctuation."""
    return any(map(str.isalnum, word))


def ancestors(word: int, parents: Sequence[int]) -> Iterator[int]:
    """Yield the parent of a word, its parent, and so on up to the root."""
    while (word := parents[word]) != ROOT:
        yield word


def _without_crossings(parents: Sequence[int]) -> list[int]:
    """Lift words to the head of their head, until no edge spans a word that is not below it."""
    parents = list(parents)

    def crosses(word: int) -> bool:
        parent = parents[word]
        between = range(min(word, parent) + 1, max(word, parent))
        return parent != ROOT and any(parent not in ancestors(each, parents) for each in between)

    while (word := next(filter(crosses, range(len(parents))), None)) is not None:
        parents[word] = parents[parents[word]]
    return parents
