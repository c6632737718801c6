"""A GRU or LSTM, pooled over time.

Merkx & Frank (2019, section 3.1) read characters in both directions. Calixto & Liu (2017, section
5) read words from left to right, and take the last state.
"""

from collections.abc import Sized

import torch
from torch import Tensor, nn

from groundvec.encoders import recurrence
from groundvec.encoders.embeddings import initial
from groundvec.encoders.pooling import POOLINGS
from groundvec.text.encoded import PADDING, UNKNOWN

CELLS = {"gru": nn.GRU, "lstm": nn.LSTM}


class Encoder(nn.Module):
    """Indices -> embeddings -> RNN -> pooling, and with `units` -> one linear layer."""

    def __init__(
        self,
        text: Sized,
        size: int,
        cell: str,
        pooling: str,
        embedding: int,
        units: int | None = None,
        bidirectional: bool = True,
        dropout: float = 0.0,
        gaussian: float | None = None,
    ) -> None:
        """Build an untrained network; `rnn.yaml` describes the options."""
        super().__init__()
        width = units or size
        directions = 1 + bidirectional
        self.embedding = nn.Embedding.from_pretrained(initial(len(text), embedding), freeze=False)
        self.rnn = CELLS[cell](
            embedding, width // directions, batch_first=True, bidirectional=bidirectional
        )
        self.pooling = POOLINGS[pooling](width, directions)
        self.dropout = nn.Dropout(dropout)
        self.projection = nn.Linear(width, size) if units else nn.Identity()
        if gaussian is not None:
            self.initialize(gaussian)

    def forward(self, indices: Tensor, lengths: Tensor, *_: Tensor) -> Tensor:
        """Embed sentences of `lengths` (B,) whose indices (N,) stand one after another: (B, size).

        `lengths` is on the CPU, wherever the indices are.
        """
        return self.projection(self.dropout(self.pooled(indices, lengths)))

    def pooled(self, indices: Tensor, lengths: Tensor, *_: Tensor) -> Tensor:
        """Compute the pooled states (B, units), the input of the linear layer."""
        states = recurrence.hidden_states(self.rnn, self.embedding.weight, indices, lengths)
        return self.pooling(states, lengths.to(states.device))

    @torch.no_grad()
    def initialize(self, deviation: float) -> None:
        """Draw all weights anew: matrices Gaussian, recurrent ones orthogonal, biases 0.

        Calixto & Liu initialize their models so.
        """
        for name, weights in self.named_parameters():
            if weights.ndim < 2:
                weights.zero_()
            elif "weight_hh" in name:
                # torch stacks the square matrices of all gates; each is orthogonal by itself.
                for gate in weights.split(weights.shape[1]):
                    nn.init.orthogonal_(gate)
            else:
                nn.init.normal_(weights, std=deviation)
        self.embedding.weight[[PADDING, UNKNOWN]] = 0
