"""Word vectors that are learned from captions."""

import numpy as np

from reproduction.text import vectors


def test_association_by_hand():
    """b and a have 3 of 8 neighbors each, and p(a, b) is 2/8, so log(2/8 / (3/8 3/8))."""
    information = vectors.association(
        [["a", "b"], ["b", "a"], ["a", "c"], ["b", "d"]], ["a", "b", "c", "d"]
    ).toarray()
    one = np.log(16 / 9)
    two = np.log(8 / 3)
    expected = [[0, one, two, 0], [one, 0, 0, two], [two, 0, 0, 0], [0, two, 0, 0]]
    np.testing.assert_allclose(information, expected)


def test_neighbors_are_within_the_window_and_the_sentence():
    words = list("abcdefg")
    near = vectors.association([words, ["x", "g"], ["y"]], [*words, "x", "y"]).toarray() != 0
    information = vectors.association([["a", "?", "b"], ["c"]], ["a", "b", "c"]).toarray()
    assert not near[0, 6] and near[1, 6] and near[6, 7] and not near[7, 0] and not near[8].any()
    assert information[0, 1] > 0 and not information[2].any()


def test_learned_vectors_bring_back_the_association_and_are_the_same_every_time():
    rng = np.random.default_rng(0)
    sentences = [[*rng.choice(list("abcdefgh"), 9)] for _ in range(5)] + [["lonely"]]
    words = [*"abcdefgh", "lonely"]
    learned = vectors.learn(sentences, words, 9)
    information = vectors.association(sentences, words).toarray()
    _, strengths, _ = np.linalg.svd(information)
    np.testing.assert_allclose(np.linalg.norm(learned, axis=0) ** 2, strengths, atol=1e-4)
    assert not learned[8].any() and learned[:8].any(axis=1).all()
    np.testing.assert_array_equal(learned, vectors.learn(sentences, words, 9))
