"""A bag of character n-grams and a GRU over words, in NumPy (`groundvec.encoders.ngram_rnn`)."""

from collections.abc import Sized
from typing import Any

import numpy as np

from groundvec.numpy_backend.layers import (
    Attention,
    Linear,
    Recurrence,
    Steps,
    Take,
    scaled,
    sums,
    under,
)
from groundvec.similarity import unit


class Encoder:
    """N-grams -> words -> (their sum -> linear layer) + (GRU -> attention -> linear layer)."""

    def __init__(
        self,
        take: Take,
        text: Sized,
        size: int,
        embedding: int,
        units: int,
        state: bool = False,
        **_: Any,
    ) -> None:
        self.idf = take("idf", len(text))
        self.embedding = take("embedding.weight", len(text), embedding) * self.idf[:, None]
        self.rnn = Recurrence(under(take, "rnn."), "gru", embedding, units // 2, 2)
        self.pooling = Attention(under(take, "pooling."), units)
        self.of_state = Linear(under(take, "of_state."), embedding, size)
        self.of_order = Linear(under(take, "of_order."), units, size)
        self.append_state = state

    def __call__(
        self, ngrams: np.ndarray, lengths: np.ndarray, sizes: np.ndarray, places: np.ndarray
    ) -> np.ndarray:
        """Embed a batch of `groundvec.text.word_ngrams.Words`, the longest first."""
        words = sums(self.embedding, ngrams, sizes)
        steps = Steps(lengths)
        state = scaled(sums(words, places, lengths))
        states = self.rnn(scaled(words), places[steps.places()], steps)
        vectors: np.ndarray = self.of_state(state) + self.of_order(self.pooling(states, steps))
        return np.hstack([unit(vectors), unit(state)]) if self.append_state else vectors
