"""Weights of a loss: of images with captions, and of captions of the same images."""

from collections.abc import Callable, Sequence
from itertools import combinations

import torch
from torch import Tensor


def weighted(
    cost: Callable[[Tensor, Tensor], Tensor],
    images: Tensor,
    captions: dict[str, Tensor],
    beta: float,
    more: Sequence[Tensor] = (),
) -> Tensor:
    """Compute beta R_MM + (1 - beta) R_ML (Calixto & Liu 2017, Eq. 1 to 3).

    R_MM sums the cost of images and captions over the captions' names, R_ML that of captions over
    pairs of names.

    Args:
        cost: of two batches of vectors (B, size), whose rows belong to each other.
        images, captions: (B, size), captions by name.
        beta: from 0 (captions only) to 1 (images only).
        more: two captions (M, size) each of pictures that are not among the images; they stand
            below each pair of names.
    """
    none = images.new_zeros(())
    of_images = sum((cost(own, images) for own in captions.values()), none)
    pairs = list(combinations(captions.values(), 2))
    if more:
        pairs = [(torch.cat([a, more[0]]), torch.cat([b, more[1]])) for a, b in pairs]
        pairs = pairs or [(more[0], more[1])]
    of_captions = sum((cost(*pair) for pair in pairs), none)
    return beta * of_images + (1 - beta) * of_captions
