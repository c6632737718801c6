"""From the hidden states of a sentence to one vector."""

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding_bag

ATTENTION_SIZE = 128  # units of its hidden layer


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
        # Subtracting a sentence's largest scores prevents overflow and leaves the softmax as it is.
        # So their gradient is 0, and they are detached.
        largest = pool("max", scores.detach(), lengths)
        largest = largest.repeat_interleave(lengths, dim=0, output_size=len(scores))
        weights = (scores - largest).exp_()
        return pool("sum", weights * states, lengths) / pool("sum", weights, lengths)


class MaxPooling(nn.Module):
    """Takes the largest value of each feature over time."""

    def __init__(self, *_: int) -> None:
        super().__init__()

    def forward(self, states: Tensor, lengths: Tensor) -> Tensor:
        """Pool the states (N, size) of sentences of `lengths` (B,): (B, size)."""
        if states.device.type == "cpu":
            return pool("max", states, lengths)
        return padded_largest(states, lengths)


class LastState(nn.Module):
    """Takes the final state of each direction."""

    def __init__(self, size: int, directions: int) -> None:
        super().__init__()
        self.forward_units = size // directions

    def forward(self, states: Tensor, lengths: Tensor) -> Tensor:
        """Pool the states (N, size) of sentences of `lengths` (B,): (B, size)."""
        ends = lengths.cumsum(0)
        sizes = [self.forward_units, states.shape[1] - self.forward_units]
        forwards, backwards = states.split(sizes, dim=1)
        # The second direction reads from the end, so that its final state is at the first position.
        return torch.cat([forwards[ends - 1], backwards[ends - lengths]], dim=1)


POOLINGS = {"attention": Attention, "max": MaxPooling, "last": LastState}


def pool(mode: str, values: Tensor, lengths: Tensor) -> Tensor:
    """Compute the sum or max (B, size) over each sentence of values (N, size) one after another."""
    rows = torch.arange(len(values), device=values.device)
    return embedding_bag(rows, values, lengths.cumsum(0) - lengths, mode=mode)


def padded_largest(values: Tensor, lengths: Tensor) -> Tensor:
    """Compute `pool("max", ...)` on a GPU, where its gradient is not deterministic."""
    inside = torch.arange(int(lengths.max()), device=lengths.device) < lengths[:, None]
    padded = values.new_full((*inside.shape, values.shape[1]), -torch.inf)
    padded[inside] = values
    return padded.amax(dim=1)
