"""The batch hinge loss."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from groundvec.objectives import hinge


@given(st.integers(0, 10_000), st.integers(1, 6))
def test_the_sum_is_equation_5_on_a_batch(seed, size):
    v, y = torch.from_numpy(np.random.default_rng(seed).normal(size=(2, size, 4)))
    total = 0.0
    for i in range(size):
        for c in range(size):
            if c != i:
                total += max(0.0, 3 - v[i] @ y[i] + v[i] @ y[c])
                total += max(0.0, 3 - v[i] @ y[i] + v[c] @ y[i])
    assert hinge.Objective(3, "sum")(v, {"en": y}, "dot").item() == pytest.approx(float(total))
