"""Pooling of hidden states."""

import numpy as np
import torch

from groundvec.encoders import pooling


def test_the_largest_of_each_sentence_and_its_gradients_are_the_same_on_a_gpu():
    values = torch.randn(12, 5, requires_grad=True)
    lengths = torch.tensor([3, 1, 6, 2])
    weights = torch.randn(4, 5)
    on_cpu = pooling.MaxPooling()(values, lengths)
    on_gpu = pooling.padded_largest(values, lengths)
    expected = [sentence.amax(dim=0) for sentence in values.split(lengths.tolist())]
    assert torch.equal(on_cpu, torch.stack(expected)) and torch.equal(on_gpu, on_cpu)
    gradients = [torch.autograd.grad((x * weights).sum(), values)[0] for x in (on_cpu, on_gpu)]
    assert torch.equal(*gradients)


def test_attention_by_hand():
    """a_t = softmax over t of V tanh(W h_t + b_w) + b_v, one weight a feature."""
    attention = pooling.Attention(2)
    with torch.no_grad():
        for parameter in attention.parameters():
            parameter.zero_()
        # Both features score tanh(h_t[0]) ...
        attention.hidden.weight[0, 0] = 1.0
        attention.out.weight[0, 0] = 2.0  # ... times 2 for the first feature
        attention.out.weight[1, 0] = -1.0  # ... times -1 for the second
    states = torch.tensor([[9.0, 9.0], [0.0, 1.0], [1.0, 3.0]])
    t = np.tanh(1.0)
    first = np.exp([0, 2 * t]) / np.exp([0, 2 * t]).sum() @ [0.0, 1.0]
    second = np.exp([0, -t]) / np.exp([0, -t]).sum() @ [1.0, 3.0]
    result = attention(states, torch.tensor([1, 2])).detach().numpy()
    np.testing.assert_allclose(result, [[9, 9], [first, second]], rtol=1e-6)


def test_attention_does_not_overflow():
    attention = pooling.Attention(2)
    with torch.no_grad():
        attention.out.weight *= 1e4
    states = torch.randn(7, 2)
    result = attention(states, torch.tensor([4, 3]))
    assert result.isfinite().all()
