"""The layers of encoders in NumPy: what torch's compute, without gradients.

Each takes its weights from `take(name, *shape)`, such as `groundvec.model.stored.Weights`.

A recurrent network reads the sentences of a batch, the longest first, step by step: the first place
of every sentence, then the second, and so on. Arrays in this order (`Steps`) are called stepwise.
"""

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from groundvec.similarity import unit

Take = Callable[..., np.ndarray]

ATTENTION_SIZE = 128  # as in `groundvec.encoders.pooling`
BLOCK = 128  # sums that are computed at a time, which the processor's cache holds


def under(take: Take, prefix: str) -> Take:
    """Take weights whose names begin by a prefix."""
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


def sigmoid(values: np.ndarray) -> np.ndarray:
    """Compute 1 / (1 + exp(-x)) in place."""
    np.multiply(values, 0.5, out=values)
    np.tanh(values, out=values)  # of which nothing is infinite
    values *= 0.5
    values += 0.5
    return values


def scaled(vectors: np.ndarray) -> np.ndarray:
    """Scale vectors (N, size) to a root mean square of 1, as `groundvec.encoders.embeddings`."""
    return unit(vectors) * np.float32(np.sqrt(vectors.shape[1]))


def sums(vectors: np.ndarray, indices: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Sum vectors (V, size) over bags (B, size); their indices (N,) stand one bag after another."""
    result = np.empty((len(lengths), vectors.shape[1]), np.float32)
    looked_up = np.empty((BLOCK, vectors.shape[1]), np.float32)
    starts = lengths.cumsum() - lengths
    order = np.argsort(-lengths, kind="stable")
    for rows in np.split(order, range(BLOCK, len(order), BLOCK)):
        steps = Steps(lengths[rows])
        total = np.zeros((len(rows), vectors.shape[1]), np.float32)
        stepwise = indices[starts[rows][steps.sentence] + steps.step]
        for first, last in pairwise(steps.starts):
            count = last - first
            np.take(vectors, stepwise[first:last], 0, looked_up[:count], "clip")
            total[:count] += looked_up[:count]
        result[rows] = total
    return result


class Steps:
    """The order in which sentences of some lengths (B,), the longest first, are read.

    Attributes:
        step, sentence: (N,) of each place.
        starts: where each step starts, and where the last one ends.
    """

    def __init__(self, lengths: np.ndarray) -> None:
        self.lengths = lengths
        self.step, self.sentence = np.nonzero(np.arange(lengths[0])[:, None] < lengths)
        self.starts = np.append(0, np.bincount(self.step).cumsum()).tolist()

    def places(self) -> np.ndarray:
        """Find where each place is in an array of the sentences one after another: (N,)."""
        starts = self.lengths.cumsum() - self.lengths
        return starts[self.sentence] + self.step

    def reversed(self) -> np.ndarray:
        """Find the places (N,) that are read from the end of the sentences, stepwise."""
        step = self.lengths[self.sentence] - 1 - self.step
        return np.array(self.starts)[step] + self.sentence

    def reduce(self, function: np.ufunc, values: np.ndarray) -> np.ndarray:
        """Combine stepwise values (N, size) of each sentence by `np.add` or another: (B, size)."""
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
        of_input, of_hidden, input_bias, hidden_bias = (
            np.stack([take(name + suffix, *shape) for suffix in ("", "_reverse")[:directions]])
            for name, *shape in (
                ("weight_ih_l0", rows, read),
                ("weight_hh_l0", rows, units),
                ("bias_ih_l0", rows),
                ("bias_hh_l0", rows),
            )
        )
        self.of_input = of_input.mT
        self.of_hidden = np.ascontiguousarray(of_hidden.mT)  # products are up to a third faster
        if cell == "gru":  # whose gate r is between the two biases of n
            self.new_bias = hidden_bias[:, None, 2 * units :].copy()
            hidden_bias[:, 2 * units :] = 0
        self.bias = (input_bias + hidden_bias)[:, None]

    def __call__(self, vectors: np.ndarray, rows: np.ndarray, steps: Steps) -> np.ndarray:
        """Compute the states (N, directions x units), stepwise.

        Args:
            vectors: (V, read) that can be read.
            rows: (N,) which of them each place reads, stepwise.
        """
        used, rows = np.unique(rows, return_inverse=True)
        table = vectors[used] @ self.of_input
        table += self.bias
        orders = [np.arange(len(rows)), steps.reversed()][: len(table)]
        result = np.empty((len(rows), len(table), self.units), np.float32)
        h = c = np.zeros((len(table), len(steps.lengths), self.units), np.float32)
        for first, last in pairwise(steps.starts):
            places = [order[first:last] for order in orders]
            shares = np.stack([of[rows[at]] for of, at in zip(table, places, strict=True)])
            h, c = self.step(shares, h[:, : last - first], c[:, : last - first])
            for direction, at in enumerate(places):
                result[at, direction] = h[direction]
        return result.reshape(len(rows), -1)

    def step(
        self, shares: np.ndarray, h: np.ndarray, c: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Compute the next states and cells (directions, B, units).

        Args:
            shares: the input's, of the gates: (directions, B, gates x units), which is written to.
        """
        units = self.units
        products = h @ self.of_hidden
        if self.cell == "gru":
            gates = shares[..., : 2 * units]
            new = shares[..., 2 * units :]
            of_new = products
            gates += products[..., : 2 * units]
            sigmoid(gates)
            of_new = products[..., 2 * units :]
            of_new += self.new_bias
            of_new *= gates[..., :units]
            new += of_new
            np.tanh(new, out=new)
            h = h - new
            h *= gates[..., units:]
            h += new
            return h, h
        shares += products
        sigmoid(shares[..., : 2 * units])
        keep = shares[..., units : 2 * units]
        add = shares[..., :units]
        new = np.tanh(shares[..., 2 * units : 3 * units])
        out = sigmoid(shares[..., 3 * units :])
        c = keep * c + add * new
        return out * np.tanh(c), c


class Attention:
    """Weigh every feature of every state, and sum over time."""

    def __init__(self, take: Take, size: int) -> None:
        self.hidden = Linear(under(take, "hidden."), size, ATTENTION_SIZE)
        self.out = Linear(under(take, "out."), ATTENTION_SIZE, size)

    def __call__(self, states: np.ndarray, steps: Steps) -> np.ndarray:
        """Pool stepwise states (N, size): (B, size)."""
        weights = self.out(np.tanh(self.hidden(states)))
        weights -= steps.reduce(np.maximum, weights)[steps.sentence]
        np.exp(weights, out=weights)
        total = steps.reduce(np.add, weights)
        weights *= states
        return steps.reduce(np.add, weights) / total


def largest(states: np.ndarray, steps: Steps) -> np.ndarray:
    """Pool stepwise states (N, size) to the largest value of each feature: (B, size)."""
    return steps.reduce(np.maximum, states)


def last(states: np.ndarray, steps: Steps, units: int) -> np.ndarray:
    """Pool stepwise states (N, size) to those in which each direction ends: (B, size)."""
    count = len(steps.lengths)
    ends = np.array(steps.starts)[steps.lengths - 1] + np.arange(count)
    return np.hstack([states[ends, :units], states[:count, units:]])
