"""Options of the recurrent encoder."""

import numpy as np
import pytest
import torch

from groundvec.model.network import Model
from tests.support.examples import description
from tests.support.trainings import SPLIT, TEXT, WORDLY


def test_gaussian_weights_have_the_deviation_and_recurrent_ones_are_orthogonal():
    one = Model(
        description({**WORDLY, "size": 200, "units": 100, "embedding": 90, "gaussian": 0.01}),
        {"en": TEXT},
        80,
    )
    for name, weights in one.named_parameters():
        if weights.ndim == 1:
            assert (weights == 0).all(), name
        elif "weight_hh" in name:
            for gate in weights.split(100):
                torch.testing.assert_close(gate @ gate.T, torch.eye(100), atol=1e-5, rtol=0)
        else:
            assert weights[2:].std().item() == pytest.approx(0.01, rel=0.1), name


def test_dropout_is_of_training_alone_and_of_images_too():
    one = Model(description(WORDLY), {"en": TEXT}, 6)
    batch = [torch.from_numpy(array) for array in SPLIT.captions["en"].encoded.batch(np.arange(4))]
    features = torch.from_numpy(SPLIT.features)
    for embed in (lambda: one.embed_captions("en", batch), lambda: one.embed_images(features)):
        one.train()
        assert not torch.equal(embed(), embed())
        one.eval()
        assert torch.equal(embed(), embed())
