"""The batch hinge loss (Merkx & Frank 2019, section 3.1.2)."""

import torch
from torch import Tensor, nn

from groundvec.similarity import scores


class Objective(nn.Module):
    """Hinge loss on the scores of all pairs of a batch, in both directions.

    Every other caption or image of the batch is a negative. The mean is taken over all B x B
    entries, the empty diagonal included: the published code's clipping thresholds depend on it.
    The sum, over inner products, is the objective of Socher et al. 2014 (Eq. 5) on a batch. Of
    several languages the losses are added.
    """

    def __init__(self, margin: float, reduction: str = "mean") -> None:
        """Set the margin, alpha in the paper (0.2 there), and the reduction: mean or sum."""
        super().__init__()
        self.margin = margin
        self.reduce = torch.sum if reduction == "sum" else torch.mean

    def forward(self, images: Tensor, captions: dict[str, Tensor], similarity: str) -> Tensor:
        """Compute the loss of images (B, size) and captions (B, size) of each language."""
        of_languages = [
            self.reduce(costs(scores(own, images, similarity), self.margin))
            for own in captions.values()
        ]
        return torch.stack(of_languages).sum()


def costs(of_pairs: Tensor, margin: float) -> Tensor:
    """Compute the hinge costs (B, B) of scores (B, B) in both directions; 0 on the diagonal."""
    right = of_pairs.diagonal()
    both = (margin + of_pairs - right[:, None]).relu() + (margin + of_pairs - right).relu()
    return both.fill_diagonal_(0)
