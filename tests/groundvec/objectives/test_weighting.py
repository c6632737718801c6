"""Objectives of images and captions, and of captions alone."""

import itertools
import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from groundvec.objectives import contrastive, hinge, multilingual


def embedded(seed, languages, size=5):
    """Images and captions of a batch, of any length."""
    rng = np.random.default_rng(seed)
    images, *captions = (
        torch.from_numpy(rng.normal(size=(size, 3))) for _ in range(99)[: languages + 1]
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


def hinge_cost(a, b, margin):
    """Compute the mean hinge loss of Merkx & Frank (2019), entry by entry."""
    rows = range(len(a))
    total = 0.0
    for i in rows:
        for other in rows:
            if other != i:
                total += max(0, margin - float(a[i] @ b[i]) + float(a[i] @ b[other]))
                total += max(0, margin - float(b[i] @ a[i]) + float(b[i] @ a[other]))
    return total / len(a) ** 2


def cross_entropy(a, b, temperature):
    """Compute the mean of both directions' cross-entropies of the right pairs."""
    total = 0.0
    for one, other in ((a, b), (b, a)):
        for i in range(len(one)):
            exponents = [float(one[i] @ each) / temperature for each in other]
            total += math.log(sum(math.exp(e - exponents[i]) for e in exponents))
    return total / (2 * len(a))


@pytest.mark.parametrize(
    "objective, cost", [(multilingual, hinge_cost), (contrastive, cross_entropy)]
)
@given(st.integers(0, 999), st.integers(1, 4), st.floats(0, 1), st.floats(0.05, 2))
def test_the_objective_is_a_weighted_sum_over_all_pairs(
    objective, cost, seed, languages, beta, parameter
):
    """The parameter is the margin, or the temperature."""
    images, captions = embedded(seed, languages)
    pairs = itertools.combinations(captions.values(), 2)
    expected = beta * sum(cost(images, own, parameter) for own in captions.values())
    expected += (1 - beta) * sum(cost(*pair, parameter) for pair in pairs)
    loss = objective.Objective(parameter, beta)(images, captions, "dot")
    assert loss.item() == pytest.approx(expected, abs=1e-6)


@given(st.integers(0, 9_999), st.integers(1, 6), st.floats(0, 1))
def test_the_hinge_loss_is_the_mean_or_the_sum_over_all_entries(seed, size, margin):
    images, captions = embedded(seed, 1, size)
    mean = hinge_cost(images, captions["en"], margin)
    loss = hinge.Objective(margin)(images, captions, "dot")
    assert loss.item() == pytest.approx(mean, abs=1e-9)
    both = {"en": captions["en"], "de": captions["en"]}
    loss = hinge.Objective(margin, "sum")(images, both, "dot")
    assert loss.item() == pytest.approx(2 * mean * size**2, abs=1e-9)
