"""Hashed character trigrams: a baseline that measures overlap in spelling alone."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer
from sklearn.preprocessing import normalize

from groundvec.runtime.errors import InputError

# As large as the GRU 2048 of Merkx & Frank (2019), so that the supervised classifier has as
# many weights for both.
SIZE = 2048


class Baseline:
    """Hashed counts of a sentence's character trigrams, spaces included, with unit norm.

    Case matters. A sentence of fewer than three characters has the zero vector. With captions, the
    counts are weighted by inverse document frequency (TF-IDF); nothing else is trained.
    """

    device = "cpu"

    def __init__(self, captions: str | Path | None = None) -> None:
        """Fit the inverse document frequencies to the English training captions, if given.

        Args:
            captions: a data set's captions.csv.
        """
        self.vectorizer = HashingVectorizer(
            analyzer="char",
            ngram_range=(3, 3),
            n_features=SIZE,
            lowercase=False,
            alternate_sign=True,  # on average, trigrams that share a bucket cancel out
            norm=None,
            dtype=np.float32,
        )
        self.tfidf = None
        if captions is not None:
            from groundvec.data.dataset import read_captions

            table = read_captions(captions)
            sentences = table.query("split == 'train' and language == 'en'")["caption"]
            if sentences.empty:
                raise InputError(
                    f"{captions} has no English training captions: leave `captions` out, or name "
                    "another data set"
                )
            self.tfidf = TfidfTransformer().fit(self.vectorizer.transform(sentences))

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        """Embed sentences: (N, 2048) float32 vectors of unit length."""
        counts = self.vectorizer.transform(sentences)
        if self.tfidf is not None:
            counts = self.tfidf.transform(counts)
        return normalize(counts).toarray()
