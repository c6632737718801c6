"""Helpers that write parts of ONNX graphs.

A part consists of lines in the syntax of `onnx.parser`, and of the weights that they name. The
operators are explained at https://onnx.ai/onnx/operators.
"""

import numpy as np
from onnx import TensorProto
from torch import Tensor, nn

# Types, as the operator `Cast` numbers them.
FLOAT = TensorProto.FLOAT
INT32 = TensorProto.INT32
Weights = dict[str, np.ndarray]
Part = tuple[str, Weights]


def joined(*parts: Part | str) -> Part:
    """Join parts of a graph, or lines without weights, one after another."""
    every_line = []
    every_weight: Weights = {}
    for part in parts:
        lines, weights = (part, {}) if isinstance(part, str) else part
        every_line.append(lines)
        every_weight |= weights
    return "\n".join(every_line), every_weight


def linear(name: str, layer: nn.Module, source: str, result: str) -> Part:
    """Compute a linear layer of torch, whose weights are (out, in)."""
    lines = f"""
        {name}_columns = Transpose<perm = [1, 0]>({name}_weight)
        {name}_product = MatMul({source}, {name}_columns)
        {result} = Add({name}_product, {name}_bias)
    """
    return lines, {f"{name}_{key}": array(value) for key, value in layer.named_parameters()}


def by_idf(result: str) -> str:
    """Write lines that multiply the vectors of `indices` by their idf; 0 outside the sentence."""
    return f"""
        vectors_of_indices = Gather(embedding, indices)
        nothing = Constant<value_float = 0.0>()
        weights_of_indices = Gather(idf, indices)
        weights_inside = Where(inside_rows, weights_of_indices, nothing)
        weights_columns = Unsqueeze(weights_inside, last_axis)
        {result} = Mul(vectors_of_indices, weights_columns)
    """


def at_end(source: str, result: str, similarity: str) -> str:
    """Write `groundvec.similarity.embed` as a line: cosines compare vectors of unit length."""
    operator = "LpNormalization" if similarity == "cosine" else "Identity"
    return f"{result} = {operator}({source})\n"


def array(value: Tensor) -> np.ndarray:
    """Convert a weight to NumPy."""
    return value.detach().cpu().numpy()
