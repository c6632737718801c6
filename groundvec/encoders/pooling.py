"""From the hidden states of a sentence to one vector."""

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding_bag

ATTENTION_SIZE = 128


class Attention(nn.Module):
    """Weighs every feature of every hidden state and sums over time; one head.

    a_t = softmax over t of V tanh(W h_t + b_w) + b_v; the result is the sum of a_t * h_t.
    """

    def __init__(self, size: int, *_: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(size, ATTENTION_SIZE)
        nn.init.orthogonal_(self.hidden.weight)
        self.out = nn.Linear(ATTENTION_SIZE, size)

    def forward(self, states: Tensor, lengths: Tensor) -> Tensor:
        """Pool the states (N, size) of sentences of `lengths` (B,): (B, size)."""
        scores = self.out(torch.tanh(self.hidden(states)))
        largest = pool("max", scores.detach(), lengths)  # less these, no exponential is infinite
        largest = largest.repeat_interleave(lengths, dim=0, output_size=len(scores))
        weights = (scores - largest).exp_()
        return pool("sum", weights * states, lengths) / pool("sum", weights, lengths)


class MaxPooling(nn.Module):
    """Takes the largest value of each feature over time."""

    def __init__(self, *_: int) -> None:
        super().__init__()

    def forward(self, states: Tensor, lengths: Tensor) -> Tensor:
        """Pool the states (N, size) of sentences of `lengths` (B,): (B, size)."""
        on_cpu = states.device.type == "cpu"
        return pool("max", states, lengths) if on_cpu else padded_largest(states, lengths)


class LastState(nn.Module):
    """Takes the state in which each direction ends."""

    def __init__(self, size: int, directions: int) -> None:
        super().__init__()
        self.forwards = size // directions

    def forward(self, states: Tensor, lengths: Tensor) -> Tensor:
        """Pool the states (N, size) of sentences of `lengths` (B,): (B, size)."""
        ends = lengths.cumsum(0)
        one, other = states.split([self.forwards, states.shape[1] - self.forwards], dim=1)
        return torch.cat([one[ends - 1], other[ends - lengths]], dim=1)


POOLINGS = {"attention": Attention, "max": MaxPooling, "last": LastState}


def pool(mode: str, values: Tensor, lengths: Tensor) -> Tensor:
    """Compute the sum or max (B, size) over each sentence of values (N, size) one after another."""
    rows = torch.arange(len(values), device=values.device)
    return embedding_bag(rows, values, lengths.cumsum(0) - lengths, mode=mode)


def padded_largest(values: Tensor, lengths: Tensor) -> Tensor:
    """Compute `pool("max", ...)` on a GPU, where it has no deterministic gradient."""
    inside = torch.arange(int(lengths.max()), device=lengths.device) < lengths[:, None]
    padded = values.new_full((*inside.shape, values.shape[1]), -torch.inf)
    padded[inside] = values
    return padded.amax(dim=1)
