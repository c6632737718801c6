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

    R_MM sums the cost of images and captions over the captions' names, R_ML that of captions over
    pairs of names.

    Args:
        cost: of two batches of vectors (B, size), whose rows belong to each other.
        images, captions: (B, size), captions by name.
        beta: from 0 (captions only) to 1 (images only).
    """
    none = images.new_zeros(())
    of_images = sum((cost(own, images) for own in captions.values()), none)
    of_captions = sum((cost(*pair) for pair in combinations(captions.values(), 2)), none)
    return beta * of_images + (1 - beta) * of_captions
