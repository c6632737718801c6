"""Models of the sentence-transformers package, which a stand-in replaces."""

import socket
import sys
from http.server import HTTPServer, SimpleHTTPRequestHandler
from threading import Thread
from types import SimpleNamespace

import numpy as np
import torch

from groundvec.baselines import load
from tests.support.refusals import refused


def test_a_sentence_transformer_is_loaded_by_name(tmp_path, monkeypatch, caplog):
    class Fake:
        def __init__(self, name, device, local_files_only):
            self.device = device
            self.cached = local_files_only
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
        with refused("hub does not answer, and 'all-fake' is not in its"):
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
    with refused(r"cannot load the model 'none' \(none is not a .* and "):
        load("sentence-transformers", model="none")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    model = load("sentence-transformers", model="all-fake")
    assert model.device == model.model.device == "cuda"  # which results name as their machine
    assert not model.model.cached
    hub.shutdown()
    hub.server_close()


def test_a_missing_package_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)  # its import now fails
    with refused(r'pip install "groundvec\[sentence-transformers\]"$'):
        load("sentence-transformers", model="all-fake")
