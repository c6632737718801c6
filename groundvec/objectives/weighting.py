"""Weights of a loss: of images with captions, and of captions of the same images."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import combinations

import torch
from torch import Tensor, nn


class Weighted(nn.Module, ABC):
    """beta R_MM + (1 - beta) R_ML (Calixto & Liu 2017, Eq. 1 to 3).

    R_MM sums the cost of images and captions over the captions' names, R_ML that of captions over
    pairs of names.
    """

    def __init__(self, beta: float) -> None:
        """Set beta from 0 (captions only) to 1 (images only)."""
        super().__init__()
        self.beta = beta

    @abstractmethod
    def cost(self, one: Tensor, other: Tensor, similarity: str) -> Tensor:
        """Compute the cost of two batches of vectors (B, size), whose rows belong to each other."""

    def forward(
        self,
        images: Tensor,
        captions: dict[str, Tensor],
        similarity: str,
        more: Sequence[Tensor] = (),
    ) -> Tensor:
        """Compute the loss.

        Args:
            images, captions: (B, size), captions by name, such as their language.
            more: two captions (M, size) each of pictures that are not among the images; they stand
                below each pair of names.
        """
        none = images.new_zeros(())
        of_images = sum((self.cost(own, images, similarity) for own in captions.values()), none)
        pairs = list(combinations(captions.values(), 2))
        if more:
            pairs = [(torch.cat([a, more[0]]), torch.cat([b, more[1]])) for a, b in pairs]
            pairs = pairs or [(more[0], more[1])]
        of_captions = sum((self.cost(*pair, similarity) for pair in pairs), none)
        return self.beta * of_images + (1 - self.beta) * of_captions
