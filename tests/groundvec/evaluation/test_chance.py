"""The scores of chance, and of random vectors."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest

from groundvec.evaluation import chance, retrieval
from groundvec.evaluation.ranks import DIRECTIONS


def evaluate(*arguments, **options):
    return retrieval.scored(retrieval.rank_both_ways(*arguments, **options))


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
def test_chance_is_what_all_orders_give_on_average(counts):
    image, *ranks = random_ranks(counts)
    table = chance.chance(image)
    vectors = np.eye(len(image))
    assert list(table) == list(evaluate(vectors, vectors[: len(counts)], image))
    assert table["direction"].tolist() == list(DIRECTIONS)
    assert table["queries"].tolist() == [len(image), len(counts)]
    for row, r in zip(table.to_dict("records"), ranks, strict=True):
        for k in (1, 5, 10):
            assert row[f"r{k}"] == pytest.approx(100 * np.mean(r <= k))
            assert row[f"r{k}_ci"] == 0
        assert row["median_rank"] == np.median(r)
        assert row["mean_rank"] == pytest.approx(np.mean(r))


def test_random_embeddings_score_by_chance():
    """In two folds, whose images have one to five captions."""
    rng = np.random.default_rng(0)
    image = np.repeat(np.arange(40), rng.integers(1, 6, 40))
    found = pd.concat(
        evaluate(rng.normal(size=(len(image), 9)), rng.normal(size=(40, 9)), image, 2)
        for _ in range(100)
    )
    mean = found.groupby("direction").mean()
    expected = chance.chance(image, folds=2).set_index("direction")
    for measure, within in (
        ("r1", 1.2),
        ("r5", 2.4),
        ("r10", 3),
        ("median_rank", 1),
        ("mean_rank", 1),
    ):
        np.testing.assert_allclose(mean[measure], expected[measure], atol=within)
    assert mean["queries"].to_dict() == expected["queries"].to_dict()


def test_chance_of_sentences_is_what_random_vectors_get():
    image = np.repeat(np.arange(100), 5)  # the size of Pascal1K's test set
    exact = chance.chance_of_captions(image)
    assert exact["mean_rank"].item() == pytest.approx(100)  # 500 / 5
    rng = np.random.default_rng(0)
    drawn = [np.mean(retrieval.caption_ranks(rng.normal(size=(500, 64)), image)) for _ in range(10)]
    assert np.mean(drawn) == pytest.approx(100, abs=3)
