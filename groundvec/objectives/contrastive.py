"""InfoNCE: a softmax over the batch (van den Oord et al. 2018; Radford et al. 2021, Figure 3)."""

from math import log
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from groundvec.objectives.weighting import weighted
from groundvec.similarity import scores

FIRST, LOWEST = 0.07, 0.01  # a learned temperature's (Radford et al. 2021, section 2.5)


class Objective(nn.Module):
    """Cross entropy of the right one among all of the batch, in both directions (`weighted`)."""

    def __init__(self, temperature: float | Literal["learned"], beta: float) -> None:
        """Set the temperature and the weight of images and captions.

        Args:
            temperature: the scores are divided by it; `learned` makes its inverse a parameter, on a
                logarithmic scale.
            beta: from 0 (captions only) to 1 (images only).
        """
        super().__init__()
        self.beta, self.temperature = beta, temperature
        if temperature == "learned":
            self.log_scale = nn.Parameter(torch.tensor(-log(FIRST)))

    def forward(self, images: Tensor, captions: dict[str, Tensor], similarity: str) -> Tensor:
        """Compute the loss of images (B, size) and captions (B, size) by name."""

        def cost(one: Tensor, other: Tensor) -> Tensor:
            logits = self.scaled(scores(one, other, similarity))
            right = torch.arange(len(logits), device=logits.device)
            return (cross_entropy(logits, right) + cross_entropy(logits.T, right)) / 2

        return weighted(cost, images, captions, self.beta)

    def scaled(self, similarities: Tensor) -> Tensor:
        """Divide similarities by the temperature."""
        if self.temperature != "learned":
            return similarities / self.temperature
        with (
            torch.no_grad()
        ):  # clamped in place: a clamp of the value alone would stop its gradient
            self.log_scale.clamp_(max=-log(LOWEST))
        return similarities * self.log_scale.exp()
