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


def test_a_bag_with_idf_is_the_projected_sum_of_weighted_embeddings():
    """ "dog" is in one of four captions, "a" in three, "zebra" in none."""
    captions = ["a dog", "a cat", "a bird", "cats"]
    text = words.Text(["a", "dog", "zebra"])
    torch.manual_seed(0)
    described = description(BAG | {"idf": True, "deviation": 0.1, "state": True}, "words")
    one = Model(described, {"en": text}, 12).eval()
    encoder = one.captions["en"]
    assert encoder.embedding.weight.std() < 0.2
    one.fit_idf([("en", text.encode(captions))])
    a, dog, zebra = np.log([5 / 4, 5 / 2, 5 / 1])
    assert_allclose(encoder.idf[2:], [a, dog, zebra], rtol=1e-6)

    vectors = encoder.embedding.weight.detach().numpy()[2:].astype(float)
    state = a * vectors[0] + dog * vectors[1] + zebra * vectors[2]
    state /= np.linalg.norm(state)
    weights, bias = (p.detach().numpy() for p in encoder.projection.parameters())
    projected = weights @ (np.sqrt(7) * state) + bias
    both = np.concatenate([projected / np.linalg.norm(projected), state]) / np.sqrt(2)
    [found] = one.encode_sentences(["a dog zebra"])
    assert_allclose(found, both, atol=1e-6)

    image = one.encode_images(np.ones((1, 12), np.float32))
    assert image.shape == (1, 16 + 7) and (image[:, 16:] == 0).all()
    batch = torch.tensor([2, 3, 4]), torch.tensor([3])
    assert one.train().embed_captions("en", batch).shape == (1, 16)


@given(st.lists(st.text("A dogchases2!.", max_size=40), min_size=1, max_size=4))
def test_a_gru_over_words_of_ngrams_is_concatenated_with_a_bag(sentences):
    """Word by word, sentence by sentence, with torch's own GRU."""
    one = model(NGRAM_RNN, text="word-ngrams")
    text = TEXTS["word-ngrams"]
    encoder = one.captions["en"]
    captions = ["a dog", "a cat", "a bird", "cats"]
    one.fit_idf([("en", text.encode(captions))])
    bag = model(BAG | {"idf": True}, text="ngrams")
    bag.fit_idf([("en", TEXTS["ngrams"].encode(captions))])
    torch.testing.assert_close(encoder.idf, bag.captions["en"].idf)

    def unit(vector):
        return torch.nn.functional.normalize(vector, dim=-1)

    with torch.no_grad():
        for sentence, found in zip(sentences, one.encode_sentences(sentences), strict=True):
            words = torch.stack(
                [
                    (encoder.embedding.weight[row] * encoder.idf[row, None]).sum(dim=0)
                    for word in sentence.lower().rstrip(" .").split() or ["."]
                    for row in [TEXTS["ngrams"].hash([word]).indices.astype(int)]
                ]
            )
            state = unit(words.sum(dim=0)) * 7**0.5
            states = encoder.rnn((unit(words) * 7**0.5)[None])[0][0]
            pooled = encoder.pooling(states, torch.tensor([len(words)]))[0]
            projected = encoder.of_state(state) + encoder.of_order(pooled)
            expected = torch.cat([unit(projected), unit(state)]) / 2**0.5
            assert_allclose(found, expected, atol=1e-5)


def test_unknown_characters_are_read_as_a_zero_vector():
    for encoder, text in (("gru-16-max", "characters"), (BAG, "words")):
        assert (model(encoder, text=text).captions["en"].embedding.weight[UNKNOWN] == 0).all()
    assert_allclose(*embed(model(), ["A ß dog.", "A é dog."]), atol=1e-6)
