"""A lexicon for searches: the classes of ImageNet that words stand for.

`groundvec.model.lexicon` reads it.

English words come from WordNet, German ones from a table of this project, by WordNet's synsets. The
rules and constants were chosen on photographs that are no part of this project (docs/classes.md).
"""

import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from groundvec.model.lexicon import (
    HALF,
    LONGEST_FORM,
    PERCENT,
    SHORTEST,
    Language,
    split,
)
from groundvec.runtime.errors import InputError
from reproduction.lexicon.wordnet import WordNet

# The weights of a word's senses, by their place: WordNet has the most frequent first.
PLACES = (1, 0.5, 0.3, 0.2)
# A sense without classes gets the classes of its nearest hypernym with classes, unless they are too
# many or too far. Each step halves the weight.
MOST_STEPS = 2
MOST_CLASSES = 20
PER_STEP = 0.5
# Without such a hypernym, it gets the classes of the nouns in its definition.
OF_DEFINITION = 0.5
# Words that would count less are left out.
LEAST_GATE = 2  # percent
# Words that count as another one have no entry unless they count less than this.
MOST_GATE = 90
# A word in at least as many training captions is known to the encoder, though it has no classes.
KNOWN = 20
CLASSES = 1000

BINOMIAL = re.compile(r"[A-Z][a-z]+ [a-z]+")  # a name of a species

Weights = dict[int, float]  # of classes, by their places among the outputs of the image networks


def read_names(language: str) -> dict[str, list[str]]:
    """Read the names of synsets in a language, the classes of ImageNet first, in their order."""
    path = Path(__file__).with_name(f"classes.{language}.toml")
    if not path.exists():
        raise InputError(f"no names of classes in {language!r}: write {path}")
    names: dict[str, list[str]] = tomllib.loads(path.read_text("utf-8"))
    return names


class Senses:
    """The classes of ImageNet that English words and WordNet's synsets stand for."""

    def __init__(self, wordnet: WordNet, names: Mapping[str, list[str]]) -> None:
        """Take the English names of the classes, by their synsets."""
        self.wordnet = wordnet
        self.below: dict[str, set[int]] = defaultdict(set)  # the classes that are a kind of it
        self.named: dict[str, set[int]] = defaultdict(set)
        for number, (synset, class_names) in enumerate(names.items()):
            for hypernym in wordnet.distances(synset):
                self.below[hypernym].add(number)
            # Some synsets are not what their class shows, so the names of both count.
            for name in (*class_names, *wordnet.synsets[synset].words):
                self.named[name.lower()].add(number)
        # Nobody searches for "Crotalus atrox": without such names, the file is a tenth smaller.
        latin = {
            word.lower()
            for synset in wordnet.synsets.values()
            for word in synset.words[1:]
            if BINOMIAL.fullmatch(word)
        }
        self.words = (wordnet.senses.keys() | self.named.keys()) - latin
        self._vocabulary = language("en", self.words)

    def of_word(self, word: str) -> Weights:
        """Return the classes of a word."""
        direct = self._direct(word)
        senses = self._things(word)
        # Many words mean a thing rarely: "good" is a ware in its fourth sense. Such a sense counts
        # only if it has classes itself.
        if direct or PLACES[0] not in senses.values():
            return direct
        near = _union((self._near(synset), place) for synset, place in senses.items())
        return near or _union((self._defined(synset), place) for synset, place in senses.items())

    def of_synset(self, synset: str) -> Weights:
        """Return the classes of one sense."""
        return self._near(synset) or self._defined(synset)

    def _things(self, word: str) -> dict[str, float]:
        """Return the senses of a word that are things, with the weights of their places."""
        senses = self.wordnet.senses.get(word, [])
        return {
            synset: weight
            for synset, weight in zip(senses, PLACES, strict=False)
            if self.wordnet.is_thing(synset)
        }

    def _direct(self, word: str) -> Weights:
        """Return the classes that have a word as name, or are a kind of one of its senses."""
        sets = [(self.below[synset], place) for synset, place in self._things(word).items()]
        sets.append((self.named.get(word, set()), 1))
        return _union((dict.fromkeys(classes, 1.0), place) for classes, place in sets)

    def _near(self, synset: str) -> Weights:
        """Return the classes of a synset, or of its nearest hypernym that has some."""
        distances = self.wordnet.distances(synset)
        # If two are equally near, take the one with fewer classes.
        for name in sorted(distances, key=lambda name: (distances[name], len(self.below[name]))):
            steps = distances[name]
            if self.below[name]:
                is_specific = steps <= MOST_STEPS and len(self.below[name]) <= MOST_CLASSES
                if steps == 0 or is_specific:
                    return dict.fromkeys(self.below[name], PER_STEP**steps)
                break
        return {}

    def _defined(self, synset: str) -> Weights:
        """Return the classes of the nouns in a definition: a kitten is a "young domestic cat"."""
        sets = []
        for word in split(self.wordnet.synsets[synset].definition):
            if len(word) >= SHORTEST:
                classes = self._direct(self._vocabulary.form(word))
                sets.append((classes if len(classes) <= MOST_CLASSES else {}, OF_DEFINITION))
        return _union(sets)


def _union(sets: Iterable[tuple[Weights, float]]) -> Weights:
    """Unite sets of classes, each with a factor; of several weights, the largest counts."""
    union: Weights = {}
    for weights, factor in sets:
        for number, weight in weights.items():
            union[number] = max(union.get(number, 0), factor * weight)
    return union


def english(senses: Senses) -> dict[str, Weights]:
    """Return the classes of English words, and of plurals that are irregular."""
    words = {word: senses.of_word(word) for word in senses.words}
    plurals = {
        plural: words[word]
        for word, plurals in senses.wordnet.plurals.items()
        for plural in plurals
        if word in words
    }
    return plurals | words


def german(senses: Senses, names: Mapping[str, list[str]]) -> dict[str, Weights]:
    """Return the classes of German words, which are names of synsets."""
    words: dict[str, Weights] = {}
    for synset, synset_names in names.items():
        classes = senses.of_synset(synset)
        for name in synset_names:
            words[name] = _union([(words.get(name, {}), 1), (classes, 1)])
    return words


def make(wordnet: WordNet, captions: Mapping[str, Sequence[str]]) -> dict[str, np.ndarray]:
    """Make the arrays of a lexicon in the form of `groundvec.model.lexicon`.

    Args:
        captions: the training captions in each language.

    Raises:
        InputError: a language has no table of names.
    """
    senses = Senses(wordnet, read_names("en"))
    sets: dict[tuple[tuple[int, int], ...], int] = {}  # members with weights in percent
    arrays: dict[str, np.ndarray] = {}
    for code, sentences in captions.items():
        names = read_names(code)
        words = english(senses) if code == "en" else german(senses, names)
        numbers = {}
        for word in sorted(words):
            form = " ".join(split(word))
            members = sorted((c, round(PERCENT * weight)) for c, weight in words[word].items())
            if members and len(form) >= SHORTEST and form.count(" ") < LONGEST_FORM:
                numbers[form] = sets.setdefault(tuple(members), len(sets))
        class_names = [synset_names[0] for synset_names in names.values()][:CLASSES]
        entries = _entries(code, numbers, sentences) | {"names": _text(class_names)}
        arrays |= {f"{code}.{name}": array for name, array in entries.items()}
    members = [member for classes in sets for member in classes]
    return arrays | {
        "starts": np.cumsum([0, *map(len, sets)], dtype=np.int32),
        "classes": np.array([number for number, _ in members], np.int16),
        "weights": np.array([weight for _, weight in members], np.uint8),
    }


def _entries(code: str, sets: Mapping[str, int], captions: Sequence[str]) -> dict[str, np.ndarray]:
    """Return the arrays of written forms, which have gates by the captions with them.

    Args:
        sets: the numbers of the forms' sets.
    """
    words_of_captions = [split(caption) for caption in captions]
    counts = Counter(word for words in words_of_captions for word in set(words))
    forms = language(code, sets.keys())
    # Words of captions that count as another one get gates of their own.
    sets = {word: sets[form] for word in {*sets, *counts} if (form := forms.form(word))}
    for words in words_of_captions:
        parts = {
            " ".join(words[start : start + length])
            for length in range(2, LONGEST_FORM + 1)
            for start in range(len(words) - length + 1)
        }
        counts.update(parts & sets.keys())
    gates = {form: round(PERCENT / (1 + counts[form] / HALF)) for form in sets}
    kept = [
        form
        for form in sets
        if gates[form] >= LEAST_GATE
        and (form in forms.places or gates[form] <= MOST_GATE)
        and not _is_redundant(form, sets, gates)
    ]
    # By their sets, which compresses best.
    kept.sort(key=lambda form: (sets[form], form))
    known = {word for word, count in counts.items() if count >= KNOWN}
    return {
        "forms": _text(kept),
        "gates": np.array([gates[form] for form in kept], np.uint8),
        "sets": np.array([sets[form] for form in kept], np.int32),
        "known": _text(sorted(known.difference(kept))),
    }


def _is_redundant(form: str, sets: Mapping[str, int], gates: Mapping[str, int]) -> bool:
    """Return whether the last word alone does for a form: "poppy" for "prickly poppy"."""
    first, _, last = form.rpartition(" ")
    return bool(first) and sets.get(last) == sets[form] and gates[last] >= gates[form] - 10


def language(code: str, forms: Iterable[str]) -> Language:
    """Return a language of written forms alone."""
    places = dict.fromkeys(forms, 0)
    return Language(code, [], places, np.empty(0), np.empty(0), frozenset())


def _text(lines: Iterable[str]) -> np.ndarray:
    """Return lines of text as UTF-8 bytes."""
    return np.frombuffer("\n".join(lines).encode(), np.uint8)
