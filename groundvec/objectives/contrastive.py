"""InfoNCE: a softmax over the batch (van den Oord et al. 2018; Radford et al. 2021, Figure 3)."""

from itertools import combinations

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from groundvec.similarity import scores


def loss(
    images: Tensor, captions: dict[str, Tensor], similarity: str, temperature: float, beta: float
) -> Tensor:
    """Cross entropy of the right one among all of the batch, in both directions.

    beta times the sum over the captions' names of the loss of images and captions, and 1 - beta
    times that over pairs of names of the loss of their captions, as in `multilingual`.

    Args:
        images: (B, size).
        captions: by name, (B, size); row i belongs to row i of the images.
        temperature: the scores are divided by it.
        beta: from 0 (captions only) to 1 (images only).
    """

    def cost(one: Tensor, other: Tensor) -> Tensor:
        logits = scores(one, other, similarity) / temperature
        right = torch.arange(len(logits), device=logits.device)
        return (cross_entropy(logits, right) + cross_entropy(logits.T, right)) / 2

    none = images.new_zeros(())
    of_images = sum((cost(own, images) for own in captions.values()), none)
    of_captions = sum((cost(*pair) for pair in combinations(captions.values(), 2)), none)
    return beta * of_images + (1 - beta) * of_captions
