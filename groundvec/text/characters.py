"""Captions as sequences of characters (Merkx & Frank 2019, section 3.1.2)."""

import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np

from groundvec.data.schema import LONGEST, clean
from groundvec.errors import InputError
from groundvec.files import read_json, write_json

PADDING, UNKNOWN = 0, 1
MOST = 2**16 - 2  # different characters; indices are 16 bits

log = logging.getLogger(__name__)


def finish(caption: str) -> str:
    """Append `" ."` unless the caption ends in a full stop, as the paper's input does."""
    return caption if caption.endswith(".") else f"{caption} ."


@dataclass
class Encoded:
    """Captions as one flat array of character indices: a few bytes a character, however many."""

    indices: np.ndarray  # (characters,) uint16
    starts: np.ndarray  # (captions + 1,) int64: caption i is indices[starts[i]:starts[i + 1]]

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> np.ndarray:
        """(captions,) int64, in characters."""
        return np.diff(self.starts)

    def batch(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Padded indices (B, longest) and lengths (B,), both int64, of the captions `rows`."""
        lengths = self.lengths[rows]
        steps = np.arange(lengths.max())
        inside = steps < lengths[:, None]
        positions = np.where(inside, self.starts[rows][:, None] + steps, 0)
        return np.where(inside, self.indices[positions], PADDING).astype(np.int64), lengths


class Vocabulary:
    """The characters of the training captions; padding and unknown have indices of their own.

    Attributes:
        characters: a string; its i-th character has the index i + 2.
        counts: how often each occurs in the training captions.
    """

    def __init__(self, characters: str, counts: Sequence[int]) -> None:
        if len(characters) != len(counts) or len(set(characters)) != len(characters):
            raise InputError("a vocabulary needs distinct characters and one count for each")
        if len(characters) > MOST:
            raise InputError(f"a vocabulary holds {MOST:,} different characters at most")
        self.characters = characters
        self.counts = list(counts)
        self._index = np.full(0x110000, UNKNOWN, np.uint16)
        self._index[[ord(c) for c in characters]] = np.arange(len(characters)) + 2

    @classmethod
    def build(cls, captions: Iterable[str]) -> "Vocabulary":
        """Every character of the captions, in code point order."""
        counts = Counter(chain.from_iterable(map(finish, captions)))
        characters = "".join(sorted(counts))
        return cls(characters, [counts[c] for c in characters])

    def __len__(self) -> int:
        """The number of indices, padding and unknown included."""
        return len(self.characters) + 2

    def encode(self, captions: Sequence[str]) -> Encoded:
        """Clean each caption, finish it with a full stop and look its characters up.

        What is longer than a data set's captions may be (`schema.LONGEST`) is cut, with a warning:
        time and memory grow with the longest of a batch.

        Raises:
            InputError: one of them is not text.
        """
        for number, caption in enumerate(captions):
            if not isinstance(caption, str):
                raise InputError(
                    f"sentence {number} is not text but {type(caption).__name__}: give strings"
                )
        cleaned = [clean(caption) for caption in captions]
        if long := [caption for caption in cleaned if len(caption) > LONGEST]:
            log.warning(
                "%d of %d sentences are cut after %d characters; the first begins %r",
                *(len(long), len(cleaned), LONGEST, long[0][:40]),
            )
        finished = [finish(caption[:LONGEST].rstrip()) for caption in cleaned]
        points = np.frombuffer("".join(finished).encode("utf-32-le", "surrogatepass"), np.uint32)
        starts = np.zeros(len(finished) + 1, np.int64)
        np.cumsum([len(caption) for caption in finished], out=starts[1:])
        return Encoded(self._index[points], starts)

    def as_dict(self) -> dict[str, str | list[int]]:
        """What `Vocabulary(**...)` takes, ready for JSON."""
        return {"characters": self.characters, "counts": self.counts}

    def save(self, path: Path) -> None:
        """Write the vocabulary as JSON."""
        write_json(path, self.as_dict())

    @classmethod
    def load(cls, path: Path) -> "Vocabulary":
        """Read what `save` wrote."""
        return cls(**read_json(path))
