"""The nouns of WordNet 3.0: their senses, and the hypernyms of each.

Format: https://wordnet.princeton.edu/documentation/wndb5wn.
"""

from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from groundvec.runtime.errors import InputError
from groundvec.runtime.files import text_lines

PHYSICAL_ENTITY = "n00001930"
PERSON = "n00007846"
HYPERNYMS = ("@", "@i")  # kinds, and instances such as rivers by name


@dataclass(frozen=True)
class Synset:
    """A sense, which several words may share."""

    words: tuple[str, ...]  # with spaces, and capitals in names
    hypernyms: tuple[str, ...]
    definition: str  # without examples


class WordNet:
    """The nouns of WordNet.

    Attributes:
        synsets: by `n` and the offset of eight digits, as ImageNet names them.
        senses: the synsets of a word, the most frequent first.
        plurals: of words whose plural is irregular.
    """

    def __init__(self, data: str, index: str, exceptions: str) -> None:
        """Parse the contents of `data.noun`, `index.noun` and `noun.exc`."""
        self.synsets = {}
        for line in _entries(data):
            relations, _, gloss = line.partition(" | ")
            fields = relations.split()
            words_end = 4 + 2 * int(fields[3], 16)
            pointers = fields[words_end + 1 :]
            hypernyms = [
                f"n{offset}"
                for kind, offset in zip(pointers[::4], pointers[1::4], strict=False)
                if kind in HYPERNYMS
            ]
            words = [word.replace("_", " ") for word in fields[4:words_end:2]]
            definition = gloss.partition(";")[0]
            self.synsets[f"n{fields[0]}"] = Synset(tuple(words), tuple(hypernyms), definition)
        self.senses = {}
        for line in _entries(index):
            fields = line.split()
            count = int(fields[2])
            self.senses[fields[0].replace("_", " ")] = [f"n{offset}" for offset in fields[-count:]]
        self.plurals: dict[str, list[str]] = defaultdict(list)
        for line in exceptions.splitlines():
            plural, *words = (word.replace("_", " ") for word in line.split())
            for word in words:
                self.plurals[word].append(plural)
        self.distances = cache(self._distances)

    def _distances(self, synset: str) -> dict[str, int]:
        """Return the steps up to each hypernym of a synset, 0 to itself, the nearest first."""
        distances = {synset: 0}
        waiting = [synset]
        for current in waiting:  # a breadth-first search, which appends to the list
            for hypernym in self.synsets[current].hypernyms:
                if hypernym not in distances:
                    distances[hypernym] = distances[current] + 1
                    waiting.append(hypernym)
        return distances

    def is_thing(self, synset: str) -> bool:
        """Return whether a synset is a physical thing, and no person."""
        hypernyms = self.distances(synset)
        return PHYSICAL_ENTITY in hypernyms and PERSON not in hypernyms


def read(folder: Path) -> WordNet:
    """Read the nouns in a folder of WordNet's files.

    Raises:
        InputError: a file is missing or malformed.
    """
    contents = []
    for name in ("data.noun", "index.noun", "noun.exc"):
        try:
            contents.append("\n".join(text_lines((folder / name).read_bytes(), folder / name)))
        except OSError as error:
            raise InputError(f"{folder / name}: {error.strerror}; name WordNet's folder") from None
    try:
        return WordNet(*contents)
    except (ValueError, IndexError, KeyError) as error:
        raise InputError(f"{folder} is not WordNet 3.0 ({error!r}): download it again") from None


def _entries(content: str) -> list[str]:
    """Return the lines of a file without its license, whose lines begin with two spaces."""
    return [line for line in content.splitlines() if line and not line.startswith("  ")]
