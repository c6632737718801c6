"""Similarity of two vectors: the cosine, the inner product or the Euclidean distance."""

from typing import TYPE_CHECKING, TypeVar

import numpy as np

from groundvec.runtime import arrays

if TYPE_CHECKING:
    from torch import Tensor

    Matrix = TypeVar("Matrix", np.ndarray, Tensor)

ROWS_PER_BLOCK = 2**16  # of an ensemble's vectors
NAMES = ("cosine", "dot", "euclidean")


def embed(vectors: "Tensor", similarity: str) -> "Tensor":
    """Bring vectors (N, size) to where they are compared: for cosines, to unit length."""
    from torch.nn.functional import normalize  # here, because tables do without torch

    return normalize(vectors, dim=1) if similarity == "cosine" else vectors


def scores(a: "Matrix", b: "Matrix", similarity: str) -> "Matrix":
    """Compute how near every embedded vector of a (A, size) is to every one of b: (A, B).

    More is nearer: the inner product, or for `euclidean` minus the squared distance.
    """
    near: Matrix = a @ b.T
    if similarity == "euclidean":
        near = 2 * near - (a * a).sum(1)[:, None] - (b * b).sum(1)
    return near


def of_pairs(a: np.ndarray, b: np.ndarray, similarity: str) -> np.ndarray:
    """Compute how near each embedded vector of a (N, size) is to that of b in its row: (N,)."""
    near: np.ndarray = np.vecdot(a, b)
    if similarity == "euclidean":
        near = 2 * near - np.vecdot(a, a) - np.vecdot(b, b)
    return near


def join(embeddings: list[np.ndarray], similarity: str) -> np.ndarray:
    """Join the vectors (N, size) of an ensemble: their sum at unit length, or their mean."""
    result = arrays.empty(embeddings[0].shape, embeddings[0].dtype)
    for start in range(0, len(result), ROWS_PER_BLOCK):
        rows = slice(start, start + ROWS_PER_BLOCK)
        total = np.sum([each[rows] for each in embeddings], axis=0)
        result[rows] = unit(total) if similarity == "cosine" else total / len(embeddings)
    return result


def unit(vectors: np.ndarray) -> np.ndarray:
    """Scale vectors (N, size) to unit length; zeros stay zeros, as in `embed`."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(norms > 0, norms, 1)
