"""Sentences with mistakes, and what is made of them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundvec.errors import InputError
from groundvec.evaluation import robustness
from groundvec.evaluation.robustness import CASE, KINDS, RATES, SPACES, TYPING, spoil

SENTENCES = st.lists(st.text("abcXYZ .é2", max_size=40), min_size=1, max_size=5)
LONG = ["the dog runs over the green field to its ball ."] * 400


@pytest.mark.parametrize("kind", KINDS)
@given(SENTENCES, st.floats(0, 1))
def test_only_what_the_kind_says_is_spoilt(kind, sentences, rate):
    spoilt = spoil(sentences, kind, rate)
    assert len(spoilt) == len(sentences)
    assert spoil(sentences, kind, rate) == spoilt
    assert spoil(sentences, kind, 0) == sentences
    for before, after in zip(sentences, spoilt, strict=True):
        if kind == CASE:
            assert after.lower() == before.lower()
        elif kind == SPACES:
            assert after.replace(" ", "") == before.replace(" ", "")
        else:
            assert after.count("2") == before.count("2")
            assert after.count(" ") == before.count(" ")


@given(SENTENCES)
def test_at_a_rate_of_one_nothing_is_left_out(sentences):
    assert spoil(sentences, CASE, 1) == [sentence.swapcase() for sentence in sentences]
    assert spoil(sentences, SPACES, 1) == [sentence.replace(" ", "") for sentence in sentences]


def test_the_rate_is_the_share_of_what_is_spoilt():
    letters = sum(map(str.isalpha, "".join(LONG)))
    changed = [a != b for a, b in zip("".join(LONG), "".join(spoil(LONG, CASE, 0.1)), strict=True)]
    assert sum(changed) / letters == pytest.approx(0.1, abs=0.01)
    kept = sum(sentence.count(" ") for sentence in spoil(LONG, SPACES, 0.2))
    assert kept / (400 * LONG[0].count(" ")) == pytest.approx(0.8, abs=0.02)


def test_the_four_typing_errors_are_as_frequent():
    """In words of one letter, where each can be told by what is left."""
    words = ["q"] * 8000
    lengths = pd.Series(spoil(words, TYPING, 1)).str.len().value_counts(normalize=True)
    assert lengths[0] == pytest.approx(0.25, abs=0.02)  # left out
    assert lengths[2] == pytest.approx(0.25, abs=0.02)  # one more
    swapped = spoil(["qx."] * 8000, TYPING, 0.5)
    assert sum(sentence == "xq." for sentence in swapped) > 500


def test_what_is_spoilt_stays_so_at_a_higher_rate():
    few, more = (spoil(LONG, CASE, rate) for rate in (0.05, 0.2))
    for before, once, again in zip("".join(LONG), "".join(few), "".join(more), strict=True):
        assert once == before or again == once


def test_an_unknown_kind_is_named():
    with pytest.raises(InputError, match="no mistake 'noise': choose one of typing errors, case"):
        spoil(["a"], "noise", 0.1)


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
