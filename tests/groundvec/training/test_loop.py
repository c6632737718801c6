"""The training loop."""

import math

import numpy as np
import pytest
import torch

from groundvec.model.network import Model
from groundvec.objectives import multilingual
from groundvec.optimizers import adam
from groundvec.optimizers.adam import cyclic
from groundvec.training import loop
from tests.support.examples import description, make_split
from tests.support.refusals import refused
from tests.support.trainings import CAPTIONS, SPLIT, TEXT, train, weights


def test_the_learning_rate_of_each_batch_is_used(tmp_path, monkeypatch):
    used = []
    step = torch.optim.Adam.step

    def spy(self, *args):
        used.append(self.param_groups[0]["lr"])
        return step(self, *args)

    monkeypatch.setattr(adam.Optimizer, "step", spy)
    train(tmp_path)
    period = 2 * 5 * (11 // 4)
    assert used == [cyclic(i, period, 1e-6, 1e-2) for i in range(2 * period)]


@pytest.mark.parametrize("paraphrases", [True, "itself"])
def test_paraphrases_are_in_the_batch_as_if_of_another_language(tmp_path, monkeypatch, paraphrases):
    seen = []
    loss = multilingual.Objective.forward

    def spy(self, images, captions, similarity):
        seen.append([vectors.detach().clone() for vectors in captions.values()])
        return loss(self, images, captions, similarity)

    described = description(
        parts={"objective": {"name": "multilingual", "margin": 0.2, "beta": 0.5}},
        epochs=1,
        cycle=1,
        batch_size=4,
        paraphrases=paraphrases,
    )
    torch.manual_seed(3)
    model = Model(described, {"en": TEXT}, SPLIT.features.shape[1])
    with torch.no_grad():
        every = CAPTIONS.encoded.batch(np.arange(len(CAPTIONS.image)))
        known = model.embed_captions("en", list(map(torch.from_numpy, every)))
    monkeypatch.setattr(multilingual.Objective, "forward", spy)
    train(tmp_path, described=described)
    first, second = [torch.cdist(vectors, known).argmin(dim=1).numpy() for vectors in seen[0]]
    np.testing.assert_array_equal(CAPTIONS.image[first], CAPTIONS.image[second])
    assert (first != second).all() if paraphrases is True else (first == second).all()


def test_gradients_are_clipped_for_each_network_by_its_own_norm():
    def norm(module):
        return math.sqrt(sum(p.grad.square().sum().item() for p in module.parameters()))

    def norms(clip_image, clip_caption):
        """Return the norms of both networks' gradients after each step of an epoch."""
        clipped = description(batch_size=4, clip_image=clip_image, clip_caption=clip_caption)
        torch.manual_seed(0)
        model = Model(clipped, {"en": TEXT}, 6)
        optimizer = loop.make_optimizer(model, 10)
        found = []
        for step, batch in enumerate(SPLIT.epoch(4, 0, 1)):
            loop.train_step(model, optimizer, SPLIT, batch, 0, step)
            found.append((norm(model.image), norm(model.captions)))
        return np.array(found)

    clipped = norms(1e-4, 2e-4)
    assert len(clipped) == 10
    np.testing.assert_allclose(clipped, np.tile([1e-4, 2e-4], (10, 1)), rtol=1e-2)
    assert norms(None, None).min() > 1e-3


def test_a_seed_decides_the_weights(tmp_path):
    """test_checkpoints.py compares trainings of the same seed."""
    described = description(epochs=1, cycle=1, batch_size=4)
    for seed in (1, 2):
        train(tmp_path / str(seed), described=described, seed=seed)
    one, other = (weights(tmp_path / str(seed), 1) for seed in (1, 2))
    assert not torch.equal(one["image.projection.weight"], other["image.projection.weight"])


def test_the_weights_of_the_cycles_and_of_a_few_early_epochs_are_kept(tmp_path):
    history = train(tmp_path, described=description(epochs=6, cycle=3, batch_size=4))
    assert [row["epoch"] for row in history] == list(range(7))
    assert math.isnan(history[0]["loss"])  # of the untrained network
    kept = sorted(path.name for path in (tmp_path / "snapshots").iterdir())
    assert kept == [f"epoch-{epoch:03}.safetensors" for epoch in range(7)]
    assert loop.saved_epochs(description()["training"], 8) == [*range(9), 12, 16, 20, 24, 28, 32]
    assert loop.candidate_epochs(description()["training"]) == [4, 8, 12, 16, 20, 24, 28, 32]


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_loss_that_is_not_finite_stops_the_training_with_its_likely_causes(tmp_path, value):
    split = make_split()[1]
    split.features[5] = value
    with refused(r"not finite by batch .* of epoch 1.*features.*learning rate"):
        train(tmp_path, split)
    assert not (tmp_path / "snapshots" / "epoch-001.safetensors").exists()


def test_a_batch_larger_than_the_data_set_is_named(tmp_path):
    with refused("batch_size 12 is larger than the training set of 11"):
        train(tmp_path, described=description(epochs=4, batch_size=12))
