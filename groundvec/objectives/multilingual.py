"""Images with sentences, and sentences of two languages (Calixto & Liu 2017, section 3)."""

import torch
from torch import Tensor, nn

from groundvec.objectives.weighting import weighted
from groundvec.similarity import scores


class Objective(nn.Module):
    """The sum of hinge losses of Eq. 1 to 3 (`weighted`), in both directions.

    As in `hinge`, each is a mean over all B x B entries: with one language and beta 1 this is
    `hinge`.
    """

    def __init__(self, margin: float, beta: float, contrastive: int | None = None) -> None:
        """Set the margin, and how images and languages are weighted.

        Args:
            margin: alpha, 0.2 in the paper.
            beta: from 0 (languages only) to 1 (images only).
            contrastive: negatives that are drawn for each query and direction, by torch's own
                generator; by default all others of the batch. Those that are drawn count for all,
                so that the loss is of the same size.
        """
        super().__init__()
        self.margin, self.beta, self.contrastive = margin, beta, contrastive

    def forward(self, images: Tensor, captions: dict[str, Tensor], similarity: str) -> Tensor:
        """Compute the loss of images (B, size) and captions (B, size) by language."""

        def cost(one: Tensor, other: Tensor) -> Tensor:
            return _hinge(scores(one, other, similarity), self.margin, self.contrastive)

        return weighted(cost, images, captions, self.beta)


def _hinge(of_pairs: Tensor, margin: float, contrastive: int | None) -> Tensor:
    """The mean cost of scores (B, B): rows are queries, then columns."""
    right = of_pairs.diagonal()
    rows = (margin + of_pairs - right[:, None]).relu() * _others(of_pairs, contrastive)
    columns = (margin + of_pairs - right).relu() * _others(of_pairs, contrastive).T
    return (rows + columns).mean()


def _others(of_pairs: Tensor, contrastive: int | None) -> Tensor:
    """How much each other candidate (B, B) of a row's query counts; its own does not."""
    size = len(of_pairs)
    others = 1 - torch.eye(size, device=of_pairs.device)
    if contrastive is None or contrastive >= size - 1:
        return others
    lots = torch.rand(size, size, device=of_pairs.device) + others  # below 1: the own one, alone
    drawn = torch.zeros_like(others).scatter_(1, lots.topk(contrastive).indices, 1.0)
    return drawn * ((size - 1) / contrastive)
