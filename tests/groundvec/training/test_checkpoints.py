"""Trainings that are killed, and damaged checkpoints."""

import math
import os
import shutil
import signal
import zipfile
from pathlib import Path
from unittest.mock import Mock

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from groundvec.objectives import hinge, multilingual
from groundvec.runtime.jobs import Stopped
from groundvec.training import checkpoints, loop
from tests.support.examples import description
from tests.support.trainings import (
    BOTH,
    WORDLY,
    assert_equal,
    recalls,
    train,
    two_languages,
    weights,
)

SAVED = [0, 1, 2, 3, 4]
RANDOM = description(WORDLY, parts=BOTH, epochs=2, cycle=1, batch_size=4)


class Killed(BaseException):
    pass


def count_batches(monkeypatch, objective=hinge.Objective, number=0, act=None):
    """Call a function in the batch of this number; return a list that grows with each batch."""
    batches = []
    loss = objective.forward

    def forward(*arguments):
        batches.append(1)
        if len(batches) == number:
            act()
        return loss(*arguments)

    monkeypatch.setattr(objective, "forward", forward)
    return batches


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Return the folder and the history of a training that nothing disturbed."""
    folder = tmp_path_factory.mktemp("whole")
    return folder, train(folder)


@pytest.fixture(scope="module")
def random(tmp_path_factory):
    """Return the same of a training with dropout, and captions of a second language."""
    folder = tmp_path_factory.mktemp("random")
    return folder, train(folder, two_languages(), RANDOM)


@pytest.mark.parametrize("batch", [1, 10, 15])
def test_a_training_killed_in_any_batch_ends_in_the_same_weights(
    tmp_path, monkeypatch, random, batch
):
    folder, undisturbed = random
    monkeypatch.setattr(checkpoints, "MIN_INTERVAL", -1)
    monkeypatch.setattr(checkpoints, "MAX_SHARE", math.inf)
    kill = Mock(side_effect=Killed)
    calls = count_batches(monkeypatch, multilingual.Objective, batch, kill)
    with pytest.raises(Killed):
        train(tmp_path, two_languages(), RANDOM)
    torch.rand(batch)  # another process's generator stands elsewhere
    resumed = train(tmp_path, two_languages(), RANDOM)
    assert len(calls) <= 20 + 3, "batches before the last checkpoint were not done again"
    for epoch in range(3):
        assert_equal(weights(folder, epoch), weights(tmp_path, epoch))
    assert [row["loss"] for row in resumed[1:]] == [row["loss"] for row in undisturbed[1:]]


@pytest.mark.parametrize("batch", [7, 20])
def test_a_training_stopped_by_sigterm_repeats_no_batch(tmp_path, monkeypatch, batch):
    calls = count_batches(
        monkeypatch, hinge.Objective, batch, lambda: os.kill(os.getpid(), signal.SIGTERM)
    )
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(Stopped, match="told to stop, after epoch"):
        train(tmp_path / "told")
    assert signal.getsignal(signal.SIGTERM) is before
    assert len(calls) == batch
    train(tmp_path / "told")
    assert len(calls) == 40


def train_until_killed(work):
    """Up to the evaluation after the fourth epoch."""
    with pytest.raises(Killed):
        train(work, evaluate=Mock(side_effect=[recalls(0.0)] * 4 + [Killed]))


def fill_with_zeros(path):
    path.write_bytes(bytes(path.stat().st_size))


def flip(path):
    """Change one byte in the middle of a file's weights, or of a zip file's largest member."""
    content = bytearray(path.read_bytes())
    place = len(content) // 2
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            member = archive.read(max(archive.infolist(), key=lambda member: member.file_size))
        place = content.index(member) + len(member) // 2
    content[place] ^= 1
    path.unlink()
    path.write_bytes(content)


def assert_same_snapshots(one, other):
    for epoch in SAVED:
        assert_equal(weights(one, epoch), weights(other, epoch))


@pytest.mark.parametrize(
    "damaged, damage, batches",
    [
        (["checkpoint.pt"], flip, 20),
        (["checkpoint.pt", "checkpoint-previous.pt"], fill_with_zeros, 40),
        (["snapshots/epoch-002.safetensors"], flip, 40),
    ],
)
def test_damage_costs_the_work_since_the_intact_checkpoint_before(
    tmp_path, monkeypatch, caplog, whole, damaged, damage, batches
):
    """Killed in evaluating epoch 4: the checkpoints are of epochs 3 and 2, ten batches each.

    A snapshot of epoch 2 is part of both, so that a training without it begins again.
    """
    train_until_killed(tmp_path)
    for name in damaged:
        damage(tmp_path / name)
    trained = count_batches(monkeypatch)
    history = train(tmp_path)
    assert len(trained) == batches
    for name in damaged:
        assert f"{name} " in caplog.text
    assert [row["epoch"] for row in history] == [0, 1, 2, 3, 4]
    assert_same_snapshots(whole[0], tmp_path)


@pytest.mark.parametrize("step", [(Path, "write_bytes"), (os, "fsync"), (Path, "replace")])
def test_a_crash_while_a_checkpoint_is_written_loses_nothing(tmp_path, monkeypatch, whole, step):
    """The crash is in writing the checkpoint of epoch 3: epoch 2 is not repeated."""
    epochs = []
    do_step = getattr(*step)

    def crash(*args):
        if len(epochs) == 4:
            raise Killed
        return do_step(*args)

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(*step, crash)
        train(tmp_path, evaluate=lambda model, dev: epochs.append(1) or recalls(0.0))
    batches = count_batches(monkeypatch)
    train(tmp_path)
    assert len(batches) == 20
    assert_equal(weights(whole[0]), weights(tmp_path))


def networks(folder, seed=0):
    """The checkpoints of a small network, and of an optimizer without a state of its own."""
    torch.manual_seed(seed)
    model = torch.nn.Linear(5, 9)
    optimizer = torch.optim.SGD(model.parameters())
    return checkpoints.Checkpoints(folder, model, optimizer, "training", "lower it")


@given(st.data())
def test_a_flipped_byte_in_a_checkpoint_is_noticed_or_does_no_harm(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("checkpoint") / "checkpoint.pt"
    written = networks(path.parent, 1)
    read = networks(path.parent, 2)
    state = checkpoints.State(epoch=3, history=[{"loss": 0.1}])
    written.save(state)
    content = bytearray(path.read_bytes())
    content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
    path.write_bytes(content)
    loaded = read.load_latest()
    if loaded is None:
        assert not path.exists()
    else:
        assert loaded == state
        assert_equal(read.model.state_dict(), written.model.state_dict())


def test_a_checkpoint_after_a_damaged_snapshot_does_not_take_the_place_of_a_good_one(tmp_path):
    kept = networks(tmp_path)
    sums = {1: kept.save_snapshot(1)}
    kept.save(checkpoints.State(batch=1, sha256=sums))
    kept.save(checkpoints.State(batch=2, sha256=sums | {2: kept.save_snapshot(2)}))
    flip(tmp_path / "snapshots/epoch-002.safetensors")
    assert kept.load_latest().batch == 1
    kept.save(checkpoints.State(batch=3, sha256=sums))
    flip(tmp_path / "checkpoint.pt")
    assert kept.load_latest().batch == 1


@pytest.mark.parametrize("change", [{"model": {}}, {"optimizer": {}}, {"sha256": [1]}])
def test_a_checkpoint_that_cannot_be_restored_is_not_the_last_word(tmp_path, caplog, whole, change):
    """Its file is whole; the checkpoint before it is taken."""
    train_until_killed(tmp_path)
    state = torch.load(tmp_path / "checkpoint.pt", weights_only=True)
    torch.save(state | change, tmp_path / "checkpoint.pt")
    train(tmp_path)
    assert "checkpoint.pt cannot be read, or is damaged: it is removed" in caplog.text
    assert_same_snapshots(whole[0], tmp_path)


@pytest.mark.parametrize("damaged", ["finished.pt", "snapshots/epoch-001.safetensors"])
def test_finished_work_that_is_damaged_is_named_and_done_again(tmp_path, caplog, whole, damaged):
    folder, history = whole
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    flip(tmp_path / damaged)
    again = train(tmp_path)
    assert damaged in caplog.text
    assert [row["loss"] for row in again[1:]] == [row["loss"] for row in history[1:]]
    assert_equal(weights(tmp_path, 1), weights(folder, 1))


def test_a_reused_training_keeps_its_provenance(tmp_path, monkeypatch):
    monkeypatch.setattr(loop, "provenance", lambda device: {"commit": "a", "machine": "one"})
    train(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"finished.pt", "snapshots"}
    monkeypatch.setattr(loop, "provenance", lambda device: {"commit": "b", "machine": "two"})
    monkeypatch.setattr(hinge.Objective, "forward", None)  # it is not trained again
    assert {(row["commit"], row["machine"]) for row in train(tmp_path)} == {("a", "one")}
