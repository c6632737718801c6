"""Small models and data that several tests need."""

import re
from pathlib import Path
from textwrap import dedent

import numpy as np

from groundvec.config.description import complete_description
from groundvec.data.split import Captions, Split
from groundvec.model.folder import snapshot_name
from groundvec.model.weights import save as save_weights
from groundvec.runtime.files import read_json, write_json
from groundvec.text.characters import Text
from tests.support import ROOT


def description(encoder="gru-8-attention", text="characters", parts=None, **training):
    """Complete the description of a model: a cell of the grid or an encoder, trained by Adam.

    `parts` replaces others, such as `languages`.
    """
    if isinstance(encoder, str):
        cell, size, pooling = encoder.split("-")
        encoder = {"name": "rnn", "cell": cell, "size": int(size), "pooling": pooling}
    rates = {key: training.pop(key) for key in list(training) if key.startswith("learning_rate")}
    return complete_description(
        {
            "languages": ["en"],
            "text": {"name": text},
            "encoder": encoder,
            "training": {**training, "optimizer": {"name": "adam", **rates}},
            **(parts or {}),
        }
    )


def sentences(images=11, captions=5):
    """Return the captions of `make_split`, in its order."""
    return [f"picture {i}, caption {k}" for i in range(images) for k in range(captions)]


def make_split(images=11, captions=5):
    """Make a text of characters, and a split of images with as many captions each."""
    rng = np.random.default_rng(0)
    texts = sentences(images, captions)
    text = Text.build(texts)
    of_english = Captions(
        encoded=text.encode(texts),
        image=np.repeat(np.arange(images), captions),
        order=np.tile(np.arange(captions), images),
    )
    return text, Split(
        image_ids=np.array([str(i) for i in range(images)]),
        features=rng.normal(size=(images, 6)).astype(np.float32),
        captions={"en": of_english},
    )


def save_model(folder, model, /, epochs=(4,), **about):
    """Write the folder of a training with this model, or these, after these epochs."""
    models = model if isinstance(model, list) else [model] * len(epochs)
    for epoch, each in zip(epochs, models, strict=True):
        save_weights(each, folder / "snapshots" / snapshot_name(epoch))
    model = models[0]
    content = {
        "dataset": "scenes",
        "model": "gru-16-attention",
        "description": model.description,
        "texts": {language: text.as_dict() for language, text in model.texts.items()},
        "width": model.width,
        "seed": 1,
        "snapshots": list(epochs),
        "saved": list(epochs),
        "key": "0" * 16,
    }
    write_json(folder / "model.json", content | about)
    write_json(folder / "ensemble.json", {"epochs": list(epochs), "best": epochs[-1]})


def change_model(folder, **changes):
    """Change keys of a model's description."""
    path = folder / "model.json"
    write_json(path, read_json(path) | changes, replace=True)


def recipe(heading):
    """Return the files that a section of CONTRIBUTING.md or tests/recipes.md adds."""
    pages = (ROOT / "CONTRIBUTING.md", ROOT / "tests/recipes.md")
    page = "\n".join(path.read_text("utf-8") for path in pages)
    section = re.split(r"^##+ ", page.split(f"## {heading}\n")[1], flags=re.M)[0]
    named = r"`([\w/]+\.(?:py|yaml|rst|smk|cff))`[^`]*?\n\n *```\w+\n(.*?)^ *```"
    return {path: dedent(text) for path, text in re.findall(named, section, flags=re.S | re.M)}


def add_recipe(project, heading):
    """Write the module and the YAML file that a section adds to a project."""
    files = recipe(heading)
    assert [Path(path).suffix for path in files] == [".py", ".yaml"]
    for path, text in files.items():
        assert not (project / path).exists()
        (project / path).write_text(text, "utf-8")
