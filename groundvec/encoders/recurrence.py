"""The recurrence of a GRU or an LSTM on a CPU, in little more than the time of its multiplications.

It differs from `nn.GRU` and `nn.LSTM` in three ways that save time (docs/performance.md):

- A vocabulary is smaller than a batch. So the input's part of the gates is computed once per
  vector, `W x + b`, into a table, and each step looks its rows up.
- The gradients of the weights are one matrix product after the loop over the steps, not one per
  step.
- Whatever does not depend on another step is computed for all steps at once, in forward and in
  backward.

Sentences are one after another in flat arrays. Step t reads position t of every sentence that is
that long, the longest sentence first. So the sentences of a step are the first ones of the step
before, and no step reads padding. The second direction reads each sentence from its end.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import Function, once_differentiable
from torch.nn.functional import embedding, linear
from torch.nn.utils.rnn import PackedSequence

from groundvec.device import rounds_to_bfloat16

# Recurrent weights of this size or more are multiplied by oneDNN, which first copies them into its
# own layout, once for all steps. Its products took down to half the time of MKL's. Smaller
# weights gain less than the copy costs, in bfloat16 too.
LARGE = 2**17

# Derivatives of activations, from the gradient of the output and the output itself:
# gradient * s (1 - s) for a sigmoid s, and gradient * (1 - t^2) for a tanh t.
sigmoid_backward = torch.ops.aten.sigmoid_backward
tanh_backward = torch.ops.aten.tanh_backward


def hidden_states(
    rnn: nn.GRU | nn.LSTM, vectors: Tensor, indices: Tensor, lengths: Tensor
) -> Tensor:
    """Compute the states (N, directions x units) of a one-layer RNN at every position.

    They equal `rnn(vectors[sentence])` up to rounding, which `groundvec.device.choose` may have set
    to bfloat16.

    Args:
        vectors: (V, input) of the vocabulary.
        indices: (N,) rows of `vectors` that the sentences read, one sentence after another.
        lengths: (B,) of the sentences.
    """
    if indices.device.type != "cpu":
        return packed_states(rnn, vectors, indices, lengths)
    cell = GRU if isinstance(rnn, nn.GRU) else LSTM
    if len(vectors) > len(indices):
        # The batch is smaller than the vocabulary: compute a row per position, not per vector.
        vectors = embedding(indices, vectors)
        indices = torch.arange(len(indices))
    tables = []
    weights = []
    for suffix in ("", "_reverse")[: 1 + rnn.bidirectional]:
        input_weight = getattr(rnn, "weight_ih_l0" + suffix)
        hidden_weight = getattr(rnn, "weight_hh_l0" + suffix)
        input_bias = getattr(rnn, "bias_ih_l0" + suffix)
        hidden_bias = getattr(rnn, "bias_hh_l0" + suffix)
        tables.append(cell.table(linear(vectors, input_weight, input_bias), hidden_bias))
        rounded = rounds_to_bfloat16() and _is_large(hidden_weight)
        weights.append(hidden_weight.bfloat16() if rounded else hidden_weight)
    positions, batch_sizes = steps(lengths)
    positions = positions[:, : len(weights)]
    # Both directions' tables become one, and the result is an array (N x directions, units): the
    # second direction's rows come after the first's in the one, and after each in the other.
    directions = torch.arange(len(weights))
    table_rows = indices[positions] + len(vectors) * directions
    result_rows = (positions * len(weights) + directions).flatten()
    keep_gates = torch.is_grad_enabled()
    return cell.apply(torch.cat(tables), table_rows, result_rows, batch_sizes, keep_gates, *weights)


def packed_states(
    rnn: nn.GRU | nn.LSTM, vectors: Tensor, indices: Tensor, lengths: Tensor
) -> Tensor:
    """Compute `hidden_states` by torch's own layer, which uses cuDNN on a GPU."""
    positions, batch_sizes = steps(lengths)
    forwards = positions[:, 0].to(indices.device)
    packed = PackedSequence(embedding(indices[forwards], vectors), torch.tensor(batch_sizes))
    states: Tensor = rnn(packed)[0].data
    return torch.empty_like(states).index_copy(0, forwards, states)


def steps(lengths: Tensor) -> tuple[Tensor, list[int]]:
    """Order the positions of sentences of these lengths by the step that reads them.

    Returns:
        (N, 2): the positions that the steps read forwards and backwards, one step after another;
            and the number of sentences of each step.
    """
    starts = lengths.cumsum(0) - lengths
    lengths, order = lengths.sort(descending=True, stable=True)
    step = torch.arange(int(lengths[0]))[:, None]
    inside = step < lengths
    forwards = starts[order] + step
    backwards = starts[order] + lengths - 1 - step
    return torch.stack([forwards[inside], backwards[inside]], dim=1), inside.sum(dim=1).tolist()


class GRU(Function):
    """h' = (1 - z) n + z h, with gates r and z, and n = tanh(x + r y).

    Here x is the input's part of n and y the hidden state's; r and z are sigmoids of the sum of
    both parts. The gates are stored in the order r, z, y, n: the weights of the hidden state, whose
    rows are r, z, y, then write to the first three quarters. The last quarter holds x, then n.
    """

    @staticmethod
    def table(input_part: Tensor, bias: Tensor) -> Tensor:
        """Add the hidden bias to the input's part (V, 3 units) of the gates: (V, 4 units)."""
        r, z, x = input_part.chunk(3, dim=1)
        r_bias, z_bias, y_bias = bias.chunk(3)
        return torch.cat([r + r_bias, z + z_bias, y_bias.expand_as(x), x], dim=1)

    @staticmethod
    def forward(
        ctx: Any,
        table: Tensor,
        table_rows: Tensor,
        result_rows: Tensor,
        batch_sizes: list[int],
        keep_gates: bool,
        *weights: Tensor,
    ) -> Tensor:
        """Compute the states (N, directions x units).

        Args:
            table: (directions x V, 4 units) the input's part of the gates.
            table_rows: (N, directions) the row of the table that each step of each direction reads.
            result_rows: (N x directions,) the row of the result for each step of each direction.
            batch_sizes: the number of sentences of each step.
            keep_gates: whether `backward` follows. Otherwise memory is taken for the gates of one
                step alone, which stay in the processor's cache.
            weights: (3 units, units) of the hidden state, for each direction.
        """
        gates = _empty(table, table_rows[: None if keep_gates else batch_sizes[0]], 4)
        states = _empty(table, table_rows, 1)[:, :, 0]
        if keep_gates:
            _look_up(table, table_rows, gates)
        hidden_parts = _hidden_parts(gates, weights)
        add_products = [_adder(weight.t()) for weight in weights]
        h = torch.zeros_like(states[: batch_sizes[0]])
        # A step is a dozen small calls, and each costs time. So the views of all steps are cut
        # beforehand, everything is computed in place, and one call does r and z, which are `rz`.
        for rows, step_gates, rz, r, z, y, n, state, *parts in by_step(
            batch_sizes, table_rows, gates, gates[:, :, :2], *gates.unbind(2), states, *hidden_parts
        ):
            if not keep_gates:
                _look_up(table, rows, step_gates)
            h = h[: len(state)]  # sentences that have ended were the last ones
            _add_products(add_products, parts, h.unbind(1))
            rz.sigmoid_()
            n.addcmul_(r, y).tanh_()
            h = torch.lerp(n, h, z, out=state)  # n + z (h - n)
        ctx.batch_sizes = batch_sizes
        ctx.save_for_backward(table, table_rows, result_rows, gates, states, *weights)
        return _by_position(states, result_rows)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        """Compute the gradients of the table and the weights."""
        table, table_rows, result_rows, gates, states, *weights = ctx.saved_tensors
        r, z, y, n = gates.unbind(2)
        states_before = _step_before(states, ctx.batch_sizes)
        # A gate's gradient, before its sigmoid or tanh, is a factor times the state's gradient. The
        # factors need no other step, and are computed first, for all steps at once:
        #   for n: (1 - z) (1 - n^2)
        #   for y: r (factor for n)
        #   for r: y (factor for n) r (1 - r)
        #   for z: (h - n) z (1 - z), where h is the state of the step before
        gate_gradients = torch.empty_like(gates)
        for_r, for_z, for_y, for_n = gate_gradients.unbind(2)
        tanh_backward(1 - z, n, grad_input=for_n)
        torch.mul(for_n, r, out=for_y)
        sigmoid_backward(for_n * y, r, grad_input=for_r)
        sigmoid_backward(states_before - n, z, grad_input=for_z)
        hidden_parts = _hidden_parts(gate_gradients, weights)
        add_products = [_adder(weight) for weight in weights]
        state_gradients = _by_step_order(gradients[0], result_rows, states)
        dh = torch.zeros_like(states[: ctx.batch_sizes[0]])
        # Then from the last step to the first. A state's gradient is the result's, plus two parts
        # from the next step: directly by z, and from the gates through the weights.
        for of_result, of_gates, z_of_step, *parts in reversed(
            by_step(ctx.batch_sizes, state_gradients, gate_gradients, z, *hidden_parts)
        ):
            h = dh[: len(of_result)]
            h += of_result
            of_gates *= h[:, :, None]
            h *= z_of_step
            _add_products(add_products, h.unbind(1), parts)
        return _gradients(table, table_rows, gate_gradients, states_before, hidden_parts, weights)


class LSTM(Function):
    """c' = f c + i g and h' = o tanh(c'); i, f and o are sigmoids, and g is a tanh.

    The gates are stored in torch's order i, f, g, o.
    """

    @staticmethod
    def table(input_part: Tensor, bias: Tensor) -> Tensor:
        """Add the hidden bias to the input's part (V, 4 units) of the gates."""
        return input_part + bias

    @staticmethod
    def forward(
        ctx: Any,
        table: Tensor,
        table_rows: Tensor,
        result_rows: Tensor,
        batch_sizes: list[int],
        keep_gates: bool,
        *weights: Tensor,
    ) -> Tensor:
        """Compute the states (N, directions x units); see `GRU.forward`. Weights have 4 units."""
        held_rows = table_rows[: None if keep_gates else batch_sizes[0]]
        gates = _empty(table, held_rows, 4)
        cells = _empty(table, held_rows, 1)[:, :, 0]
        states = _empty(table, table_rows, 1)[:, :, 0]
        if keep_gates:
            _look_up(table, table_rows, gates)
        hidden_parts = _hidden_parts(gates, weights)
        add_products = [_adder(weight.t()) for weight in weights]
        h = torch.zeros_like(states[: batch_sizes[0]])
        c = h
        for rows, step_gates, i_f, i, f, g, o, state, cell, *parts in by_step(
            batch_sizes,
            table_rows,
            gates,
            gates[:, :, :2],
            *gates.unbind(2),
            states,
            cells,
            *hidden_parts,
        ):
            if not keep_gates:
                _look_up(table, rows, step_gates)
            h = h[: len(state)]
            c = c[: len(state)]
            _add_products(add_products, parts, h.unbind(1))
            i_f.sigmoid_()
            g.tanh_()
            o.sigmoid_()
            c = torch.mul(f, c, out=cell).addcmul_(i, g)
            h = torch.tanh(c, out=state).mul_(o)
        ctx.batch_sizes = batch_sizes
        ctx.save_for_backward(table, table_rows, result_rows, gates, states, cells, *weights)
        return _by_position(states, result_rows)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        """Compute the gradients of the table and the weights."""
        table, table_rows, result_rows, gates, states, cells, *weights = ctx.saved_tensors
        i, f, g, o = gates.unbind(2)
        # As in `GRU.backward`, factors first. Three multiply the cell's gradient:
        #   for i: g i (1 - i)
        #   for f: c f (1 - f), where c is the cell of the step before
        #   for g: i (1 - g^2)
        # Two multiply the state's gradient:
        #   for o: tanh(c') o (1 - o)
        #   for the cell: o (1 - tanh(c')^2)
        gate_gradients = torch.empty_like(gates)
        for_i, for_f, for_g, for_o = gate_gradients.unbind(2)
        sigmoid_backward(g, i, grad_input=for_i)
        sigmoid_backward(_step_before(cells, ctx.batch_sizes), f, grad_input=for_f)
        tanh_backward(i, g, grad_input=for_g)
        squashed = cells.tanh()
        sigmoid_backward(squashed, o, grad_input=for_o)
        for_c = tanh_backward(o, squashed)
        hidden_parts = _hidden_parts(gate_gradients, weights)
        add_products = [_adder(weight) for weight in weights]
        state_gradients = _by_step_order(gradients[0], result_rows, states)
        dh, dc = torch.zeros_like(torch.stack([states[: ctx.batch_sizes[0]]] * 2))
        for of_result, of_i_f_g, of_o, c_factor, f_of_step, *parts in reversed(
            by_step(
                ctx.batch_sizes,
                state_gradients,
                gate_gradients[:, :, :3],
                for_o,
                for_c,
                f,
                *hidden_parts,
            )
        ):
            h = dh[: len(of_result)]
            c = dc[: len(of_result)]
            h += of_result
            c.addcmul_(h, c_factor)
            of_o *= h
            of_i_f_g *= c[:, :, None]
            # To the step before, the cell passes its gradient on by f, and the state by the weights
            # alone.
            c *= f_of_step
            h.zero_()
            _add_products(add_products, h.unbind(1), parts)
        states_before = _step_before(states, ctx.batch_sizes)
        return _gradients(table, table_rows, gate_gradients, states_before, hidden_parts, weights)


def _empty(table: Tensor, rows: Tensor, parts: int) -> Tensor:
    """Allocate `parts` quarters of a table row for each of these rows: (..., parts, units)."""
    return table.new_empty(*rows.shape, parts, table.shape[1] // 4)


def _look_up(table: Tensor, rows: Tensor, gates: Tensor) -> None:
    """Write rows of the table to gates (..., 4, units)."""
    torch.index_select(table, 0, rows.flatten(), out=gates.view(-1, table.shape[1]))


def _hidden_parts(gates: Tensor, weights: Sequence[Tensor]) -> list[Tensor]:
    """Return for each direction the columns (N, rows of its weight) of the gates.

    These are all columns that depend on the hidden state: all four gates of an LSTM, the first
    three of a GRU.
    """
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


def _add_products(
    add_products: Sequence[Callable[[Tensor, Tensor], Tensor]],
    totals: Sequence[Tensor],
    factors: Sequence[Tensor],
) -> None:
    """Add each direction's product to its total; see `_adder`."""
    for add_product, total, factor in zip(add_products, totals, factors, strict=True):
        add_product(total, factor)


def _is_large(weight: Tensor) -> bool:
    """Return whether oneDNN multiplies by this weight."""
    has_onednn = weight.dtype != torch.float64 and torch.backends.mkldnn.is_available()
    return has_onednn and weight.numel() >= LARGE


def by_step(batch_sizes: list[int], *arrays: Tensor) -> list[tuple[Tensor, ...]]:
    """List each step's rows of arrays (N, ...), or the first rows of arrays that hold one step."""

    def rows(array: Tensor) -> Sequence[Tensor]:
        if len(array) == sum(batch_sizes):
            return torch.split(array, batch_sizes)
        return [array[:count] for count in batch_sizes]

    return list(zip(*map(rows, arrays), strict=True))


def _step_before(states: Tensor, batch_sizes: list[int]) -> Tensor:
    """Return the states (N, ...) after the step before, zeros at the first."""
    sizes = torch.tensor(batch_sizes)
    rows = torch.arange(batch_sizes[0], len(states)) - sizes[:-1].repeat_interleave(sizes[1:])
    before = torch.zeros_like(states)
    torch.index_select(states, 0, rows, out=before[batch_sizes[0] :])
    return before


def _by_position(states: Tensor, result_rows: Tensor) -> Tensor:
    """Reorder states (N, directions, units) from steps to sentences: (N, directions x units)."""
    result = states.new_empty(len(result_rows), states.shape[2])
    return result.index_copy_(0, result_rows, states.flatten(0, 1)).view(len(states), -1)


def _by_step_order(gradient: Tensor, result_rows: Tensor, states: Tensor) -> Tensor:
    """Undo `_by_position`, for the states' gradient."""
    return gradient.reshape(len(result_rows), -1)[result_rows].view_as(states)


def _gradients(
    table: Tensor,
    table_rows: Tensor,
    gate_gradients: Tensor,
    states_before: Tensor,
    hidden_parts: list[Tensor],
    weights: list[Tensor],
) -> tuple[Tensor | None, ...]:
    """Compute the gradients of the arguments of `forward` from the gates' gradients."""
    # A row of the table gets the sum over all steps that read it.
    of_table = torch.zeros_like(table).index_add_(
        0, table_rows.flatten(), gate_gradients.flatten(0, 1).flatten(1)
    )
    # The products of all steps together are one: the sum over N of outer products.
    of_weights = []
    for direction, (part, weight) in enumerate(zip(hidden_parts, weights, strict=True)):
        before = states_before[:, direction].to(weight.dtype)
        of_weights.append(part.to(weight.dtype).t() @ before)
    # The arguments between the table and the weights have no gradient.
    return of_table, None, None, None, None, *of_weights
