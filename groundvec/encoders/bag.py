"""The mean of trained embeddings of words or n-grams, and one linear layer; order is ignored."""

from collections.abc import Sequence, Sized

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from groundvec.encoders.embeddings import initial, scaled
from groundvec.text.encoded import Encoded, idf


class Encoder(nn.Module):
    """Indices -> the mean of their embeddings -> dropout -> one linear layer.

    With `idf`, a weighted sum that is scaled takes the place of the mean.
    """

    def __init__(
        self,
        text: Sized,
        size: int,
        embedding: int,
        deviation: float = 1.0,
        idf: bool = False,
        dropout: float = 0.0,
        state: bool = False,
    ) -> None:
        """Build an untrained network; `bag.yaml` describes the options."""
        super().__init__()
        vectors = initial(len(text), embedding, deviation)
        # torch weights the members of sums alone. `scaled` makes the sum independent of its length.
        mode = "sum" if idf else "mean"
        self.embedding = nn.EmbeddingBag.from_pretrained(vectors, freeze=False, mode=mode)
        self.dropout = nn.Dropout(dropout)
        self.projection = nn.Linear(embedding, size)
        self.append_state = state
        self.idf: Tensor | None
        self.register_buffer("idf", torch.ones(len(text)) if idf else None)

    def forward(self, indices: Tensor, lengths: Tensor, *_: Tensor) -> Tensor:
        """Embed sentences of `lengths` (B,), their indices (N,) one after another: (B, size).

        Outside training, with `state`, (B, size + embedding): both parts have unit norm.
        """
        state = self.pooled(indices, lengths)
        vectors: Tensor = self.projection(self.dropout(state))
        if self.training or not self.append_state:
            return vectors
        return torch.cat([normalize(vectors, dim=1), normalize(state, dim=1)], dim=1)

    def pooled(self, indices: Tensor, lengths: Tensor, *_: Tensor) -> Tensor:
        """Compute the state (B, embedding), the input of the linear layer."""
        starts = (lengths.cumsum(0) - lengths).to(indices.device)
        weights = None if self.idf is None else self.idf[indices]
        state: Tensor = self.embedding(indices, starts, weights)
        if self.idf is not None:
            state = scaled(state)
        return state

    @torch.no_grad()
    def fit_idf(self, captions: Sequence[Encoded]) -> None:
        """Set the weights of the indices to their inverse document frequencies."""
        if self.idf is not None:
            self.idf.copy_(torch.from_numpy(idf(captions, len(self.idf))))
