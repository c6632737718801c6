"""The batch hinge loss (Merkx & Frank 2019, section 3.1.2)."""

import torch
from torch import Tensor, nn

from groundvec.similarity import scores


class Objective(nn.Module):
    """Hinge loss on the scores of all pairs of a batch, in both directions.

    Every other caption or image of the batch is a negative. The mean is taken over all B x B
    entries, the empty diagonal included: the published code's clipping thresholds depend on it.
    The sum, over inner products, is the objective of Socher et al. 2014 (Eq. 5) on a batch. The
    losses of several languages are added.
    """

    def __init__(self, margin: float, reduction: str = "mean") -> None:
        """Set the margin, alpha in the paper (0.2 there), and the reduction: mean or sum."""
        super().__init__()
        self.margin = margin
        self.reduce = torch.sum if reduction == "sum" else torch.mean

    def forward(self, images: Tensor, captions: dict[str, Tensor], similarity: str) -> Tensor:
        """Compute the loss of images (B, size) and captions (B, size) of each language."""
        losses = [
            self.reduce(costs(scores(vectors, images, similarity), self.margin))
            for vectors in captions.values()
        ]
        return torch.stack(losses).sum()


def costs(pair_scores: Tensor, margin: float) -> Tensor:
    """Compute the hinge costs (B, B) of scores (B, B) in both directions; 0 on the diagonal."""
    # Row i scores caption i with every image, column j every caption with image j. The diagonal has
    # the right pairs: the first cost compares within a row, the second within a column.
    right = pair_scores.diagonal()
    by_caption = (margin + pair_scores - right[:, None]).relu()
    by_image = (margin + pair_scores - right).relu()
    return (by_caption + by_image).fill_diagonal_(0)
