"""A lexicon of four classes in two languages, and models with classifiers of these classes."""

import numpy as np
from safetensors.numpy import save, save_file

from groundvec.model import folder
from groundvec.runtime.files import sha256, write_bytes
from tests.support.examples import change_model
from tests.support.tables import cells

LEXICON = cells("""
    starts   | int32 | 0, 1, 3, 4
    classes  | int16 | 0, 1, 2, 3
    weights  | uint8 | 100, 100, 50, 100
    en.names | text  | tiger, cup, espresso, dog
    en.forms | text  | tiger, cup, coffee cup, dog
    en.gates | uint8 | 100, 50, 100, 2
    en.sets  | int32 | 0, 1, 1, 2
    en.known | text  | blue, sits, doges
    de.names | text  | Tiger, Tasse, Espresso, Hund
    de.forms | text  | tiger, tasse
    de.gates | uint8 | 100, 80
    de.sets  | int32 | 0, 1
    de.known | text  | eine, blaue
""")


def text(*lines):
    return np.frombuffer("\n".join(lines).encode(), np.uint8)


def array(number, values):
    """Return an array of a row of `LEXICON`."""
    words = values.split(", ")
    return text(*words) if number == "text" else np.array(words).astype(number)


def arrays():
    """Return a lexicon whose sets are {tiger}, {cup, half an espresso} and {dog}."""
    return {name: array(number, values) for name, number, values in LEXICON}


def add_classes(path, width=8, weights=None):
    """Add classifiers, which read the first features, and a lexicon to a model's folder."""
    if weights is None:
        weights = np.random.default_rng(0).normal(size=(4, width)).astype(np.float32)
    save_file({"0.weight": weights, "0.bias": np.zeros(4, np.float32)}, path / folder.CLASSES)
    write_bytes(path / folder.LEXICON, save(arrays()), replace=True)
    classes = {
        "count": 4,
        "networks": [{"start": 0, "width": width}],
        "sha256": sha256(path / folder.CLASSES),
        "lexicon": sha256(path / folder.LEXICON),
    }
    change_model(path, classes=classes)
