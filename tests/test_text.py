"""What encoders read: words and n-grams (characters have a file of their own)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundvec import parts
from groundvec.errors import InputError
from groundvec.text import ngrams, words
from groundvec.text.encoded import PADDING, UNKNOWN

SENTENCES = st.lists(st.text(max_size=40), min_size=1, max_size=6)


def test_words_are_lower_case_and_marks_stand_alone():
    assert words.tokens("A dog's ball -- RED, well-worn!") == [
        *("a", "dog's", "ball", "-", "-", "red", ",", "well-worn", "!"),
    ]
    assert words.tokens("Zwei Hündchen 🐶.") == ["zwei", "hündchen", "🐶", "."]


def test_rare_words_are_unknown_and_frequent_ones_come_first():
    text = words.Text.build(["A dog.", "A dog runs.", "The dog"], at_least=2)
    assert text.words == ["dog", ".", "a"]
    encoded = text.encode(["The dog.", "A cat"])
    assert encoded.indices.tolist() == [UNKNOWN, 2, 3, 4, UNKNOWN]
    assert encoded.lengths.tolist() == [3, 2]
    assert len(text) == 5


def test_ngrams_by_hand():
    """Of "ab": " a", "ab", "b ", and " ab", "ab "; as often as they occur."""
    text = ngrams.Text(2, 3, buckets=60_000)
    one, twice, other = (text.encode([s]).indices.tolist() for s in ("ab", "ab AB", "abc"))
    assert len(one) == 5
    assert sorted(twice) == sorted(one * 2)
    assert len(set(one) & set(other)) == 3  # " a", "ab", " ab"
    assert min(one) > UNKNOWN and max(one) < len(text)


@pytest.mark.parametrize("text", [words.Text(["a", "dog"]), ngrams.Text(2, 6, buckets=97)])
@given(SENTENCES)
def test_every_sentence_has_indices_and_its_own_ones_only(text, sentences):
    encoded = text.encode(sentences)
    assert len(encoded) == len(sentences) and (encoded.lengths > 0).all()
    assert encoded.indices.min() > PADDING and encoded.indices.max() < len(text)
    indices, lengths = encoded.batch(np.arange(len(sentences)))
    rows = np.split(indices, lengths.cumsum())[:-1]
    for sentence, row in zip(sentences, rows, strict=True):
        assert row.tolist() == text.encode([sentence]).indices.tolist()


@pytest.mark.parametrize("text", [words.Text(["a", "dog"]), ngrams.Text(2, 6, buckets=97)])
def test_a_text_is_the_same_after_saving_and_loading(text):
    again = type(text)(**text.as_dict())
    sentences = ["A dog.", "Two cats"]
    assert again.encode(sentences).indices.tolist() == text.encode(sentences).indices.tolist()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: words.Text(["a", "a"]), "distinct words"),
        (lambda: ngrams.Text(3, 2, 10), "the shortest comes first"),
        (lambda: ngrams.Text(1, 2, 100_000), "65,534 buckets are the most"),
        (
            lambda: parts.find("text", "wrds"),
            "there is no 'wrds' in groundvec/text: correct the name",
        ),
        (lambda: parts.find("encoders", "recurrence"), "there is no 'recurrence' in groundvec/enc"),
        (lambda: parts.find("encoders", "..rnn"), r"there is no '\.\.rnn' in groundvec/encoders"),
    ],
)
def test_what_cannot_be_is_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()
