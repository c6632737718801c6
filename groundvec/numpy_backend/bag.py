"""The mean of embeddings, and one linear layer, in NumPy (`groundvec.encoders.bag`)."""

import math
from collections.abc import Sized
from typing import Any

import numpy as np

from groundvec.numpy_backend.layers import Linear, Take, scaled, sums, sums_in_blocks, under
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
        self.width = size + embedding  # of `part_sums`

    def __call__(self, indices: np.ndarray, lengths: np.ndarray) -> np.ndarray:
        """Embed a batch of `groundvec.text.encoded.Encoded`: (B, size)."""
        total = sums(self.embedding, indices, lengths)
        state = scaled(total) if self.idf else total / lengths[:, None].astype(np.float32)
        vectors = self.projection(state)
        return np.hstack([unit(vectors), unit(state)]) if self.append_state else vectors

    # For cosines, only the direction of a vector counts. So the mean may be a sum; and the linear
    # layer of a sum is the sum of the linear layer of its parts, such as the tokens of a sentence.

    def part_sums(self, indices: np.ndarray, lengths: np.ndarray, out: np.ndarray) -> None:
        """Compute what parts of sentences add to it, into `out` (B, size + embedding).

        That is the linear layer of the part's sum, and the sum.
        """
        size = len(self.projection.bias)
        projected = out[:, :size]
        total = out[:, size:]
        for rows, part in sums_in_blocks(self.embedding, indices, lengths):
            total[rows] = part
        np.matmul(total, self.projection.weight.T, out=projected)
        if not self.idf:  # W mean + b has the direction of W sum + length b
            projected += lengths[:, None] * self.projection.bias

    def of_sums(self, totals: np.ndarray) -> np.ndarray:
        """Compute unit vectors of sentences (B, size) from the totals of their parts, in place."""
        size = len(self.projection.bias)
        projected = totals[:, :size]
        total = totals[:, size:]
        norms = np.sqrt(np.vecdot(total, total))
        norms[norms == 0] = 1
        if self.idf:
            # W scaled(sum) + b has the direction of W sum + b |sum| / sqrt(embedding).
            weights = norms / math.sqrt(total.shape[1])
            projected += np.multiply.outer(weights, self.projection.bias)
        if not self.append_state:
            return unit(projected)
        # Both halves have the norm sqrt(1/2).
        lengths = np.sqrt(np.vecdot(projected, projected))
        lengths[lengths == 0] = 1
        scales = np.empty_like(totals)
        scales[:, :size] = (math.sqrt(0.5) / lengths)[:, None]
        scales[:, size:] = (math.sqrt(0.5) / norms)[:, None]
        totals *= scales
        return totals
