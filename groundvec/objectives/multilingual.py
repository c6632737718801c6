"""Images with sentences, and sentences of two languages (Calixto & Liu 2017, section 3)."""

from torch import Tensor

from groundvec.objectives.hinge import costs
from groundvec.objectives.weighting import Weighted
from groundvec.similarity import scores


class Objective(Weighted):
    """The sum of hinge losses of Eq. 1 to 3, in both directions.

    As in `hinge`, each is a mean over all B x B entries: with one language and beta 1 this is
    `hinge`.
    """

    def __init__(self, margin: float, beta: float) -> None:
        """Set the margin, and beta from 0 (languages only) to 1 (images only)."""
        super().__init__(beta)
        self.margin = margin

    def cost(self, first: Tensor, second: Tensor, similarity: str) -> Tensor:
        """Compute the mean hinge loss of a batch."""
        return costs(scores(first, second, similarity), self.margin).mean()
