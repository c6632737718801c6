"""Recalls, ranks of captions among captions, and intervals."""

import numpy as np
import pytest

from groundvec.evaluation import chance, retrieval
from tests.support.refusals import refused


def evaluate(*arguments, **options):
    return retrieval.scored(retrieval.rank_both_ways(*arguments, **options))


def test_intervals_are_the_paper_s():
    """Table 2 of the paper: 27.5 +- 1.2 of 5,000 captions and 38.5 +- 3.0 of 1,000 images."""
    assert round(retrieval.recall_interval(27.5, 5000), 1) == 1.2
    assert round(retrieval.recall_interval(38.5, 1000), 1) == 3.0
    assert round(retrieval.recall_interval(41.4, 25000), 1) == 0.6  # five folds together


def by_chance(captions, images, image, **options):
    return chance.chance(image, **options)


@pytest.mark.parametrize("score", [evaluate, by_chance])
def test_folds_are_scored_apart_and_averaged(score):
    rng = np.random.default_rng(1)
    images = rng.normal(size=(6, 6))
    captions = rng.normal(size=(14, 6))
    image = np.repeat(np.arange(6), [1, 2, 3, 2, 5, 1])
    folded = score(captions, images, image, folds=2)
    one = score(captions[:6], images[:3], image[:6])
    other = score(captions[6:], images[3:], image[6:] - 3)
    for measure in ("r1", "r5", "median_rank", "mean_rank"):
        mean = (one[measure] + other[measure]) / 2
        assert folded[measure].tolist() == pytest.approx(mean.tolist()), measure
    assert folded["queries"].tolist() == [14, 6]


def test_the_names_of_test_sets_are_the_paper_s():
    assert retrieval.test_set_name(1000) == "1k"
    assert retrieval.test_set_name(5000) == "5k"
    assert retrieval.test_set_name(5000, 5) == "1k-folds"
    assert retrieval.test_set_name(150) == "150"


@pytest.mark.parametrize("score", [evaluate, by_chance])
def test_folds_that_are_not_equal_are_refused(score):
    with refused("3 images cannot be cut into 2 equal folds"):
        score(np.eye(3), np.eye(3), np.arange(3), folds=2)


def test_captions_of_one_image_are_ranked_among_all_others():
    rng = np.random.default_rng(3)
    image = np.array([0, 0, 1, 2, 2, 2, 0])  # the second image has one caption
    captions = rng.normal(size=(7, 4))
    [(_, [found], _)] = retrieval.rank_sentences(captions, image, "dot")
    wanted = {}
    for row in range(7):
        others = [other for other in range(7) if other != row]
        others.sort(key=lambda other: -(captions[row] @ captions[other]))
        places = [place for place, other in enumerate(others, 1) if image[other] == image[row]]
        if places:
            wanted[row] = places[0]
    assert found.tolist() == list(wanted.values())


def test_one_point_for_all_captions_finds_none_of_the_same_image():
    image = np.repeat(np.arange(4), 2)
    found = retrieval.caption_ranks(np.ones((8, 3)), image)
    assert (found == 7).all()  # six others of other images rank before
    found = retrieval.caption_ranks(np.ones((8, 3)), image, np.ones((4, 3)), np.arange(4))
    assert (found == 4).all()  # of another language


def test_the_interval_of_a_mean_rank_holds_images_together():
    image = np.repeat(np.arange(50), 4)
    of_images = np.random.default_rng(0).normal(100, 10, 50)
    low, high = retrieval._interval_of_mean(of_images[image], image)
    half = 1.96 * of_images.std() / np.sqrt(50)  # as if there were one query an image
    assert high - low == pytest.approx(2 * half, rel=0.1)
    assert low < of_images.mean() < high
