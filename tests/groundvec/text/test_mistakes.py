"""Mistakes that are made on purpose."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundvec.text.mistakes import CASE, KINDS, SPACES, TYPING, spoil

SENTENCES = st.lists(st.text("abcXYZ .é2", max_size=40), min_size=1, max_size=5)
LONG = ["the dog runs over the green field to its ball ."] * 400
SEED = 1


@pytest.mark.parametrize("kind", KINDS)
@given(SENTENCES, st.floats(0, 1))
def test_only_what_the_kind_says_is_spoilt(kind, sentences, rate):
    spoilt = spoil(sentences, kind, rate, SEED)
    assert len(spoilt) == len(sentences)
    assert spoil(sentences, kind, rate, SEED) == spoilt
    assert spoil(sentences, kind, 0, SEED) == sentences
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
    assert spoil(sentences, CASE, 1, SEED) == [sentence.swapcase() for sentence in sentences]
    assert spoil(sentences, SPACES, 1, SEED) == [
        sentence.replace(" ", "") for sentence in sentences
    ]


def test_the_rate_is_the_share_of_what_is_spoilt():
    letters = sum(map(str.isalpha, "".join(LONG)))
    changed = [
        a != b for a, b in zip("".join(LONG), "".join(spoil(LONG, CASE, 0.1, SEED)), strict=True)
    ]
    assert sum(changed) / letters == pytest.approx(0.1, abs=0.01)
    kept = sum(sentence.count(" ") for sentence in spoil(LONG, SPACES, 0.2, SEED))
    assert kept / (400 * LONG[0].count(" ")) == pytest.approx(0.8, abs=0.02)


def test_the_four_typing_errors_are_as_frequent():
    """In words of one letter, where each can be told by what is left."""
    words = ["q"] * 8000
    lengths = pd.Series(spoil(words, TYPING, 1, SEED)).str.len().value_counts(normalize=True)
    assert lengths[0] == pytest.approx(0.25, abs=0.02)  # left out
    assert lengths[2] == pytest.approx(0.25, abs=0.02)  # one more
    swapped = spoil(["qx."] * 8000, TYPING, 0.5, SEED)
    assert sum(sentence == "xq." for sentence in swapped) > 500


def test_what_is_spoilt_stays_so_at_a_higher_rate():
    few, more = (spoil(LONG, CASE, rate, SEED) for rate in (0.05, 0.2))
    for before, once, again in zip("".join(LONG), "".join(few), "".join(more), strict=True):
        assert once == before or again == once
