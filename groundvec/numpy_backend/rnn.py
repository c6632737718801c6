"""A GRU or LSTM, pooled over time, in NumPy (`groundvec.encoders.rnn`)."""

from collections.abc import Callable, Sized
from functools import partial
from typing import Any

import numpy as np

from groundvec.numpy_backend import layers
from groundvec.numpy_backend.layers import Linear, Recurrence, Steps, Take, under


class Encoder:
    """Indices -> embeddings -> RNN -> pooling, and with `units` -> one linear layer."""

    def __init__(
        self,
        take: Take,
        text: Sized,
        size: int,
        cell: str,
        pooling: str,
        embedding: int,
        units: int | None = None,
        bidirectional: bool = True,
        **_: Any,
    ) -> None:
        width = units or size
        directions = 1 + bidirectional
        self.embedding = take("embedding.weight", len(text), embedding)
        units_of_direction = width // directions
        self.rnn = Recurrence(under(take, "rnn."), cell, embedding, units_of_direction, directions)
        self.pooling: Callable[[np.ndarray, Steps], np.ndarray] = layers.largest
        if pooling == "attention":
            self.pooling = layers.Attention(under(take, "pooling."), width)
        elif pooling == "last":
            self.pooling = partial(layers.last, units=units_of_direction)
        self.projection = Linear(under(take, "projection."), width, size) if units else None

    def __call__(self, indices: np.ndarray, lengths: np.ndarray, *_: np.ndarray) -> np.ndarray:
        """Embed sentences of `lengths` (B,), the longest first: (B, size)."""
        steps = Steps(lengths)
        pooled = self.pooling(self.rnn(self.embedding, indices[steps.places()], steps), steps)
        return self.projection(pooled) if self.projection else pooled
