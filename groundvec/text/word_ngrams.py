"""Sentences as sequences of words, each word a bag of hashed character n-grams.

Words are separated by spaces. Nothing is learned, and no word is unknown. The n-grams are the same
as in `groundvec.text.ngrams`, but the order of the words is kept.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from groundvec.text import ngrams
from groundvec.text.encoded import Encoded, Ragged, select


@dataclass
class Words(Ragged):
    """Sentences as rows of a list of distinct words, and the n-grams of each of these words.

    Captions repeat words, so that n-grams are stored and summed once per word.
    """

    rows: np.ndarray  # (words of all sentences,) int64, the row of each in `ngrams`
    starts: np.ndarray
    ngrams: Encoded  # of the distinct words

    def batch(self, rows: np.ndarray) -> tuple[np.ndarray, ...]:
        """Select sentences; all int64.

        Returns:
            The n-grams (N,) of the W distinct words of these sentences, one word after another; the
            sentences' lengths (B,) in words; the distinct words' lengths (W,) in n-grams; and the
            number from 0 to W - 1 of each word of the sentences (T,), one sentence after another.
        """
        positions, lengths = select(self.starts, rows)
        distinct, places = np.unique(self.rows[positions], return_inverse=True)
        indices, sizes = self.ngrams.batch(distinct)
        return indices, lengths, sizes, places

    def bags(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return all n-grams of sentences (N,), one after another, and the number per sentence."""
        positions, lengths = select(self.starts, rows)
        ngrams, sizes = self.ngrams.batch(self.rows[positions])
        # Sum the words' sizes over each sentence, as differences of cumulative sums.
        word_ends = np.append(0, sizes.cumsum())
        sentence_ends = word_ends[np.append(0, lengths.cumsum())]
        return ngrams, np.diff(sentence_ends)


class Text(ngrams.Text):
    """Words as lower-case n-grams, with a space at both ends, hashed into buckets."""

    def encode(self, sentences: Sequence[str]) -> Words:  # type: ignore[override]
        """Split each sentence at spaces, and hash the n-grams of each distinct word."""
        index: dict[str, int] = {}
        words = [sentence.split() for sentence in ngrams.read(sentences)]
        rows = [index.setdefault(word, len(index)) for sentence in words for word in sentence]
        starts = np.cumsum([0, *map(len, words)])
        return Words(np.array(rows, np.int64), starts, self.hash(list(index)))
