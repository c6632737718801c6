"""The mean of trained embeddings of what a sentence has, projected: a floor that knows no order.

Of fixed word vectors it is `groundvec.encoders.mean`.
"""

from collections.abc import Sized

import torch
from torch import Tensor, nn

from groundvec.text.encoded import PADDING, UNKNOWN


class Encoder(nn.Module):
    """Indices -> the mean of their embeddings -> one linear layer."""

    def __init__(self, text: Sized, size: int, embedding: int) -> None:
        super().__init__()
        vectors = torch.normal(0.0, 1.0, (len(text), embedding))
        vectors[[PADDING, UNKNOWN]] = 0  # what training never meets would stay a random vector
        self.embedding = nn.EmbeddingBag.from_pretrained(vectors, freeze=False, mode="mean")
        self.projection = nn.Linear(embedding, size)

    def forward(self, indices: Tensor, lengths: Tensor, *_: Tensor) -> Tensor:
        """Embed sentences of `lengths` (B,), their indices (N,) one after another: (B, size)."""
        starts = (lengths.cumsum(0) - lengths).to(indices.device)
        return self.projection(self.embedding(indices, starts))
