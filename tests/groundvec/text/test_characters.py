import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from groundvec.data.cleaning import clean
from groundvec.text.characters import Text, finish
from groundvec.text.encoded import PADDING, UNKNOWN


def test_a_missing_full_stop_is_appended():
    assert finish("A dog") == "A dog ."
    assert finish("A dog .") == "A dog ."
    assert finish("A dog.") == "A dog."
    assert finish("A dog!") == "A dog! ."


def test_padding_unknown_and_the_digit_zero_have_indices_of_their_own():
    text = Text.build(["0 dogs."])
    indices = text.encode(["0x."]).indices
    assert indices[0] not in (PADDING, UNKNOWN)
    assert indices[1] == UNKNOWN
    assert len(text) == 2 + len(set("0 dogs."))


@given(st.lists(st.text(max_size=40).map(clean), min_size=1, max_size=8))
def test_encoding_can_be_read_back(captions):
    text = Text.build(captions)
    encoded = text.encode(captions)
    rows = np.arange(len(captions))[::-1]
    indices, lengths = encoded.batch(rows)
    sentences = np.split(indices, lengths.cumsum())
    for row, sentence in zip(rows, sentences[:-1], strict=True):
        assert "".join(text.characters[i - 2] for i in sentence) == finish(captions[row])
