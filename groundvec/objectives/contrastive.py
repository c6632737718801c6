"""InfoNCE: a softmax over the batch (van den Oord et al. 2018; Radford et al. 2021, Figure 3)."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from groundvec.objectives.weighting import weighted
from groundvec.similarity import scores


class Objective(nn.Module):
    """Cross entropy of the right one among all of the batch, in both directions (`weighted`)."""

    def __init__(self, temperature: float, beta: float) -> None:
        """Set what scores are divided by, and beta from 0 (captions only) to 1 (images only)."""
        super().__init__()
        self.beta, self.temperature = beta, temperature

    def forward(
        self,
        images: Tensor,
        captions: dict[str, Tensor],
        similarity: str,
        more: Sequence[Tensor] = (),
    ) -> Tensor:
        """Compute the loss of images (B, size) and captions (B, size) by name (`weighted`)."""

        def cost(one: Tensor, other: Tensor) -> Tensor:
            logits = scores(one, other, similarity) / self.temperature
            right = torch.arange(len(logits), device=logits.device)
            return (cross_entropy(logits, right) + cross_entropy(logits.T, right)) / 2

        return weighted(cost, images, captions, self.beta, more)
