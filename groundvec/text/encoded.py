"""Functions that all texts share: clean sentences and keep them as one flat array of indices."""

import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from groundvec.data.cleaning import LONGEST, clean
from groundvec.runtime import arrays
from groundvec.runtime.errors import InputError

PADDING = 0
UNKNOWN = 1
LARGEST = 2**16  # different indices of a text; they are kept in 16 bits
AT_LEAST = 2  # rarer words of the training captions are unknown
ROWS = 4096  # captions that are counted at once


class Cut:
    """Sentences as flat arrays, cut where each starts."""

    starts: np.ndarray  # (sentences + 1,) int64: sentence i is [starts[i]:starts[i + 1]]

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> np.ndarray:
        """Return the length of each sentence, as an int64 array of shape (sentences,)."""
        return np.diff(self.starts)


@dataclass
class Encoded(Cut):
    """Sentences as one flat array of indices: two bytes each, however many there are."""

    indices: np.ndarray  # (indices,) uint16
    starts: np.ndarray

    @classmethod
    def of(cls, indices: np.ndarray, lengths: Sequence[int] | np.ndarray) -> "Encoded":
        """Cut a flat array into sentences of these lengths."""
        starts = np.zeros(len(lengths) + 1, np.int64)
        np.cumsum(lengths, out=starts[1:])
        return cls(indices.astype(np.uint16, copy=False), starts)

    @classmethod
    def join(cls, blocks: "Iterable[Encoded]") -> "Encoded":
        """Put blocks of sentences one after another; their indices are mapped from a file."""
        lengths: list[np.ndarray] = []

        def indices(block: Encoded) -> np.ndarray:
            lengths.append(block.lengths)
            return block.indices

        flat = arrays.concatenate(map(indices, blocks))
        return cls.of(flat, np.concatenate(lengths))

    def batch(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the concatenated indices (N,) and lengths (B,) of the sentences `rows`: int64."""
        positions, lengths = select(self.starts, rows)
        return self.indices[positions].astype(np.int64), lengths

    bags = batch


def select(starts: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Find the places (N,) in a flat array of the sentences `rows`, and their lengths (B,)."""
    lengths = starts[rows + 1] - starts[rows]
    ends = lengths.cumsum()
    return np.arange(ends[-1]) + np.repeat(starts[rows] + lengths - ends, lengths), lengths


def frequent(sentences: Iterable[Sequence[str]], most: int) -> list[str]:
    """List the words that occur `AT_LEAST` so often, the most frequent first."""
    counts = Counter(chain.from_iterable(sentences))
    often = [word for word, count in counts.items() if count >= AT_LEAST]
    return sorted(often, key=lambda word: (-counts[word], word))[:most]


def idf(captions: Sequence[Any], size: int) -> np.ndarray:
    """Compute log((1 + captions) / (1 + captions that have an index)) of each (Sparck Jones 1972).

    Args:
        captions: what has `bags`, such as `Encoded`: those of each language.
        size: how many indices there are.
    """
    having = np.zeros(size, np.int64)
    for own in captions:
        for rows in np.split(np.arange(len(own)), range(ROWS, len(own), ROWS)):
            indices, lengths = own.bags(rows)
            row = np.repeat(np.arange(len(rows)), lengths)
            having += np.bincount(np.unique(row * size + indices) % size, minlength=size)
    return np.log((1 + sum(map(len, captions))) / (1 + having))


def strings(sentences: Any) -> list[str]:
    """List sentences that somebody passed; InputError if there is something else, or no order."""
    try:
        # A table has columns, whose names it would be a list of.
        if isinstance(sentences, str | bytes | Mapping | Set) or hasattr(sentences, "columns"):
            raise TypeError
        listed = list(sentences)
    except TypeError:  # it cannot be iterated over
        raise InputError(f"pass a list of strings, not {type(sentences).__name__}") from None
    for number, sentence in enumerate(listed):
        if not isinstance(sentence, str):
            kind = type(sentence).__name__
            raise InputError(f"sentence {number} is not text but {kind}: give strings")
    return listed


def cleaned(sentences: Sequence[str]) -> list[str]:
    """Clean sentences as captions are cleaned, and cut those over `LONGEST`, with a warning.

    Raises:
        InputError: one of them is not text.
    """
    result = [clean(sentence) for sentence in strings(sentences)]
    if long := [sentence for sentence in result if len(sentence) > LONGEST]:
        warnings.warn(
            f"{len(long)} of {len(result)} sentences are cut after {LONGEST} characters; the first "
            f"begins {long[0][:40]!r}",
            stacklevel=2,
        )
    return [sentence[:LONGEST].rstrip() for sentence in result]
