"""Schedules of Adam's learning rate."""

import math

import numpy as np
import pytest

from groundvec.optimizers.adam import WARM_UP, cosine, cyclic


def test_the_learning_rate_starts_low_peaks_after_half_a_period_and_returns():
    rates = [cyclic(step, 8, 1e-6, 1e-3) for step in range(17)]
    assert rates[::2] == pytest.approx([1e-6, 5.005e-4, 1e-3, 5.005e-4] * 2 + [1e-6])
    assert rates[1] == pytest.approx(1e-6 + (1e-3 - 1e-6) * 0.5 * (1 - math.cos(math.pi / 4)))


def test_a_cosine_schedule_warms_up_and_comes_down_in_each_cycle():
    period = 200
    rates = [cosine(step, period, 1e-6, 1e-3) for step in range(2 * period)]
    top = round(WARM_UP * period)
    assert rates.index(max(rates)) == top and rates[top] == pytest.approx(1e-3)
    steps = np.diff(rates[: top + 1])
    assert rates[0] > 0 and np.allclose(steps, steps[0])  # a line
    middle = top + (period - top) // 2
    assert rates[middle] == pytest.approx((1e-3 + 1e-6) / 2)
    assert rates[period - 1] == pytest.approx(1e-6, abs=1e-7)
    assert rates[period:] == rates[:period]
