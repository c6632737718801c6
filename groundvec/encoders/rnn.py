"""A bidirectional GRU or LSTM, pooled over time (Merkx & Frank 2019, section 3.1)."""

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from groundvec.encoders import gru_states
from groundvec.text.encoded import PADDING, UNKNOWN

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


CELLS = {"gru": nn.GRU, "lstm": nn.LSTM}
POOLINGS = {"attention": Attention, "max": MaxPooling}


class Encoder(nn.Module):
    """Indices -> embeddings -> bidirectional RNN -> pooling.

    The sequences are packed, so both directions of the RNN see a sentence's own characters only,
    and padding is masked in the pooling: an embedding does not depend on the rest of its batch.
    """

    def __init__(self, indices: int, size: int, cell: str, pooling: str, embedding: int) -> None:
        super().__init__()
        vectors = torch.randn(indices, embedding)
        vectors[[PADDING, UNKNOWN]] = 0  # what training never meets would stay a random vector
        self.embedding = nn.Embedding.from_pretrained(vectors, freeze=False, padding_idx=PADDING)
        self.rnn = CELLS[cell](embedding, size // 2, batch_first=True, bidirectional=True)
        self.pooling = POOLINGS[pooling](size)

    def forward(self, indices: Tensor, lengths: Tensor) -> Tensor:
        """Embed padded indices (B, T) of sentences of `lengths` (B,): (B, size).

        `lengths` stays on the CPU, where packing needs it.
        """
        if gru_states.applies(self.rnn, indices, lengths):
            states = gru_states.hidden_states(self.rnn, self.embedding, indices, lengths)
        else:
            packed = pack_padded_sequence(
                self.embedding(indices), lengths, batch_first=True, enforce_sorted=False
            )
            states, _ = pad_packed_sequence(self.rnn(packed)[0], batch_first=True)
        inside = torch.arange(states.shape[1]) < lengths[:, None]
        return self.pooling(states, inside.to(states.device))
