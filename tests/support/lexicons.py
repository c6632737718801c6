"""A lexicon of four classes in two languages, and models with classifiers of these classes."""

import numpy as np
from safetensors.numpy import save, save_file

from groundvec.model import folder
from groundvec.runtime.files import sha256, write_bytes, write_json

NAMES = {"en": ["tiger", "cup", "espresso", "dog"], "de": ["Tiger", "Tasse", "Espresso", "Hund"]}


def text(*lines):
    return np.frombuffer("\n".join(lines).encode(), np.uint8)


def arrays():
    """Return a lexicon whose sets are {tiger}, {cup, half an espresso} and {dog}."""
    return {
        "starts": np.array([0, 1, 3, 4], np.int32),
        "classes": np.array([0, 1, 2, 3], np.int16),
        "weights": np.array([100, 100, 50, 100], np.uint8),
        "en.names": text(*NAMES["en"]),
        "en.forms": text("tiger", "cup", "coffee cup", "dog"),
        "en.gates": np.array([100, 50, 100, 2], np.uint8),
        "en.sets": np.array([0, 1, 1, 2], np.int32),
        "en.known": text("blue", "sits", "doges"),
        "de.names": text(*NAMES["de"]),
        "de.forms": text("tiger", "tasse"),
        "de.gates": np.array([100, 80], np.uint8),
        "de.sets": np.array([0, 1], np.int32),
        "de.known": text("eine", "blaue"),
    }


def add_classes(path, width=8, weights=None, lexicon=None):
    """Add classifiers, which read the first features, and a lexicon to a model's folder."""
    if weights is None:
        weights = np.random.default_rng(0).normal(size=(4, width)).astype(np.float32)
    save_file({"0.weight": weights, "0.bias": np.zeros(4, np.float32)}, path / folder.CLASSES)
    write_bytes(path / folder.LEXICON, lexicon or save(arrays()), replace=True)
    content = folder.ModelFolder(path).metadata
    content["classes"] = {
        "count": 4,
        "networks": [{"start": 0, "width": width}],
        "sha256": sha256(path / folder.CLASSES),
        "lexicon": sha256(path / folder.LEXICON),
    }
    write_json(path / "model.json", content, replace=True)
