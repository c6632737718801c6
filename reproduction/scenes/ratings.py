"""Generate pairs of English sentences about drawn scenes, graded from 0 to 5 by shared facts.

The grade is 5 times the weighted overlap of the facts that the sentences mention, 2 |A & B| /
(|A| + |B|) (Dice). An object has the weight 2, an action or a relation 3, and everything else (a
color, a size, a number, the background, the sky) 1. So the same facts in other words have the grade
5. If roles or attributes are exchanged, the objects are shared but not their actions and
attributes: *a black dog chases a white cat* and *a black cat chases a white dog* have the grade
2.2. If only one sentence denies its facts, the grade is halved: *no dog chases a cat* and *a cat
runs away from a dog* have the grade 2.5. If both deny their facts, it is not halved.
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
OBJECTS = ("a", "b", "c")  # the ids of objects in a scene
STS_PAIRS = 80  # pairs of each subtask of Scenes
RELATEDNESS_PAIRS = {"train": 400, "dev": 100, "test": 300}


class Sentence(NamedTuple):
    """A caption and the facts that it mentions."""

    text: str
    weights: dict[str, int]  # the weights of the mentioned facts, by their values
    denied: bool


def graded_pairs(seed: int) -> pd.DataFrame:
    """Generate pairs in the columns of `Ratings`; the same seed results in the same pairs.

    The task `Scenes` has one subtask per phenomenon. Half of its pairs show the phenomenon; the
    other half are pairs of any two captions, spread over the grades. `Overlap` has only the latter.
    The task `Scenes-R` mixes all kinds, and has three splits. No two subtasks or splits share a
    scene, and `generate` with the same seed draws other scenes.
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
    """Grade the similarity of two sentences from 0 to 5, with one decimal (see the module)."""
    shared = sum(weight for value, weight in a.weights.items() if value in b.weights)
    overlap = 2 * shared / (sum(a.weights.values()) + sum(b.weights.values()))
    return round(5 * overlap * (0.5 if a.denied != b.denied else 1), 1)


Pair = tuple[Sentence, Sentence]
Maker = Callable[[list[list[Scene]], random.Random], Iterator[Pair]]


def _distinct(
    makers: list[Maker], scenes: list[list[Scene]], rng: random.Random, size: int
) -> list[Pair]:
    """Collect `size` pairs of different sentences from the makers in turn, without duplicates."""
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
        yield _sentence(scene, mention, rng), _sentence(scene, mention, rng)


def _denials(scenes: list[list[Scene]], rng: random.Random) -> Iterator[Pair]:
    """Yield pairs of a sentence and its denial in other words; every other pair denies both."""
    while True:
        for both in (False, True):
            scene = rng.choice(rng.choice(scenes))
            mention = _deniable(choose(scene, rng))
            yield _sentence(scene, mention, rng, both), _sentence(scene, mention, rng, True)


def _swaps(scenes: list[list[Scene]], rng: random.Random) -> Iterator[Pair]:
    """Yield pairs about two scenes of a family, which differ by an exchange.

    Both sentences mention the same kinds of facts; every other pair has the same words.
    """
    while True:
        for same_words in (False, True):
            while True:
                family = rng.choice(scenes)
                one = rng.choice(family)
                two = rng.choice(family)
                mention = choose(one, rng)
                if not mention <= facts(two).keys():
                    continue
                words = rng.random()
                a = _sentence(one, mention, random.Random(words))
                b = _sentence(two, mention, random.Random(words) if same_words else rng)
                if a.weights != b.weights:
                    break
            yield a, b


def _overlaps(scenes: list[list[Scene]], rng: random.Random, denied: float = 0) -> Iterator[Pair]:
    """Yield pairs of any two captions, with a grade from 0 to 1, from 1 to 2, and so on in turn.

    Args:
        denied: the share of captions that deny their facts, from 0 to 1.
    """
    captions = []
    for scene in itertools.chain(*scenes):
        for _ in range(2):
            mention = choose(scene, rng)
            is_denied = rng.random() < denied
            mention = _deniable(mention) if is_denied else mention
            captions.append(_sentence(scene, mention, rng, is_denied))
    captions_with = defaultdict(list)  # the captions that mention a fact
    for sentence in captions:
        for fact in sentence.weights:
            captions_with[fact].append(sentence)
    while True:
        for low in range(5):
            while True:
                a = rng.choice(captions)
                fact = rng.choice(sorted(a.weights))
                # Two captions of a grade above 1 share a fact; any two rarely do.
                b = rng.choice(captions_with[fact] if low else captions)
                if low <= grade(a, b) <= low + 1:
                    break
            yield a, b


_overlaps_denied = partial(_overlaps, denied=0.4)


def _sentence(
    scene: Scene, mention: set[str], rng: random.Random, denied: bool = False
) -> Sentence:
    """Write a caption, and list the weights of its facts."""
    weights = {
        value: 3 if name in predicates(scene) else 2 if name in OBJECTS else 1
        for name, value in facts(scene).items()
        if name in mention
    }
    return Sentence(caption(scene, mention, rng, "en", denied), weights, denied)


def _deniable(mention: set[str]) -> set[str]:
    """Remove numbers from the facts, because a denial has none: "no dogs"."""
    return {name for name in mention if not name.endswith(".count")}
