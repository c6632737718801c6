"""Images with sentences, and sentences of two languages (Calixto & Liu 2017, section 3)."""

from collections.abc import Sequence

from torch import Tensor, nn

from groundvec.objectives.hinge import costs
from groundvec.objectives.weighting import weighted
from groundvec.similarity import scores


class Objective(nn.Module):
    """The sum of hinge losses of Eq. 1 to 3 (`weighted`), in both directions.

    As in `hinge`, each is a mean over all B x B entries: with one language and beta 1 this is
    `hinge`.
    """

    def __init__(self, margin: float, beta: float) -> None:
        """Set the margin, and beta from 0 (languages only) to 1 (images only)."""
        super().__init__()
        self.margin, self.beta = margin, beta

    def forward(
        self,
        images: Tensor,
        captions: dict[str, Tensor],
        similarity: str,
        more: Sequence[Tensor] = (),
    ) -> Tensor:
        """Compute the loss of images (B, size) and captions (B, size) by language (`weighted`)."""

        def cost(one: Tensor, other: Tensor) -> Tensor:
            return costs(scores(one, other, similarity), self.margin).mean()

        return weighted(cost, images, captions, self.beta, more)
