"""Weights of a loss: of images with captions, and of captions of the same images."""

from collections.abc import Callable
from itertools import combinations

from torch import Tensor


def weighted(
    cost: Callable[[Tensor, Tensor], Tensor],
    images: Tensor,
    captions: dict[str, Tensor],
    beta: float,
) -> Tensor:
    """Compute beta R_MM + (1 - beta) R_ML (Calixto & Liu 2017, Eq. 1 to 3).

    R_MM is the sum over the captions' names of the cost of images and captions, R_ML that over
    pairs of names of the cost of their captions.

    Args:
        cost: of two batches of vectors (B, size), whose rows belong to each other.
        images: (B, size).
        captions: (B, size) by name.
        beta: from 0 (captions only) to 1 (images only).
    """
    none = images.new_zeros(())
    of_images = sum((cost(own, images) for own in captions.values()), none)
    of_captions = sum((cost(*pair) for pair in combinations(captions.values(), 2)), none)
    return beta * of_images + (1 - beta) * of_captions
