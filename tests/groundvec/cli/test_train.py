"""`groundvec train`, on small pictures."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock, patch

import numpy as np
import pandas as pd
import pytest
import torch
from PIL import Image

from groundvec import ImageEncoder, Index, SentenceEncoder
from groundvec.features import backbones
from groundvec.features.extract import described_features
from groundvec.model import bank, classes
from groundvec.model.folder import ModelFolder
from groundvec.model.network import load_model
from groundvec.model.packing import pack
from groundvec.model.stored import CODEBOOK, open_snapshot
from tests.support.commands import run_here
from tests.support.examples import save_model
from tests.support.folders import tree
from tests.support.lexicons import add_classes
from tests.support.models import model
from tests.support.refusals import refused

COLORS = ("red", "green", "blue", "white")
STOP = Mock(side_effect=KeyboardInterrupt)


@pytest.fixture
def data(tmp_path, monkeypatch, kept_features):
    """A folder with 24 pictures of four colors, their captions, and a recipe."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "photos").mkdir()
    rng = np.random.default_rng(0)
    rows = []
    for number in range(24):
        color = COLORS[number % 4]
        image = Image.new("RGB", (60, 60), color)
        image.paste("black", (*rng.integers(0, 20, 2), *rng.integers(30, 60, 2)))
        image.save(f"photos/{number}.png")
        rows += [(f"{number}.png", f"{color} {what}") for what in ("picture", "wall")]
    pd.DataFrame(rows, columns=["image", "caption"]).to_csv("captions.csv", index=False)
    lite = backbones.load("efficientnet_lite0", crops=1)
    training = {"epochs": 2, "cycle": 2, "batch_size": 4}
    parts = {"languages": ["en", "de"], "training": training}
    network = model("gru-16-max", width=lite.width, **parts)
    features = described_features(lite, "cpu") | {"width": lite.width}
    save_model(tmp_path / "recipe", network, features=features)
    return tmp_path


def train(*options):
    command = ["captions.csv", "photos", "-o", "model", "--recipe", "recipe", "--device", "cpu"]
    run_here("train", *command, *options)


def test_a_model_gets_the_image_networks_of_its_recipe(data):
    pack(data / "recipe", data / "packed")
    train("--epochs", "1", "--recipe", "packed")
    graphs = [data / name / "graphs/0.onnx" for name in ("packed", "model")]
    assert graphs[0].read_bytes() == graphs[1].read_bytes()
    [backbone] = ImageEncoder("model").backbones
    assert backbone.graph_file == Path("model/graphs/0.onnx")


def test_a_fine_tuned_model_has_the_bank_and_the_classes_of_its_start(data, monkeypatch):
    rows = ["image_id,language,split,caption", "a,en,train,A dog.", "b,en,train,A cat."]
    Path("of-recipe.csv").write_text("\n".join(rows))
    bank.make(data / "recipe", data / "of-recipe.csv")
    add_classes(data / "recipe", width=1280)
    monkeypatch.setattr("groundvec.model.weights.LARGE", 2**12)
    train("--epochs", "1")
    index = Index("photos", "model")
    recipe = Index("photos", "recipe")
    np.testing.assert_array_equal(index.levels, recipe.levels)
    centers = [bank.read(ModelFolder(name)).centers for name in ("model", "recipe")]
    np.testing.assert_array_equal(*centers)
    # Only its lexicon knows the words of its captions.
    assert len(index.explain(index.paths[0], "a tiger at the wall")) == 1
    lexicons = [classes.read(ModelFolder(name)).lexicon for name in ("model", "recipe")]
    assert [lexicon.is_unknown("wall", "en") for lexicon in lexicons] == [False, True]
    train("--epochs", "1", "--from", "none", "-o", "anew")
    assert not {"bank", "classes"} & ModelFolder("anew").metadata.keys()
    # Nor are its weights rounded to codes.
    stored = [open_snapshot(ModelFolder(name), 1).names for name in ("model", "anew")]
    assert [any(name.endswith(CODEBOOK) for name in names) for names in stored] == [False, True]


def test_a_trained_model_has_what_its_users_need(data, monkeypatch, capsys, caplog):
    monkeypatch.setattr("groundvec.training.fine_tuning.SHARES", (1,))
    caplog.set_level("INFO")
    table = pd.read_csv("captions.csv")
    table.loc[0, "caption"] = 'a "red" $wall'
    table.to_csv("captions.csv", index=False)
    train("--epochs", "3")
    said = capsys.readouterr().out.splitlines()
    epochs = [line for line in caplog.messages if line.startswith("model seed 1: epoch ")]
    assert [line.partition(",")[0].split()[-1] for line in epochs] == ["0/3", "1/3", "2/3", "3/3"]
    assert epochs[1].endswith(" min left")
    size = sum(path.stat().st_size for path in data.glob("model/**/*.*"))
    assert said[-2] == f"written: model ({size / 1e6:.1f} MB)"
    # The query is quoted for a shell.
    *query, better = shlex.split(said[-1])
    assert query == ["groundvec", "search", "photos", 'a "red" $wall', "--model"]
    assert better in ("model", "recipe")
    # Two held-out pictures: all are among the first ten, so R@1 is reported.
    recall = (
        r"Images by captions: model finds (0|50|100)\.0% first, recipe (0|50|100)\.0%; difference "
        r"[+-]\d+\.0 \[[+-]\d+\.0, [+-]\d+\.0\]: (better|worse|no difference is shown); "
        r"2 test pictures decide little\."
    )
    [reported] = [line for line in said if re.fullmatch(recall, line)]
    [weights] = data.glob("model/snapshots/*")
    files = {"README.md", "ensemble.json", "model.json", f"snapshots/{weights.name}"}
    assert tree(data / "model").keys() == files
    assert SentenceEncoder("model").encode(["red picture"]).shape == (1, 16)
    assert len(Index("photos", "model").search("red picture")) == 10
    card = (data / "model/README.md").read_text()
    assert 'SentenceEncoder("model")' in card
    assert f"- {reported}" in card
    numbers = "40 captions of 20 pictures for training, 2 pictures for development and 2 for the"
    assert numbers in card
    assert not list(data.glob(".model*"))
    with refused("model already exists: name another folder"):
        train()


def test_a_model_that_cannot_be_fine_tuned_is_trained_anew(data, capsys):
    table = pd.read_csv("captions.csv").assign(language="fr")
    table.to_csv("captions.csv", index=False)
    train("--epochs", "2", "--precision", "float32")
    said = capsys.readouterr().out.splitlines()
    line = (
        "training starts from nothing, not from recipe: it reads en, de, and the captions are in fr"
    )
    assert said[0] == line and len(said) == 3
    train("--epochs", "2", "--precision", "float32", "--from", "none", "-o", "again")
    [one, other] = [load_model(ModelFolder(name), 2).state_dict() for name in ("model", "again")]
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_a_model_that_is_not_better_says_so(data, monkeypatch, capsys):
    monkeypatch.setattr("groundvec.training.fine_tuning.SHARES", (0,))
    train("--epochs", "1")
    first, second, _, command = capsys.readouterr().out.splitlines()
    assert first.startswith("Not improved: the weights of recipe stay, because fine-tuned ones ")
    assert "no more of 2 development pictures, which decide little. Train on more " in first
    assert second.startswith("It is for en alone: sentences in de are read as en, and were not")
    assert f"- {first}\n- {second}" in Path("model/README.md").read_text()
    assert command.endswith("--model recipe")


def test_a_folder_of_pictures_and_texts_is_enough(data):
    for name, captions in pd.read_csv("captions.csv").groupby("image")["caption"]:
        Path("photos", name).with_suffix(".txt").write_text("\n".join(captions))
    options = ["--recipe", "recipe", "--device", "cpu", "--epochs", "1"]
    run_here("train", "photos", "-o", "model", *options)
    train("--epochs", "1", "-o", "of-a-table")
    written = [Path(name, "ensemble.json").read_text() for name in ("model", "of-a-table")]
    assert written[0] == written[1]


def test_captions_are_read_in_the_form_of_queries(data, monkeypatch):
    """`encode` and `search` separate punctuation from the words of a query."""
    table = pd.read_csv("captions.csv")
    table.loc[0, "caption"] = 'The dog\'s ball, "red".'
    table.to_csv("captions.csv", index=False)

    monkeypatch.setattr("groundvec.training.files.train_from_files", STOP)
    with pytest.raises(KeyboardInterrupt):
        train()
    captions = pd.read_csv(".model.unfinished/captions.csv")["caption"]
    assert captions[0] == 'The dog \'s ball , " red " .'


@pytest.mark.parametrize("place", ["groundvec.card.card.card", "pathlib.Path.rename"])
def test_a_stopped_training_resumes(data, caplog, place):
    """The second is where the folder of the model is put into its place."""
    with patch(place, STOP), pytest.raises(KeyboardInterrupt):
        train("--epochs", "2")
    assert "finished work is kept: the same command resumes it" in caplog.messages
    assert not (data / "model").exists() and list(data.glob(".model.unfinished"))
    with patch("groundvec.training.loop.train_step", STOP):  # no further step
        train("--epochs", "2")
    assert SentenceEncoder("model").dim == 16


def test_two_trainings_of_one_model_do_not_mix(data):
    program = (
        "import sys; from pathlib import Path; from groundvec.runtime.jobs import locked\n"
        "with locked(Path('.model.unfinished'), 'model'): print(flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        other.stdout.readline()
        with refused(rf"model: process {other.pid} .* is at work on it"):
            train()
        other.stdin.close()


@pytest.mark.parametrize(
    "arguments", ["no.csv photos", "captions.csv", "captions.csv photos --from nowhere"]
)
def test_a_mistake_in_a_name_is_found_before_torch_is_imported(data, monkeypatch, arguments):
    monkeypatch.setitem(sys.modules, "groundvec.device", None)  # whose import would fail
    with refused("does not exist|are missing: 0.png|there is no model nowhere"):
        run_here("train", *arguments.split(), "-o", "model")
    assert not list(data.glob(".model*"))


def test_untrainable_data_and_recipes_are_refused_before_extraction(data, monkeypatch):
    monkeypatch.setattr("groundvec.cli.commands.train._extract", None)
    table = pd.read_csv("captions.csv")
    recipe = json.loads(Path("recipe/model.json").read_text())
    del recipe["description"]["training"]
    for rows, about, error in [
        (table.assign(language=24 * ["en", "de"]), None, "the captions are in en, de: keep one"),
        (table[:6], None, "captions.csv has 1 training picture: at least 2 are .* 4 pictures"),
        (table, recipe, "recipe has no training in its description: name another --recipe"),
    ]:
        rows.to_csv("captions.csv", index=False)
        if about:
            Path("recipe/model.json").write_text(json.dumps(about))
        with refused(error):
            train()
        assert not list(data.glob(".model*"))


@pytest.mark.parametrize("output", [".", "/", ".."])
def test_an_output_without_a_name_is_refused(data, output):
    with refused(r"already exists: name another folder"):
        train("-o", output)
