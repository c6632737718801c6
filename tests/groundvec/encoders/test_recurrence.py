"""The recurrence, compared with torch's own layers."""

from unittest.mock import patch

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from groundvec.device import has_bfloat16
from groundvec.encoders import recurrence, rnn

RNNS = {"gru": torch.nn.GRU, "lstm": torch.nn.LSTM}


@pytest.mark.parametrize("large", [1, recurrence.LARGE])  # with oneDNN's products, and without
@pytest.mark.parametrize(
    ("vocabulary", "directions"),
    [(9, 1), (500, 2)],  # a vocabulary smaller and larger than the batch
)
@pytest.mark.parametrize("cell", ["gru", "lstm"])
@given(lengths=st.lists(st.integers(1, 30), min_size=1, max_size=6))
def test_states_and_gradients_are_those_of_torch_s_own_layers(
    cell, directions, vocabulary, large, lengths
):
    with patch.object(recurrence, "LARGE", large):
        check_states_and_gradients(cell, directions, vocabulary, lengths)


def check_states_and_gradients(cell, directions, vocabulary, lengths):
    torch.manual_seed(len(lengths))
    layer = RNNS[cell](4, 5, batch_first=True, bidirectional=directions == 2)
    embedding = torch.nn.Embedding(vocabulary, 4)
    indices = torch.randint(vocabulary, (sum(lengths),))
    parameters = [*embedding.parameters(), *layer.parameters()]
    sentences = embedding(indices).split(lengths)
    expected = torch.cat([layer(sentence[None])[0][0] for sentence in sentences])
    found = recurrence.hidden_states(layer, embedding.weight, indices, torch.tensor(lengths))
    torch.testing.assert_close(found, expected, atol=1e-6, rtol=0)
    weights = torch.randn_like(expected)
    gradients = (torch.autograd.grad((x * weights).sum(), parameters) for x in (found, expected))
    for mine, theirs in zip(*gradients, strict=True):
        torch.testing.assert_close(mine, theirs, atol=1e-5, rtol=1e-5)
    with torch.inference_mode():
        again = recurrence.hidden_states(layer, embedding.weight, indices, torch.tensor(lengths))
    torch.testing.assert_close(again, found, atol=1e-6, rtol=0)


@pytest.mark.parametrize("cell", ["gru", "lstm"])
def test_gradients_of_the_recurrence_are_right_in_double_precision(cell):
    torch.manual_seed(0)
    layer = RNNS[cell](3, 4, bidirectional=True).double()
    names, values = zip(*layer.named_parameters(), strict=True)
    vectors = torch.randn(5, 3, dtype=torch.float64, requires_grad=True)
    indices, lengths = torch.tensor([0, 1, 2, 2, 3, 4, 1, 0]), torch.tensor([2, 5, 1])

    def states(vectors, *values):
        for name, value in zip(names, values, strict=True):
            delattr(layer, name)
            setattr(layer, name, value)
        return recurrence.hidden_states(layer, vectors, indices, lengths)

    inputs = [vectors, *(value.detach().requires_grad_() for value in values)]
    for name in names:
        layer._parameters.pop(name)
        setattr(layer, name, None)
    assert torch.autograd.gradcheck(states, inputs)


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
    indices, lengths = torch.randint(2, 9, (12,)), torch.tensor([3, 1, 6, 2])
    expected = encoder(indices, lengths)
    states = recurrence.packed_states(encoder.rnn, encoder.embedding.weight, indices, lengths)
    torch.testing.assert_close(encoder.pooling(states, lengths), expected, atol=1e-6, rtol=0)
