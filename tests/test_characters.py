import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundvec.data.schema import clean
from groundvec.errors import InputError
from groundvec.text.characters import PADDING, UNKNOWN, Vocabulary, finish


def test_a_full_stop_is_appended_unless_there_is_one():
    assert finish("A dog") == "A dog ."
    assert finish("A dog .") == "A dog ."
    assert finish("A dog.") == "A dog."
    assert finish("A dog!") == "A dog! ."


def test_padding_unknown_and_the_digit_zero_have_indices_of_their_own():
    vocabulary = Vocabulary.build(["0 dogs."])
    indices = vocabulary.encode(["0x."]).indices
    assert indices[0] not in (PADDING, UNKNOWN)
    assert indices[1] == UNKNOWN
    assert len(vocabulary) == 2 + len(set("0 dogs."))


def test_characters_are_counted_with_the_appended_full_stop():
    vocabulary = Vocabulary.build(["aab", "a."])
    assert dict(zip(vocabulary.characters, vocabulary.counts, strict=True)) == {
        " ": 1,
        ".": 2,
        "a": 3,
        "b": 1,
    }


@given(st.lists(st.text(max_size=40).map(clean), min_size=1, max_size=8))
def test_encoding_can_be_read_back(captions):
    vocabulary = Vocabulary.build(captions)
    encoded = vocabulary.encode(captions)
    padded, lengths = encoded.batch(np.arange(len(captions)))
    assert padded.shape == (len(captions), lengths.max())
    for caption, row, length in zip(captions, padded, lengths, strict=True):
        assert "".join(vocabulary.characters[i - 2] for i in row[:length]) == finish(caption)
        assert (row[length:] == PADDING).all()


def test_a_vocabulary_is_the_same_after_saving_and_loading(tmp_path):
    vocabulary = Vocabulary.build(["Ein Hündchen 🐶 jagt 2 Bälle."])
    vocabulary.save(tmp_path / "v.json")
    again = Vocabulary.load(tmp_path / "v.json")
    assert again.characters == vocabulary.characters
    assert (again.encode(["🐶?"]).indices == vocabulary.encode(["🐶?"]).indices).all()


def test_a_vocabulary_file_that_is_none_is_named(tmp_path):
    (tmp_path / "v.json").write_text('{"characters": "ab"')
    with pytest.raises(InputError, match=r"v\.json is not JSON"):
        Vocabulary.load(tmp_path / "v.json")
