"""Adam (Kingma & Ba 2015) with a cyclic learning rate (Merkx & Frank 2019, section 3.3)."""

from collections.abc import Iterable
from math import cos, pi

import torch


def cyclic(step: int, period: int, low: float, high: float) -> float:
    """The learning rate of batch `step` (from 0): `low`, up to `high` and back in `period`.

    After Smith (2017). The formula as printed in the paper has lost its division by the period;
    this is the one that does what the text says.
    """
    return low + 0.5 * (high - low) * (1 + cos(pi * (1 + 2 * step / period)))


class Optimiser(torch.optim.Adam):
    """Adam whose learning rate goes up and down once in every cycle."""

    def __init__(
        self,
        parameters: Iterable[torch.nn.Parameter],
        cycle: int,
        learning_rate_max: float,
        learning_rate_min: float,
    ) -> None:
        super().__init__(parameters, fused=True)
        self.rate = lambda step: cyclic(step, cycle, learning_rate_min, learning_rate_max)

    def prepare(self, step: int) -> None:
        """Set the learning rate of a step."""
        for group in self.param_groups:
            group["lr"] = self.rate(step)
