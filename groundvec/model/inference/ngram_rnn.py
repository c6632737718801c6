"""A bag of character n-grams and a GRU over words, in NumPy (`groundvec.encoders.ngram_rnn`)."""

from collections.abc import Sized
from typing import Any

import numpy as np

from groundvec.model.inference.layers import (
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
from groundvec.text.encoded import select


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
        counts: int = 0,
        **_: Any,
    ) -> None:
        self.idf = take("idf", len(text))
        self.embedding = take("embedding.weight", len(text), embedding) * self.idf[:, None]
        self.rnn = Recurrence(under(take, "rnn."), "gru", embedding, units // 2, 2)
        self.pooling = Attention(under(take, "pooling."), units)
        self.of_state = Linear(under(take, "of_state."), embedding, size)
        self.of_order = Linear(under(take, "of_order."), units, size)
        self.append_state, self.counts = state, counts

    def __call__(
        self, ngrams: np.ndarray, lengths: np.ndarray, sizes: np.ndarray, places: np.ndarray
    ) -> np.ndarray:
        """Embed a batch of `groundvec.text.word_ngrams.Words`, the longest first."""
        words, steps = sums(self.embedding, ngrams, sizes), Steps(lengths)
        state = scaled(sums(words, places, lengths))
        states = self.rnn(scaled(words), places[steps.places()], steps)
        vectors: np.ndarray = self.of_state(state) + self.of_order(self.pooling(states, steps))
        if not (self.append_state or self.counts):
            return vectors
        beside = [state] if self.append_state else []
        if self.counts:
            beside.append(self._counts(ngrams, lengths, sizes, places))
        return np.hstack([unit(part) for part in (vectors, *beside)])

    def _counts(
        self, ngrams: np.ndarray, lengths: np.ndarray, sizes: np.ndarray, places: np.ndarray
    ) -> np.ndarray:
        """Count the n-grams of each sentence, hashed once more and weighted by idf."""
        chosen, of_places = select(np.append(0, sizes.cumsum()), places)
        ngrams = ngrams[chosen]
        sentence = np.arange(len(lengths)).repeat(lengths).repeat(of_places)
        bins = sentence * self.counts + ngrams % self.counts
        counts = np.bincount(bins, self.idf[ngrams], len(lengths) * self.counts)
        return counts.reshape(len(lengths), -1).astype(np.float32)
