"""Fine-tuning: when it stops, where it starts, and the weights that it ends with."""

import pytest
import torch

from groundvec.model.folder import ModelFolder
from groundvec.model.network import load_model
from groundvec.training import fine_tuning, loop
from tests.support.examples import description, save_model
from tests.support.models import model
from tests.support.trainings import SPLIT, TEXT, recalls


@pytest.mark.parametrize(
    "by_epoch, epochs, best",
    [
        ("50 20 30 30 30 90 90", 4, 2),  # two epochs without a better one than the second
        ("50 20 30 40 30 50 40", 6, 5),  # the last of all epochs
        ("90 20 10 10 99 99 99", 3, 1),  # the start does not count
    ],
)
def test_a_training_with_patience_stops_and_keeps_its_best_epoch(
    tmp_path, monkeypatch, by_epoch, epochs, best
):
    values = map(int, by_epoch.split())
    monkeypatch.setattr(loop, "development_recall", lambda *_: recalls(next(values)))
    described = description(epochs=6, cycle=6, batch_size=4)
    for _ in range(2):  # the second time, it was finished before
        history = loop.train(described, {"en": TEXT}, SPLIT, SPLIT, 1, "cpu", tmp_path, patience=2)
        assert len(history) == 1 + epochs and loop.best_epoch(history) == best
    [snapshot] = tmp_path.glob("snapshots/*")
    assert snapshot.name == f"epoch-{best:03}.safetensors"


@pytest.fixture
def folders(tmp_path):
    """The folders of a model whose weights are 0, and of one whose weights are 1."""
    network = model("gru-8-max", width=6)
    for name, value in {"start": 0.0, "tuned": 1.0}.items():
        for parameter in network.parameters():
            torch.nn.init.constant_(parameter, value)
        save_model(tmp_path / name, network)
    return tmp_path / "start", tmp_path / "tuned"


@pytest.mark.parametrize(
    "of_shares, share",
    [([1, 1, 1, 1, 1], 0), ([1, 2, 3, 3, 2], 0.5), ([1, 2, 3, 4, 5], 1)],
)
def test_the_weights_are_interpolated_as_development_recall_says(
    folders, monkeypatch, of_shares, share
):
    values = iter(of_shares)
    monkeypatch.setattr(fine_tuning, "development_recall", lambda *_: recalls(next(values)))
    start, tuned = folders
    assert fine_tuning.interpolate(ModelFolder(start), tuned, SPLIT) == share
    for weights in load_model(ModelFolder(tuned), 4).parameters():  # its checksum is in model.json
        assert (weights == share).all()
    assert ModelFolder(tuned).metadata["start"] == {"model": "start", "share": share}


def test_a_model_of_other_parts_cannot_be_fine_tuned(folders, tmp_path):
    start = ModelFolder(folders[0])
    assert fine_tuning.obstacle(start, start, "en") == ""
    assert fine_tuning.obstacle(start, start, "de") == "it reads en, and the captions are in de"
    other = model("lstm-8-max", width=6)
    save_model(tmp_path / "other", other)
    recipe = ModelFolder(tmp_path / "other")
    assert fine_tuning.obstacle(start, recipe, "en") == "the recipe has another encoder"
    save_model(tmp_path / "features", other, description=start.description, features={"width": 6})
    recipe = ModelFolder(tmp_path / "features")
    assert fine_tuning.obstacle(start, recipe, "en") == "the recipe has other image features"
