"""Sentences as sequences of words."""

import logging
import re
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from groundvec.config.types import Options
from groundvec.data.tokenization import prepare
from groundvec.runtime.errors import InputError
from groundvec.text.encoded import MAX_INDICES, UNKNOWN, Encoded, cleaned, frequent

# A word with its apostrophes and hyphens, or a single mark.
TOKEN = re.compile(r"\w+(?:['\u2019-]\w+)*|[^\w\s]")
# Moses splits a clitic from its word, "dog 's". In text that was split before, it splits the
# apostrophe off too, "dog ' s", which this joins again.
CLITIC = re.compile(r"(?<=\w) ' (s|t|re|ve|ll|d|m)\b", re.IGNORECASE)

log = logging.getLogger(__name__)


def tokenize(
    sentences: Iterable[str], tokenizer: str | None = None, lowercase: bool = True
) -> list[list[str]]:
    """Split sentences into words and punctuation marks.

    Args:
        sentences: raw, or tokenized by Moses before, which changes nothing.
        tokenizer: one of `groundvec.data.tokenization`; by default the pattern `TOKEN`.
    """
    if not tokenizer:
        return [
            TOKEN.findall(sentence.lower() if lowercase else sentence) for sentence in sentences
        ]
    prepared = prepare(sentences, tokenizer, lowercase)
    return [CLITIC.sub(r" '\1", sentence).split() for sentence in prepared]


class Text:
    """The words of the training captions; padding and unknown have indices of their own.

    Rare words are unknown in training too, so that the vector of unknown words is a trained one.

    Attributes:
        words: the i-th has the index i + 2.
        options: of `tokenize`.
    """

    def __init__(self, words: Sequence[str], **options: Any) -> None:
        if len(set(words)) != len(words) or len(words) + 2 > MAX_INDICES:
            raise InputError(f"a vocabulary needs distinct words, {MAX_INDICES - 2:,} at most")
        self.words = list(words)
        self.options = options
        self._index = {word: index for index, word in enumerate(self.words, 2)}

    @classmethod
    def build(cls, captions: Iterable[str], **options: Any) -> "Text":
        """Collect the captions' frequent words (`frequent`); the options are of `tokenize`."""
        return cls(frequent(tokenize(captions, **options), MAX_INDICES - 2), **options)

    def __len__(self) -> int:
        """Count the indices, padding and unknown included."""
        return len(self.words) + 2

    def encode(self, sentences: Sequence[str]) -> Encoded:
        """Clean each sentence and look its words up; one without any is one unknown word."""
        words = [tokens or [""] for tokens in tokenize(cleaned(sentences), **self.options)]
        lengths = [len(sentence) for sentence in words]
        flat = (self._index.get(word, UNKNOWN) for word in chain.from_iterable(words))
        indices = np.fromiter(flat, np.int64, sum(lengths))
        log.info(
            "%d of the %d words of %d sentences are unknown",
            np.count_nonzero(indices == UNKNOWN),
            len(indices),
            len(words),
        )
        return Encoded.of(indices, lengths)

    def as_dict(self) -> Options:
        """Return the arguments of `Text`, ready for JSON."""
        return {"words": self.words, **self.options}
