"""`groundvec train`, on small pictures."""

import argparse
import shlex
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import torch
from PIL import Image

from groundvec import SentenceEncoder, search
from groundvec.__main__ import COMMANDS
from groundvec.features import backbones
from groundvec.model.network import Model
from groundvec.runtime.errors import InputError
from groundvec.text.characters import Text
from tests.support.examples import description, save_model

COLORS = ("red", "green", "blue", "white")


@pytest.fixture
def data(tmp_path, monkeypatch):
    """A folder with 24 pictures of four colors, their captions, and a recipe."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
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
    described = description("gru-16-max", epochs=2, cycle=2, batch_size=4)
    torch.manual_seed(0)
    network = Model(described, {"en": Text.build(["A dog."])}, lite.width)
    about = {"backbone": lite.name, "weights": lite.weights, "weights_sha256": lite.sha256}
    save_model(tmp_path / "recipe", network, features=about | {"crops": 1})
    return tmp_path


def train(*options):
    parser = argparse.ArgumentParser()
    COMMANDS["train"].add_arguments(parser)
    command = ["captions.csv", "photos", "-o", "model", "--recipe", "recipe", "--device", "cpu"]
    COMMANDS["train"].main(parser.parse_args([*command, *options]))


def test_a_trained_model_has_what_its_users_need(data, capsys):
    table = pd.read_csv("captions.csv")
    table.loc[0, "caption"] = 'a "red" $wall'
    table.to_csv("captions.csv", index=False)
    train("--epochs", "3")
    said = capsys.readouterr().out.splitlines()
    # What a shell reads as it is meant.
    query = ["groundvec", "search", "photos", 'a "red" $wall', "--model", "model"]
    assert shlex.split(said[-1]) == query
    # Two held-out pictures: all are among the first ten.
    assert "caption_to_image: R@10 100.0, by chance 100.0" in said
    files = sorted(str(path.relative_to(data / "model")) for path in data.glob("model/**/*.*"))
    weights = [name for name in files if name.startswith("snapshots/")]
    assert weights == ["snapshots/epoch-003.safetensors"]
    assert set(files) - set(weights) == {"README.md", "ensemble.json", "model.json"}
    assert SentenceEncoder("model").encode(["red picture"]).shape == (1, 16)
    assert len(search("photos", "red picture", model="model")) == 10
    assert 'SentenceEncoder("model")' in (data / "model/README.md").read_text()
    assert not list(data.glob(".model*"))
    with pytest.raises(InputError, match="model already exists: name another folder"):
        train()


def test_a_training_that_was_stopped_goes_on(data, monkeypatch, capsys):
    def stop(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("groundvec.card.card.card", stop)
        train("--epochs", "2")
    assert not (data / "model").exists() and list(data.glob(".model.unfinished"))
    with monkeypatch.context() as patch:
        patch.setattr("groundvec.training.loop.train_step", stop)  # no further step
        train("--epochs", "2")
    assert SentenceEncoder("model").dim == 16


def test_two_languages_are_refused(data):
    table = pd.read_csv("captions.csv").assign(language=24 * ["en", "de"])
    table.to_csv("captions.csv", index=False)
    with pytest.raises(InputError, match=r"the captions are in en, de: keep one language, or"):
        train()
    assert not list(data.glob(".model*"))


def test_a_line_per_epoch_says_how_long_it_takes(data):
    command = [sys.executable, "-m", "groundvec", "train", "captions.csv", "photos", "-o", "model"]
    options = ["--recipe", "recipe", "--device", "cpu", "--epochs"]
    result = subprocess.run([*command, *options, "2"], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    lines = result.stderr.splitlines()
    assert [line.partition(",")[0] for line in lines] == [
        f"model seed 1: epoch {epoch}/2" for epoch in range(3)
    ]
    assert lines[1].endswith(" min left")
    result = subprocess.run([*command, *options, "0"], capture_output=True, text=True)
    assert result.stderr == "error: --epochs: 0 is less than the minimum of 1\n"
