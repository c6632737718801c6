"""The objective (Merkx & Frank 2019, section 3.1.2)."""

import torch
from torch import Tensor


def batch_hinge(captions: Tensor, images: Tensor, margin: float) -> Tensor:
    """Hinge loss on the cosines of all pairs of a batch, in both directions.

    Every other caption or image of the batch is a negative. The mean is taken over all B x B
    entries, the empty diagonal included: the clipping thresholds of the paper depend on it.

    Args:
        captions, images: unit vectors (B, size); row i of one belongs to row i of the other.
        margin: alpha, 0.2 in the paper.
    """
    cosines = captions @ images.T
    pairs = cosines.diagonal()
    costs = (margin + cosines - pairs[:, None]).relu() + (margin + cosines - pairs).relu()
    return (costs * (1 - torch.eye(len(costs), device=costs.device))).mean()
