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
MAX_INDICES = 2**16  # different indices of a text; they are stored in 16 bits
MIN_COUNT = 2  # a word that occurs less often in the training captions is unknown
CAPTIONS_PER_BLOCK = 4096  # counted at once by `idf`, which bounds its memory


class Ragged:
    """Sentences of different lengths, one after another in flat arrays."""

    starts: np.ndarray  # (sentences + 1,) int64: sentence i is [starts[i]:starts[i + 1]]

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> np.ndarray:
        """Return the length of each sentence, as an int64 array of shape (sentences,)."""
        return np.diff(self.starts)


@dataclass
class Encoded(Ragged):
    """Sentences as one flat array of indices, two bytes each."""

    indices: np.ndarray  # (indices,) uint16
    starts: np.ndarray

    @classmethod
    def of(cls, indices: np.ndarray, lengths: Sequence[int] | np.ndarray) -> "Encoded":
        """Divide a flat array into sentences of these lengths."""
        starts = np.zeros(len(lengths) + 1, np.int64)
        np.cumsum(lengths, out=starts[1:])
        return cls(indices.astype(np.uint16, copy=False), starts)

    @classmethod
    def join(cls, blocks: "Iterable[Encoded]") -> "Encoded":
        """Concatenate blocks of sentences; their indices are mapped from a file."""
        lengths: list[np.ndarray] = []

        def indices(block: Encoded) -> np.ndarray:
            # Blocks are made one at a time: once the indices are in the file, lengths are left.
            lengths.append(block.lengths)
            return block.indices

        flat = arrays.concatenate(map(indices, blocks))
        return cls.of(flat, np.concatenate(lengths))

    def batch(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the concatenated indices (N,) and lengths (B,) of the sentences `rows`: int64."""
        positions, lengths = select(self.starts, rows)
        return self.indices[positions].astype(np.int64), lengths

    bags = batch  # `idf` asks for bags, which differ from batches in texts of words of n-grams


def select(starts: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Find the positions (N,) of the sentences `rows` in a flat array, and their lengths (B,)."""
    lengths = starts[rows + 1] - starts[rows]
    ends = lengths.cumsum()
    # Position k of the batch is arange's k, shifted by its sentence's start there and here.
    shifts = starts[rows] + lengths - ends
    return np.arange(ends[-1]) + np.repeat(shifts, lengths), lengths


def frequent(sentences: Iterable[Sequence[str]], most: int) -> list[str]:
    """List the words that occur at least `MIN_COUNT` times, the most frequent first."""
    counts = Counter(chain.from_iterable(sentences))
    words = [word for word, count in counts.items() if count >= MIN_COUNT]
    # Ties in alphabetical order, so that the order of the captions does not matter.
    return sorted(words, key=lambda word: (-counts[word], word))[:most]


def idf(captions: Sequence[Any], size: int) -> np.ndarray:
    """Compute inverse document frequencies (size,) of the indices (Sparck Jones 1972).

    They are log((1 + captions) / (1 + captions that have the index)).

    Args:
        captions: encoded captions of each language, such as `Encoded`; they must have `bags`.
        size: the number of indices.
    """
    caption_counts = np.zeros(size, np.int64)  # captions that have each index
    for encoded in captions:
        blocks = range(CAPTIONS_PER_BLOCK, len(encoded), CAPTIONS_PER_BLOCK)
        for rows in np.split(np.arange(len(encoded)), blocks):
            indices, lengths = encoded.bags(rows)
            row = np.repeat(np.arange(len(rows)), lengths)
            # A caption counts once, however often it has an index: one number per distinct pair.
            pairs = np.unique(row * size + indices)
            caption_counts += np.bincount(pairs % size, minlength=size)
    total = sum(len(encoded) for encoded in captions)
    return np.log((1 + total) / (1 + caption_counts))


def strings(sentences: Any) -> list[str]:
    """Return sentences as a list; InputError if they are not strings, or have no order."""
    try:
        # Iterating over a table would yield the names of its columns.
        if isinstance(sentences, str | bytes | Mapping | Set) or hasattr(sentences, "columns"):
            raise TypeError
        listed = list(sentences)
    except TypeError:  # also if `sentences` cannot be iterated over
        raise InputError(f"pass a list of strings, not {type(sentences).__name__}") from None
    for number, sentence in enumerate(listed):
        if not isinstance(sentence, str):
            kind = type(sentence).__name__
            raise InputError(f"sentence {number} is not text but {kind}: give strings")
    return listed


def cleaned(sentences: Sequence[str]) -> list[str]:
    """Clean sentences as captions are cleaned, and truncate those over `LONGEST`, with a warning.

    Raises:
        InputError: one of them is not text.
    """
    result = [clean(sentence) for sentence in strings(sentences)]
    too_long = [sentence for sentence in result if len(sentence) > LONGEST]
    if too_long:
        warnings.warn(
            f"{len(too_long)} of {len(result)} sentences are cut after {LONGEST} characters; the "
            f"first begins {too_long[0][:40]!r}",
            stacklevel=2,
        )
    return [sentence[:LONGEST].rstrip() for sentence in result]
