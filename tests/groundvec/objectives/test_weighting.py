"""Objectives of images and captions, and of captions alone."""

import itertools
import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from groundvec.objectives import contrastive, multilingual


def embedded(seed, languages, size=5, width=3):
    """Images and captions of a batch, of any length."""
    rng = np.random.default_rng(seed)
    images, *captions = (
        torch.from_numpy(rng.normal(size=(size, width))) for _ in range(99)[: languages + 1]
    )
    return images, dict(zip(("en", "de", "fr", "cs"), captions, strict=False))


@pytest.mark.parametrize("languages", [1, 2, 3])
def test_captions_without_pictures_stand_below_each_pair_of_captions(languages):
    """By the objective's own terms: images alone, and each pair with the further captions."""
    images, captions = embedded(1, languages)
    more = [torch.randn(4, 3, dtype=torch.float64) for _ in range(2)]
    objective = contrastive.Objective(0.5, 0.25)
    of_images = contrastive.Objective(0.5, 1)(images, captions, "dot")
    pairs = list(itertools.combinations(captions.values(), 2))
    below = [[torch.cat(both) for both in zip(pair, more, strict=True)] for pair in pairs] or [more]
    of_pairs = contrastive.Objective(0.5, 1)
    wanted = sum(of_pairs(one, {"": other}, "dot") for one, other in below)
    loss = objective(images, captions, "dot", more)
    assert float(loss) == pytest.approx(0.25 * float(of_images) + 0.75 * float(wanted))


@given(st.integers(0, 999), st.integers(1, 4), st.floats(0, 1), st.floats(0.01, 1))
def test_the_objective_is_a_sum_over_all_pairs(seed, languages, beta, margin):
    images, captions = embedded(seed, languages)
    rows = range(len(images))
    total = 0.0

    def cost(a, b):
        return sum(
            max(0, margin - float(a[i] @ b[i]) + float(a[i] @ b[r]))
            + max(0, margin - float(b[i] @ a[i]) + float(b[i] @ a[r]))
            for i in rows
            for r in rows
            if r != i
        )

    names = list(captions)
    for k, one in enumerate(names):
        total += beta * cost(images, captions[one])
        for other in names[k + 1 :]:
            total += (1 - beta) * cost(captions[one], captions[other])
    loss = multilingual.Objective(margin, beta)(images, captions, "dot")
    assert loss.item() == pytest.approx(total / len(images) ** 2, abs=1e-9)


@given(st.integers(0, 999), st.integers(1, 3), st.floats(0, 1), st.floats(0.05, 2))
def test_infonce_is_the_cross_entropy_of_the_right_pairs(seed, languages, beta, temperature):
    images, captions = embedded(seed, languages)

    def cost(a, b):
        total = 0.0
        for one, other in ((a, b), (b, a)):
            for i in range(len(one)):
                exponents = [float(one[i] @ each) / temperature for each in other]
                total += math.log(sum(math.exp(e - exponents[i]) for e in exponents))
        return total / (2 * len(a))

    names = list(captions)
    expected = sum(beta * cost(images, own) for own in captions.values())
    for k, one in enumerate(names):
        expected += sum((1 - beta) * cost(captions[one], captions[o]) for o in names[k + 1 :])
    loss = contrastive.Objective(temperature, beta)(images, captions, "dot")
    assert loss.item() == pytest.approx(expected, abs=1e-6)
