"""The recurrence of a GRU or an LSTM on a CPU, in little more than the time of its multiplications.

`nn.GRU` and `nn.LSTM` add up their weights' gradients step by step and compute the input's share
of the gates for every place anew. Here that share is looked up in a table, the weights' gradients
are one product at the end, and what need not wait for another step is computed for all of them
at once (docs/performance.md).

Sentences stand one after another. A step reads one place of every sentence that is that long, the
longest sentence first, so that each step's sentences are the first ones of the step before; the
second direction reads each sentence from its end.
"""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd import Function
from torch.nn.functional import linear


def hidden_states(
    rnn: nn.GRU | nn.LSTM, embedding: nn.Embedding, indices: Tensor, lengths: Tensor
) -> Tensor:
    """The states (N, directions x units) of a one-layer RNN at every place of its sentences.

    The same numbers as `rnn(embedding(sentence))` for each sentence, and the same gradients, up to
    rounding.

    Args:
        indices: (N,) what the sentences read, one after another.
        lengths: (B,) of the sentences.
    """
    cell = GRU if isinstance(rnn, nn.GRU) else LSTM
    vectors = embedding.weight
    if len(vectors) > len(indices):  # a table of them all would be the larger one
        vectors, indices = embedding(indices), torch.arange(len(indices))
    tables, weights = [], []
    for suffix in ("", "_reverse")[: 1 + rnn.bidirectional]:
        of_input, of_hidden, input_bias, hidden_bias = (
            getattr(rnn, name + suffix)
            for name in ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
        )
        tables.append(cell.table(linear(vectors, of_input, input_bias), hidden_bias))
        weights.append(of_hidden)
    places, counts = steps(lengths)
    places = places[:, : len(weights)]
    directions = torch.arange(len(weights))
    states: Tensor = cell.apply(
        torch.cat(tables),
        (indices[places] + len(vectors) * directions).flatten(),
        (places * len(weights) + directions).flatten(),
        counts,
        torch.is_grad_enabled(),
        *weights,
    )
    return states


def steps(lengths: Tensor) -> tuple[Tensor, list[int]]:
    """The order in which sentences of these lengths are read.

    Returns:
        (N, 2): the places that the steps read forwards and backwards, one step after another; and
        how many sentences each step reads.
    """
    starts = lengths.cumsum(0) - lengths
    lengths, order = lengths.sort(descending=True, stable=True)
    step = torch.arange(int(lengths[0]))[:, None]
    inside = step < lengths
    forwards = starts[order] + step
    backwards = starts[order] + lengths - 1 - step
    return torch.stack([forwards[inside], backwards[inside]], dim=1), inside.sum(dim=1).tolist()


class GRU(Function):
    """h' = (1 - z) n + z h, with the gates r and z, and n = tanh(x + r y).

    Here x and y are the input's and the hidden state's shares of n. Gates stand in the order
    r, z, y, n.
    """

    @staticmethod
    def table(shares: Tensor, bias: Tensor) -> Tensor:
        """What the gates start from: shares of the input (V, 3 units) with the hidden bias."""
        (r, z, x), (r_bias, z_bias, y_bias) = shares.chunk(3, dim=1), bias.chunk(3)
        return torch.cat([r + r_bias, z + z_bias, y_bias.expand_as(x), x], dim=1)

    @staticmethod
    def forward(
        ctx: Any,
        table: Tensor,
        looked_up: Tensor,
        order: Tensor,
        counts: list[int],
        keep: bool,
        *weights: Tensor,
    ) -> Tensor:
        """States (N, directions x units).

        Args:
            table: (directions x V, 4 units).
            looked_up: (N x directions,) the row of the table for each step of each direction.
            order: (N x directions,) where the state after each step of each direction belongs.
            counts: how many sentences each step reads.
            keep: what `backward` needs.
            weights: of the hidden state, one a direction.
        """
        gates, states = _buffers(table, weights, counts, keep)
        h = torch.zeros_like(states[: counts[0]])
        for step, gate, state in _steps(looked_up, gates, states, counts):
            h = h[: len(state)]
            torch.index_select(table, 0, step, out=gate.flatten(0, 1).flatten(1))
            for i, weight in enumerate(weights):
                gate[:, i].flatten(1)[:, : len(weight)].addmm_(h[:, i], weight.t())
            gate[:, :, :2].sigmoid_()
            r, z, y, n = gate.unbind(2)
            n.addcmul_(r, y).tanh_()
            h = torch.lerp(n, h, z, out=state)
        ctx.counts = counts
        ctx.save_for_backward(table, looked_up, order, gates, states, *weights)
        return _by_place(states, order)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        """Gradients of the table and the weights."""
        table, looked_up, order, gates, states, *weights = ctx.saved_tensors
        r, z, y, n = gates.unbind(2)
        before = _step_before(states, ctx.counts)
        # How much of a state's gradient each gate gets, for all steps at once.
        shares = torch.empty_like(gates)
        for_r, for_z, for_y, for_n = shares.unbind(2)
        torch.mul(1 - z, 1 - n * n, out=for_n)
        torch.mul(for_n, r, out=for_y)
        torch.mul(for_y, y, out=for_r).mul_(1 - r)
        torch.sub(before, n, out=for_z).mul_(z).mul_(1 - z)
        gradient = gradients[0].view(-1, states.shape[2]).index_select(0, order).view_as(states)
        dh = torch.zeros_like(states[: ctx.counts[0]])
        for share, own, kept in _backwards(ctx.counts, shares, gradient, z):
            h = dh[: len(own)]
            h += own
            share *= h[:, :, None]
            h *= kept
            for i, weight in enumerate(weights):
                h[:, i].addmm_(share[:, i].flatten(1)[:, : len(weight)], weight)
        return _gradients(table, looked_up, shares, before, weights)


class LSTM(Function):
    """c' = f c + i g and h' = o tanh(c'). Gates stand in the order i, f, g, o."""

    @staticmethod
    def table(shares: Tensor, bias: Tensor) -> Tensor:
        """What the gates start from: shares of the input (V, 4 units) with the hidden bias."""
        return shares + bias

    @staticmethod
    def forward(
        ctx: Any,
        table: Tensor,
        looked_up: Tensor,
        order: Tensor,
        counts: list[int],
        keep: bool,
        *weights: Tensor,
    ) -> Tensor:
        """States (N, directions x units); arguments as of `GRU.forward`."""
        gates, states = _buffers(table, weights, counts, keep)
        cells = torch.empty_like(states)
        h = c = torch.zeros_like(states[: counts[0]])
        for (step, gate, state), cell in zip(
            _steps(looked_up, gates, states, counts), cells.split(counts), strict=True
        ):
            torch.index_select(table, 0, step, out=gate.flatten(0, 1).flatten(1))
            for j, weight in enumerate(weights):
                gate[:, j].flatten(1).addmm_(h[: len(state), j], weight.t())
            gate[:, :, :2].sigmoid_()
            i, f, g, o = gate.unbind(2)
            g.tanh_(), o.sigmoid_()
            c = torch.mul(f, c[: len(state)], out=cell).addcmul_(i, g)
            h = torch.tanh(c, out=state).mul_(o)
        ctx.counts = counts
        ctx.save_for_backward(table, looked_up, order, gates, states, cells, *weights)
        return _by_place(states, order)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        """Gradients of the table and the weights."""
        table, looked_up, order, gates, states, cells, *weights = ctx.saved_tensors
        i, f, g, o = gates.unbind(2)
        # How much each gate gets of the gradient of its cell, o of that of its state.
        shares = torch.empty_like(gates)
        for_i, for_f, for_g, for_o = shares.unbind(2)
        torch.mul(g, i, out=for_i).mul_(1 - i)
        torch.mul(_step_before(cells, ctx.counts), f, out=for_f).mul_(1 - f)
        torch.mul(i, 1 - g * g, out=for_g)
        squashed = cells.tanh()
        torch.mul(squashed, o, out=for_o).mul_(1 - o)
        for_c = squashed.square_().neg_().add_(1).mul_(o)
        gradient = gradients[0].view(-1, states.shape[2]).index_select(0, order).view_as(states)
        dh, dc = torch.zeros(2, *states[: ctx.counts[0]].shape, dtype=states.dtype)
        for share, own, to_c, kept in _backwards(ctx.counts, shares, gradient, for_c, f):
            h, c = dh[: len(own)], dc[: len(own)]
            h += own
            c.addcmul_(h, to_c)
            share[:, :, 3] *= h
            share[:, :, :3] *= c[:, :, None]
            c *= kept
            for j, weight in enumerate(weights):
                torch.mm(share[:, j].flatten(1), weight, out=h[:, j])
        return _gradients(table, looked_up, shares, _step_before(states, ctx.counts), weights)


def _buffers(
    table: Tensor, weights: tuple[Tensor, ...], counts: list[int], keep: bool
) -> tuple[Tensor, Tensor]:
    """Gates (N, directions, 4, units), of one step at a time if not kept; and states."""
    shape = len(weights), weights[0].shape[1]
    gates = table.new_empty(sum(counts) if keep else counts[0], shape[0], 4, shape[1])
    return gates, table.new_empty(sum(counts), *shape)


def _steps(
    looked_up: Tensor, gates: Tensor, states: Tensor, counts: list[int]
) -> Iterator[tuple[Tensor, ...]]:
    """Each step's part of the arguments of `forward`."""
    kept = len(gates) == len(states)
    return zip(
        looked_up.split([n * states.shape[1] for n in counts]),
        gates.split(counts) if kept else [gates[:n] for n in counts],
        states.split(counts),
        strict=True,
    )


def _backwards(counts: list[int], *arrays: Tensor) -> Iterator[tuple[Tensor, ...]]:
    """Each step's part of arrays (N, ...), from the last step to the first."""
    return reversed(list(zip(*(array.split(counts) for array in arrays), strict=True)))


def _step_before(states: Tensor, counts: list[int]) -> Tensor:
    """What each step found: the states (N, ...) of the step before, zeros at the first."""
    sizes = torch.tensor(counts)
    rows = torch.arange(counts[0], len(states)) - sizes[:-1].repeat_interleave(sizes[1:])
    before = torch.zeros_like(states)
    torch.index_select(states, 0, rows, out=before[counts[0] :])
    return before


def _by_place(states: Tensor, order: Tensor) -> Tensor:
    """States (N, directions x units) where they belong, from those of each step."""
    result = torch.empty_like(states)
    result.flatten(0, 1)[order] = states.flatten(0, 1)
    return result.flatten(1)


def _gradients(
    table: Tensor, looked_up: Tensor, shares: Tensor, before: Tensor, weights: list[Tensor]
) -> tuple[Tensor | None, ...]:
    """Of the arguments of `forward`, from those of the gates."""
    of_table = torch.zeros_like(table).index_add_(0, looked_up, shares.flatten(0, 1).flatten(1))
    of_weights = (
        shares[:, i].flatten(1)[:, : len(weight)].t() @ before[:, i]
        for i, weight in enumerate(weights)
    )
    return of_table, None, None, None, None, *of_weights
