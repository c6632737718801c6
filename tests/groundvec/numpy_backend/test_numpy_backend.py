"""Encoders in NumPy: the vectors of torch's, without torch."""

import json
import multiprocessing
import os
import sys

import numpy as np
import pytest
import torch
import yaml
from hypothesis import given
from hypothesis import strategies as st

from groundvec import SentenceEncoder, opening
from groundvec import numpy_backend as inference
from groundvec.model import shipped
from groundvec.model.folder import ModelFolder
from groundvec.model.hub import find
from groundvec.model.network import Model, load_ensemble, load_model
from groundvec.model.sentences import encode_sentences
from groundvec.runtime.files import write_json
from tests.support.examples import save_model
from tests.support.models import CAPTIONS, model
from tests.support.tables import cells

ODD = [
    "?",
    "a",
    "A dog chases 2 cats .",
    "x" * 1000,
    "a b " * 300,
    "🐶 é\u0301ß",
    "dog dog dog",
]
RNN = {"name": "rnn", "cell": "gru", "size": 16}
MODELS = cells("""
    {name: bag, size: 16, embedding: 7}                                   | words
    {name: bag, size: 16, embedding: 7, idf: true}                        | ngrams
    {name: bag, size: 9, embedding: 7, state: true}                       | ngrams
    {name: rnn, size: 16, cell: gru, pooling: attention}                  | characters
    {name: rnn, size: 16, cell: lstm, pooling: max}                       | characters
    {name: rnn, size: 16, cell: lstm, pooling: last, bidirectional: false} | characters
    {name: rnn, size: 16, cell: gru, pooling: last, units: 6}             | words
    {name: ngram-rnn, size: 5, embedding: 7, units: 10}                   | word-ngrams
    {name: ngram-rnn, size: 5, embedding: 7, units: 10, state: true}      | word-ngrams
""")


def both(folder, encoder, text):
    """A model that is saved at random: by torch, and by NumPy."""
    network = model(encoder, text=text)
    with torch.no_grad():
        for weights in network.parameters():  # biases and embeddings of unknown words too
            weights.add_(torch.randn_like(weights), alpha=0.3)
        for weights in network.captions.buffers():
            weights.uniform_(0.1, 3)
    save_model(folder, network)
    saved = ModelFolder(folder)
    return [load_model(saved, 4)], [inference.Network(saved, 4)]


@pytest.mark.parametrize("encoder, text", MODELS, ids=str)
def test_vectors_equal_torch_s(tmp_path, encoder, text):
    ours, theirs = both(tmp_path, yaml.safe_load(encoder), text)

    def agree(sentences):
        found, expected = (encode_sentences(models, sentences) for models in (theirs, ours))
        np.testing.assert_allclose(found, expected, atol=1e-5)

    agree(["", ".", *ODD])
    given(st.lists(st.text("A dogchasesZwei2!. 🐶", max_size=30), max_size=6))(agree)()


@pytest.mark.parametrize("name", shipped.versions())
def test_shipped_encoders_equal_torch_s(name):
    sentences = [*ODD, "A man in a red shirt rides his bicycle, slowly."]
    found = SentenceEncoder(name, device="cpu")
    assert isinstance(found.models[0], inference.Network)
    expected = SentenceEncoder(load_ensemble(find(name)))
    np.testing.assert_allclose(found.encode(sentences), expected.encode(sentences), atol=1e-5)


def test_a_large_recurrent_network_or_one_on_a_gpu_is_torch_s(tmp_path, monkeypatch):
    both(tmp_path, RNN, "characters")

    def kind():
        return type(SentenceEncoder(tmp_path, epochs=[4]).models[0])

    assert kind() is (Model if any(map(os.path.exists, opening.GPUS)) else inference.Network)
    monkeypatch.setattr(opening, "GPUS", ["/"])
    assert kind() is Model
    monkeypatch.setattr(opening, "GPUS", [])
    monkeypatch.setattr(opening, "LARGE", 8)
    assert kind() is Model
    monkeypatch.setitem(sys.modules, "torch", None)  # as if it were not installed
    assert kind() is inference.Network


def test_an_option_that_a_description_lacks_has_its_default(tmp_path):
    _, [network] = both(tmp_path, RNN, "characters")
    content = json.loads((tmp_path / "model.json").read_text())
    del content["description"]["encoder"]["embedding"]
    write_json(tmp_path / "model.json", content)
    again = inference.Network(ModelFolder(tmp_path), 4)
    np.testing.assert_array_equal(again.encode_sentences(ODD), network.encode_sentences(ODD))


@pytest.mark.parametrize("name", shipped.versions())
def test_an_encoder_works_in_a_process_that_was_forked_later(name):
    found = SentenceEncoder(name, device="cpu")
    expected = found.encode(CAPTIONS)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        vectors = pool.apply_async(found.encode, [CAPTIONS]).get(60)
    np.testing.assert_allclose(vectors, expected, atol=1e-6)
