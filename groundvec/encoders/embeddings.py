"""Embeddings of characters, words and n-grams."""

from math import sqrt

import torch
from torch import Tensor
from torch.nn.functional import normalize

from groundvec.text.encoded import PADDING, UNKNOWN


def initial(count: int, size: int, deviation: float = 1.0) -> Tensor:
    """Draw the first embeddings (count, size) from a normal distribution."""
    vectors = torch.normal(0.0, deviation, (count, size))
    # Training meets neither padding nor, with most texts, the unknown. Random vectors would stay
    # random, and put noise into every sentence with an unknown character.
    vectors[[PADDING, UNKNOWN]] = 0
    return vectors


def scaled(vectors: Tensor) -> Tensor:
    """Scale vectors (N, size) to a root mean square of 1."""
    return normalize(vectors, dim=1) * sqrt(vectors.shape[1])
