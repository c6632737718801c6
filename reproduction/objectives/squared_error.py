"""The squared distance of an image and its caption (Socher et al. 2014, section 5).

All vectors at one point would make it zero. So the paper trains one network while the other is
frozen, and then the other one (`alternate` in the configuration).
"""

import torch
from torch import Tensor, nn


class Objective(nn.Module):
    """The sum of the squared Euclidean distances of right pairs, over a batch and its languages."""

    def forward(self, images: Tensor, captions: dict[str, Tensor], similarity: str) -> Tensor:
        """Compute the loss of images (B, size) and captions (B, size) by language."""
        losses = [(vectors - images).square().sum() for vectors in captions.values()]
        return torch.stack(losses).sum()
