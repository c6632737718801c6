"""Sentences as bags of hashed character n-grams: nothing is learned, and none is unknown."""

from collections.abc import Iterable, Sequence
from typing import Self

import numpy as np

from groundvec.runtime.errors import InputError
from groundvec.text.encoded import LARGEST, Encoded, cleaned

BLOCK = 4096  # sentences that are hashed at a time, so that memory hardly grows with their number


class Text:
    """Character n-grams of lower-case words with a space at both ends, hashed into buckets."""

    def __init__(self, shortest: int, longest: int, buckets: int) -> None:
        if not (0 < shortest <= longest and 0 < buckets <= LARGEST - 2):
            raise InputError(
                f"n-grams of {shortest} to {longest} characters in {buckets} buckets cannot be: "
                f"the shortest comes first, and {LARGEST - 2:,} buckets are the most"
            )
        self.shortest = shortest
        self.longest = longest
        self.buckets = buckets

    @classmethod
    def build(cls, captions: Iterable[str], **options: int) -> Self:
        """Take the options; nothing is learned."""
        return cls(**options)

    def __len__(self) -> int:
        """Count the indices; two are of padding and of a sentence without any n-gram."""
        return self.buckets + 2

    def encode(self, sentences: Sequence[str]) -> Encoded:
        """Hash the n-grams of each sentence, as `read`; the indices of a sentence are sorted."""
        return self.hash(read(sentences))

    def hash(self, lowered: Sequence[str]) -> Encoded:
        """Hash n-grams as scikit-learn's `HashingVectorizer(analyzer="char_wb")`.

        That is slow to import.
        """
        starts = range(0, len(lowered), BLOCK)
        blocks = [self._encode(lowered[start : start + BLOCK]) for start in starts]
        indices, lengths = zip(*blocks, strict=True) if blocks else ([[]], [[]])
        return Encoded.of(np.concatenate(indices), np.concatenate(lengths).astype(np.int64))

    def _encode(self, sentences: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Return the concatenated indices (N,) of sentences, and the number per sentence."""
        # Each word with a space at both ends: " a  dog " are two.
        spaced = [f" {sentence.replace(' ', '  ')} " for sentence in sentences]
        text = "".join(spaced)
        data = np.frombuffer(text.encode(), np.uint8)
        # Where each character begins, and where the last one ends.
        place = np.append(np.flatnonzero(data & 0xC0 != 0x80), len(data))
        word = (data[place[:-1]] == ord(" ")).cumsum() + 1 >> 1  # the first space of a word is odd
        long = np.bincount(word)[word]
        sentence = np.repeat(np.arange(len(spaced)), [len(each) for each in spaced])
        keys = []
        for n in range(1, self.longest + 1):
            whole = word[: 1 - n or None] == word[n - 1 :]
            if n < self.shortest:  # a word that is shorter than all n-grams counts once
                whole &= long[: len(whole)] == n
            first = np.flatnonzero(whole)
            hashes = murmur3(data, place[first], place[first + n] - place[first])
            buckets = np.abs(hashes.view(np.int32).astype(np.int64)) % self.buckets
            keys.append(sentence[first] * self.buckets + buckets)
        sentence, bucket = np.divmod(np.sort(np.concatenate(keys)), self.buckets)
        return bucket + 2, np.bincount(sentence, minlength=len(spaced))

    def as_dict(self) -> dict[str, int]:
        """Return the arguments of `Text`, ready for JSON."""
        return {"shortest": self.shortest, "longest": self.longest, "buckets": self.buckets}


def read(sentences: Sequence[str]) -> list[str]:
    """Clean sentences, in lower case and without their final full stops: `.` for an empty one."""
    return [sentence.lower().rstrip(" .") or "." for sentence in cleaned(sentences)]


def murmur3(data: np.ndarray, starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Hash stretches of bytes by MurmurHash3, 32 bits, with the seed 0 (Appleby 2011): (N,) uint32.

    Args:
        data: bytes, as uint8.
        starts: (N,) where each stretch begins.
        lengths: (N,) its number of bytes.
    """
    result = np.empty(len(starts), np.uint32)
    padded = np.append(data, np.zeros(3, np.uint8)).astype(np.uint32)
    # The four bytes from each place on, as one number.
    fours = padded[:-3] | padded[1:-2] << 8 | padded[2:-1] << 16 | padded[3:] << 24
    for length in np.flatnonzero(np.bincount(lengths)).tolist():
        rows = np.flatnonzero(lengths == length)
        h = np.zeros(len(rows), np.uint32)
        for offset in range(0, length, 4):
            k = fours[starts[rows] + offset]
            if length - offset < 4:
                k &= np.uint32((1 << 8 * (length - offset)) - 1)
            k *= np.uint32(0xCC9E2D51)
            h ^= (k << 15 | k >> 17) * np.uint32(0x1B873593)
            if length - offset >= 4:
                h[:] = (h << 13 | h >> 19) * np.uint32(5) + np.uint32(0xE6546B64)
        h ^= np.uint32(length)
        for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
            h ^= h >> shift
            h *= np.uint32(factor)
        result[rows] = h ^ h >> 16
    return result
