"""A bidirectional GRU or LSTM, pooled over time (Merkx & Frank 2019, section 3.1)."""

from collections.abc import Sized

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding_bag
from torch.nn.utils.rnn import pack_sequence, unpack_sequence

from groundvec.encoders import recurrence
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

    def forward(self, states: Tensor, lengths: Tensor) -> Tensor:
        """Pool the states (N, size) of sentences of `lengths` (B,): (B, size)."""
        scores = self.out(torch.tanh(self.hidden(states)))
        largest = pool("max", scores.detach(), lengths)  # less these, no exponential is infinite
        largest = largest.repeat_interleave(lengths, dim=0, output_size=len(scores))
        weights = (scores - largest).exp()
        return pool("sum", weights * states, lengths) / pool("sum", weights, lengths)


class MaxPooling(nn.Module):
    """Takes the largest value of each feature over time."""

    def __init__(self, size: int) -> None:
        super().__init__()

    def forward(self, states: Tensor, lengths: Tensor) -> Tensor:
        """Pool the states (N, size) of sentences of `lengths` (B,): (B, size)."""
        return pool("max", states, lengths)


def pool(mode: str, values: Tensor, lengths: Tensor) -> Tensor:
    """The sum or max (B, size) over each sentence of values (N, size) one after another."""
    rows = torch.arange(len(values), device=values.device)
    return embedding_bag(rows, values, lengths.cumsum(0) - lengths, mode=mode)


CELLS = {"gru": nn.GRU, "lstm": nn.LSTM}
POOLINGS = {"attention": Attention, "max": MaxPooling}


class Encoder(nn.Module):
    """Indices -> embeddings -> bidirectional RNN -> pooling.

    Both directions of the RNN see a sentence's own characters only: an embedding does not depend
    on the rest of its batch.
    """

    def __init__(self, text: Sized, size: int, cell: str, pooling: str, embedding: int) -> None:
        super().__init__()
        vectors = torch.randn(len(text), embedding)
        vectors[[PADDING, UNKNOWN]] = 0  # what training never meets would stay a random vector
        self.embedding = nn.Embedding.from_pretrained(vectors, freeze=False)
        self.rnn = CELLS[cell](embedding, size // 2, batch_first=True, bidirectional=True)
        self.pooling = POOLINGS[pooling](size)

    def forward(self, indices: Tensor, lengths: Tensor, *_: Tensor) -> Tensor:
        """Embed sentences of `lengths` (B,) whose indices (N,) stand one after another: (B, size).

        `lengths` is on the CPU, wherever the indices are.
        """
        if indices.device.type == "cpu":
            states = recurrence.hidden_states(self.rnn, self.embedding, indices, lengths)
        else:
            states = self.packed_states(indices, lengths)
        return self.pooling(states, lengths.to(states.device))

    def packed_states(self, indices: Tensor, lengths: Tensor) -> Tensor:
        """What `recurrence.hidden_states` gives, by torch's own layer."""
        sentences = self.embedding(indices).split(lengths.tolist())
        packed = pack_sequence(sentences, enforce_sorted=False)
        return torch.cat(unpack_sequence(self.rnn(packed)[0]))
