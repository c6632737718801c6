"""A loss with two weighted parts: images with captions, and captions with each other."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import combinations

import torch
from torch import Tensor, nn


class Weighted(nn.Module, ABC):
    """beta R_MM + (1 - beta) R_ML (Calixto & Liu 2017, Eq. 1 to 3).

    R_MM sums the costs of images with the captions of each name, and R_ML the costs of captions
    over pairs of names. A name is a language, or a language's first or second caption.
    """

    def __init__(self, beta: float) -> None:
        """Set beta from 0 (captions only) to 1 (images only)."""
        super().__init__()
        self.beta = beta

    @abstractmethod
    def cost(self, first: Tensor, second: Tensor, similarity: str) -> Tensor:
        """Compute the cost of two batches of vectors (B, size); rows i belong together."""

    def forward(
        self,
        images: Tensor,
        captions: dict[str, Tensor],
        similarity: str,
        text_only: Sequence[Tensor] = (),
    ) -> Tensor:
        """Compute the loss.

        Args:
            images, captions: (B, size), captions by name.
            text_only: two captions (M, size) for each of M further images, which are not shown.
                They extend each pair of names; without a pair they are one.
        """
        zero = images.new_zeros(())
        image_costs = [self.cost(vectors, images, similarity) for vectors in captions.values()]
        pairs = list(combinations(captions.values(), 2))
        if text_only:
            # One larger batch has more negatives than two.
            pairs = [
                (torch.cat([first, text_only[0]]), torch.cat([second, text_only[1]]))
                for first, second in pairs
            ]
            pairs = pairs or [(text_only[0], text_only[1])]
        caption_costs = [self.cost(first, second, similarity) for first, second in pairs]
        return self.beta * sum(image_costs, zero) + (1 - self.beta) * sum(caption_costs, zero)
