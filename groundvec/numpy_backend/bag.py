"""The mean of embeddings, and one linear layer, in NumPy (`groundvec.encoders.bag`)."""

from collections.abc import Sized
from typing import Any

import numpy as np

from groundvec.numpy_backend.layers import Linear, Take, scaled, sums, under
from groundvec.similarity import unit


class Encoder:
    """Indices -> the mean of their embeddings -> one linear layer."""

    def __init__(
        self,
        take: Take,
        text: Sized,
        size: int,
        embedding: int,
        idf: bool = False,
        state: bool = False,
        **_: Any,
    ) -> None:
        self.embedding = take("embedding.weight", len(text), embedding)
        if idf:
            self.embedding *= take("idf", len(text))[:, None]
        self.projection = Linear(under(take, "projection."), embedding, size)
        self.idf = idf
        self.append_state = state

    def __call__(self, indices: np.ndarray, lengths: np.ndarray, *words: np.ndarray) -> np.ndarray:
        """Embed a batch of `text.encoded.Encoded` or `text.word_ngrams.Words`: (B, size)."""
        if words:
            # First the n-grams of each distinct word, then the words of each sentence.
            sizes, places = words
            counts = np.add.reduceat(sizes[places], lengths.cumsum() - lengths)
            total = sums(sums(self.embedding, indices, sizes), places, lengths)
        else:
            counts = lengths
            total = sums(self.embedding, indices, lengths)
        state = scaled(total) if self.idf else total / counts[:, None].astype(np.float32)
        vectors = self.projection(state)
        return np.hstack([unit(vectors), unit(state)]) if self.append_state else vectors
