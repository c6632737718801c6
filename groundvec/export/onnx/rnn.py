"""A recurrent network in ONNX (`groundvec.encoders.rnn`)."""

from typing import cast

import numpy as np
from torch import nn

from groundvec.encoders.pooling import Attention, LastState, MaxPooling
from groundvec.encoders.rnn import Encoder
from groundvec.export.onnx.graph import INT32, Part, Weights, array, joined, linear

# For each gate in ONNX's order, its place in torch's order. GRU: ONNX has update, reset, new; torch
# has reset, update, new. LSTM: ONNX has input, output, forget, cell; torch input, forget, cell,
# output.
GATES = {"gru": [1, 0, 2], "lstm": [0, 3, 1, 2]}


def embedded(encoder: Encoder) -> Part:
    """Compute the `embedded` sentences."""
    last: Part | str = "embedded = Identity(pooled)\n"
    if isinstance(encoder.projection, nn.Linear):
        last = linear("projection", encoder.projection, "pooled", "embedded")
    weights = {"embedding": array(encoder.embedding.weight)}
    return joined(
        ("vectors_of_indices = Gather(embedding, indices)", weights),
        recurrent(encoder.rnn, "vectors_of_indices"),
        pooling(encoder.pooling, "inside"),
        last,
    )


def recurrent(network: nn.GRU | nn.LSTM, read: str) -> Part:
    """Compute the `states` over (batch, longest, width), and those at the `ends`."""
    cell = "lstm" if isinstance(network, nn.LSTM) else "gru"
    direction = "bidirectional" if network.bidirectional else "forward"
    options = f'hidden_size = {network.hidden_size}, direction = "{direction}"'
    if cell == "gru":
        # Torch applies the reset gate after the hidden state's matrix, ONNX by default before it.
        options += ", linear_before_reset = 1"
    lines = f"""
        steps = Transpose<perm = [1, 0, 2]>({read})
        counts = Cast<to = {INT32}>(lengths)
        by_step, ends = {cell.upper()}<{options}>(steps, of_input, of_hidden, rnn_bias, counts)
        by_sentence = Transpose<perm = [2, 0, 1, 3]>(by_step)
        directions_together = Constant<value = int64[3] {{0, 0, -1}}>()
        states = Reshape(by_sentence, directions_together)
    """
    return lines, gates(network, GATES[cell])


def pooling(layer: nn.Module, inside: str) -> Part:
    """Pool the `states` that are `inside` (batch, longest, 1) a sentence: `pooled`."""
    if isinstance(layer, LastState):
        lines = """
            ends_by_sentence = Transpose<perm = [1, 0, 2]>(ends)
            ends_together = Constant<value = int64[2] {0, -1}>()
            pooled = Reshape(ends_by_sentence, ends_together)
        """
        return lines, {}
    if isinstance(layer, MaxPooling):
        lines = f"""
            candidates = Where({inside}, states, lowest)
            pooled = ReduceMax<axes = [1], keepdims = 0>(candidates)
        """
        return lines, {}
    attention = cast(Attention, layer)
    return joined(
        linear("hidden", attention.hidden, "states", "hidden"),
        "bent = Tanh(hidden)",
        linear("out", attention.out, "bent", "scores"),
        f"""
        scores_inside = Where({inside}, scores, lowest)
        shares = Softmax<axis = 1>(scores_inside)
        weighted = Mul(shares, states)
        pooled = ReduceSum<keepdims = 0>(weighted, time)
        """,
    )


def gates(network: nn.GRU | nn.LSTM, order: list[int]) -> Weights:
    """Return the weights of an RNN, stacked by direction, with the gates in ONNX's order."""
    directions = ["", "_reverse"] if network.bidirectional else [""]

    def reordered(name: str) -> np.ndarray:
        weight = array(getattr(network, name))  # (gates * hidden, ...)
        by_gate = weight.reshape(len(order), network.hidden_size, -1)
        return by_gate[order].reshape(weight.shape)

    def stacked(*names: str) -> np.ndarray:
        weights = []
        for direction in directions:
            parts = [reordered(name + direction) for name in names]
            weights.append(np.concatenate(parts))
        return np.stack(weights)

    return {
        "of_input": stacked("weight_ih_l0"),
        "of_hidden": stacked("weight_hh_l0"),
        "rnn_bias": stacked("bias_ih_l0", "bias_hh_l0"),
    }
