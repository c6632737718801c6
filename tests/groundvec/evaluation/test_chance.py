"""Scores by chance."""

from itertools import permutations

import numpy as np
import pytest

from groundvec.evaluation import chance, retrieval
from groundvec.evaluation.ranks import DIRECTIONS


def random_ranks(counts):
    """The ranks in all orders of the candidates, by place, where image i has counts[i] captions."""
    image = np.repeat(np.arange(len(counts)), counts)
    c2i = [order.index(own) + 1 for order in permutations(range(len(counts))) for own in image]
    i2c = []
    for order in permutations(range(len(image))):
        own = image[list(order)]
        for i in range(len(counts)):
            best = own.tolist().index(i)
            i2c.append(1 + sum(own[:best] != i))
    return image, np.array(c2i), np.array(i2c)


@pytest.mark.parametrize("counts", [[1], [2, 1], [1, 3, 2], [1] * 6])
def test_chance_is_the_mean_over_all_orders(counts):
    image, *ranks = random_ranks(counts)
    table = chance.chance(image)
    vectors = np.eye(len(image))
    found = retrieval.rank_both_ways(vectors, vectors[: len(counts)], image)
    assert list(table) == list(retrieval.scored(found))
    assert table["direction"].tolist() == list(DIRECTIONS)
    assert table["queries"].tolist() == [len(image), len(counts)]
    for row, r in zip(table.to_dict("records"), ranks, strict=True):
        for k in (1, 5, 10):
            assert row[f"r{k}"] == pytest.approx(100 * np.mean(r <= k))
            assert row[f"r{k}_ci"] == 0
        assert row["median_rank"] == np.median(r)
        assert row["mean_rank"] == pytest.approx(np.mean(r))


def test_the_mean_rank_of_sentences_by_chance_is_by_hand():
    image = np.repeat(np.arange(100), 5)  # the size of Pascal1K's test set: 500 / 5
    assert chance.chance_of_captions(image)["mean_rank"].item() == pytest.approx(100)
