"""The recurrence of a GRU or an LSTM on a CPU, in little more than the time of its multiplications.

Unlike in `nn.GRU` and `nn.LSTM`, the input's share of the gates is looked up in a table, the
weights' gradients are one product at the end, and what need not wait for another step is computed
for all of them at once (docs/performance.md).

Sentences stand one after another. A step reads one place of every sentence that is that long, the
longest sentence first, so that each step's sentences are the first ones of the step before; the
second direction reads each sentence from its end.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import Function, once_differentiable
from torch.nn.functional import embedding, linear
from torch.nn.utils.rnn import PackedSequence

from groundvec.device import rounds_to_bfloat16

# Weights of so many numbers are brought into oneDNN's layout once for all steps: its products took
# down to half the time of MKL's. Smaller ones gain too little to pay for it, even in bfloat16.
LARGE = 2**17

# Of a gate: the gradient of its value, and its value in; the gradient of what it was made of out.
sigmoid_backward = torch.ops.aten.sigmoid_backward
tanh_backward = torch.ops.aten.tanh_backward


def hidden_states(
    rnn: nn.GRU | nn.LSTM, vectors: Tensor, indices: Tensor, lengths: Tensor
) -> Tensor:
    """Compute the states (N, directions x units) of a one-layer RNN at every place.

    They are those of `rnn(vectors[sentence])`, up to rounding, which `groundvec.device.choose` may
    have set to bfloat16.

    Args:
        vectors: (V, input) that can be read.
        indices: (N,) which of them the sentences read, one after another.
        lengths: (B,) of the sentences.
    """
    if indices.device.type != "cpu":
        return packed_states(rnn, vectors, indices, lengths)
    cell = GRU if isinstance(rnn, nn.GRU) else LSTM
    if len(vectors) > len(indices):  # a table of them all would be the larger one
        vectors = embedding(indices, vectors)
        indices = torch.arange(len(indices))
    tables = []
    weights = []
    for suffix in ("", "_reverse")[: 1 + rnn.bidirectional]:
        of_input, of_hidden, input_bias, hidden_bias = (
            getattr(rnn, name + suffix)
            for name in ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
        )
        tables.append(cell.table(linear(vectors, of_input, input_bias), hidden_bias))
        rounded = rounds_to_bfloat16() and _is_large(of_hidden)
        weights.append(of_hidden.bfloat16() if rounded else of_hidden)
    places, counts = steps(lengths)
    places = places[:, : len(weights)]
    directions = torch.arange(len(weights))
    looked_up = indices[places] + len(vectors) * directions
    order = (places * len(weights) + directions).flatten()
    keep = torch.is_grad_enabled()
    return cell.apply(torch.cat(tables), looked_up, order, counts, keep, *weights)


def packed_states(
    rnn: nn.GRU | nn.LSTM, vectors: Tensor, indices: Tensor, lengths: Tensor
) -> Tensor:
    """Compute `hidden_states` by torch's own layer: on a GPU by cuDNN."""
    places, counts = steps(lengths)
    forwards = places[:, 0].to(indices.device)
    packed = PackedSequence(embedding(indices[forwards], vectors), torch.tensor(counts))
    states: Tensor = rnn(packed)[0].data
    return torch.empty_like(states).index_copy(0, forwards, states)


def steps(lengths: Tensor) -> tuple[Tensor, list[int]]:
    """Order the places in which sentences of these lengths are read.

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
        """Add the hidden bias to the input's shares (V, 3 units) of the gates."""
        (r, z, x) = shares.chunk(3, dim=1)
        (r_bias, z_bias, y_bias) = bias.chunk(3)
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
        """Compute the states (N, directions x units).

        Args:
            table: (directions x V, 4 units).
            looked_up: (N, directions) the row of the table for each step of each direction.
            order: (N x directions,) where the state after each step of each direction belongs.
            counts: how many sentences each step reads.
            keep: whether `backward` follows. Otherwise the gates of one step at a time are held, in
                the processor's cache.
            weights: (3 units, units) of the hidden state, for each direction.
        """
        gates = _empty(table, looked_up[: None if keep else counts[0]], 4)
        states = _empty(table, looked_up, 1)[:, :, 0]
        if keep:
            torch.index_select(table, 0, looked_up.flatten(), out=gates.view(-1, table.shape[1]))
        products = _shares(gates, weights)
        adders = [_adder(weight.t()) for weight in weights]
        h = torch.zeros_like(states[: counts[0]])
        for rows, step, rz, r, z, y, n, state, *shares in by_step(
            counts, looked_up, gates, gates[:, :, :2], *gates.unbind(2), states, *products
        ):
            if not keep:
                torch.index_select(table, 0, rows.flatten(), out=step.view(-1, table.shape[1]))
            h = h[: len(state)]
            for add, share, own in zip(adders, shares, h.unbind(1), strict=True):
                add(share, own)
            rz.sigmoid_()
            n.addcmul_(r, y).tanh_()
            h = torch.lerp(n, h, z, out=state)
        ctx.counts = counts
        ctx.save_for_backward(table, looked_up, order, gates, states, *weights)
        return _by_place(states, order)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        """Compute the gradients of the table and the weights."""
        table, looked_up, order, gates, states, *weights = ctx.saved_tensors
        r, z, y, n = gates.unbind(2)
        before = _step_before(states, ctx.counts)
        # How much of a state's gradient each gate gets, for all steps at once.
        shares = torch.empty_like(gates)
        for_r, for_z, for_y, for_n = shares.unbind(2)
        tanh_backward(1 - z, n, grad_input=for_n)
        torch.mul(for_n, r, out=for_y)
        sigmoid_backward(for_n * y, r, grad_input=for_r)
        sigmoid_backward(before - n, z, grad_input=for_z)
        products = _shares(shares, weights)
        adders = [_adder(weight) for weight in weights]
        gradient = _by_step(gradients[0], order, states)
        dh = torch.zeros_like(states[: ctx.counts[0]])
        for own, share, kept, *parts in reversed(
            by_step(ctx.counts, gradient, shares, z, *products)
        ):
            h = dh[: len(own)]
            h += own
            share *= h[:, :, None]
            h *= kept
            for add, total, part in zip(adders, h.unbind(1), parts, strict=True):
                add(total, part)
        return _gradients(table, looked_up, shares, before, products, weights)


class LSTM(Function):
    """c' = f c + i g and h' = o tanh(c'). Gates stand in the order i, f, g, o."""

    @staticmethod
    def table(shares: Tensor, bias: Tensor) -> Tensor:
        """Add the hidden bias to the input's shares (V, 4 units) of the gates."""
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
        """Compute the states (N, directions x units); see `GRU.forward`, with 4 units."""
        held = looked_up[: None if keep else counts[0]]
        gates = _empty(table, held, 4)
        cells = _empty(table, held, 1)[:, :, 0]
        states = _empty(table, looked_up, 1)[:, :, 0]
        if keep:
            torch.index_select(table, 0, looked_up.flatten(), out=gates.view(-1, table.shape[1]))
        products = _shares(gates, weights)
        adders = [_adder(weight.t()) for weight in weights]
        h = c = torch.zeros_like(states[: counts[0]])
        for rows, step, i_f, i, f, g, o, state, cell, *shares in by_step(
            counts, looked_up, gates, gates[:, :, :2], *gates.unbind(2), states, cells, *products
        ):
            if not keep:
                torch.index_select(table, 0, rows.flatten(), out=step.view(-1, table.shape[1]))
            h = h[: len(state)]
            c = c[: len(state)]
            for add, share, own in zip(adders, shares, h.unbind(1), strict=True):
                add(share, own)
            i_f.sigmoid_()
            g.tanh_()
            o.sigmoid_()
            c = torch.mul(f, c, out=cell).addcmul_(i, g)
            h = torch.tanh(c, out=state).mul_(o)
        ctx.counts = counts
        ctx.save_for_backward(table, looked_up, order, gates, states, cells, *weights)
        return _by_place(states, order)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        """Compute the gradients of the table and the weights."""
        table, looked_up, order, gates, states, cells, *weights = ctx.saved_tensors
        i, f, g, o = gates.unbind(2)
        # How much each gate gets of the gradient of its cell, o of that of its state.
        shares = torch.empty_like(gates)
        for_i, for_f, for_g, for_o = shares.unbind(2)
        sigmoid_backward(g, i, grad_input=for_i)
        sigmoid_backward(_step_before(cells, ctx.counts), f, grad_input=for_f)
        tanh_backward(i, g, grad_input=for_g)
        squashed = cells.tanh()
        sigmoid_backward(squashed, o, grad_input=for_o)
        for_c = tanh_backward(o, squashed)
        products = _shares(shares, weights)
        adders = [_adder(weight) for weight in weights]
        gradient = _by_step(gradients[0], order, states)
        dh, dc = torch.zeros_like(torch.stack([states[: ctx.counts[0]]] * 2))
        for own, of_cell, of_state, to_c, kept, *parts in reversed(
            by_step(ctx.counts, gradient, shares[:, :, :3], for_o, for_c, f, *products)
        ):
            h = dh[: len(own)]
            c = dc[: len(own)]
            h += own
            c.addcmul_(h, to_c)
            of_state *= h
            of_cell *= c[:, :, None]
            c *= kept
            h.zero_()
            for add, total, part in zip(adders, h.unbind(1), parts, strict=True):
                add(total, part)
        before = _step_before(states, ctx.counts)
        return _gradients(table, looked_up, shares, before, products, weights)


def _empty(table: Tensor, looked_up: Tensor, parts: int) -> Tensor:
    """Make an array for `parts` quarters of the table's rows: (N, directions, parts, units)."""
    return table.new_empty(*looked_up.shape, parts, table.shape[1] // 4)


def _shares(gates: Tensor, weights: Sequence[Tensor]) -> list[Tensor]:
    """Return for each direction the columns (N, units of gates) that its weights make."""
    return [gates[:, i].flatten(1)[:, : len(weight)] for i, weight in enumerate(weights)]


def _adder(weight: Tensor) -> Callable[[Tensor, Tensor], Tensor]:
    """Return a function of a total and a factor that adds `factor @ weight` to the total."""
    if not _is_large(weight):
        return lambda total, factor: total.addmm_(factor, weight)
    packed = torch.ops.mkldnn._reorder_linear_weight(weight.t())
    multiply = torch.ops.mkldnn._linear_pointwise
    return lambda total, factor: total.add_(
        multiply(factor.to(weight.dtype), packed, None, "none", [], "")
    )


def _is_large(weight: Tensor) -> bool:
    """Return whether oneDNN multiplies by this weight."""
    single = weight.dtype != torch.float64
    return single and weight.numel() >= LARGE and torch.backends.mkldnn.is_available()


def by_step(counts: list[int], *arrays: Tensor) -> list[tuple[Tensor, ...]]:
    """List each step's rows of arrays (N, ...), or the first ones of those that hold one step."""

    def rows(array: Tensor) -> Sequence[Tensor]:
        if len(array) == sum(counts):
            return torch.split(array, counts)
        return [array[:count] for count in counts]

    return list(zip(*map(rows, arrays), strict=True))


def _step_before(states: Tensor, counts: list[int]) -> Tensor:
    """Return the states (N, ...) after the step before, zeros at the first."""
    sizes = torch.tensor(counts)
    rows = torch.arange(counts[0], len(states)) - sizes[:-1].repeat_interleave(sizes[1:])
    before = torch.zeros_like(states)
    torch.index_select(states, 0, rows, out=before[counts[0] :])
    return before


def _by_place(states: Tensor, order: Tensor) -> Tensor:
    """Put states (N, directions, units) by step where they belong: (N, directions x units)."""
    result = states.new_empty(len(order), states.shape[2])
    return result.index_copy_(0, order, states.flatten(0, 1)).view(len(states), -1)


def _by_step(gradient: Tensor, order: Tensor, states: Tensor) -> Tensor:
    """Undo `_by_place`, for the states' gradient."""
    return gradient.reshape(len(order), -1)[order].view_as(states)


def _gradients(
    table: Tensor,
    looked_up: Tensor,
    shares: Tensor,
    before: Tensor,
    products: list[Tensor],
    weights: list[Tensor],
) -> tuple[Tensor | None, ...]:
    """Compute the gradients of the arguments of `forward` from those of the gates."""
    of_table = torch.zeros_like(table).index_add_(
        0, looked_up.flatten(), shares.flatten(0, 1).flatten(1)
    )
    of_weights = (
        product.to(weight.dtype).t() @ before[:, i].to(weight.dtype)
        for i, (product, weight) in enumerate(zip(products, weights, strict=True))
    )
    return of_table, None, None, None, None, *of_weights
