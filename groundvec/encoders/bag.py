"""The mean of the embeddings of what a sentence has, projected: a floor that knows no order."""

import torch
from torch import Tensor, nn

from groundvec.text.encoded import PADDING, UNKNOWN


class Encoder(nn.Module):
    """Indices -> the mean of their embeddings -> one linear layer."""

    def __init__(self, indices: int, size: int, embedding: int) -> None:
        super().__init__()
        self.embedding = nn.EmbeddingBag(indices, embedding, mode="mean", padding_idx=PADDING)
        with torch.no_grad():  # what training never meets would stay a random vector
            self.embedding.weight[UNKNOWN] = 0
        self.projection = nn.Linear(embedding, size)

    def forward(self, indices: Tensor, lengths: Tensor) -> Tensor:
        """Embed padded indices (B, T): (B, size)."""
        return self.projection(self.embedding(indices))
