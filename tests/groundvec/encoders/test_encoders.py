"""Encoders as parts of models."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from groundvec.model.network import Model
from groundvec.text import words
from groundvec.text.encoded import UNKNOWN
from tests.support.examples import description
from tests.support.models import BAG, TEXTS, embed, model

NGRAM_RNN = {"name": "ngram-rnn", "size": 9, "embedding": 7, "units": 10, "state": True}
MODELS = [
    ("gru-16-attention", "characters"),
    ("lstm-16-max", "words"),
    (BAG, "words"),
    (BAG | {"idf": True, "dropout": 0.5}, "ngrams"),
    (BAG | {"size": 9, "state": True}, "words"),
    (NGRAM_RNN, "word-ngrams"),
]


@pytest.mark.parametrize("encoder, text", MODELS)
@given(st.lists(st.text("A dogchasesZwei2!.", max_size=60), min_size=1, max_size=6))
def test_an_embedding_does_not_depend_on_its_batch(encoder, text, others):
    one = model(encoder, text=text)
    caption = "A dog chases 2 cats."
    alone = embed(one, [caption])[0]
    together = embed(one, [*others, caption, "A " * 150])[len(others)]
    assert_allclose(together, alone, atol=1e-6)


def test_ngrams_and_words_are_weighted_by_their_rarity_in_training_captions():
    """ "dog" is in one of four captions, "a" in three, "zebra" in none."""
    captions = ["a dog", "a cat", "a bird", "cats"]
    text = words.Text(["a", "dog", "zebra"])
    one = Model(description(BAG | {"idf": True}, "words"), {"en": text}, 12)
    one.fit_idf([("en", text.encode(captions))])
    assert_allclose(one.captions["en"].idf[2:], np.log([5 / 4, 5 / 2, 5 / 1]), rtol=1e-6)
    # Words of n-grams have the weights of their n-grams.
    weights = []
    for encoder, name in ((NGRAM_RNN, "word-ngrams"), (BAG | {"idf": True}, "ngrams")):
        one = model(encoder, text=name)
        one.fit_idf([("en", TEXTS[name].encode(captions))])
        weights.append(one.captions["en"].idf)
    torch.testing.assert_close(*weights)


def test_images_have_zeros_where_captions_have_the_state_of_a_bag():
    """The tests of `numpy_backend` check the captions; training compares the first part alone."""
    one = model(BAG | {"deviation": 0.1, "state": True}, text="words")
    assert one.captions["en"].embedding.weight.std() < 0.2
    image = one.encode_images(np.ones((1, 12), np.float32))
    assert image.shape == (1, 16 + 7) and (image[:, 16:] == 0).all()
    batch = torch.tensor([2, 3, 4]), torch.tensor([3])
    assert one.train().embed_captions("en", batch).shape == (1, 16)


def test_unknown_characters_are_read_as_a_zero_vector():
    for encoder, text in (("gru-16-max", "characters"), (BAG, "words")):
        assert (model(encoder, text=text).captions["en"].embedding.weight[UNKNOWN] == 0).all()
    assert_allclose(*embed(model(), ["A ß dog.", "A é dog."]), atol=1e-6)
