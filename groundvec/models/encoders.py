"""The two networks that meet in one space (Merkx & Frank 2019, section 3.1 and Figure 1)."""

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from groundvec.models import gru
from groundvec.models.cell import Cell
from groundvec.text.characters import PADDING

CHARACTER_SIZE = 20
ATTENTION_SIZE = 128


class Attention(nn.Module):
    """Weighs every feature of every hidden state and sums over time; one head.

    a_t = softmax over t of V tanh(W h_t + b_w) + b_v; the result is the sum of a_t * h_t.
    """

    def __init__(self, size: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(size, ATTENTION_SIZE)
        nn.init.orthogonal_(self.hidden.weight)
        self.out = nn.Linear(ATTENTION_SIZE, size)

    def forward(self, states: Tensor, inside: Tensor) -> Tensor:
        """Pool states (B, T, size) over the steps where `inside` (B, T) is true: (B, size)."""
        scores = self.out(torch.tanh(self.hidden(states)))
        weights = scores.masked_fill(~inside[..., None], -torch.inf).softmax(dim=1)
        return (weights * states).sum(dim=1)


class MaxPooling(nn.Module):
    """Takes the largest value of each feature over time."""

    def __init__(self, size: int) -> None:
        super().__init__()

    def forward(self, states: Tensor, inside: Tensor) -> Tensor:
        """Pool states (B, T, size) over the steps where `inside` (B, T) is true: (B, size)."""
        return states.masked_fill(~inside[..., None], -torch.inf).amax(dim=1)


RNNS = {"gru": nn.GRU, "lstm": nn.LSTM}
POOLINGS = {"attention": Attention, "max": MaxPooling}


class CaptionEncoder(nn.Module):
    """Characters -> bidirectional RNN -> pooling -> unit vector.

    The sequences are packed, so both directions of the RNN see a caption's own characters only,
    and padding is masked in the pooling: an embedding does not depend on the rest of its batch.
    """

    def __init__(self, characters: int, cell: Cell) -> None:
        super().__init__()
        self.embedding = nn.Embedding(characters, CHARACTER_SIZE, padding_idx=PADDING)
        self.rnn = RNNS[cell.rnn](
            CHARACTER_SIZE, cell.size // 2, batch_first=True, bidirectional=True
        )
        self.pooling = POOLINGS[cell.pooling](cell.size)

    def forward(self, characters: Tensor, lengths: Tensor) -> Tensor:
        """Embed padded character indices (B, T) of captions of `lengths` (B,): (B, size).

        `lengths` stays on the CPU, where packing needs it.
        """
        if gru.applies(self.rnn, characters, lengths):
            states = gru.hidden_states(self.rnn, self.embedding, characters, lengths)
        else:
            packed = pack_padded_sequence(
                self.embedding(characters), lengths, batch_first=True, enforce_sorted=False
            )
            states, _ = pad_packed_sequence(self.rnn(packed)[0], batch_first=True)
        inside = torch.arange(states.shape[1]) < lengths[:, None]
        return normalize(self.pooling(states, inside.to(states.device)), dim=1)


class ImageEncoder(nn.Module):
    """Image features -> one linear layer -> unit vector."""

    def __init__(self, width: int, size: int) -> None:
        super().__init__()
        self.projection = nn.Linear(width, size)
        nn.init.xavier_uniform_(self.projection.weight)

    def forward(self, features: Tensor) -> Tensor:
        """Embed image features (B, width): (B, size)."""
        return normalize(self.projection(features), dim=1)
