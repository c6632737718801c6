"""Sentences as bags of hashed character n-grams: nothing is learned, and no n-gram is unknown."""

from collections.abc import Iterable, Sequence
from typing import Self

import numpy as np

from groundvec.text.encoded import Encoded, cleaned

BLOCK = 4096  # sentences that are hashed at once; memory depends on this, not on their number


class Text:
    """Character n-grams of lower-case words with a space at both ends, hashed into buckets."""

    def __init__(self, shortest: int, longest: int, buckets: int) -> None:
        self.shortest = shortest
        self.longest = longest
        self.buckets = buckets

    @classmethod
    def build(cls, captions: Iterable[str], **options: int) -> Self:
        """Return a text with these options; nothing is learned from the captions."""
        return cls(**options)

    def __len__(self) -> int:
        """Count the indices, padding and unknown included."""
        return self.buckets + 2

    def encode(self, sentences: Sequence[str]) -> Encoded:
        """Hash the n-grams of each sentence; the indices of a sentence are sorted."""
        return self.hash(read(sentences))

    def hash(self, lowered: Sequence[str]) -> Encoded:
        """Hash the n-grams of sentences in lower case.

        The buckets equal scikit-learn's `HashingVectorizer(analyzer="char_wb")`, whose import takes
        longer than most uses.
        """
        starts = range(0, len(lowered), BLOCK)
        blocks = [self._encode(lowered[start : start + BLOCK]) for start in starts]
        if not blocks:
            return Encoded.of(np.zeros(0), np.zeros(0, np.int64))
        indices, lengths = zip(*blocks, strict=True)
        return Encoded.of(np.concatenate(indices), np.concatenate(lengths).astype(np.int64))

    def _encode(self, sentences: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Return the concatenated indices (N,) of sentences, and the number per sentence.

        All sentences are one text, and all n-grams of one length are hashed at once.
        """
        # Each word gets a space at both ends, so that an n-gram tells where a word begins or ends:
        # "a dog" becomes " a  dog ".
        spaced = [f" {sentence.replace(' ', '  ')} " for sentence in sentences]
        text = "".join(spaced)
        data = np.frombuffer(text.encode(), np.uint8)
        # Where each character begins, and where the last one ends. In UTF-8, the bytes of a
        # character after its first are 10xxxxxx.
        place = np.append(np.flatnonzero(data & 0xC0 != 0x80), len(data))
        # The number of each character's word: spaces 1 and 2 enclose the first word, 3 and 4 the
        # second, and so on.
        word = (data[place[:-1]] == ord(" ")).cumsum() + 1 >> 1
        word_length = np.bincount(word)[word]
        sentence = np.repeat(np.arange(len(spaced)), [len(spaces) for spaces in spaced])
        keys = []  # of each n-gram: sentence * buckets + bucket
        for n in range(1, self.longest + 1):
            # An n-gram ends in the word that it begins in.
            inside = word[: 1 - n or None] == word[n - 1 :]
            if n < self.shortest:  # a word that is shorter than all n-grams counts once, as a whole
                inside &= word_length[: len(inside)] == n
            first = np.flatnonzero(inside)
            hashes = murmur3(data, place[first], place[first + n] - place[first])
            # scikit-learn takes the absolute value of a signed hash, so this does too.
            buckets = np.abs(hashes.view(np.int32).astype(np.int64)) % self.buckets
            keys.append(sentence[first] * self.buckets + buckets)
        # Sorting the keys puts the n-grams of a sentence one after another. A stable sort is
        # faster: n-grams of one length are in the order of their sentences already.
        ordered = np.sort(np.concatenate(keys), kind="stable")
        sentence, bucket = np.divmod(ordered, self.buckets)
        return bucket + 2, np.bincount(sentence, minlength=len(spaced))

    def as_dict(self) -> dict[str, int]:
        """Return the arguments of `Text`, ready for JSON."""
        return {"shortest": self.shortest, "longest": self.longest, "buckets": self.buckets}


def read(sentences: Sequence[str]) -> list[str]:
    """Clean sentences, in lower case and without their final full stops: `.` for an empty one."""
    return [sentence.lower().rstrip(" .") or "." for sentence in cleaned(sentences)]


def murmur3(data: np.ndarray, starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Hash slices of bytes by MurmurHash3, 32 bits, with the seed 0 (Appleby 2011): (N,) uint32.

    It is the reference implementation for many slices at a time; constants and names are the
    same.

    Args:
        data: bytes, as uint8.
        starts: (N,) where each slice begins.
        lengths: (N,) its number of bytes.
    """
    result = np.empty(len(starts), np.uint32)
    padded = np.append(data, np.zeros(3, np.uint8)).astype(np.uint32)
    # The four bytes from each position on, as one little-endian number.
    fours = padded[:-3] | padded[1:-2] << 8 | padded[2:-1] << 16 | padded[3:] << 24
    # Slices of one length take the same steps.
    for length in np.flatnonzero(np.bincount(lengths)).tolist():
        rows = np.flatnonzero(lengths == length)
        h = np.zeros(len(rows), np.uint32)
        for offset in range(0, length, 4):
            k = fours[starts[rows] + offset]
            is_tail = length - offset < 4
            if is_tail:  # one to three bytes are left: clear the bytes of the next slice
                k &= np.uint32((1 << 8 * (length - offset)) - 1)
            k *= np.uint32(0xCC9E2D51)
            h ^= (k << 15 | k >> 17) * np.uint32(0x1B873593)
            if not is_tail:
                h[:] = (h << 13 | h >> 19) * np.uint32(5) + np.uint32(0xE6546B64)
        h ^= np.uint32(length)
        for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
            h ^= h >> shift
            h *= np.uint32(factor)
        result[rows] = h ^ h >> 16
    return result
