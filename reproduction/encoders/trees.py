"""A recursive network over trees (Socher et al. 2014, section 3).

Over dependency trees it is the paper's DT-RNN or SDT-RNN. Over binary trees, whose phrases have no
word, it is the CT-RNN. Over chains, where each word is the child of the next, it is the
recurrent network.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.autograd.function import Function, once_differentiable

from reproduction.encoders.mean import word_vectors

NOISE = 0.01  # standard deviation of the noise on initial identities; the paper does not report it

NONLINEARITIES = {
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "relu": torch.relu,
    "none": torch.clone,
}
# Their derivatives: the gradient of the input, from the gradient of the output and the output.
BACKWARD: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "tanh": torch.ops.aten.tanh_backward,
    "sigmoid": torch.ops.aten.sigmoid_backward,
    "relu": lambda gradient, out: gradient * (out > 0),
    "none": lambda gradient, out: gradient,
}


class Encoder(nn.Module):
    """Fixed word vectors -> a vector at every node, from the leaves up -> the root's.

    h_i = f((W_v x_i + sum over its children j of l(j) W_ij h_j) / l(i)), where l counts the words
    under a node (Eq. 4). W_ij is the matrix of the child's relation, or of its position among the
    children; a relation or position that training has not met has the identity.
    """

    vectors: Tensor

    def __init__(
        self, text: Any, size: int, compose: str, weighted: bool = True, nonlinearity: str = "tanh"
    ) -> None:
        """Build an untrained network: identities with noise; `trees.yaml` has the options."""
        super().__init__()
        self.by_relation = compose == "relation"
        self.weighted = weighted
        self.nonlinearity = nonlinearity
        kinds = len(text.relations if self.by_relation else text.places)
        self.register_buffer("vectors", word_vectors(text))
        self.word = nn.Parameter(_identities(size, text.dimension))
        self.matrices = nn.Parameter(_identities(kinds, size, size))

    def forward(
        self,
        words: Tensor,
        lengths: Tensor,
        parents: Tensor,
        relations: Tensor,
        places: Tensor,
        heights: Tensor,
        sizes: Tensor,
    ) -> Tensor:
        """Embed a batch of `reproduction.text.trees.Trees`: (B, size)."""
        order, levels = _levels(parents, heights, relations if self.by_relation else places)
        row = torch.empty_like(order)  # of each node in that order
        row[order] = torch.arange(len(order))
        weights = sizes[order] if self.weighted else torch.ones_like(order)
        device = words.device
        states: Tensor = Recursion.apply(
            self.vectors[words[order.to(device)]] @ self.word.t(),
            self.matrices,
            row[parents[order]].to(device),
            weights.to(device, self.word.dtype)[:, None],
            levels,
            self.nonlinearity,
        )
        return states[-len(lengths) :]


def _identities(*shape: int) -> Tensor:
    """Make identity matrices (..., rows, columns), cut or filled up with zeros, with noise."""
    matrices = torch.normal(0.0, NOISE, shape)
    matrices.diagonal(dim1=-2, dim2=-1).add_(1)
    return matrices


# The nodes of one height, so that none needs another; and their runs of one kind, which share a
# matrix: the kind of each run, and its nodes.
Level = tuple[slice, list[tuple[int, slice]]]


def _levels(parents: Tensor, heights: Tensor, kinds: Tensor) -> tuple[Tensor, list[Level]]:
    """Order the nodes (N,) from the leaves up, and cut them into levels.

    The roots come last, in the order of their trees.
    """
    level = np.where(parents.numpy() < 0, heights.max() + 1, heights.numpy())
    order = np.lexsort((kinds.numpy(), level))
    level = level[order]
    kind = kinds.numpy()[order]
    starts = np.flatnonzero(np.diff(level, prepend=-1) | np.diff(kind, prepend=-1))
    runs = list(zip(kind[starts].tolist(), _slices(starts, len(order)), strict=True))
    first_runs = np.flatnonzero(np.diff(level[starts], prepend=-1))  # of each level
    nodes = _slices(starts[first_runs], len(order))
    runs_of_levels = [runs[run] for run in _slices(first_runs, len(starts))]
    return torch.from_numpy(order), list(zip(nodes, runs_of_levels, strict=True))


def _slices(starts: np.ndarray, stop: int) -> list[slice]:
    """Return slices from each start to the next, and from the last one to `stop`."""
    ends = [*starts[1:].tolist(), stop]
    return [slice(start, end) for start, end in zip(starts.tolist(), ends, strict=True)]


class Recursion(Function):
    """The states of nodes, level by level.

    In the terms of Eq. 4, a node's total is the sum before the division by l(i), and its message
    is W_ij h_j, which it sends to its parent.
    """

    @staticmethod
    def forward(
        ctx: Any,
        inputs: Tensor,
        matrices: Tensor,
        parents: Tensor,
        weights: Tensor,
        levels: list[Level],
        nonlinearity: str,
    ) -> Tensor:
        """Compute the states (N, size) of nodes in the order of `_levels`.

        Args:
            inputs: (N, size) W_v x of the nodes' own words.
            matrices: (kinds, size, size); a larger kind has the identity.
            parents: (N,) rows; a root's is not used.
            weights: (N, 1) the l of Eq. 4.
        """
        totals = inputs.clone()
        states = torch.empty_like(inputs)
        messages = torch.empty_like(inputs)
        transposed = matrices.mT.unbind()
        for nodes, runs in levels:
            states[nodes] = NONLINEARITIES[nonlinearity](totals[nodes] / weights[nodes])
            if nodes.stop == len(states):
                break  # roots send no message
            for kind, rows in runs:
                if kind < len(transposed):
                    torch.mm(states[rows], transposed[kind], out=messages[rows])
                else:
                    messages[rows] = states[rows]
            totals.index_add_(0, parents[nodes], messages[nodes].mul_(weights[nodes]))
        ctx.levels = levels
        ctx.nonlinearity = nonlinearity
        ctx.save_for_backward(matrices, parents, weights, states)
        return states

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        """Compute the gradients of the inputs and the matrices."""
        matrices, parents, weights, states = ctx.saved_tensors
        of_states = gradients[0].clone()
        of_totals = torch.empty_like(states)
        of_matrices = torch.zeros_like(matrices)
        messages = torch.empty_like(states)  # their gradients
        pairs = list(zip(matrices.unbind(), of_matrices.unbind(), strict=True))
        # From the roots down: a parent's total passes its gradient to the children's messages.
        for nodes, runs in reversed(ctx.levels):
            if nodes.stop < len(states):
                torch.mul(of_totals[parents[nodes]], weights[nodes], out=messages[nodes])
                for kind, rows in runs:
                    message = messages[rows]
                    if kind < len(pairs):
                        matrix, of_matrix = pairs[kind]
                        of_states[rows].addmm_(message, matrix)
                        of_matrix.addmm_(message.t(), states[rows])
                    else:
                        of_states[rows] += message
            gradient = BACKWARD[ctx.nonlinearity](of_states[nodes], states[nodes])
            torch.div(gradient, weights[nodes], out=of_totals[nodes])
        return of_totals, of_matrices, None, None, None, None
