"""Baselines."""

import logging
import socket
import sys
from http.server import HTTPServer, SimpleHTTPRequestHandler
from threading import Thread
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from groundvec.baselines import load
from groundvec.runtime.errors import InputError
from tests.support.word_vectors import GLOVE, write

DOG = [0, 3, 0.1]


def test_a_bag_of_words_by_hand(tmp_path, caplog):
    caplog.set_level(logging.INFO)
    bag = load("bag-of-words", vectors=write(tmp_path / "v.txt"))
    result = bag.encode(["a dog", "dog  dog zebra a", "zebra Dog", ""])
    assert result.dtype == np.float32
    # "Dog" is looked up in lower case, for the file has no capitals.
    expected = [[0.5, 1.5, -0.95], [1 / 3, 2, -0.6], DOG, [0, 0, 0]]
    np.testing.assert_allclose(result, expected, rtol=1e-6)
    assert "2 of 8 tokens have no vector" in caplog.text


def test_a_file_with_capitals_keeps_words_apart_that_differ_in_case(tmp_path):
    path = tmp_path / "v.txt"
    path.write_text(f"{GLOVE}Dog 7 8 9\n")
    result = load("bag-of-words", vectors=path).encode(["Dog", "dog", "A Dog"])
    np.testing.assert_allclose(result, [[7, 8, 9], DOG, [7, 8, 9]], rtol=1e-6)


def test_trigrams_count_shared_spelling():
    a, b, c = load("trigrams").encode(["abcd", "abcabc", "xyz"])
    # abcd: abc bcd; abcabc: abc twice, bca, cab
    assert a @ b == pytest.approx(2 / np.sqrt(2) / np.sqrt(6), abs=1e-6)
    assert a @ c == pytest.approx(0)
    assert a.dtype == np.float32


def test_trigrams_are_weighted_by_their_rarity_in_training_captions(tmp_path):
    """scikit-learn's smooth inverse document frequency: 1 + log((1 + n) / (1 + documents))."""
    rows = [("en", "train", "abc abc"), ("en", "train", "abcd"), ("en", "train", "xyz")]
    rows += [("en", "dev", "xyz"), ("de", "train", "xyz")]  # neither counts
    lines = [f"1.jpg,{language},{split},{caption}" for language, split, caption in rows]
    captions = tmp_path / "captions.csv"
    captions.write_text("\n".join(["image_id,language,split,caption", *lines]))
    a, b, c = load("trigrams", captions=captions).encode(["abcxyz", "abc", "xyz"])
    of_abc, of_xyz, unseen = (1 + np.log(4 / (1 + documents)) for documents in (2, 1, 0))
    length = np.sqrt(of_abc**2 + of_xyz**2 + 2 * unseen**2)  # bcx and cxy are in no caption
    assert a @ b == pytest.approx(of_abc / length) and a @ c == pytest.approx(of_xyz / length)


def test_trigrams_need_english_captions_to_weight_them(tmp_path):
    captions = tmp_path / "captions.csv"
    captions.write_text("image_id,language,split,caption\n1.jpg,de,train,Ein Hund\n")
    with pytest.raises(InputError, match="no English training captions"):
        load("trigrams", captions=captions)


def test_trigrams_keep_case_and_have_unit_length():
    result = load("trigrams").encode(["A dog runs .", "a DOG RUNS .", "ab", "", "é🐶."])
    np.testing.assert_allclose((result**2).sum(axis=1), [1, 1, 0, 0, 1], atol=1e-6)
    assert result[0] @ result[1] < 0.5


def test_a_sentence_transformer_is_loaded_by_name(tmp_path, monkeypatch, caplog):
    class Fake:
        def __init__(self, name, device, local_files_only):
            self.device, self.cached = device, local_files_only
            if name != "all-fake":
                raise OSError(f"{name} is not a local folder\nand is not a model identifier")

        def encode(self, sentences, show_progress_bar):
            assert isinstance(sentences, list)
            return np.array([[len(sentence), 1.0] for sentence in sentences])

    fake = SimpleNamespace(SentenceTransformer=Fake)
    monkeypatch.setitem(sys.modules, "sentence_transformers", fake)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", address)
        monkeypatch.setattr("groundvec.baselines.sentence_transformers.TIMEOUT", 0.1)
        with pytest.raises(InputError, match="hub does not answer, and 'all-fake' is not in its"):
            load("sentence-transformers", model="all-fake")
        assert f"asking {address} for the model" in caplog.text
        snapshots = tmp_path / "models--sentence-transformers--all-fake" / "snapshots"
        (snapshots / (40 * "a")).mkdir(parents=True)
        (snapshots.parent / "refs").mkdir()
        (snapshots.parent / "refs/main").write_text(40 * "a")
        assert load("sentence-transformers", model="all-fake").model.cached
    hub = HTTPServer(("127.0.0.1", 0), SimpleHTTPRequestHandler)
    Thread(target=hub.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{hub.server_port}"
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", address)
    model = load("sentence-transformers", model="all-fake")
    result = model.encode(("a dog", "a"))
    assert (result.dtype, result.tolist()) == (np.float32, [[5, 1], [1, 1]])
    with pytest.raises(InputError, match=r"cannot load the model 'none' \(none is not a .* and "):
        load("sentence-transformers", model="none")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    model = load("sentence-transformers", model="all-fake")
    assert model.device == model.model.device == "cuda"  # which results name as their machine
    assert not model.model.cached
    hub.shutdown()
    hub.server_close()


def test_without_the_package_the_error_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)  # its import now fails
    with pytest.raises(InputError, match=r'pip install "groundvec\[sentence-transformers\]"$'):
        load("sentence-transformers", model="all-fake")
