"""Punctuation, which people write attached to words and captions have apart."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundvec.config import parts
from groundvec.text.characters import Text
from groundvec.text.punctuation import detach_punctuation, substitutions
from tests.support.tables import cells

CHARACTERS = {"name": "characters"}


@pytest.mark.parametrize(
    "written, expected",
    cells("""
    A dog runs on the beach.      | A dog runs on the beach .
    He waits...                   | He waits ...
    A dog, a cat;and a cow: three | A dog , a cat ; and a cow : three
    A sign says "Red Light."      | A sign says " Red Light . "
    The dog's ball isn't here     | The dog 's ball isn 't here
    \u201cThe dog\u2019s,\u201d he says | " The dog 's , " he says
    1,000 people at 10:30.        | 1,000 people at 10:30 .
    A T-shirt of the U.S. team    | A T-shirt of the U.S. team
    ...                           | ...
    """),
)
def test_by_hand(written, expected):
    assert detach_punctuation([written, expected], CHARACTERS) == [expected, expected]


@given(st.text(st.sampled_from("aB9é .,:;!?'\"()\u2019\u201c-$ \n")))
def test_only_spaces_come_in_and_a_second_time_changes_nothing(sentence):
    [once] = detach_punctuation([sentence], CHARACTERS)
    straight = sentence.replace("\u2019", "'").replace("\u201c", '"')
    assert "".join(once.split()) == "".join(straight.split())
    assert detach_punctuation([once], CHARACTERS) == [once]


@given(st.text(st.sampled_from("aB9é ,;!?'\"()-")).filter(str.strip))
def test_a_final_stop_changes_nothing(sentence):
    """Where none is written, the text of characters adds one."""
    text = Text.build(["aB9é ,;!?'\"()-."])
    encoded = text.encode(detach_punctuation([sentence, f"{sentence}."], CHARACTERS))
    one, other = (encoded.batch(np.array([row]))[0].tolist() for row in range(2))
    assert one == other


def test_texts_with_a_tokenizer_get_unchanged_sentences():
    moses = {"name": "words", "tokenizer": "moses"}
    assert detach_punctuation(["A dog's ball.", " A\tdog "], moses) == ["A dog's ball.", "A dog"]
    for text in (CHARACTERS, {"name": "words"}, {"name": "ngrams"}):
        assert substitutions(text) and detach_punctuation(["A dog."], text) == ["A dog ."]


@pytest.mark.parametrize("name", ["ngrams", "word-ngrams"])
@given(st.text(st.sampled_from("aB9é .,;!?'\"()-")), st.sampled_from([".", " .", "...", ". ."]))
def test_texts_of_n_grams_read_no_final_stop(name, sentence, stop):
    text = parts.find("text", name)(2, 5, 97)
    written = detach_punctuation([sentence, sentence + stop], {"name": name})
    one, other = (text.encode([each]).batch(np.array([0])) for each in written)
    for array, same in zip(one, other, strict=True):
        assert array.tolist() == same.tolist()
