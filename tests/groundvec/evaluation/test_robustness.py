"""What is made of sentences with mistakes."""

import numpy as np
import pandas as pd
import pytest

from groundvec.evaluation import robustness
from groundvec.evaluation.robustness import RATES
from groundvec.text.mistakes import CASE, KINDS, SPACES, spoil


def letters(sentences):
    """A system that counts letters, and knows no capitals."""
    return np.array([[1 + s.count(c) for c in "abcdefghijklmnopqrstuvwxyz "] for s in sentences])


def rated():
    words = ["a dog runs", "two cats sleep", "a man plays guitar", "the bird flies high"]
    pairs = [(a, b) for a in words for b in words]
    table = pd.DataFrame(pairs, columns=["sentence_a", "sentence_b"])
    table["rating"] = [5.0 if a == b else 1.0 + len(set(a) & set(b)) / 10 for a, b in pairs]
    free = table.assign(task="T", subtask=["one"] * 10 + ["two"] * 6, split="test")
    split = ["train"] * 6 + ["dev"] * 4 + ["test"] * 6
    return pd.concat([free, table.assign(task="B", subtask="all", split=split)], ignore_index=True)


def test_ratings_are_measured_at_every_rate():
    rows = pd.DataFrame(robustness.of_ratings(rated(), letters))
    assert len(rows) == len(KINDS) * len(RATES) * 2
    table = rows.set_index(["kind", "rate", "measure"])["value"]
    free, test = rated()[:16], rated()[26:]

    def r(pairs):
        a, b = (letters(pairs[column]) for column in ("sentence_a", "sentence_b"))
        cosines = (a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
        return 100 * np.corrcoef(cosines, pairs["rating"])[0, 1]

    expected = (10 * r(free[:10]) + 6 * r(free[10:])) / 16
    for kind in KINDS:
        assert table[kind, 0, "unsupervised"] == pytest.approx(expected)
        assert table[kind, 0, "B"] == pytest.approx(r(test))
    assert table[CASE, 0.2, "unsupervised"] < table[CASE, 0, "unsupervised"] - 1


def test_retrieval_is_measured_with_spoilt_captions_alone():
    captions = [f"{c * 5} {c * 2}" for c in "abcdefghijklmnop" for _ in range(2)]
    image = np.repeat(np.arange(16), 2)
    images = letters([c * 4 for c in "abcdefghijklmnop"])

    def unit(vectors):
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    found = robustness.of_retrieval(
        captions, image, unit(images), lambda given: unit(letters(given) - 1.0 + 1e-3), "cosine"
    )
    table = pd.DataFrame(found).set_index(["kind", "rate", "measure"])["value"]
    assert len(table) == len(KINDS) * len(RATES) * 2
    for kind in KINDS:
        for direction in ("caption_to_image", "image_to_caption"):
            assert table[kind, 0, f"{direction} R@10"] == 100
    assert table[SPACES, 0.2, "caption_to_image R@10"] == 100  # no letter is missing


def test_what_is_encoded_is_spoilt():
    """By each kind and rate; the two sentences of a pair each in its own way."""
    captions, read = [f"a dog runs fast {k}" for k in range(6)], []

    def encode(given):
        read.append(list(given))
        return np.eye(6)

    robustness.of_retrieval(captions, np.arange(6), np.eye(6), encode, "dot")
    of_all = [spoil(captions, kind, rate, robustness.SEED) for kind in KINDS for rate in RATES[1:]]
    assert read == [captions, *of_all]
    assert all(each != captions for each in of_all[3::4])  # at the highest rate
    pairs = pd.DataFrame({"sentence_a": ["the dog runs over the green field"] * 30})
    pairs = pairs.assign(sentence_b=pairs["sentence_a"], rating=range(30))
    read.clear()

    def counted(given):
        read.append(given)
        return letters(given)

    robustness.of_ratings(pairs.assign(task="T", subtask="one", split="test"), counted)
    both = [
        spoil(pairs[side].tolist(), KINDS[-1], RATES[-1], robustness.SEED + k)
        for k, side in enumerate(("sentence_a", "sentence_b"))
    ]
    assert len(read[0]) == 1 and set(read[-1]) == {*both[0], *both[1]}
    assert both[0] != both[1]
