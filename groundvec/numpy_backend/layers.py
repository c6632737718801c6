"""The layers of encoders in NumPy: they compute the same as torch's, without gradients.

Each gets its weights from `take(name, *shape)`, such as `groundvec.model.stored.Weights`.

A recurrent network reads the sentences of a batch, the longest first, step by step: the first
position of every sentence, then the second, and so on. Arrays in this order (`Steps`) are called
stepwise.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np

from groundvec.similarity import unit

Take = Callable[..., np.ndarray]

ATTENTION_SIZE = 128  # as in `groundvec.encoders.pooling`
BLOCK = 2**16  # numbers in the sums that are computed at once and stay in the processor's cache


def under(take: Take, prefix: str) -> Take:
    """Return a function that returns the weights whose names start with a prefix."""
    return lambda name, *shape: take(prefix + name, *shape)


class Linear:
    """Multiply by a matrix and add a bias."""

    def __init__(self, take: Take, read: int, size: int) -> None:
        self.weight = take("weight", size, read)
        self.bias = take("bias", size)

    def __call__(self, values: np.ndarray) -> np.ndarray:
        """Compute (N, size) of values (N, read)."""
        result: np.ndarray = values @ self.weight.T
        result += self.bias
        return result


class Projection:
    """Image features -> with `standardize`, standardized -> one linear layer."""

    def __init__(self, take: Take, width: int, size: int, standardize: bool) -> None:
        self.linear = Linear(under(take, "projection."), width, size)
        self.mean = take("mean", width) if standardize else 0
        self.scale = take("scale", width) if standardize else 1

    def __call__(self, features: np.ndarray) -> np.ndarray:
        """Project image features (N, width): (N, size)."""
        return self.linear((features - self.mean) * self.scale)


def sigmoid(values: np.ndarray) -> np.ndarray:
    """Compute 1 / (1 + exp(-x)) in place."""
    # As (1 + tanh(x / 2)) / 2, where nothing overflows.
    np.multiply(values, 0.5, out=values)
    np.tanh(values, out=values)
    values *= 0.5
    values += 0.5
    return values


def scaled(vectors: np.ndarray) -> np.ndarray:
    """Scale vectors (N, size) to a root mean square of 1, as `groundvec.encoders.embeddings`."""
    return unit(vectors) * np.float32(np.sqrt(vectors.shape[1]))


def sums(vectors: np.ndarray, indices: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Sum vectors over bags, as `sums_in_blocks`: (B, size)."""
    result = np.empty((len(lengths), vectors.shape[1]), np.float32)
    for rows, total in sums_in_blocks(vectors, indices, lengths):
        result[rows] = total
    return result


def sums_in_blocks(
    vectors: np.ndarray, indices: np.ndarray, lengths: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Sum vectors (V, size) over bags, block by block.

    Args:
        indices: (N,) rows of the vectors, one bag after another.
        lengths: (B,) of the bags.

    Yields:
        The numbers of some bags of similar lengths, and their sums (number of these bags, size).
    """
    if len(lengths) == 1:  # a single sentence: the steps below would take longer
        yield np.zeros(1, np.int64), vectors.take(indices, axis=0).sum(axis=0, keepdims=True)
        return
    order = np.argsort(-lengths, kind="stable")
    steps = Steps(lengths[order])
    starts = (lengths.cumsum() - lengths)[order]
    stepwise = indices[starts[steps.sentence] + steps.step].astype(np.int64, copy=False)
    size = max(1, BLOCK // vectors.shape[1])
    looked_up = np.empty((size, vectors.shape[1]), np.float32)
    # The members of bags are added step by step: the first of all bags, then the second of all, and
    # so on. `np.add.reduceat` would look up all N vectors first.
    for start in range(0, len(order), size):
        total = vectors[stepwise[start : min(start + size, len(order))]]
        for first, last in pairwise(steps.starts[1:]):
            members = stepwise[first + start : min(first + start + size, last)]
            if not len(members):
                break
            part = total[: len(members)]
            part += vectors.take(members, 0, looked_up[: len(members)], "clip")
        yield order[start : start + size], total


class Steps:
    """The stepwise order of sentences with some lengths (B,), the longest first.

    Attributes:
        step, sentence: (N,) of each position.
        starts: where each step starts, and where the last one ends.
    """

    def __init__(self, lengths: np.ndarray) -> None:
        self.lengths = lengths
        self.step, self.sentence = np.nonzero(np.arange(lengths[0])[:, None] < lengths)
        self.starts = np.append(0, np.bincount(self.step).cumsum()).tolist()

    def places(self) -> np.ndarray:
        """Return the index of each position in an array of one sentence after another: (N,)."""
        starts = self.lengths.cumsum() - self.lengths
        return starts[self.sentence] + self.step

    def reversed(self) -> np.ndarray:
        """Return each position's stepwise index if sentences are read from their end: (N,)."""
        step = self.lengths[self.sentence] - 1 - self.step
        return np.array(self.starts)[step] + self.sentence

    def reduce(self, function: np.ufunc, values: np.ndarray) -> np.ndarray:
        """Reduce stepwise values (N, size) over each sentence, such as by `np.add`: (B, size)."""
        result = values[: len(self.lengths)].copy()
        for first, last in pairwise(self.starts[1:]):
            part = result[: last - first]
            function(part, values[first:last], out=part)
        return result


class Recurrence:
    """A GRU or an LSTM of one layer."""

    def __init__(self, take: Take, cell: str, read: int, units: int, directions: int) -> None:
        self.cell = cell
        self.units = units
        rows = {"gru": 3, "lstm": 4}[cell] * units
        suffixes = ("", "_reverse")[:directions]

        def stack(name: str, *shape: int) -> np.ndarray:
            return np.stack([take(name + suffix, *shape) for suffix in suffixes])

        self.input_weight = stack("weight_ih_l0", rows, read).mT
        # Products with contiguous weights are up to a third faster.
        self.hidden_weight = np.ascontiguousarray(stack("weight_hh_l0", rows, units).mT)
        input_bias = stack("bias_ih_l0", rows)
        hidden_bias = stack("bias_hh_l0", rows)
        if cell == "gru":
            # n = tanh(W x + b + r (U h + c)): only here the two biases cannot be added beforehand.
            self.new_bias = hidden_bias[:, None, 2 * units :].copy()
            hidden_bias[:, 2 * units :] = 0
        self.bias = (input_bias + hidden_bias)[:, None]

    def __call__(self, vectors: np.ndarray, rows: np.ndarray, steps: Steps) -> np.ndarray:
        """Compute the states (N, directions x units), stepwise.

        Args:
            vectors: (V, read) of the vocabulary.
            rows: (N,) the row of `vectors` that each position reads, stepwise.
        """
        # The input's part of the gates, once per distinct vector (see the torch recurrence).
        used, rows = np.unique(rows, return_inverse=True)
        table = vectors[used] @ self.input_weight
        table += self.bias
        orders = [np.arange(len(rows)), steps.reversed()][: len(table)]
        result = np.empty((len(rows), len(table), self.units), np.float32)
        h = np.zeros((len(table), len(steps.lengths), self.units), np.float32)
        c = h
        for first, last in pairwise(steps.starts):
            positions = [order[first:last] for order in orders]
            gates = np.stack([table[i][rows[read]] for i, read in enumerate(positions)])
            # Sentences that have ended are the last ones.
            h, c = self.step(gates, h[:, : last - first], c[:, : last - first])
            for direction, written in enumerate(positions):
                result[written, direction] = h[direction]
        return result.reshape(len(rows), -1)

    def step(
        self, gates: np.ndarray, h: np.ndarray, c: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Compute the next states and cells (directions, B, units).

        Args:
            gates: (directions, B, gates x units) the input's part of the gates; it is written to.
        """
        units = self.units
        products = h @ self.hidden_weight
        if self.cell == "gru":
            # torch's order of the gates: r, z, n.
            r_z = gates[..., : 2 * units]
            r_z += products[..., : 2 * units]
            sigmoid(r_z)
            hidden_part = products[..., 2 * units :]
            hidden_part += self.new_bias
            hidden_part *= r_z[..., :units]
            n = gates[..., 2 * units :]
            n += hidden_part
            np.tanh(n, out=n)
            # (1 - z) n + z h, as n + z (h - n)
            h = h - n
            h *= r_z[..., units:]
            h += n
            return h, h
        # torch's order of the gates: i, f, g, o.
        gates += products
        sigmoid(gates[..., : 2 * units])
        i = gates[..., :units]
        f = gates[..., units : 2 * units]
        g = np.tanh(gates[..., 2 * units : 3 * units])
        o = sigmoid(gates[..., 3 * units :])
        c = f * c + i * g
        return o * np.tanh(c), c


class Attention:
    """Weight every feature of every state, and sum over time (`groundvec.encoders.pooling`)."""

    def __init__(self, take: Take, size: int) -> None:
        self.hidden = Linear(under(take, "hidden."), size, ATTENTION_SIZE)
        self.out = Linear(under(take, "out."), ATTENTION_SIZE, size)

    def __call__(self, states: np.ndarray, steps: Steps) -> np.ndarray:
        """Pool stepwise states (N, size): (B, size)."""
        weights = self.out(np.tanh(self.hidden(states)))
        # Less the largest of each sentence, so that no exponential overflows.
        weights -= steps.reduce(np.maximum, weights)[steps.sentence]
        np.exp(weights, out=weights)
        total = steps.reduce(np.add, weights)
        weights *= states
        return steps.reduce(np.add, weights) / total


def largest(states: np.ndarray, steps: Steps) -> np.ndarray:
    """Pool stepwise states (N, size) by the largest value of each feature: (B, size)."""
    return steps.reduce(np.maximum, states)


def last(states: np.ndarray, steps: Steps, units: int) -> np.ndarray:
    """Pool stepwise states (N, size) by the final state of each direction: (B, size)."""
    count = len(steps.lengths)
    # The second direction ends at the first position, and so in the first `count` rows.
    ends = np.array(steps.starts)[steps.lengths - 1] + np.arange(count)
    return np.hstack([states[ends, :units], states[:count, units:]])
