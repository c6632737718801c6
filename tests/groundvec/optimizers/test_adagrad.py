"""AdaGrad of Socher et al. 2014."""

import numpy as np
import pytest
import torch
from torch import nn

from groundvec.optimizers.adagrad import Optimizer


def test_adagrad_forgets_at_the_start_of_a_cycle():
    weight = nn.Parameter(torch.zeros(1))
    optimizer = Optimizer([weight], cycle=2, learning_rate=1.0, l2=0.0)
    values = []
    for step in range(4):
        optimizer.prepare(step)
        weight.grad = torch.tensor([1.0])
        optimizer.step()
        values.append(weight.item())
    steps = -np.diff([0, *values])
    # 1 / sqrt(1 + 1), then 1 / sqrt(1 + 1 + 1), and again.
    np.testing.assert_allclose(steps, [2**-0.5, 3**-0.5] * 2, rtol=1e-6)


def test_the_l2_penalty_is_a_part_of_the_gradient():
    weight = nn.Parameter(torch.tensor([2.0]))
    optimizer = Optimizer([weight], cycle=5, learning_rate=1.0, l2=0.5)
    weight.grad = torch.zeros(1)
    optimizer.step()
    assert weight.item() == pytest.approx(2 - 1 / 2**0.5)
