"""Pairs of English sentences about drawn scenes, graded from 0 to 5 by the facts that they share.

The grade is 5 times the weighted overlap of what the two sentences mention, 2 |A & B| / (|A| + |B|)
(Dice): an object weighs 2, what happens between two objects 3, and everything else (a colour, a
size, a number, the background, the sky) 1. So the same facts in other words are a 5. After an
exchange of roles or attributes the objects are still shared, but not what is said of them: *a black
dog chases a white cat* and *a black cat chases a white dog* are a 2.2. If one sentence denies what
it mentions and the other does not, the grade is halved: *no dog chases a cat* and *a cat runs away
from a dog* are a 2.5. If both deny, it is not.
"""

import itertools
import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import pandas as pd

from groundvec.data.ratings import COLUMNS
from reproduction.scenes.captions import caption, choose
from reproduction.scenes.world import Scene, facts, families, predicates

SOURCES = {
    ("Scenes", "Paraphrase"): "same facts, other words",
    ("Scenes", "Overlap"): "some facts in common",
    ("Scenes", "Negation"): "one or both denied",
    ("Scenes", "Swap"): "roles or attributes exchanged",
    ("Scenes-R", "Relatedness"): "all of these",
}
OBJECTS = ("a", "b", "c")  # their names in a scene
STS_PAIRS = 80  # a subtask of Scenes
RELATEDNESS_PAIRS = {"train": 400, "dev": 100, "test": 300}


class Sentence(NamedTuple):
    """A caption, and what it says."""

    text: str
    weights: dict[str, int]  # of the mentioned facts, by their values
    denied: bool


def graded_pairs(seed: int) -> pd.DataFrame:
    """Make pairs in the columns of `Ratings`; the same seed gives the same pairs.

    Task `Scenes` has a subtask for each phenomenon. Half of the pairs of a subtask show it, half
    are pairs of any two captions, spread over the grades (all of `Overlap` is that). Task
    `Scenes-R` mixes them, and has three splits. No two subtasks or splits share a scene, nor does
    `generate` with the same seed draw these.
    """
    source = families(random.Random(f"pairs {seed}"))
    rng = random.Random(f"sentences {seed}")
    rows: list[tuple[str, str, str, str, str, float]] = []

    def add(task: str, subtask: str, split: str, size: int, makers: list[Maker]) -> None:
        scenes = [next(source) for _ in range(size // 4)]
        pairs = _distinct(makers, scenes, rng, size)
        rows.extend((task, subtask, split, a.text, b.text, grade(a, b)) for a, b in pairs)

    add("Scenes", "Paraphrase", "test", STS_PAIRS, [_paraphrases, _overlaps])
    add("Scenes", "Overlap", "test", STS_PAIRS, [_overlaps])
    add("Scenes", "Negation", "test", STS_PAIRS, [_denials, _overlaps_denied])
    add("Scenes", "Swap", "test", STS_PAIRS, [_swaps, _overlaps])
    every: list[Maker] = [_paraphrases, _denials, _swaps, _overlaps, _overlaps_denied]
    for split, size in RELATEDNESS_PAIRS.items():
        add("Scenes-R", "Relatedness", split, size, every)
    return pd.DataFrame(rows, columns=COLUMNS)


def grade(a: Sentence, b: Sentence) -> float:
    """Grade the similarity of two sentences from 0 to 5, with one decimal; see the module's top."""
    shared = sum(weight for value, weight in a.weights.items() if value in b.weights)
    overlap = 2 * shared / (sum(a.weights.values()) + sum(b.weights.values()))
    return round(5 * overlap * (0.5 if a.denied != b.denied else 1), 1)


Pair = tuple[Sentence, Sentence]
Maker = Callable[[list[list[Scene]], random.Random], Iterator[Pair]]


def _distinct(
    makers: list[Maker], scenes: list[list[Scene]], rng: random.Random, size: int
) -> list[Pair]:
    """Collect `size` pairs of different sentences from the makers in turn, none twice."""
    sources = [maker(scenes, rng) for maker in makers]
    pairs: dict[frozenset[str], Pair] = {}
    while len(pairs) < size:
        a, b = next(sources[len(pairs) % len(sources)])
        if a.text != b.text:
            pairs.setdefault(frozenset((a.text, b.text)), (a, b))
    return list(pairs.values())


def _paraphrases(scenes: list[list[Scene]], rng: random.Random) -> Iterator[Pair]:
    """Yield pairs with the same facts of a scene in different words."""
    while True:
        scene = rng.choice(rng.choice(scenes))
        mention = choose(scene, rng)
        yield _say(scene, mention, rng), _say(scene, mention, rng)


def _denials(scenes: list[list[Scene]], rng: random.Random) -> Iterator[Pair]:
    """Yield pairs of facts and, in different words, their denial; every other pair denies both."""
    while True:
        for both in (False, True):
            scene = rng.choice(rng.choice(scenes))
            mention = _deniable(choose(scene, rng))
            yield _say(scene, mention, rng, both), _say(scene, mention, rng, True)


def _swaps(scenes: list[list[Scene]], rng: random.Random) -> Iterator[Pair]:
    """Yield pairs about two scenes of a family, which differ by an exchange.

    Both mention the same kinds of facts, in every other pair in the same words.
    """
    while True:
        for alike in (False, True):
            while True:
                family = rng.choice(scenes)
                one = rng.choice(family)
                two = rng.choice(family)
                mention = choose(one, rng)
                if not mention <= facts(two).keys():
                    continue
                words = rng.random()
                a = _say(one, mention, random.Random(words))
                b = _say(two, mention, random.Random(words) if alike else rng)
                if a.weights != b.weights:
                    break
            yield a, b


def _overlaps(scenes: list[list[Scene]], rng: random.Random, denied: float = 0) -> Iterator[Pair]:
    """Yield pairs of any two captions, in turn with a grade from 0 to 1, from 1 to 2, and so on.

    Args:
        denied: how many of the captions deny what they mention, from 0 to 1.
    """
    captions = []
    for scene in itertools.chain(*scenes):
        for _ in range(2):
            mention = choose(scene, rng)
            no = rng.random() < denied
            captions.append(_say(scene, _deniable(mention) if no else mention, rng, no))
    having = defaultdict(list)  # the captions that mention a fact
    for each in captions:
        for fact in each.weights:
            having[fact].append(each)
    while True:
        for low in range(5):
            while True:
                a = rng.choice(captions)
                fact = rng.choice(sorted(a.weights))
                b = rng.choice(having[fact] if low else captions)
                if low <= grade(a, b) <= low + 1:
                    break
            yield a, b


_overlaps_denied = partial(_overlaps, denied=0.4)


def _say(scene: Scene, mention: set[str], rng: random.Random, denied: bool = False) -> Sentence:
    weights = {
        value: 3 if name in predicates(scene) else 2 if name in OBJECTS else 1
        for name, value in facts(scene).items()
        if name in mention
    }
    return Sentence(caption(scene, mention, rng, "en", denied), weights, denied)


def _deniable(mention: set[str]) -> set[str]:
    """Without the numbers, which a denial does not say: "no dogs"."""
    return {name for name in mention if not name.endswith(".count")}
