"""The lexicon of a trained model: the classes of ImageNet that words stand for.

A word, in one of its written forms, stands for a set of classes with weights. Its gate is 1 if no
training caption has the word, and less the more captions have it: the encoder of sentences knows
those words. `reproduction.lexicon` makes lexicons from WordNet.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from groundvec.data.cleaning import LONGEST, clean
from groundvec.model.stored import Stored
from groundvec.runtime.files import SMALL

# A word with its apostrophes and hyphens.
WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
LONGEST_FORM = 4  # words: "old english sheepdog"
SHORTEST = 3  # letters of a word that counts; shorter ones are mostly articles and prepositions
# Letters of a known word that make a compound known. A word that begins with as many letters of a
# known word may be another form of it: the encoder reads n-grams.
SHORTEST_PART = 4
MOST_UNKNOWN = 3  # words of a sentence that may be unknown, such as names, are fewer than these
PERCENT = 100  # gates and weights are stored as integers from 0 to 100
HALF = 100  # a word that this number of training captions have counts half
# A word that neither the lexicon nor the captions have counts as another one: without an ending, or
# in some languages as its last part.
ENDINGS = {
    "en": {"s": "", "es": "", "ies": "y", "men": "man"},
    "de": {"n": "", "s": "", "es": ""},
}
COMPOUNDS = {"de"}
# The arrays of a lexicon, and of each of its languages after the language's name. Set i of classes
# has the members [starts[i]:starts[i + 1]]. Texts are UTF-8, with one line per entry.
SETS = {"starts": "I32", "classes": "I16", "weights": "U8"}
LANGUAGE = {"names": "U8", "forms": "U8", "gates": "U8", "sets": "I32", "known": "U8"}


class Meaning(NamedTuple):
    """The classes that a word of a sentence stands for."""

    word: str
    gate: float
    classes: np.ndarray  # (C,) int16
    weights: np.ndarray  # (C,) float32


@dataclass(frozen=True)
class Language:
    """The words of one language.

    Attributes:
        names: of the classes.
        places: of written forms, in `gates` (percent) and `sets`.
        known: further words of the training captions.
    """

    code: str
    names: list[str]
    places: Mapping[str, int]
    gates: np.ndarray
    sets: np.ndarray
    known: frozenset[str]

    def forms(self, words: list[str]) -> Iterator[tuple[str, str]]:
        """Yield the longest parts of a sentence that stand for classes, and their forms."""
        start = 0
        while start < len(words):
            for end in range(min(len(words), start + LONGEST_FORM), start, -1):
                part = " ".join(words[start:end])
                form = self.form(part)
                if form:
                    yield part, form
                    start = end - 1
                    break
            start += 1

    def form(self, word: str) -> str:
        """Return the written form that a word counts as; an empty string if there is none."""
        if word in self.places:
            return word
        if word in self.known:
            return ""
        stems = [
            word.removesuffix(ending) + replacement
            for ending, replacement in ENDINGS.get(self.code, {}).items()
            if word.endswith(ending)
        ]
        for stem in stems:
            if stem in self.places:
                return stem
        if self.code in COMPOUNDS and " " not in word:
            for start in range(SHORTEST, len(word) - SHORTEST):
                for candidate in (word, *stems):
                    if candidate[start:] in self.places:
                        return candidate[start:]
        return ""

    def gate(self, word: str, form: str) -> float:
        """Return the gate of a word; if it only counts as a form, no caption has it."""
        return float(self.gates[self.places[form]]) / PERCENT if word == form else 1.0

    def has_known_part(self, word: str) -> bool:
        """Return whether a word may be a compound of a known word."""
        if self.code not in COMPOUNDS:
            return False
        parts = [word[:end] for end in range(SHORTEST_PART, len(word))]
        parts += [word[start:] for start in range(1, len(word) - SHORTEST_PART + 1)]
        return any(part in self.known or part in self.places for part in parts)

    @cached_property
    def beginnings(self) -> frozenset[str]:
        """The first letters of known words."""
        words = (word for word in (*self.known, *self.places) if " " not in word)
        return frozenset(word[:SHORTEST_PART] for word in words if len(word) >= SHORTEST_PART)

    def knows(self, word: str) -> bool:
        """Return whether training captions have a word, or it stands for classes."""
        return word in self.known or bool(self.form(word))


class Lexicon:
    """Words with the classes that they stand for, in several languages.

    Attributes:
        languages: by name, such as "de".
    """

    def __init__(self, languages: dict[str, Language], sets: dict[str, np.ndarray]) -> None:
        self.languages = languages
        self._sets = sets

    def language(self, sentence: str) -> str:
        """Guess a sentence's language: the first of those that know most of its words."""
        words = split(sentence)
        known = {name: sum(map(language.knows, words)) for name, language in self.languages.items()}
        return max(known, key=known.__getitem__)

    def meanings(self, sentence: str, language: str) -> list[Meaning]:
        """Return the words of a sentence that stand for classes, each once."""
        meanings: dict[str, Meaning] = {}
        entries = self.languages.get(language)
        if entries is None:
            return []
        for word, form in entries.forms(split(sentence)):
            start, end = self._sets["starts"][entries.sets[entries.places[form]] :][:2]
            meanings[word] = Meaning(
                word,
                entries.gate(word, form),
                self._sets["classes"][start:end],
                self._sets["weights"][start:end] / np.float32(PERCENT),
            )
        return list(meanings.values())

    def is_unknown(self, sentence: str, language: str | None) -> bool:
        """Return whether a sentence has too few known words to be understood.

        That is, no word begins like a known one, or three or more words are unknown, and they are
        the majority: a sentence in another language may have a word of this one by chance. Words of
        two or three letters alone are not judged.

        Args:
            language: of the sentence; by default any.
        """
        words = split(sentence)
        if 1 < max(map(len, words), default=0) < SHORTEST_PART:
            return False  # of short words, such as "TV", a lexicon has few
        candidates = [
            entries for code, entries in self.languages.items() if language in (None, code)
        ]
        for entries in candidates:
            known = [word for word in words if entries.knows(word) or entries.has_known_part(word)]
            unknown = len(words) - len(known)
            is_majority = unknown >= MOST_UNKNOWN and unknown > len(known)
            is_familiar = any(len(word) >= SHORTEST for word in known) or any(
                word[:SHORTEST_PART] in entries.beginnings for word in words
            )
            if is_familiar and not is_majority:
                return False
        return bool(candidates)


def split(sentence: str) -> list[str]:
    """Split a sentence, cut as `encode` cuts it, into words as they are in a lexicon."""
    text = clean(sentence)[:LONGEST].casefold().replace("\u2019", "'")
    return [word.removesuffix("'s") for word in WORD.findall(text)]


class _File(Stored):
    """The file of a lexicon."""

    content = "lexicon"
    largest = SMALL


def read(path: Path, checksum: str, classes: int) -> Lexicon:
    """Read a lexicon, which may come from anybody.

    Raises:
        InputError: it is missing or damaged, too large, or of another form.
    """
    stored = _File(path, checksum)
    names = {name.partition(".")[0] for name in stored.names - SETS.keys()}
    if not names or stored.names != SETS.keys() | {
        f"{name}.{key}" for name in names for key in LANGUAGE
    }:
        raise stored.wrong("other names")
    sets = {name: stored.array(name, number) for name, number in SETS.items()}
    starts, members, weights = sets.values()
    ends = [*starts[:1], *starts[-1:]]
    if ends != [0, len(members)] or len(members) != len(weights) or (np.diff(starts) < 0).any():
        raise stored.wrong("sets that overlap or leave members out")
    if ((members < 0) | (members >= classes) | (weights > PERCENT)).any():
        raise stored.wrong(f"a class beyond the model's {classes:,}, or a weight above {PERCENT}%")
    # English first, then by name: the first one wins where a word is known to several.
    languages = {
        name: _read_language(stored, name, classes, len(starts) - 1)
        for name in sorted(names, key=lambda name: (name != "en", name))
    }
    return Lexicon(languages, sets)


def _read_language(stored: _File, name: str, classes: int, sets: int) -> Language:
    """Read the words of one language."""
    arrays = {key: stored.array(f"{name}.{key}", number) for key, number in LANGUAGE.items()}
    try:
        names, forms, known = (
            arrays[key].tobytes().decode().split("\n") for key in ("names", "forms", "known")
        )
    except UnicodeDecodeError:
        raise stored.wrong(f"{name} has text that is not UTF-8") from None
    places = {form: place for place, form in enumerate(forms)}
    gates = arrays["gates"]
    numbers = arrays["sets"]
    if len(names) != classes or not len(places) == len(forms) == len(gates) == len(numbers):
        raise stored.wrong(f"{name} has other numbers of classes, forms, gates and sets")
    if ((gates > PERCENT) | (numbers < 0) | (numbers >= sets)).any():
        raise stored.wrong(f"{name} has a gate above {PERCENT}%, or a set that does not exist")
    return Language(name, names, places, gates, numbers, frozenset(known))


def with_captions(
    path: Path, checksum: str, classes: int, captions: Iterable[str], language: str
) -> bytes:
    """Return a lexicon after further training captions, whose words count less from then on.

    Raises:
        InputError: see `read`.
    """
    from safetensors.numpy import load_file, save

    entries = read(path, checksum, classes).languages.get(language)
    arrays = load_file(path)
    if entries is None:
        return save(arrays)
    counts: Counter[str] = Counter()
    known = set(entries.known)
    for caption in captions:
        words = split(caption)
        counts.update({form for word, form in entries.forms(words) if word == form})
        known.update(word for word in words if not entries.form(word))
    # 1 / (1 + n / HALF), where n captions have a word, of more captions.
    further = np.array([counts[form] for form in entries.places])
    gates = entries.gates / (1 + further / HALF * entries.gates / PERCENT)
    arrays[f"{language}.gates"] = np.rint(gates).astype(np.uint8)
    arrays[f"{language}.known"] = np.frombuffer("\n".join(sorted(known)).encode(), np.uint8)
    return save(arrays)
