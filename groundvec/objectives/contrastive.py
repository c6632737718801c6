"""InfoNCE: a softmax over the batch (van den Oord et al. 2018; Radford et al. 2021, Figure 3)."""

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from groundvec.objectives.weighting import Weighted
from groundvec.similarity import scores


class Objective(Weighted):
    """Softmax cross entropy of the right candidate among all of the batch, in both directions."""

    def __init__(self, temperature: float, beta: float) -> None:
        """Set the temperature, which divides scores, and beta from 0 (captions only) to 1."""
        super().__init__(beta)
        self.temperature = temperature

    def cost(self, first: Tensor, second: Tensor, similarity: str) -> Tensor:
        """Compute the mean over the batch and both directions."""
        logits = scores(first, second, similarity) / self.temperature
        right = torch.arange(len(logits), device=logits.device)  # row i belongs to column i
        return (cross_entropy(logits, right) + cross_entropy(logits.T, right)) / 2
