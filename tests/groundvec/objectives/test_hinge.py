"""The batch hinge loss."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from groundvec.objectives import hinge


@given(st.integers(0, 10_000), st.integers(1, 6), st.floats(0, 1))
def test_the_loss_is_the_paper_s_sum_over_all_entries(seed, size, margin):
    rng = np.random.default_rng(seed)
    captions, images = rng.normal(size=(2, size, 4))
    total = 0.0
    for i in range(size):
        for j in range(size):
            if i != j:
                right = captions[i] @ images[i]
                total += max(0, captions[i] @ images[j] - right + margin)
                total += max(0, captions[j] @ images[i] - right + margin)
    captions = torch.from_numpy(captions)
    images = torch.from_numpy(images)
    loss = hinge.Objective(margin)(images, {"en": captions}, "dot")
    assert loss.item() == pytest.approx(total / size**2, abs=1e-9)
    loss = hinge.Objective(margin, "sum")(images, {"en": captions}, "dot")
    assert loss.item() == pytest.approx(total, abs=1e-9)
    both = hinge.Objective(margin, "sum")(images, {"en": captions, "de": captions}, "dot")
    assert both.item() == pytest.approx(2 * total, abs=1e-9)
