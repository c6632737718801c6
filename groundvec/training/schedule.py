"""The cyclic learning rate (Merkx & Frank 2019, section 3.3, after Smith 2017)."""

from math import cos, pi


def cyclic(step: int, period: int, low: float, high: float) -> float:
    """The learning rate of batch `step` (from 0): `low`, up to `high` and back in `period`.

    The formula as printed in the paper has lost its division by the period; this is the one
    that does what the text says.
    """
    return low + 0.5 * (high - low) * (1 + cos(pi * (1 + 2 * step / period)))
