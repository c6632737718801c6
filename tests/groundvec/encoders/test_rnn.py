"""Options of the recurrent encoder."""

import numpy as np
import pytest
import torch

from groundvec.encoders import rnn
from groundvec.model.network import Model
from tests.support.examples import description
from tests.support.models import model
from tests.support.trainings import SPLIT, TEXT, WORDLY


@pytest.mark.parametrize("cell", ["gru", "lstm"])
@pytest.mark.parametrize("bidirectional", [True, False])
def test_the_last_state_is_the_one_that_torch_s_own_layer_ends_in(cell, bidirectional):
    torch.manual_seed(0)
    encoder = rnn.Encoder(range(9), 6, cell, "last", 5, bidirectional=bidirectional)
    indices = torch.randint(2, 9, (9,))
    lengths = torch.tensor([2, 4, 3])
    for vector, sentence in zip(encoder(indices, lengths), indices.split([2, 4, 3]), strict=True):
        last = encoder.rnn(encoder.embedding(sentence[None]))[1]
        last = (last[0] if cell == "lstm" else last).flatten()
        torch.testing.assert_close(vector, last, atol=1e-6, rtol=0)


def test_gaussian_weights_have_the_deviation_and_recurrent_ones_are_orthogonal():
    sizes = {"size": 200, "units": 100, "embedding": 90}
    one = model({**WORDLY, **sizes, "gaussian": 0.01}, width=80)
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
