"""A GRU or LSTM, pooled over time, in NumPy (`groundvec.encoders.rnn`)."""

from collections.abc import Callable, Sequence, Sized
from functools import partial
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from groundvec.model.inference import layers
from groundvec.model.inference.layers import Linear, Recurrence, Steps, Take, sigmoid, under


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
        convolution: dict[str, Any] | None = None,
        **_: Any,
    ) -> None:
        width, directions = units or size, 1 + bidirectional
        self.embedding = take("embedding.weight", len(text), embedding)
        self.convolution = None
        if convolution:
            self.convolution = Convolution(under(take, "convolution."), embedding, **convolution)
            embedding = convolution["channels"]
        each = width // directions
        self.rnn = Recurrence(under(take, "rnn."), cell, embedding, each, directions)
        poolings: dict[str, Callable[[], Callable[[np.ndarray, Steps], np.ndarray]]] = {
            "attention": partial(layers.Attention, under(take, "pooling."), width),
            "max": lambda: layers.largest,
            "last": lambda: partial(layers.last, units=each),
        }
        self.pooling = poolings[pooling]()
        self.projection = Linear(under(take, "projection."), width, size) if units else None

    def __call__(self, indices: np.ndarray, lengths: np.ndarray, *_: np.ndarray) -> np.ndarray:
        """Embed sentences of `lengths` (B,), the longest first: (B, size)."""
        table = self.embedding
        if self.convolution:
            table, lengths = self.convolution(table[indices], lengths)
            indices = np.arange(len(table))
        steps = Steps(lengths)
        pooled = self.pooling(self.rnn(table, indices[steps.places()], steps), steps)
        return self.projection(pooled) if self.projection else pooled


class Convolution:
    """Fewer vectors, each of a few characters (`groundvec.encoders.convolution`)."""

    def __init__(
        self, take: Take, embedding: int, channels: int, widths: Sequence[int], pool: int
    ) -> None:
        each = channels // len(widths)
        self.pool, self.widths = pool, widths
        self.filters = [
            take(f"layers.{number}.weight", each, embedding, width)
            .transpose(2, 1, 0)
            .reshape(-1, each)
            for number, width in enumerate(widths)
        ]
        self.bias = np.hstack(
            [take(f"layers.{number}.bias", each) for number in range(len(widths))]
        )
        self.gate = Linear(under(take, "gate."), channels, channels)
        self.change = Linear(under(take, "change."), channels, channels)

    def __call__(self, vectors: np.ndarray, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Read sentences of `lengths` (B,), their vectors (N, embedding) one after another.

        Returns:
            Their vectors (M, channels), and how many each has, the length / `pool` rounded up.
        """
        size, counts = vectors.shape[1], -(-lengths // self.pool)
        # Before, between and after sentences as many zeros as a convolution reaches over.
        widest = max(self.widths)
        sentence = np.arange(len(lengths)).repeat(lengths)
        place = np.arange(len(vectors)) + widest // 2 * sentence
        apart = np.zeros((place[-1] + 2 * widest, size), np.float32)
        apart[place + widest] = vectors
        maps = []
        for width, weights in zip(self.widths, self.filters, strict=True):
            start = widest - (width - 1) // 2
            flat = apart[start : start + place[-1] + width].ravel()
            windows = sliding_window_view(flat, width * size)[::size]
            maps.append(np.ascontiguousarray(windows) @ weights)
        read = np.hstack(maps)[place]
        read += self.bias
        # No value is below 0, so that zeros fill windows which a sentence ends in.
        slots = np.zeros((int(counts.sum()) * self.pool, read.shape[1]), np.float32)
        starts = (counts.cumsum() - counts) * self.pool - (lengths.cumsum() - lengths)
        slots[np.arange(len(read)) + starts.repeat(lengths)] = np.maximum(read, 0, out=read)
        pooled = slots.reshape(-1, self.pool, read.shape[1]).max(axis=1)
        change = np.maximum(self.change(pooled), 0) - pooled
        change *= sigmoid(self.gate(pooled))
        return pooled + change, counts
