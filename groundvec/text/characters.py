"""Sentences as sequences of characters (Merkx & Frank 2019, section 3.1.2)."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np

from groundvec.runtime.errors import InputError
from groundvec.text.encoded import MAX_INDICES, UNKNOWN, Encoded, cleaned

CODE_POINTS = 0x110000  # of Unicode


def finish(sentence: str) -> str:
    """Append `" ."` unless the sentence ends in a full stop.

    The published code does so for all data sets; the paper (section 3.2) mentions MSCOCO only.
    """
    return sentence if sentence.endswith(".") else f"{sentence} ."


class Text:
    """The characters of the training captions; padding and unknown have indices of their own.

    Attributes:
        characters: a string; its i-th character has the index i + 2.
        counts: how often each occurs in the training captions.
    """

    def __init__(self, characters: str, counts: Sequence[int]) -> None:
        if len(characters) != len(counts) or len(set(characters)) != len(characters):
            raise InputError("a vocabulary needs distinct characters and one count for each")
        if len(characters) + 2 > MAX_INDICES:
            raise InputError(f"a vocabulary holds {MAX_INDICES - 2:,} different characters at most")
        self.characters = characters
        self.counts = list(counts)
        # A table of all code points: NumPy looks a whole file of sentences up at once.
        self._index = np.full(CODE_POINTS, UNKNOWN, np.uint16)
        self._index[[ord(character) for character in characters]] = np.arange(len(characters)) + 2

    @classmethod
    def build(cls, captions: Iterable[str]) -> "Text":
        """Collect every character of the captions, in code point order."""
        counts = Counter(chain.from_iterable(map(finish, captions)))
        characters = "".join(sorted(counts))
        return cls(characters, [counts[character] for character in characters])

    def __len__(self) -> int:
        """Count the indices, padding and unknown included."""
        return len(self.characters) + 2

    def encode(self, sentences: Sequence[str]) -> Encoded:
        """Clean each sentence, finish it with a full stop and look its characters up."""
        finished = [finish(sentence) for sentence in cleaned(sentences)]
        # UTF-32 has four bytes per code point, surrogates too: NumPy reads them as numbers.
        points = np.frombuffer("".join(finished).encode("utf-32-le", "surrogatepass"), np.uint32)
        return Encoded.of(self._index[points], [len(sentence) for sentence in finished])

    def as_dict(self) -> dict[str, str | list[int]]:
        """Return the arguments of `Text`, ready for JSON."""
        return {"characters": self.characters, "counts": self.counts}
