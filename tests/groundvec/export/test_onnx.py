import json
import re
import unicodedata
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
import yaml
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from groundvec import SentenceEncoder
from groundvec.export.onnx import export, store
from groundvec.model.hub import find
from groundvec.model.network import Model, load_ensemble
from groundvec.similarity import join
from groundvec.text import ngrams
from reproduction.text import trees
from tests.support import ROOT
from tests.support.examples import description
from tests.support.models import CAPTIONS, TEXTS, model
from tests.support.refusals import refused
from tests.support.tables import cells

PAGE = ROOT / "docs/export.md"
ENCODERS = cells("""
    {name: rnn, size: 8, cell: gru, pooling: attention}                  | characters | cosine
    {name: rnn, size: 8, cell: lstm, pooling: max, bidirectional: false} | characters | dot
    {name: rnn, size: 8, cell: gru, pooling: last, units: 6}             | characters | euclidean
    {name: bag, size: 8, embedding: 7}                                   | ngrams     | dot
    {name: bag, size: 5, embedding: 3, idf: true, state: true}           | words      | cosine
""")


def session(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(path, options)


def run(graph, sentences):
    """Vectors of sentences given as lists of indices."""
    lengths = np.array([len(sentence) for sentence in sentences])
    indices = np.zeros((len(sentences), lengths.max()), np.int64)
    for row, sentence in zip(indices, sentences, strict=True):
        row[: len(sentence)] = sentence
    return graph.run(["vectors"], {"indices": indices, "lengths": lengths})[0]


def by_torch(models, sentences, language="en"):
    """The same of PyTorch, one sentence at a time."""
    batches = [(torch.tensor(each), torch.tensor([len(each)])) for each in sentences]
    with torch.inference_mode():
        each = [torch.cat([m.embed_captions(language, b) for b in batches]) for m in models]
    return join([vectors.numpy() for vectors in each], models[0].similarity)


@pytest.mark.parametrize("encoder, text, similarity", ENCODERS)
def test_vectors_of_ragged_batches_equal_pytorch_s(encoder, text, similarity, tmp_path):
    """A snapshot and an ensemble; a sentence alone has the same vector as in a batch."""
    encoder = yaml.safe_load(encoder)
    models = [model(encoder, seed, text, similarity=similarity) for seed in range(2)]
    for each in models:
        each.fit_idf([("en", TEXTS[text].encode(CAPTIONS))])
    graphs = {}
    for number in (1, 2):
        path = tmp_path / f"{number}.onnx"
        export(models[:number], path)
        onnx.checker.check_model(path, full_check=True)
        graphs[number] = session(path)

    sentence = st.lists(st.integers(1, len(TEXTS[text]) - 1), min_size=1, max_size=80)

    @given(st.lists(sentence, min_size=1, max_size=5))
    def check(sentences):
        for number, graph in graphs.items():
            found = run(graph, sentences)
            assert found.dtype == np.float32 and found.shape == (len(sentences), 8)
            assert_allclose(found, by_torch(models[:number], sentences), atol=1e-5)
            assert_allclose(run(graph, sentences[:1]), found[:1], atol=1e-6)

    check()


def run_words(graph, text, sentences):
    """Vectors of sentences whose words a text hashes."""
    read = [
        [text.hash([word]).indices for word in sentence.split()]
        for sentence in ngrams.read(sentences)
    ]
    lengths = np.array(list(map(len, read)))
    shape = len(read), lengths.max(), max(len(word) for sentence in read for word in sentence)
    indices = np.zeros(shape, np.int64)
    for row, of_sentence in enumerate(read):
        for place, word in enumerate(of_sentence):
            indices[row, place, : len(word)] = word
    return graph.run(["vectors"], {"indices": indices, "lengths": lengths})[0]


@pytest.mark.parametrize("beside", [{}, {"state": True}])
@given(st.lists(st.text("A dogchases2.", max_size=40), min_size=1, max_size=5))
def test_vectors_of_words_of_n_grams_equal_pytorch_s(beside, sentences):
    encoder = {"name": "ngram-rnn", "size": 8, "embedding": 6, "units": 10, **beside}
    one = model(encoder, text="word-ngrams")
    one.fit_idf([("en", TEXTS["word-ngrams"].encode(CAPTIONS))])
    with TemporaryDirectory() as folder:
        path = Path(folder, "model.onnx")
        export([one], path)
        onnx.checker.check_model(path, full_check=True)
        graph = session(path)
    found = run_words(graph, TEXTS["ngrams"], sentences)
    assert_allclose(found, one.encode_sentences(sentences), atol=1e-5)


def test_a_language_is_one_of_the_model_s(tmp_path):
    both = model(languages=["en", "de"])
    export([both], tmp_path / "en.onnx")
    export([both], tmp_path / "de.onnx", language="de")
    found = {name: run(session(tmp_path / f"{name}.onnx"), [[2, 3]]) for name in ("en", "de")}
    for name, vector in found.items():
        assert_allclose(vector, by_torch([both], [[2, 3]], name), atol=1e-6)
    assert np.abs(found["en"] - found["de"]).max() > 0.01
    with refused("no language 'fr': choose one of en, de"):
        export([both], tmp_path / "fr.onnx", language="fr")
    with refused("no precision 'int4': choose float32, float16, int8"):
        export([both], tmp_path / "int4.onnx", precision="int4")


def test_an_encoder_of_trees_is_refused(tmp_path):
    text = trees.Text(["dog"], ["nsubj"], [1], ["l1", "r1"], 8, "drawn", "collapsed")
    read = {"text": {"name": "trees", "dimension": 8}}
    described = description({"name": "mean", "size": 8}, parts=read)
    with refused("mean cannot become ONNX: only bag, ngram-rnn, rnn can"):
        export([Model(described, {"en": text}, 12)], tmp_path / "model.onnx")


def test_a_number_beyond_float16_keeps_its_array_in_float32():
    weights = {"a": np.array([70_000, 1.1], np.float32), "b": np.array([1.5], np.float32)}
    _, stored = store(weights, "float16")
    assert {name: value.dtype.name for name, value in stored.items()} == {
        "a": "float32",
        "b_half": "float16",
    }


@pytest.fixture(scope="module")
def shipped():
    return SentenceEncoder(load_ensemble(find("flickr8k")))


@pytest.mark.parametrize(
    "precision, share, difference", [("float16", 0.51, 0.001), ("int8", 0.27, 0.002)]
)
def test_smaller_weights_make_a_smaller_file_and_nearly_the_same_vectors(
    precision, share, difference, shipped, tmp_path
):
    export(shipped.models, tmp_path / "float32.onnx")
    export(shipped.models, tmp_path / "small.onnx", precision=precision)
    sizes = [(tmp_path / f"{name}.onnx").stat().st_size for name in ("small", "float32")]
    assert sizes[0] < share * sizes[1]
    sentences = ["A dog runs on the beach.", "Two men are playing guitar."]
    found = run_words(session(tmp_path / "small.onnx"), shipped.models[0].texts["en"], sentences)
    expected = shipped.encode(sentences, tokenized=True)
    assert_allclose(found, expected, atol=difference)


def test_the_lines_in_the_documentation_read_the_file(tmp_path, monkeypatch):
    encoder = SentenceEncoder([model()])
    export(encoder.models, tmp_path / "characters.onnx")
    monkeypatch.chdir(tmp_path)
    lines = re.search(r"```python\n(import json.*?)```", PAGE.read_text(), re.S)[1]
    names = {}
    exec(lines, names)
    for sentence in ("  The dog's\trun: éß!", "?", "e\u0301\u00ad\ufb01…", "never seen: 🐶 (1,2)"):
        assert_allclose(names["encode"](sentence), encoder.encode(sentence), atol=1e-6)


def test_the_lines_in_the_documentation_read_words_of_n_grams(shipped, tmp_path):
    export(shipped.models, tmp_path / "flickr8k.onnx")
    graph = session(tmp_path / "flickr8k.onnx")
    about = json.loads(graph.get_modelmeta().custom_metadata_map["groundvec"])
    names = {"np": np, "re": re, "unicodedata": unicodedata, "graph": graph, "about": about}
    exec(re.search(r"```python\n(from sklearn.*?)```", PAGE.read_text(), re.S)[1], names)
    expected = shipped.encode("A dog runs on the beach.")
    assert_allclose(names["vector"], expected, atol=1e-6)
