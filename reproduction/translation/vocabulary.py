"""Vocabulary of a translator: convert text to indices, and indices to text."""

from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np

from groundvec.data.tokenization import prepare
from groundvec.runtime.errors import InputError
from groundvec.text.encoded import MAX_INDICES, PADDING, UNKNOWN, Encoded, frequent

END = 2  # the end of a sentence; PADDING and UNKNOWN are 0 and 1


class Vocabulary:
    """The words (Moses' tokens) of the training sentences, with indices from 3."""

    def __init__(self, language: str, words: Sequence[str]) -> None:
        if len(set(words)) != len(words) or len(words) + 3 > MAX_INDICES:
            raise InputError(f"a vocabulary needs distinct words, {MAX_INDICES - 3:,} at most")
        self.language = language
        self.words = list(words)
        self._index = {word: index for index, word in enumerate(self.words, 3)}

    @classmethod
    def build(cls, language: str, tokenized: Iterable[str]) -> "Vocabulary":
        """Collect the words that occur often enough in sentences, the most frequent first."""
        sentences = (sentence.split() for sentence in tokenized)
        return cls(language, frequent(sentences, MAX_INDICES - 3))

    def __len__(self) -> int:
        """Return the number of indices, including padding, unknown words and the end."""
        return len(self.words) + 3

    def encode(self, tokenized: Sequence[str]) -> Encoded:
        """Encode `tokenized` sentences, each with an end."""
        sentences = [
            [*(self._index.get(word, UNKNOWN) for word in sentence.split()), END]
            for sentence in tokenized
        ]
        indices = np.fromiter(chain.from_iterable(sentences), np.int64)
        return Encoded.of(indices, [len(sentence) for sentence in sentences])

    def decode(self, indices: np.ndarray) -> list[str]:
        """Convert indices (N, length) to plain text, each sentence up to its end."""
        from sacremoses import MosesDetokenizer

        moses = MosesDetokenizer(lang="en")  # the rules that `tokenize` uses for all languages
        ends = np.where(indices == END, np.arange(indices.shape[1]), indices.shape[1]).min(axis=1)
        names = ["", "?", "", *self.words]
        return [
            moses.detokenize([names[index] for index in row[:end]], unescape=False)
            for row, end in zip(indices.tolist(), ends.tolist(), strict=True)
        ]

    def as_dict(self) -> dict[str, object]:
        """Return the arguments of `Vocabulary`, ready for JSON."""
        return {"language": self.language, "words": self.words}


def tokenize(sentences: Iterable[str]) -> list[str]:
    """Split plain sentences into Moses' tokens, joined by spaces."""
    return prepare(sentences, "moses", lowercase=False)


def padded(encoded: Encoded, rows: np.ndarray) -> np.ndarray:
    """Return the sentences `rows` as an int64 matrix (B, longest), padded."""
    indices, lengths = encoded.batch(rows)
    result = np.full((len(rows), lengths.max()), PADDING)
    result[np.arange(result.shape[1]) < lengths[:, None]] = indices
    return result
