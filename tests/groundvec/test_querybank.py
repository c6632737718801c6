"""Querybank normalization: a candidate that is near to every query is moved down."""

import math

import numpy as np
import pytest

from groundvec import querybank


def unit(rng, *shape):
    vectors = rng.normal(size=shape).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_normalizers_by_hand():
    """Two bank queries with the cosines 1 and 0, at b = ln 3, weigh 3 and 1."""
    bank = np.eye(2, dtype=np.float32)
    found = querybank.normalizers(bank, bank[:1], math.log(3))
    assert found == pytest.approx([math.log((3 + 1) / 2, 3)], abs=1e-6)
    weights = np.array([1, 3])  # only the proportion counts: 3 x 1/4 + 1 x 3/4
    found = querybank.normalizers(bank, bank[:1], math.log(3), weights)
    assert found == pytest.approx([math.log(1.5, 3)], abs=1e-6)


def test_a_hub_no_longer_hides_the_right_image():
    """The cosines with the hub are above those with the right image, for every caption."""
    captions = np.array([[0.8, 0.6, 0], [0.8, 0, 0.6]], np.float32)
    images = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32)
    assert (captions @ images.T).argmax(axis=1).tolist() == [0, 0]
    of_captions, of_images = querybank.normalized(captions, images, captions, images, 20)
    assert (of_captions @ of_images.T).argmax(axis=1).tolist() == [1, 2]


@pytest.mark.parametrize("inverse_temperature", [0.1, 15, 1000])
def test_each_direction_ranks_as_by_the_inverted_softmax(inverse_temperature, monkeypatch):
    """Smith et al.: exp(b s(q, c)) divided by its sum over the bank's queries, pair by pair."""
    monkeypatch.setattr(querybank, "CANDIDATES_PER_BLOCK", 4)
    rng = np.random.default_rng(0)
    captions, images, bank_captions, bank_images = (unit(rng, rows, 5) for rows in (9, 6, 7, 8))
    of_captions, of_images = querybank.normalized(
        captions, images, bank_captions, bank_images, inverse_temperature
    )
    found = of_captions @ of_images.T

    def logarithm(query, candidate, bank):
        exponents = [inverse_temperature * float(other @ candidate) for other in bank]
        largest = max(exponents)
        total = sum(math.exp(exponent - largest) for exponent in exponents)
        own = inverse_temperature * float(query @ candidate)
        return (own - largest - math.log(total)) / inverse_temperature

    def assert_same_to_a_constant(scores, expected):
        np.testing.assert_allclose(scores - scores[0], expected - expected[0], atol=1e-5)

    for row, caption in enumerate(captions):
        expected = np.array([logarithm(caption, image, bank_captions) for image in images])
        assert_same_to_a_constant(found[row], expected)
    for column, image in enumerate(images):
        expected = np.array([logarithm(image, caption, bank_images) for caption in captions])
        assert_same_to_a_constant(found[:, column], expected)


def test_the_bank_s_order_and_repetitions_change_nothing():
    rng = np.random.default_rng(1)
    bank, candidates = unit(rng, 7, 5), unit(rng, 4, 5)
    once = querybank.normalizers(bank, candidates, 10)
    twice = querybank.normalizers(np.concatenate([bank[::-1], bank]), candidates, 10)
    counted = querybank.normalizers(bank, candidates, 10, np.full(7, 3))
    np.testing.assert_allclose(twice, once, atol=1e-6)
    np.testing.assert_allclose(counted, once, atol=1e-6)
