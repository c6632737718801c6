"""The objectives of Socher et al. 2014: squared error and CCA."""

import numpy as np
import torch
import yaml
from safetensors.torch import load_file
from scipy.linalg import eigh

from groundvec.config.description import complete_description
from groundvec.model.network import Model
from groundvec.training import loop
from reproduction.objectives import cca, squared_error
from tests.support.trainings import SPLIT, TEXT


def test_the_squared_error_by_hand():
    images = torch.tensor([[1.0, 2.0], [0, 0]])
    captions = torch.tensor([[1.0, 0.0], [3, 4]])
    assert squared_error.Objective()(images, {"en": captions}, "euclidean").item() == 4 + 25


def test_canonical_correlations_solve_the_eigenvalue_problem():
    rng = np.random.default_rng(0)
    both = rng.normal(size=(400, 3))
    images = np.hstack([both, rng.normal(size=(400, 2))]) @ rng.normal(size=(5, 5))
    captions = both + 0.5 * rng.normal(size=(400, 3))
    maps = cca.Objective(0.0).solve(images, captions, 2)
    (image_map, image_bias), (caption_map, caption_bias) = maps
    v = images @ image_map.T + image_bias
    y = captions @ caption_map.T + caption_bias
    np.testing.assert_allclose(v.mean(axis=0), 0, atol=1e-5)
    found = [np.corrcoef(v[:, i], y[:, i])[0, 1] for i in range(2)]
    # The squares of the correlations are the eigenvalues of Sxy Syy^-1 Syx against Sxx.
    covariance = np.cov(np.hstack([images, captions]).T)
    xx = covariance[:5, :5]
    xy = covariance[:5, 5:]
    yy = covariance[5:, 5:]
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


CCA = """
languages: [en]
text: {name: trees}
encoder: {name: mean, size: 3, project: true}
objective: {name: cca, shrinkage: 0.2}
similarity: dot
training: {batch_size: 1000, epochs: 1, cycle: 1}  # no batch is needed
"""


def test_a_solved_model_correlates_images_and_captions(tmp_path):
    description = complete_description(yaml.safe_load(CCA))
    text = mean_text(TEXT)
    history = loop.train(description, {"en": text}, SPLIT, SPLIT, 1, "cpu", tmp_path)
    assert np.isnan(history[1]["loss"]) and np.isnan(history[1]["learning_rate"])
    model = Model(description, {"en": text}, SPLIT.features.shape[1]).eval()
    model.load_state_dict(load_file(tmp_path / "snapshots" / "epoch-001.safetensors"))
    captions = SPLIT.captions["en"]
    y = model.encode_captions(captions.encoded, "en")
    v = model.encode_images(SPLIT.features)[captions.image]
    np.testing.assert_allclose(y.mean(axis=0), 0, atol=1e-4)
    correlation = np.corrcoef(v[:, 0], y[:, 0])[0, 1]
    assert correlation > abs(np.corrcoef(v[:, 0], y[:, 1])[0, 1]) + 0.1
