"""The bank in a model's folder: made of training captions, read like weights that anybody made."""

import shutil
from functools import partial

import numpy as np
import pandas as pd
import pytest
from safetensors.numpy import load_file, save_file

from groundvec import SentenceEncoder
from groundvec.export import sentence_transformers
from groundvec.model import bank, packing
from groundvec.model.folder import BANK, ModelFolder
from groundvec.querybank import normalizers
from groundvec.runtime.files import sha256, write_bytes, write_json
from tests.support.examples import change_model, save_model, sentences
from tests.support.models import model, saved_model
from tests.support.refusals import refused


@pytest.fixture(scope="module")
def captions(tmp_path_factory):
    """A file of 300 training captions, and of others that are not in the bank."""
    rows = [("a.jpg", "en", "train", caption) for caption in sentences(60, 5)]
    rows += [("b.jpg", "en", "test", "A test caption"), ("a.jpg", "de", "train", "Auf Deutsch")]
    table = pd.DataFrame(rows, columns=["image_id", "language", "split", "caption"])
    path = tmp_path_factory.mktemp("captions") / "captions.csv"
    table.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def made(tmp_path_factory, captions):
    model_folder = tmp_path_factory.mktemp("model")
    saved_model(model_folder)
    assert bank.read(ModelFolder(model_folder)) is None
    bank.make(model_folder, captions)
    return model_folder


@pytest.fixture
def trained(made, tmp_path):
    """A copy of the model with a bank, to be changed."""
    return shutil.copytree(made, tmp_path / "model")


def test_a_bank_normalizes_as_all_training_captions_do(trained):
    made = bank.read(ModelFolder(trained))
    assert made.shares.sum() == pytest.approx(1)
    assert len(made.centers) == len(made.shares) <= bank.CENTERS
    vectors = SentenceEncoder(trained).encode(sentences(60, 5), tokenized=True)
    images = np.random.default_rng(0).normal(size=(20, 16)).astype(np.float32)
    images /= np.linalg.norm(images, axis=1, keepdims=True)
    expected = normalizers(vectors, images, made.inverse_temperature)
    np.testing.assert_allclose(made.normalizers(images), expected, atol=0.01)


def test_a_copy_has_the_bank(trained, tmp_path):
    assert BANK in [path.name for path in ModelFolder(trained).files()]
    ModelFolder(trained).copy(tmp_path / "copy")
    np.testing.assert_array_equal(
        bank.read(ModelFolder(tmp_path / "copy")).centers, bank.read(ModelFolder(trained)).centers
    )


def save_other_snapshots(source, target):
    """Save a snapshot that is not in the ensemble, whose vectors the bank has."""
    write_json(source / "ensemble.json", {"epochs": [8], "best": 8})
    SentenceEncoder(source, epochs=[4]).save_pretrained(target)


@pytest.mark.parametrize(
    "write",
    [sentence_transformers.save, partial(packing.pack, images=False), save_other_snapshots],
)
def test_a_folder_that_gets_no_bank_names_none(trained, tmp_path, write):
    """Neither does it name graphs of image networks that it does not get."""
    write_bytes(trained / "graphs/0.onnx", b"graph")
    change_model(trained, graphs=[sha256(trained / "graphs/0.onnx")])
    write(trained, tmp_path / "new")
    assert bank.read(ModelFolder(tmp_path / "new")) is None
    ModelFolder(tmp_path / "new").files()  # raises an error for a file that is missing


def test_a_bank_needs_cosines_and_captions(tmp_path, captions):
    network = model()
    network.description = network.description | {"similarity": "dot"}
    save_model(tmp_path / "dot", network)
    with refused(r"and \S*dot has dot: make none"):
        bank.make(tmp_path / "dot", captions)
    saved_model(tmp_path / "model")
    table = pd.read_csv(captions)
    table[table["split"] == "test"].to_csv(tmp_path / "test.csv", index=False)
    with refused("has no training captions of this model"):
        bank.make(tmp_path / "model", tmp_path / "test.csv")


def with_arrays(**changes):
    """Return a function that replaces arrays of a bank's file, and returns the new checksum.

    The arrays are given by functions of the number of the bank's centers.
    """

    def change(model_folder, centers):
        path = model_folder / BANK
        made = {name: array(centers) for name, array in changes.items()}
        save_file(load_file(path) | made, path)
        return {"sha256": sha256(path)}

    return change


@pytest.mark.parametrize(
    "change, error",
    [
        ({"sha256": "0" * 64}, "is damaged, its checksum is not"),
        ({"centers": 2**40}, "does not describe a model"),
        ({"inverse_temperature": 0}, "does not describe a model"),
        (with_arrays(shares=lambda n: np.ones(n + 1, np.float32)), "other names or shapes"),
        (with_arrays(more=lambda n: np.ones(n, np.float32)), "more is none of them"),
        (with_arrays(shares=lambda n: np.zeros(n, np.float32)), "a share that is not above 0"),
    ],
)
def test_a_bank_that_is_damaged_or_of_another_form_is_refused(trained, change, error):
    about = ModelFolder(trained).metadata["bank"]
    about |= change if isinstance(change, dict) else change(trained, about["centers"])
    change_model(trained, bank=about)
    with refused(error):
        bank.read(ModelFolder(trained))


def test_a_missing_bank_is_named(trained):
    (trained / BANK).unlink()
    with refused("does not exist: copy the model again"):
        bank.read(ModelFolder(trained))
