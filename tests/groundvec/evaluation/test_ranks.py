"""Ranks, ties and the memory that they take."""

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundvec.evaluation.ranks import ranks
from tests.support.limits import allocates_less_than

SCORES = {
    "cosine": lambda a, b: a @ b,
    "dot": lambda a, b: a @ b,
    "euclidean": lambda a, b: -sum((x - y) ** 2 for x, y in zip(a, b, strict=True)),
}


def brute_force(captions, images, image, similarity):
    """Both directions by counting, the right candidate placed behind all that tie with it."""
    score = SCORES[similarity]
    scores = np.array([[score(caption, picture) for picture in images] for caption in captions])
    c2i = [
        1 + sum(s >= row[own] for j, s in enumerate(row) if j != own)
        for row, own in zip(scores, image, strict=True)
    ]
    i2c = []
    for i, column in enumerate(scores.T):
        best = max(s for s, own in zip(column, image, strict=True) if own == i)
        i2c.append(1 + sum(s >= best for s, own in zip(column, image, strict=True) if own != i))
    return c2i, i2c


@pytest.mark.parametrize("similarity", SCORES)
@given(st.integers(0, 10_000), st.integers(1, 9), st.integers(1, 4))
def test_ranks_equal_brute_force_ties_included(similarity, seed, n, per_image):
    rng = np.random.default_rng(seed)
    images = rng.integers(-2, 3, (n, 3)).astype(np.float32)  # small integers: exact, many ties
    image = np.sort(np.r_[np.arange(n), rng.integers(0, n, n * (per_image - 1))])
    captions = rng.integers(-2, 3, (len(image), 3)).astype(np.float32)
    c2i, i2c = brute_force(captions, images, image, similarity)
    with patch("groundvec.evaluation.ranks.QUERIES_PER_BLOCK", 7):
        found = ranks(captions, images, image, similarity)
    assert [of_direction.tolist() for of_direction in found] == [c2i, i2c]


@pytest.mark.parametrize("similarity", ["dot", "euclidean"])
@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_ties_are_found_at_any_length_of_the_vectors(similarity, scale):
    """The two captions of an image are equal but for rounding, and so tie with each other's."""
    rng = np.random.default_rng(0)
    images = (scale * rng.normal(size=(4, 50))).astype(np.float32)
    captions = np.repeat(images[:1], 4, axis=0)
    captions[2:] *= np.float32(1 + 1e-7)
    found, _ = ranks(captions, np.repeat(images[:1], 4, axis=0), np.arange(4), similarity)
    assert found.tolist() == [4, 4, 4, 4]


def test_the_right_one_is_always_found():
    """Where rounding is large, since images are far longer vectors than captions."""
    rng = np.random.default_rng(0)
    captions = rng.normal(size=(300, 50)).astype(np.float32)
    images = rng.normal(0, 3000, size=(300, 50)).astype(np.float32)
    for found in ranks(captions, images, np.arange(300), "euclidean"):
        assert found.min() >= 1 and found.max() <= 300


def test_not_all_scores_are_in_memory_at_once():
    rng = np.random.default_rng(0)
    captions = rng.standard_normal((10_000, 8), np.float32)
    images = rng.standard_normal((2_000, 8), np.float32)
    with allocates_less_than(4 * 10_000 * 2_000 / 2):  # half of all scores in float32
        ranks(captions, images, np.repeat(np.arange(2_000), 5))
