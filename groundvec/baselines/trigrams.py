"""Hashed character trigrams: a baseline that knows nothing but overlap in spelling."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer
from sklearn.preprocessing import normalize

# As large as the model that the paper goes on with (GRU 2048), so that the supervised classifier
# has as many weights for both. The signs of the hash make collisions cancel out on average.
SIZE = 2048


class Baseline:
    """Counts of the character trigrams of a sentence, spaces included, hashed; unit norm.

    Case is kept. A sentence of fewer than three characters gets the zero vector. With captions,
    the counts are weighted by inverse document frequency (TF-IDF); nothing else is trained.
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
            alternate_sign=True,
            norm=None,
            dtype=np.float32,
        )
        self.tfidf = None
        if captions is not None:
            from groundvec.data.dataset import read_captions

            table = read_captions(captions)
            chosen = table["split"].eq("train") & table["language"].eq("en")
            documents = self.vectorizer.transform(table.loc[chosen, "caption"])
            self.tfidf = TfidfTransformer().fit(documents)

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        """Embed sentences: (N, 2048) float32 vectors of unit length."""
        counts = self.vectorizer.transform(sentences)
        if self.tfidf is not None:
            counts = self.tfidf.transform(counts)
        return normalize(counts).toarray()
