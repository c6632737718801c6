"""Words and n-grams as inputs of encoders (characters have a file of their own)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import HashingVectorizer

from groundvec.config import parts
from groundvec.data.cleaning import clean
from groundvec.text import characters, ngrams, word_ngrams, words
from groundvec.text.encoded import UNKNOWN, Encoded
from tests.support.refusals import refused

SENTENCES = st.lists(st.text(max_size=40), min_size=1, max_size=6)


def test_words_are_lower_case_and_marks_stand_alone():
    assert words.tokenize(["A dog's ball -- RED, well-worn!"])[0] == [
        *("a", "dog's", "ball", "-", "-", "red", ",", "well-worn", "!"),
    ]
    assert words.tokenize(["Zwei Hündchen 🐶."]) == [["zwei", "hündchen", "🐶", "."]]


def test_rare_words_are_unknown_and_frequent_ones_come_first(caplog):
    caplog.set_level("INFO")
    text = words.Text.build(["A dog.", "A dog runs.", "The dog"])
    assert text.words == ["dog", ".", "a"]
    encoded = text.encode(["The dog.", "A cat"])
    assert encoded.indices.tolist() == [UNKNOWN, 2, 3, 4, UNKNOWN]
    assert encoded.lengths.tolist() == [3, 2]
    assert len(text) == 5
    assert "2 of the 5 words of 2 sentences are unknown" in caplog.text


@pytest.mark.parametrize("shortest, longest", [(2, 6), (1, 1)])
@given(SENTENCES)
def test_ngrams_equal_scikit_learn_s(shortest, longest, sentences):
    text = ngrams.Text(shortest, longest, buckets=997)
    hashing = HashingVectorizer(
        analyzer="char_wb",
        ngram_range=(shortest, longest),
        n_features=997,
        alternate_sign=False,
        norm=None,
    )
    encoded = text.encode(sentences)
    for number, sentence in enumerate(sentences):
        counts = hashing.transform([clean(sentence).rstrip(" .") or "."])
        indices, _ = encoded.batch(np.array([number]))
        assert indices.tolist() == np.repeat(counts.indices + 2, counts.data.astype(int)).tolist()


@given(SENTENCES, st.data())
def test_words_have_the_n_grams_of_their_sentences_and_are_stored_once(sentences, data):
    """A test of encoders checks their order."""
    encoded = word_ngrams.Text(2, 5, buckets=997).encode(sentences)
    chosen = data.draw(st.lists(st.integers(0, len(sentences) - 1), min_size=1, max_size=8))
    _, lengths, sizes, places = encoded.batch(np.array(chosen))
    assert encoded.lengths[chosen].tolist() == lengths.tolist()
    assert sorted({*places}) == [*range(len(sizes))]  # distinct words only
    found = Encoded.of(*encoded.bags(np.array(chosen)))
    expected = ngrams.Text(2, 5, buckets=997).encode([sentences[row] for row in chosen])
    assert found.lengths.tolist() == expected.lengths.tolist()
    for row in range(len(chosen)):
        bag, wanted = (each.batch(np.array([row]))[0] for each in (found, expected))
        assert sorted(bag) == sorted(wanted)


@pytest.mark.parametrize(
    "text",
    [
        characters.Text.build(["Ein Hündchen 🐶 jagt 2 Bälle."]),
        words.Text(["a", "dog"]),
        words.Text(["Dog", "'s"], tokenizer="moses", lowercase=False),
        ngrams.Text(2, 6, buckets=97),
        word_ngrams.Text(2, 6, buckets=97),
    ],
)
def test_a_text_is_the_same_after_saving_and_loading(text):
    again = type(text)(**text.as_dict())
    found, expected = (each.encode(["A Dog's.", "Two cats"]) for each in (again, text))
    for one, other in zip(*(each.batch(np.arange(2)) for each in (found, expected)), strict=True):
        assert one.tolist() == other.tolist()


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: words.Text(["a", "a"]), "distinct words"),
        (lambda: parts.find("text", "wrds"), "there is no 'wrds' in groundvec/text: correct"),
        (lambda: parts.find("encoders", "..rnn"), r"there is no '\.\.rnn' in groundvec/encoders"),
    ],
)
def test_invalid_arguments_are_refused(make, message):
    with refused(message):
        make()


def test_words_cut_by_moses_stay_cut_and_may_keep_their_capitals():
    options = {"tokenizer": "moses", "lowercase": False}
    [once] = words.tokenize(["A man's dog doesn't run (fast), Mr. Smith."], **options)
    assert once[:4] == ["A", "man", "'s", "dog"]
    assert words.tokenize([" ".join(once)], **options) == [once]
    assert words.tokenize(["Don't RUN!"], "moses")[0] == ["don", "'t", "run", "!"]
    assert words.tokenize(["Der Hund."], lowercase=False) == [["Der", "Hund", "."]]
