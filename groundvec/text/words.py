"""Sentences as sequences of words."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np

from groundvec.errors import InputError
from groundvec.text.encoded import LARGEST, UNKNOWN, Encoded, cleaned

# A word with its apostrophes and hyphens, or a single mark.
TOKEN = re.compile(r"\w+(?:['\u2019-]\w+)*|[^\w\s]")


def tokens(sentence: str) -> list[str]:
    """The lower-case words and the punctuation marks of a sentence."""
    return TOKEN.findall(sentence.lower())


class Text:
    """The words of the training captions; padding and unknown have indices of their own.

    Rare words are unknown in training too, so that the vector of unknown words is a trained one.

    Attributes:
        words: the i-th has the index i + 2.
    """

    def __init__(self, words: Sequence[str]) -> None:
        if len(set(words)) != len(words) or len(words) + 2 > LARGEST:
            raise InputError(f"a vocabulary needs distinct words, {LARGEST - 2:,} at most")
        self.words = list(words)
        self._index = {word: index for index, word in enumerate(self.words, 2)}

    @classmethod
    def build(cls, captions: Iterable[str], at_least: int) -> "Text":
        """The words that the captions have `at_least` so often, the most frequent first."""
        counts = Counter(chain.from_iterable(map(tokens, captions)))
        often = [word for word, count in counts.items() if count >= at_least]
        return cls(sorted(often, key=lambda word: (-counts[word], word))[: LARGEST - 2])

    def __len__(self) -> int:
        """The number of indices, padding and unknown included."""
        return len(self.words) + 2

    def encode(self, sentences: Sequence[str]) -> Encoded:
        """Clean each sentence and look its words up; one without any is one unknown word."""
        words = [tokens(sentence) or [""] for sentence in cleaned(sentences)]
        flat = (self._index.get(word, UNKNOWN) for word in chain.from_iterable(words))
        lengths = [len(sentence) for sentence in words]
        return Encoded.of(np.fromiter(flat, np.int64, sum(lengths)), lengths)

    def as_dict(self) -> dict[str, list[str]]:
        """What `Text(**...)` takes, ready for JSON."""
        return {"words": self.words}
