"""InfoNCE: a softmax over the batch (van den Oord et al. 2018; Radford et al. 2021, Figure 3)."""

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from groundvec.objectives.weighting import Weighted
from groundvec.similarity import scores


class Objective(Weighted):
    """Cross entropy of the right one among all of the batch, in both directions."""

    def __init__(self, temperature: float, beta: float) -> None:
        """Set what scores are divided by, and beta from 0 (captions only) to 1 (images only)."""
        super().__init__(beta)
        self.temperature = temperature

    def cost(self, one: Tensor, other: Tensor, similarity: str) -> Tensor:
        """Compute the mean over the batch and both directions."""
        logits = scores(one, other, similarity) / self.temperature
        right = torch.arange(len(logits), device=logits.device)
        return (cross_entropy(logits, right) + cross_entropy(logits.T, right)) / 2
