"""Similarity of two vectors: the cosine, the inner product or the Euclidean distance."""

from typing import TYPE_CHECKING, TypeVar

import numpy as np

from groundvec.runtime import arrays

if TYPE_CHECKING:
    from torch import Tensor

    Matrix = TypeVar("Matrix", np.ndarray, Tensor)

ROWS_PER_BLOCK = 2**16  # of an ensemble's vectors, which may be larger than the memory
NAMES = ("cosine", "dot", "euclidean")


def embed(vectors: "Tensor", similarity: str) -> "Tensor":
    """Scale vectors (N, size) to unit length for cosines; leave them unchanged otherwise."""
    from torch.nn.functional import normalize  # here, because tables need no torch

    return normalize(vectors, dim=1) if similarity == "cosine" else vectors


def scores(a: "Matrix", b: "Matrix", similarity: str) -> "Matrix":
    """Compute the similarity of all embedded vectors a (A, size) and b (B, size): (A, B).

    It is the inner product; for `euclidean`, minus the squared distance.
    """
    products: Matrix = a @ b.T
    if similarity == "euclidean":
        # -|a - b|² = 2ab - |a|² - |b|²
        return 2 * products - (a * a).sum(1)[:, None] - (b * b).sum(1)
    return products


def of_pairs(a: np.ndarray, b: np.ndarray, similarity: str) -> np.ndarray:
    """Compute the similarity of the embedded vectors a and b (N, size), row by row: (N,)."""
    products: np.ndarray = np.vecdot(a, b)
    if similarity == "euclidean":
        return 2 * products - np.vecdot(a, a) - np.vecdot(b, b)
    return products


def join(embeddings: list[np.ndarray], similarity: str) -> np.ndarray:
    """Combine the vectors (N, size) of an ensemble's snapshots into one array (N, size).

    For cosines it is their sum, scaled to unit length; otherwise their mean.
    """
    result = arrays.empty(embeddings[0].shape, embeddings[0].dtype)
    for start in range(0, len(result), ROWS_PER_BLOCK):
        rows = slice(start, start + ROWS_PER_BLOCK)
        total = np.sum([vectors[rows] for vectors in embeddings], axis=0)
        result[rows] = unit(total) if similarity == "cosine" else total / len(embeddings)
    return result


def unit(vectors: np.ndarray) -> np.ndarray:
    """Scale vectors (N, size) to unit length; zeros stay zeros, as in `embed`."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(norms > 0, norms, 1)
