"""A recursive network over trees (Socher et al. 2014, section 3).

Over dependency trees it is the paper's DT-RNN or SDT-RNN; over binary trees, whose phrases have no
word, its CT-RNN; over chains, in which each word is the child of the next, its recurrent network.
"""

from collections.abc import Callable
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.autograd.function import Function, once_differentiable

from groundvec.encoders.mean import word_vectors

NOISE = 0.01  # the standard deviation of what is added to identities; the paper gives none

NONLINEARITIES = {
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "relu": torch.relu,
    "none": torch.clone,
}
# The gradient before a nonlinearity, from that after it and from what came out.
BACKWARD: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "tanh": torch.ops.aten.tanh_backward,
    "sigmoid": torch.ops.aten.sigmoid_backward,
    "relu": lambda gradient, out: gradient * (out > 0),
    "none": lambda gradient, out: gradient,
}


class Encoder(nn.Module):
    """Word vectors, which are fixed -> a vector at every node, from the leaves up -> the root's.

    h_i = f((W_v x_i + sum over its children j of l(j) W_ij h_j) / l(i)), where l counts the words
    under a node (Eq. 4). The matrix W_ij is that of the child's position beside its head, or that
    of its relation; for those that training has not met it is the identity.
    """

    vectors: Tensor

    def __init__(
        self,
        text: Any,
        size: int,
        compose: str,
        weighted: bool = True,
        nonlinearity: str = "tanh",
    ) -> None:
        """An untrained network: identities, with some noise.

        Args:
            text: of the trees (`groundvec.text.trees.Text`).
            size: of the vectors at the nodes.
            compose: a matrix for every `position`, or for every `relation`.
            weighted: by the words under a node; else every l is 1 (Eq. 3).
            nonlinearity: f; one of `NONLINEARITIES`.
        """
        super().__init__()
        self.by_relation = compose == "relation"
        self.weighted, self.nonlinearity = weighted, nonlinearity
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
        """Embed what `groundvec.text.trees.Trees.batch` gives: (B, size)."""
        order, levels = _levels(parents, heights, relations if self.by_relation else places)
        row = torch.empty_like(order)
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
    """Identity matrices, cut or filled up with zeros to be (..., rows, columns), with noise."""
    matrices = torch.normal(0.0, NOISE, shape)
    matrices.diagonal(dim1=-2, dim2=-1).add_(1)
    return matrices


class Level(NamedTuple):
    """Nodes that can be computed at once: rows `start` to `stop`, those of each kind together."""

    start: int
    stop: int
    kinds: list[tuple[int, int, int]]  # a kind, and its rows


def _levels(parents: Tensor, heights: Tensor, kinds: Tensor) -> tuple[Tensor, list[Level]]:
    """The order (N,) to compute nodes in: from the leaves up, the roots last, in their own order.

    And its levels, in which nodes of one kind (N,) stand together.
    """
    level = np.where(parents.numpy() < 0, heights.max() + 1, heights.numpy())
    order = np.lexsort((kinds.numpy(), level))
    both = np.stack([level[order], kinds.numpy()[order]])
    starts = np.flatnonzero(np.diff(both, prepend=-1).any(axis=0))
    stops = np.append(starts[1:], len(order))
    runs = zip(*both[:, starts].tolist(), starts.tolist(), stops.tolist(), strict=True)
    levels = []
    for _, of_level in groupby(runs, key=itemgetter(0)):
        of_kinds = [(kind, start, stop) for _, kind, start, stop in of_level]
        levels.append(Level(of_kinds[0][1], of_kinds[-1][2], of_kinds))
    return torch.from_numpy(order), levels


class Recursion(Function):
    """The states of nodes, level by level; no row of a level needs another one of it."""

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
        """States (N, size) of nodes in the order of `_levels`.

        Args:
            inputs: (N, size) what the nodes' own words give.
            matrices: (kinds, size, size); a kind beyond has the identity.
            parents: (N,) rows; those of the last level, which are roots, are not used.
            weights: (N, 1) the l of Eq. 4.
        """
        totals, states = inputs.clone(), torch.empty_like(inputs)
        for level in levels:
            rows = slice(level.start, level.stop)
            states[rows] = NONLINEARITIES[nonlinearity](totals[rows] / weights[rows])
            if level is levels[-1]:
                break
            messages = states[rows].clone()
            for kind, start, stop in level.kinds:
                if kind < len(matrices):
                    own = slice(start - level.start, stop - level.start)
                    torch.mm(states[start:stop], matrices[kind].t(), out=messages[own])
            totals.index_add_(0, parents[rows], messages * weights[rows])
        ctx.levels, ctx.nonlinearity = levels, nonlinearity
        ctx.save_for_backward(matrices, parents, weights, states)
        return states

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        """Gradients of the inputs and the matrices."""
        matrices, parents, weights, states = ctx.saved_tensors
        of_states, of_totals = gradients[0].clone(), torch.empty_like(states)
        of_matrices = torch.zeros_like(matrices)
        for level in reversed(ctx.levels):
            rows = slice(level.start, level.stop)
            if level is not ctx.levels[-1]:
                messages = of_totals[parents[rows]] * weights[rows]
                for kind, start, stop in level.kinds:
                    own = messages[start - level.start : stop - level.start]
                    if kind < len(matrices):
                        of_states[start:stop].addmm_(own, matrices[kind])
                        of_matrices[kind].addmm_(own.t(), states[start:stop])
                    else:
                        of_states[start:stop] += own
            gradient = BACKWARD[ctx.nonlinearity](of_states[rows], states[rows])
            torch.div(gradient, weights[rows], out=of_totals[rows])
        return of_totals, of_matrices, None, None, None, None
