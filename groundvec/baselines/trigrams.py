"""Hashed character trigrams: a floor that knows nothing but overlap in spelling."""

from collections.abc import Sequence

import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer

# As large as the model that the paper goes on with (GRU 2048), so that the supervised classifier
# has as many weights for both. The signs of the hash make collisions cancel out on average.
SIZE = 2048


class Baseline:
    """Counts of the character trigrams of a sentence, spaces included, hashed; unit norm.

    Nothing is trained and case is kept. A sentence of fewer than three characters gets the zero
    vector.
    """

    device = "cpu"

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        """Embed sentences: (N, 2048) float32 vectors of unit length."""
        vectorizer = HashingVectorizer(
            analyzer="char",
            ngram_range=(3, 3),
            n_features=SIZE,
            lowercase=False,
            alternate_sign=True,
            norm="l2",
            dtype=np.float32,
        )
        return vectorizer.transform(sentences).toarray()
