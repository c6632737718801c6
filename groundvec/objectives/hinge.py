"""The batch hinge loss (Merkx & Frank 2019, section 3.1.2)."""

import torch
from torch import Tensor

from groundvec.similarity import scores


def loss(
    images: Tensor,
    captions: dict[str, Tensor],
    similarity: str,
    margin: float,
    reduction: str = "mean",
) -> Tensor:
    """Hinge loss on the scores of all pairs of a batch, in both directions.

    Every other caption or image of the batch is a negative. The mean is taken over all B x B
    entries, the empty diagonal included: the published code's clipping thresholds depend on it.
    The sum, over inner products, is the objective of Socher et al. 2014 (Eq. 5) on a batch. Of
    several languages the losses are added.

    Args:
        images: (B, size).
        captions: of each language, (B, size); row i belongs to row i of the images.
        margin: alpha, 0.2 in the paper.
        reduction: mean, or sum.
    """
    reduce = torch.sum if reduction == "sum" else torch.mean
    of_languages = [
        reduce(_hinge(scores(own, images, similarity), margin)) for own in captions.values()
    ]
    return torch.stack(of_languages).sum()


def _hinge(of_pairs: Tensor, margin: float) -> Tensor:
    right = of_pairs.diagonal()
    costs = (margin + of_pairs - right[:, None]).relu() + (margin + of_pairs - right).relu()
    return costs * (1 - torch.eye(len(costs), device=costs.device))
