"""Adam (Kingma & Ba 2015) whose learning rate follows a schedule in every cycle.

The schedule is cyclic (Merkx & Frank 2019, section 3.3), or a warm-up and a cosine (Loshchilov &
Hutter 2017).
"""

from collections.abc import Callable, Iterable
from math import cos, pi
from typing import Any

import torch

WARM_UP = 0.05  # share of the period for the rise of `cosine`


def cyclic(step: int, period: int, low: float, high: float) -> float:
    """Compute the learning rate of batch `step` (from 0): `low`, up to `high` and back in `period`.

    This follows the paper's text (Smith 2017); its formula lacks the division by the period.
    """
    return low + 0.5 * (high - low) * (1 + cos(pi * (1 + 2 * step / period)))


def cosine(step: int, period: int, low: float, high: float) -> float:
    """Compute the learning rate of batch `step` (from 0): warm-up, then half a cosine to `low`."""
    warm_up = WARM_UP * period
    step = step % period
    if step < warm_up:
        # Not step / warm_up: a first step with a rate of 0 would change nothing.
        return high * (step + 1) / (warm_up + 1)
    return low + 0.5 * (high - low) * (1 + cos(pi * (step - warm_up) / (period - warm_up)))


SCHEDULES = {"cyclic": cyclic, "cosine": cosine}


class Optimizer(torch.optim.Adam):
    """Adam whose learning rate follows a schedule in every cycle."""

    def __init__(
        self,
        parameters: Iterable[torch.nn.Parameter] | Iterable[dict[str, Any]],
        cycle: int,
        learning_rate_max: float,
        learning_rate_min: float,
        schedule: str = "cyclic",
    ) -> None:
        super().__init__(parameters, fused=True)
        rate = SCHEDULES[schedule]
        self.rate: Callable[[int], float] = lambda step: rate(
            step, cycle, learning_rate_min, learning_rate_max
        )

    def prepare(self, step: int) -> None:
        """Set the learning rate of a step; a group's own is its `factor` times that."""
        for group in self.param_groups:
            group["lr"] = group.get("factor", 1) * self.rate(step)
