import math
import os
import signal
import zipfile
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import h5py
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file

from groundvec.data.split import Captions, encode
from groundvec.features import store
from groundvec.model.network import Model
from groundvec.objectives import hinge, multilingual
from groundvec.optimisers import adam
from groundvec.optimisers.adam import WARM_UP, cosine, cyclic
from groundvec.runtime.errors import InputError
from groundvec.runtime.jobs import Stopped
from groundvec.training import checkpoints, loop
from tests.support.examples import description, make_split, sentences

hinge_loss = hinge.Objective.forward
TEXT, SPLIT = make_split()
CAPTIONS = SPLIT.captions["en"]
SHORT = description(epochs=4, cycle=2, batch_size=4, learning_rate_max=1e-2)
SAVED = [0, 1, 2, 3, 4]


def no_recall(model, dev):
    return {"dev_recall": np.float64(0)}


def train(work, split=SPLIT, described=SHORT, seed=3, evaluate=no_recall):
    """Train; `evaluate` stands for the recall on development images."""
    with patch.object(loop, "development_recall", evaluate):
        return loop.train(described, {"en": TEXT}, split, split, seed, "cpu", work)


def weights(work, epoch=4):
    return load_file(work / "snapshots" / f"epoch-{epoch:03}.safetensors")


def assert_equal(one, two):
    assert one.keys() == two.keys()
    assert all(torch.equal(one[key], two[key]) for key in one)


def test_a_mapped_split_trains_the_same_weights_as_one_in_memory(tmp_path, monkeypatch):
    monkeypatch.setattr("groundvec.data.split.SENTENCES_PER_BLOCK", 7)
    values = SPLIT.features.astype(np.float16)
    with h5py.File(tmp_path / "features.h5", "w") as file:
        file["features"], file["image_ids"] = values[::-1], SPLIT.image_ids[::-1].tolist()
    mapped = store.read(tmp_path / "features.h5", SPLIT.image_ids)
    encoded = encode(TEXT, sentences())
    assert not mapped.matrix.flags.writeable and len(sentences()) > 14
    assert isinstance(encoded.indices.base, np.memmap)
    of_files = replace(SPLIT, features=mapped, captions={"en": replace(CAPTIONS, encoded=encoded)})
    in_memory = replace(SPLIT, features=values.astype(np.float32))
    described = description(epochs=2, cycle=2, batch_size=4)
    histories = [
        loop.train(described, {"en": TEXT}, split, split, 3, "cpu", tmp_path / name)
        for name, split in [("files", of_files), ("memory", in_memory)]
    ]
    assert_equal(weights(tmp_path / "files", 2), weights(tmp_path / "memory", 2))
    recalls = [[row["dev_recall"] for row in history] for history in histories]
    assert len(recalls[0]) == 3 and recalls[0] == recalls[1]


# The loss


@given(st.integers(0, 10_000), st.integers(1, 6), st.floats(0, 1))
def test_the_loss_is_the_paper_s_sum_over_all_entries(seed, size, margin):
    rng = np.random.default_rng(seed)
    captions, images = rng.normal(size=(2, size, 4))
    total = 0.0
    for i in range(size):
        for j in range(size):
            if i != j:
                right = captions[i] @ images[i]
                total += max(0, captions[i] @ images[j] - right + margin)
                total += max(0, captions[j] @ images[i] - right + margin)
    captions, images = torch.from_numpy(captions), torch.from_numpy(images)
    loss = hinge.Objective(margin)(images, {"en": captions}, "dot")
    assert loss.item() == pytest.approx(total / size**2, abs=1e-9)


def test_the_loss_by_hand():
    """Cosines [[1, .9], [0, .5]] and margin 0.2.

    Captions against other images: .9 - 1 + .2 = .1, and 0 - .5 + .2 < 0; images against other
    captions: 0 - 1 + .2 < 0, and .9 - .5 + .2 = .6; so (.1 + .6) / 4.
    """
    captions, images = torch.eye(2), torch.tensor([[1.0, 0.0], [0.9, 0.5]])
    loss = hinge.Objective(0.2)(images, {"en": captions}, "cosine")
    assert loss.item() == pytest.approx(0.175)
    both = hinge.Objective(0.2)(images, {"en": captions, "de": captions}, "cosine")
    assert both.item() == pytest.approx(0.35)


# The schedule


def test_the_learning_rate_starts_low_peaks_after_half_a_period_and_returns():
    rates = [cyclic(step, 8, 1e-6, 1e-3) for step in range(17)]
    assert rates[0] == pytest.approx(1e-6)
    assert rates[2] == pytest.approx((1e-3 + 1e-6) / 2)
    assert rates[4] == pytest.approx(1e-3)
    assert rates[8] == pytest.approx(1e-6)
    assert rates[12] == pytest.approx(1e-3)
    assert rates[1] == pytest.approx(1e-6 + (1e-3 - 1e-6) * 0.5 * (1 - math.cos(math.pi / 4)))


def test_a_cosine_schedule_warms_up_and_comes_down_in_each_cycle():
    period = 200
    rates = [cosine(step, period, 1e-6, 1e-3) for step in range(2 * period)]
    top = round(WARM_UP * period)
    assert rates.index(max(rates)) == top and rates[top] == pytest.approx(1e-3)
    steps = np.diff(rates[: top + 1])
    assert rates[0] > 0 and np.allclose(steps, steps[0])  # a line
    middle = top + (period - top) // 2
    assert rates[middle] == pytest.approx((1e-3 + 1e-6) / 2)
    assert rates[period - 1] == pytest.approx(1e-6, abs=1e-7)
    assert rates[period:] == rates[:period]


def test_the_learning_rate_of_each_batch_is_used(tmp_path, monkeypatch):
    used = []
    step = torch.optim.Adam.step

    def spy(self, *args):
        used.append(self.param_groups[0]["lr"])
        return step(self, *args)

    monkeypatch.setattr(adam.Optimiser, "step", spy)
    train(tmp_path)
    period = 2 * 5 * (11 // 4)
    assert used == [cyclic(i, period, 1e-6, 1e-2) for i in range(2 * period)]


# The batches


@given(st.integers(0, 99), st.integers(1, 9), st.integers(1, 12))
def test_an_epoch_passes_over_the_images_in_one_order(seed, epoch, size):
    batches = [batch["en"] for batch in SPLIT.epoch(size, seed, epoch)]
    kept = 11 // size * size
    assert len(batches) == SPLIT.batches(size) == 5 * (11 // size)
    passes = np.concatenate([*batches, []]).astype(int).reshape(5, kept)
    assert (CAPTIONS.order[passes] == np.arange(5)[:, None]).all()
    assert (CAPTIONS.image[passes] == CAPTIONS.image[passes[0]]).all()
    assert all(len(set(CAPTIONS.image[rows])) == size for rows in batches)


def test_the_order_changes_from_epoch_to_epoch_and_with_the_seed():
    orders = {
        tuple(np.concatenate([batch["en"] for batch in SPLIT.epoch(1, seed, epoch)]))
        for seed in (1, 2)
        for epoch in (1, 2)
    }
    assert len(orders) == 4


def test_flickr8k_has_29920_pairs_an_epoch():
    split = make_split(6000)[1]
    assert split.batches(32) * 32 == 29_920


def test_images_with_fewer_captions_are_left_out_of_the_later_passes():
    split = make_split(6, 2)[1]
    keep = np.array([0, 1, 2, 4, 6, 7, 8, 10])  # images 1, 2 ... : some have one caption
    captions = split.captions["en"]
    captions.image, captions.order = captions.image[keep], captions.order[keep]
    batches = [batch["en"] for batch in split.epoch(2, 0, 1)]
    assert [len(b) for b in batches] == [2, 2, 2, 2][: len(batches)]
    assert set(captions.image[batches[-1]]) == {0, 3}  # those with a second caption
    assert split.batches(2) == len(batches) == 6 // 2 + 2 // 2


@given(st.lists(st.integers(0, 4), min_size=1, max_size=20), st.integers(0, 99))
def test_another_caption_is_one_of_the_same_image(image, seed):
    image = np.array([sorted(set(image)).index(i) for i in image])
    captions = Captions(None, image, np.zeros_like(image))
    rows = np.arange(len(image))
    found = captions.another(rows, np.random.default_rng(seed))
    np.testing.assert_array_equal(image[found], image)
    alone = np.bincount(image)[image] == 1
    np.testing.assert_array_equal(found == rows, alone)


def test_all_other_captions_of_an_image_are_drawn():
    rng = np.random.default_rng(0)
    found = [CAPTIONS.another(np.array([7]), rng).item() for _ in range(100)]
    assert set(found) == {5, 6, 8, 9}


def test_paraphrases_are_in_the_batch_as_if_of_another_language(tmp_path, monkeypatch):
    seen, loss = [], multilingual.Objective.forward

    def spy(self, images, captions, similarity):
        seen.append([vectors.detach().clone() for vectors in captions.values()])
        return loss(self, images, captions, similarity)

    described = description(
        parts={"objective": {"name": "multilingual", "margin": 0.2, "beta": 0.5}},
        **{"epochs": 1, "cycle": 1, "batch_size": 4, "paraphrases": True},
    )
    torch.manual_seed(3)
    model = Model(described, {"en": TEXT}, SPLIT.features.shape[1])
    with torch.no_grad():
        every = CAPTIONS.encoded.batch(np.arange(len(CAPTIONS.image)))
        known = model.embed_captions("en", list(map(torch.from_numpy, every)))
    monkeypatch.setattr(multilingual.Objective, "forward", spy)
    train(tmp_path / "one", described=described)
    first, second = [torch.cdist(vectors, known).argmin(dim=1).numpy() for vectors in seen[0]]
    np.testing.assert_array_equal(CAPTIONS.image[first], CAPTIONS.image[second])
    assert (first != second).all()
    train(tmp_path / "other", described=described)
    assert_equal(weights(tmp_path / "one", 1), weights(tmp_path / "other", 1))


# Clipping


def test_gradients_are_clipped_for_each_network_by_its_own_norm():
    def norm(module):
        return math.sqrt(sum(p.grad.square().sum().item() for p in module.parameters()))

    def norms(clip_image, clip_caption):
        """Those of both networks' gradients, which stay after a step, by step of an epoch."""
        clipped = description(batch_size=4, clip_image=clip_image, clip_caption=clip_caption)
        torch.manual_seed(0)
        model = Model(clipped, {"en": TEXT}, 6)
        optimiser = loop.make_optimiser(model, 10)
        found = []
        for step, batch in enumerate(SPLIT.epoch(4, 0, 1)):
            loop.train_step(model, optimiser, SPLIT, batch, 0, step)
            found.append((norm(model.image), norm(model.captions)))
        return np.array(found)

    clipped = norms(1e-4, 2e-4)
    assert len(clipped) == 10
    np.testing.assert_allclose(clipped, np.tile([1e-4, 2e-4], (10, 1)), rtol=1e-2)
    assert norms(None, None).min() > 1e-3


# Training as a whole


def test_training_learns_which_caption_belongs_to_which_picture(tmp_path):
    history = train(
        tmp_path, described=description(epochs=40, cycle=40, batch_size=4, learning_rate_max=2e-2)
    )
    assert history[-1]["loss"] < 0.2 * history[1]["loss"]
    assert [row["epoch"] for row in history] == list(range(41))
    assert math.isnan(history[0]["loss"])


def test_a_seed_decides_the_weights(tmp_path):
    for name, seed in [("a", 1), ("b", 1), ("c", 2)]:
        train(tmp_path / name, seed=seed)
    assert_equal(weights(tmp_path / "a"), weights(tmp_path / "b"))
    assert not torch.equal(
        weights(tmp_path / "a")["image.projection.weight"],
        weights(tmp_path / "c")["image.projection.weight"],
    )


def test_the_weights_of_the_cycles_and_of_a_few_early_epochs_are_kept(tmp_path):
    train(tmp_path, described=description(epochs=6, cycle=3, batch_size=4))
    kept = sorted(path.name for path in (tmp_path / "snapshots").iterdir())
    assert kept == [f"epoch-{epoch:03}.safetensors" for epoch in range(7)]
    assert loop.saved_epochs(description()["training"]) == [*range(9), 12, 16, 20, 24, 28, 32]
    assert loop.candidate_epochs(description()["training"]) == [4, 8, 12, 16, 20, 24, 28, 32]


class Killed(BaseException):
    pass


@pytest.mark.parametrize("batch", [1, 4, 10, 11, 25, 39])
def test_a_training_killed_in_any_batch_ends_in_the_same_weights(tmp_path, monkeypatch, batch):
    undisturbed = train(tmp_path / "whole")
    monkeypatch.setattr(checkpoints, "MIN_INTERVAL", -1)
    monkeypatch.setattr(checkpoints, "MAX_SHARE", math.inf)
    monkeypatch.setattr(loop, "BATCHES_BETWEEN_CHECKS", 3)
    calls = []

    def killed_once(*args, **options):
        calls.append(1)
        if len(calls) == batch:
            raise Killed
        return hinge_loss(*args, **options)

    monkeypatch.setattr(hinge.Objective, "forward", killed_once)
    with pytest.raises(Killed):
        train(tmp_path / "killed")
    resumed = train(tmp_path / "killed")
    assert len(calls) <= 40 + 3, "batches before the last checkpoint were not done again"
    for epoch in SAVED:
        assert_equal(weights(tmp_path / "whole", epoch), weights(tmp_path / "killed", epoch))
    assert [row["loss"] for row in resumed[1:]] == [row["loss"] for row in undisturbed[1:]]


def test_a_training_killed_while_it_is_evaluated_ends_in_the_same_weights(tmp_path, monkeypatch):
    train(tmp_path / "whole")
    monkeypatch.setattr(checkpoints, "MIN_INTERVAL", -1)
    monkeypatch.setattr(checkpoints, "MAX_SHARE", math.inf)
    monkeypatch.setattr(loop, "BATCHES_BETWEEN_CHECKS", 1)
    calls = []

    def killed_once(model, dev):
        calls.append(1)
        if len(calls) == 3:
            raise Killed
        return {"dev_recall": 0.0}

    with pytest.raises(Killed):
        train(tmp_path / "killed", evaluate=killed_once)
    history = train(tmp_path / "killed", evaluate=killed_once)
    assert_equal(weights(tmp_path / "whole"), weights(tmp_path / "killed"))
    assert [row["epoch"] for row in history] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("batch", [1, 7, 10, 20, 39])
def test_a_training_told_to_stop_has_done_no_batch_in_vain(tmp_path, monkeypatch, batch):
    undisturbed = train(tmp_path / "whole")
    calls = []

    def told_once(*args, **options):
        calls.append(1)
        if len(calls) == batch:
            os.kill(os.getpid(), signal.SIGTERM)
        return hinge_loss(*args, **options)

    monkeypatch.setattr(hinge.Objective, "forward", told_once)
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(Stopped, match="told to stop, after epoch"):
        train(tmp_path / "told")
    assert signal.getsignal(signal.SIGTERM) is before
    assert len(calls) == batch
    resumed = train(tmp_path / "told")
    assert len(calls) == 40
    for epoch in SAVED:
        assert_equal(weights(tmp_path / "whole", epoch), weights(tmp_path / "told", epoch))
    assert [row["loss"] for row in resumed[1:]] == [row["loss"] for row in undisturbed[1:]]


def train_until_killed(work):
    """Up to the evaluation after the fourth epoch."""
    calls = []

    def killed(model, dev):
        calls.append(1)
        if len(calls) == 5:
            raise Killed
        return {"dev_recall": 0.0}

    with pytest.raises(Killed):
        train(work, evaluate=killed)


def damage(path, how):
    data = path.read_bytes()
    if how == "truncated":
        path.write_bytes(data[: len(data) // 2])
    elif how == "empty":
        path.write_bytes(b"")
    else:
        path.write_bytes(b"\0" * len(data))


@pytest.mark.parametrize("how", ["truncated", "empty", "zeros"])
@pytest.mark.parametrize(
    ("damaged", "lost"),
    [(["checkpoint.pt"], 10), (["checkpoint.pt", "checkpoint-previous.pt"], 30)],
)
def test_a_damaged_checkpoint_costs_the_work_since_the_one_before(
    tmp_path, monkeypatch, caplog, how, damaged, lost
):
    """Ten batches an epoch, a checkpoint after each; killed in the evaluation after the fourth."""
    train(tmp_path / "whole")
    train_until_killed(tmp_path / "damaged")
    for name in damaged:
        damage(tmp_path / "damaged" / name, how)
    batches = []
    monkeypatch.setattr(
        hinge.Objective, "forward", lambda *a, **o: batches.append(1) or hinge_loss(*a, **o)
    )
    history = train(tmp_path / "damaged")
    assert len(batches) == 10 + lost
    for name in damaged:
        assert f"{name} cannot be read" in caplog.text
    assert [row["epoch"] for row in history] == [0, 1, 2, 3, 4]
    for epoch in SAVED:
        assert_equal(weights(tmp_path / "whole", epoch), weights(tmp_path / "damaged", epoch))


@pytest.mark.parametrize("step", [(Path, "write_bytes"), (os, "fsync"), (Path, "replace")])
def test_a_crash_while_a_checkpoint_is_written_loses_nothing(tmp_path, monkeypatch, step):
    """In writing what is kept of epoch 3: epoch 2 is not done again."""
    train(tmp_path / "whole")
    epochs = []
    whole = getattr(*step)

    def crash(*args):
        if len(epochs) == 4:
            raise Killed
        return whole(*args)

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(*step, crash)
        train(
            tmp_path / "crashed",
            evaluate=lambda model, dev: epochs.append(1) or {"dev_recall": 0.0},
        )
    batches = []
    monkeypatch.setattr(
        hinge.Objective, "forward", lambda *a, **o: batches.append(1) or hinge_loss(*a, **o)
    )
    train(tmp_path / "crashed")
    assert len(batches) == 20
    assert_equal(weights(tmp_path / "whole"), weights(tmp_path / "crashed"))


def test_a_finished_training_is_not_done_again(tmp_path, monkeypatch):
    history = train(tmp_path)
    monkeypatch.setattr(hinge.Objective, "forward", lambda *a, **o: pytest.fail("trained again"))
    assert str(train(tmp_path)) == str(history)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_loss_that_is_not_finite_stops_and_says_what_to_look_at(tmp_path, value):
    split = make_split()[1]
    split.features[5] = value
    with pytest.raises(InputError, match=r"not finite in epoch 1.*features.*learning rate"):
        train(tmp_path, split)
    assert not (tmp_path / "snapshots" / "epoch-001.safetensors").exists()


def test_a_batch_larger_than_the_data_set_is_named(tmp_path):
    with pytest.raises(InputError, match="batch_size 12 is larger than the training set of 11"):
        train(tmp_path, described=description(epochs=4, batch_size=12))


# What is on the disk may be damaged; what is finished is found again


def networks(folder, seed=0):
    """The checkpoints of a small network, and of an optimiser without a state of its own."""
    torch.manual_seed(seed)
    model = torch.nn.Linear(5, 9)
    optimiser = torch.optim.SGD(model.parameters())
    return checkpoints.Checkpoints(folder, model, optimiser)


@given(st.data())
def test_a_flipped_byte_in_a_checkpoint_is_noticed_or_does_no_harm(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("checkpoint") / "checkpoint.pt"
    written, read = networks(path.parent, 1), networks(path.parent, 2)
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


@pytest.mark.parametrize(
    ("damaged", "batches"), [("snapshots/epoch-002.safetensors", 40), ("checkpoint.pt", 20)]
)
def test_a_flipped_byte_costs_what_came_after_the_copy_before(
    tmp_path, monkeypatch, caplog, damaged, batches
):
    """Killed in evaluating epoch 4: the checkpoints are of epochs 3 and 2, ten batches each.

    A snapshot of epoch 2 is part of both, so that a training without it begins again.
    """
    train(tmp_path / "whole")
    train_until_killed(tmp_path / "damaged")
    flip(tmp_path / "damaged" / damaged)
    done = []
    monkeypatch.setattr(
        hinge.Objective, "forward", lambda *a, **o: done.append(1) or hinge_loss(*a, **o)
    )
    train(tmp_path / "damaged")
    assert len(done) == batches
    assert damaged in caplog.text
    for epoch in SAVED:
        assert_equal(weights(tmp_path / "whole", epoch), weights(tmp_path / "damaged", epoch))


def test_what_is_finished_keeps_its_snapshots_and_history_and_no_checkpoint(tmp_path):
    train(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"finished.pt", "snapshots"}


def test_a_checkpoint_after_a_damaged_snapshot_does_not_take_the_place_of_a_good_one(tmp_path):
    kept = networks(tmp_path)
    sums = {1: kept.save_snapshot(1)}
    kept.save(checkpoints.State(batch=1, sha256=sums))
    kept.save(checkpoints.State(batch=2, sha256=sums | {2: kept.save_snapshot(2)}))
    flip(tmp_path / "snapshots/epoch-002.safetensors")
    assert kept.load_latest().batch == 1
    kept.save(checkpoints.State(batch=3, sha256=sums))
    damage(tmp_path / "checkpoint.pt", "truncated")
    assert kept.load_latest().batch == 1


@pytest.mark.parametrize(
    "change",
    [
        {"model": {}},
        {"model": {"x": torch.ones(1)}},
        {"optimiser": {}},
        {"sha256": [1]},
    ],
)
def test_a_checkpoint_that_cannot_be_restored_is_not_the_last_word(tmp_path, caplog, change):
    """Its file is whole; the checkpoint before it is taken."""
    train(tmp_path / "whole")
    folder = tmp_path / "damaged"
    train_until_killed(folder)
    state = torch.load(folder / "checkpoint.pt", weights_only=True)
    torch.save(state | change, folder / "checkpoint.pt")
    train(folder)
    assert "checkpoint.pt cannot be read, or is damaged: it is removed" in caplog.text
    for epoch in SAVED:
        assert_equal(weights(tmp_path / "whole", epoch), weights(folder, epoch))


@pytest.mark.parametrize("damaged", ["finished.pt", "snapshots/epoch-001.safetensors"])
def test_finished_work_that_is_damaged_is_named_and_done_again(tmp_path, caplog, damaged):
    history = train(tmp_path)
    before = weights(tmp_path, 1)
    flip(tmp_path / damaged)
    again = train(tmp_path)
    assert damaged in caplog.text
    assert [row["loss"] for row in again[1:]] == [row["loss"] for row in history[1:]]
    assert_equal(weights(tmp_path, 1), before)


def test_finished_work_that_is_found_again_says_where_it_was_made(tmp_path, monkeypatch):
    monkeypatch.setattr(loop, "provenance", lambda device: {"commit": "a", "machine": "one"})
    train(tmp_path)
    monkeypatch.setattr(loop, "provenance", lambda device: {"commit": "b", "machine": "two"})
    assert {(row["commit"], row["machine"]) for row in train(tmp_path)} == {("a", "one")}
