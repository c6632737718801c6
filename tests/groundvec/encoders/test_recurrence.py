"""The recurrence, compared with torch's own layers."""

from unittest.mock import patch

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from groundvec.device import has_bfloat16
from groundvec.encoders import recurrence, rnn

RNNS = {"gru": torch.nn.GRU, "lstm": torch.nn.LSTM}


@pytest.mark.parametrize(
    "vocabulary, directions, large",
    [
        (9, 1, 1),  # a vocabulary smaller than the batch; oneDNN's products
        (500, 2, 1),
        (500, 2, recurrence.LARGE),
    ],
)
@pytest.mark.parametrize("cell", ["gru", "lstm"])
@given(lengths=st.lists(st.integers(1, 30), min_size=1, max_size=6))
def test_states_and_gradients_equal_torch_s_own_layers(
    cell, directions, vocabulary, large, lengths
):
    torch.manual_seed(len(lengths))
    layer = RNNS[cell](4, 5, batch_first=True, bidirectional=directions == 2)
    embedding = torch.nn.Embedding(vocabulary, 4)
    indices = torch.randint(vocabulary, (sum(lengths),))
    parameters = [*embedding.parameters(), *layer.parameters()]
    sentences = embedding(indices).split(lengths)
    expected = torch.cat([layer(sentence[None])[0][0] for sentence in sentences])
    weights = torch.randn_like(expected)
    given_to_both = layer, embedding.weight, indices, torch.tensor(lengths)
    with patch.object(recurrence, "LARGE", large):
        found = recurrence.hidden_states(*given_to_both)
        gradients = torch.autograd.grad((found * weights).sum(), parameters)
        with torch.inference_mode():
            inferred = recurrence.hidden_states(*given_to_both)
    torch.testing.assert_close(found, expected, atol=1e-6, rtol=0)
    torch.testing.assert_close(inferred, found, atol=1e-6, rtol=0)
    of_torch = torch.autograd.grad((expected * weights).sum(), parameters)
    for gradient, expected_gradient in zip(gradients, of_torch, strict=True):
        torch.testing.assert_close(gradient, expected_gradient, atol=1e-5, rtol=1e-5)


@pytest.mark.skipif(not has_bfloat16(), reason="this CPU has no products of bfloat16")
@pytest.mark.parametrize("cell", ["gru", "lstm"])
def test_products_in_bfloat16_give_nearly_the_same_states_and_gradients(cell, monkeypatch):
    torch.manual_seed(0)
    layer = RNNS[cell](20, 64, bidirectional=True)
    embedding = torch.nn.Embedding(30, 20)
    lengths = torch.tensor([50, 3, 21])
    indices = torch.randint(30, (74,))
    weights = torch.randn(74, 128)

    def states_and_gradients():
        states = recurrence.hidden_states(layer, embedding.weight, indices, lengths)
        parameters = [*embedding.parameters(), *layer.parameters()]
        return [states, *torch.autograd.grad((states * weights).sum(), parameters)]

    expected = states_and_gradients()
    monkeypatch.setattr(recurrence, "rounds_to_bfloat16", lambda: True)
    monkeypatch.setattr(recurrence, "LARGE", 1)  # smaller weights are not rounded
    for found, right in zip(states_and_gradients(), expected, strict=True):
        assert found.dtype == torch.float32
        assert 0 < (found - right).norm() / right.norm() < 0.01  # a factor is off by 0.004 at most
    with torch.inference_mode():
        found = recurrence.hidden_states(layer, embedding.weight, indices, lengths)
    assert 0 < (found - expected[0]).norm() / expected[0].norm() < 0.01


@pytest.mark.parametrize("pooling", ["attention", "max"])
@pytest.mark.parametrize("cell", ["gru", "lstm"])
def test_a_gpu_s_way_through_an_encoder_ends_in_the_same_vectors(cell, pooling):
    """Which is torch's own layer on packed sentences; here it is led over the CPU."""
    torch.manual_seed(0)
    encoder = rnn.Encoder(range(9), 6, cell, pooling, 20)
    indices = torch.randint(2, 9, (12,))
    lengths = torch.tensor([3, 1, 6, 2])
    expected = encoder(indices, lengths)
    states = recurrence.packed_states(encoder.rnn, encoder.embedding.weight, indices, lengths)
    torch.testing.assert_close(encoder.pooling(states, lengths), expected, atol=1e-6, rtol=0)
