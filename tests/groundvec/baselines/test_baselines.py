"""Models of the sentence-transformers package, which a stand-in replaces."""

import sys
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import torch

from groundvec.baselines import load
from tests.support.refusals import refused


def test_a_sentence_transformer_is_loaded_by_name(monkeypatch):
    """From the package's cache, or else from the hub."""
    cached = []

    class Fake:
        def __init__(self, name, device, local_files_only):
            self.device = device
            if name != "all-fake" or local_files_only > len(cached):
                raise OSError(f"{name} is not a local folder\nand is not a model identifier")
            cached.append(local_files_only)

        def encode(self, sentences, show_progress_bar):
            assert isinstance(sentences, list)
            return np.array([[len(sentence), 1.0] for sentence in sentences])

    hub = Mock()
    monkeypatch.setattr("huggingface_hub.utils.get_session", hub)
    fake = SimpleNamespace(SentenceTransformer=Fake)
    monkeypatch.setitem(sys.modules, "sentence_transformers", fake)
    result = load("sentence-transformers", model="all-fake").encode(("a dog", "a"))
    assert (result.dtype, result.tolist()) == (np.float32, [[5, 1], [1, 1]])
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    model = load("sentence-transformers", model="all-fake")
    assert model.device == model.model.device == "cuda"  # which results name as their machine
    assert cached == [False, True]
    with refused(r"cannot load the model 'none' \(none is not a .* and "):
        load("sentence-transformers", model="none")
    hub.side_effect = OSError("no network")
    with refused(r"cannot load the model 'none' \(no network\)"):
        load("sentence-transformers", model="none")


def test_a_missing_package_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)  # its import now fails
    with refused(r'pip install "groundvec\[sentence-transformers\]"$'):
        load("sentence-transformers", model="all-fake")
