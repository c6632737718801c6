"""What Socher et al. 2014 train with: their objectives, their AdaGrad, and draws of a data set."""

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file
from scipy.linalg import eigh
from torch import nn

from groundvec.config.description import complete_description
from groundvec.data.split import drawn
from groundvec.model.network import Model
from groundvec.objectives import cca, hinge, squared_error
from groundvec.optimisers.adagrad import Optimiser
from groundvec.runtime.errors import InputError
from groundvec.training import loop
from tests.support.examples import make_split

TEXT, SPLIT = make_split()
BAG = {"name": "bag", "size": 4, "embedding": 5}
ADAGRAD = {"name": "adagrad", "learning_rate": 0.1, "l2": 0.01}


def described(objective, encoder=BAG, **training):
    trees = encoder["name"] == "mean"
    return complete_description(
        {
            "languages": ["en"],
            "text": {"name": "trees" if trees else "characters"},
            "encoder": encoder,
            "objective": objective,
            "similarity": "dot",
            "training": {"optimiser": ADAGRAD, "batch_size": 4, **training},
        }
    )


def train(work, description, text=TEXT, split=SPLIT):
    loop.train(description, {"en": text}, split, split, 1, "cpu", work)


def weights(work, epoch):
    return load_file(work / "snapshots" / f"epoch-{epoch:03}.safetensors")


# The objectives


@given(st.integers(0, 10_000), st.integers(1, 6))
def test_the_sum_is_equation_5_on_a_batch(seed, size):
    v, y = torch.from_numpy(np.random.default_rng(seed).normal(size=(2, size, 4)))
    total = 0.0
    for i in range(size):
        for c in range(size):
            if c != i:
                total += max(0.0, 3 - v[i] @ y[i] + v[i] @ y[c])
                total += max(0.0, 3 - v[i] @ y[i] + v[c] @ y[i])
    assert hinge.Objective(3, "sum")(v, {"en": y}, "dot").item() == pytest.approx(float(total))


def test_the_squared_error_by_hand():
    images, captions = torch.tensor([[1.0, 2.0], [0, 0]]), torch.tensor([[1.0, 0.0], [3, 4]])
    assert squared_error.Objective()(images, {"en": captions}, "euclidean").item() == 4 + 25


def test_canonical_correlations_are_those_of_the_eigenvalue_problem():
    rng = np.random.default_rng(0)
    both = rng.normal(size=(400, 3))
    images = np.hstack([both, rng.normal(size=(400, 2))]) @ rng.normal(size=(5, 5))
    captions = both + 0.5 * rng.normal(size=(400, 3))
    maps = cca.Objective(0.0).solve(images, captions, 2)
    (image_map, image_bias), (caption_map, caption_bias) = maps
    v, y = images @ image_map.T + image_bias, captions @ caption_map.T + caption_bias
    np.testing.assert_allclose(v.mean(axis=0), 0, atol=1e-5)
    found = [np.corrcoef(v[:, i], y[:, i])[0, 1] for i in range(2)]
    # The squares of the correlations are the eigenvalues of Sxy Syy^-1 Syx against Sxx.
    covariance = np.cov(np.hstack([images, captions]).T)
    xx, xy, yy = covariance[:5, :5], covariance[:5, 5:], covariance[5:, 5:]
    largest = eigh(xy @ np.linalg.solve(yy, xy.T), xx, eigvals_only=True)[::-1][:2]
    np.testing.assert_allclose(np.square(found), largest, rtol=1e-4)


def mean_text(text):
    """A text of characters whose indices have fixed vectors."""
    vectors = np.random.default_rng(5).normal(size=(len(text), 6)).astype(np.float32)

    class WithVectors(type(text)):
        dimension = 6

    text = WithVectors(**text.as_dict())
    text.vectors = vectors
    return text


def test_a_solved_model_correlates_images_and_captions(tmp_path):
    encoder = {"name": "mean", "size": 3, "project": True}
    objective = {"name": "cca", "shrinkage": 0.2}
    cca_model = described(objective, encoder, epochs=1, cycle=1)
    text = mean_text(TEXT)
    train(tmp_path, cca_model, text)
    model = Model(cca_model, {"en": text}, SPLIT.features.shape[1]).eval()
    model.load_state_dict(weights(tmp_path, 1))
    captions = SPLIT.captions["en"]
    y = model.encode_captions(captions.encoded, "en")
    v = model.encode_images(SPLIT.features)[captions.image]
    np.testing.assert_allclose(y.mean(axis=0), 0, atol=1e-4)
    correlation = np.corrcoef(v[:, 0], y[:, 0])[0, 1]
    assert correlation > abs(np.corrcoef(v[:, 0], y[:, 1])[0, 1]) + 0.1


# AdaGrad


def test_adagrad_forgets_at_the_start_of_a_cycle():
    weight = nn.Parameter(torch.zeros(1))
    optimiser = Optimiser([weight], cycle=2, learning_rate=1.0, l2=0.0)
    values = []
    for step in range(4):
        optimiser.prepare(step)
        weight.grad = torch.tensor([1.0])
        optimiser.step()
        values.append(weight.item())
    steps = -np.diff([0, *values])
    # 1 / sqrt(1 + 1), then 1 / sqrt(1 + 1 + 1), and again.
    np.testing.assert_allclose(steps, [2**-0.5, 3**-0.5] * 2, rtol=1e-6)


def test_the_l2_penalty_is_a_part_of_the_gradient():
    weight = nn.Parameter(torch.tensor([2.0]))
    optimiser = Optimiser([weight], cycle=5, learning_rate=1.0, l2=0.5)
    weight.grad = torch.zeros(1)
    optimiser.step()
    assert weight.item() == pytest.approx(2 - 1 / 2**0.5)


# One network after the other


def test_networks_are_trained_in_turn(tmp_path):
    train(tmp_path, described({"name": "squared_error"}, epochs=4, cycle=1, alternate=1))
    for epoch in range(1, 5):
        before, after = weights(tmp_path, epoch - 1), weights(tmp_path, epoch)
        changed = {name.split(".")[0] for name in after if not before[name].equal(after[name])}
        assert changed == ({"image"} if epoch % 2 else {"captions"})


@given(st.integers(1, 3), st.integers(1, 3), st.integers(2, 4))
def test_snapshots_are_candidates_once_both_networks_are_trained(cycle, alternate, times):
    settings = {"cycle": cycle, "epochs": cycle * alternate * times, "alternate": alternate}
    candidates = loop.candidate_epochs(settings)
    assert candidates[-1] == settings["epochs"]
    assert min(candidates) > alternate  # before, images alone are trained
    assert loop.candidate_epochs(settings | {"alternate": 0})[: -len(candidates)] == [
        epoch for epoch in range(cycle, 2 * alternate, cycle)
    ]


def test_a_candidate_has_learned_of_both_pictures_and_captions(tmp_path):
    described_so = described({"name": "squared_error"}, epochs=4, cycle=1, alternate=2)
    train(tmp_path, described_so)
    untrained = weights(tmp_path, 0)
    for epoch in loop.candidate_epochs(described_so["training"]):
        trained = weights(tmp_path, epoch)
        changed = {
            name.split(".")[0] for name in trained if not untrained[name].equal(trained[name])
        }
        assert changed == {"image", "captions"}


# Draws


def captions_of(counts):
    rows = [
        {"split": split, "image_id": f"{split}{i}", "caption": str(k)}
        for split, count in counts.items()
        for i in range(count)
        for k in range(2)
    ]
    return pd.DataFrame(rows)


def test_a_draw_has_so_many_images_with_all_their_captions():
    captions = captions_of({"train": 30, "dev": 9, "test": 8})
    draws = [drawn(captions, [10, 3, 8], seed) for seed in (1, 1, 2)]
    for draw in draws:
        images = draw.groupby("split")["image_id"].nunique()
        assert images.to_dict() == {"train": 10, "dev": 3, "test": 8}
        assert (draw.groupby("image_id").size() == 2).all()
    pd.testing.assert_frame_equal(draws[0], draws[1])
    assert set(draws[0]["image_id"]) != set(draws[2]["image_id"])


def test_more_images_than_there_are_cannot_be_drawn():
    captions = captions_of({"train": 30, "dev": 9, "test": 8})
    with pytest.raises(InputError, match="10 dev images cannot be drawn from 9"):
        drawn(captions, [10, 10, 8], 1)
