"""Sentences as bags of hashed character n-grams: nothing is learned, and none is unknown."""

from collections.abc import Iterable, Sequence

import numpy as np

from groundvec.errors import InputError
from groundvec.text.encoded import LARGEST, Encoded, cleaned


class Text:
    """Character n-grams of lower-case words and of the spaces at their ends, hashed into buckets.

    As often as a sentence has an n-gram it has that index; the order of its n-grams is lost.
    """

    def __init__(self, shortest: int, longest: int, buckets: int) -> None:
        if not (0 < shortest <= longest and 0 < buckets <= LARGEST - 2):
            raise InputError(
                f"n-grams of {shortest} to {longest} characters in {buckets} buckets cannot be: "
                f"the shortest comes first, and {LARGEST - 2:,} buckets are the most"
            )
        self.shortest, self.longest, self.buckets = shortest, longest, buckets

    @classmethod
    def build(cls, captions: Iterable[str], **options: int) -> "Text":
        """The options are all; the captions say nothing."""
        return cls(**options)

    def __len__(self) -> int:
        """The number of indices; two are of padding and of a sentence without any n-gram."""
        return self.buckets + 2

    def encode(self, sentences: Sequence[str]) -> Encoded:
        """Clean each sentence and hash its n-grams."""
        from sklearn.feature_extraction.text import HashingVectorizer  # it takes a second to import

        hashing = HashingVectorizer(
            analyzer="char_wb",
            ngram_range=(self.shortest, self.longest),
            n_features=self.buckets,
            alternate_sign=False,
            norm=None,
        )
        counts = hashing.transform(f"{sentence or '.'}" for sentence in cleaned(sentences))
        times = counts.data.astype(np.int64)
        sums = np.concatenate([[0], times.cumsum()])
        return Encoded.of(np.repeat(counts.indices + 2, times), np.diff(sums[counts.indptr]))

    def as_dict(self) -> dict[str, int]:
        """What `Text(**...)` takes, ready for JSON."""
        return {"shortest": self.shortest, "longest": self.longest, "buckets": self.buckets}
