"""Batch normalizations folded into convolutions."""

import pytest
import torch
from groundvec.features.folding import fold
from torch import nn
from torchvision.models import get_model

from groundvec.features import backbones


def batch_normalisations(network):
    return sum(isinstance(module, nn.BatchNorm2d) for module in network.modules())


@pytest.mark.parametrize("name", ["efficientnet_lite0_stages", "resnet18", "shufflenet_v2_x0_5"])
def test_folding_leaves_the_features_and_no_batch_normalisation(name):
    generator = torch.Generator().manual_seed(1)
    lite = name.startswith("efficientnet_lite")
    network = backbones.load(name).network if lite else get_model(name).eval()
    for module in network.modules():
        if isinstance(module, nn.BatchNorm2d) and not lite:  # untrained ones do nothing
            module.running_mean.normal_(0, 0.1, generator=generator)
            module.running_var.uniform_(0.5, 2, generator=generator)
    pixels = torch.randn(2, 3, 64, 64, generator=generator)
    with torch.inference_mode():
        before = network(pixels)
        folded = fold(network, 64)
        torch.testing.assert_close(folded(pixels), before, rtol=1e-3, atol=1e-4)
        assert batch_normalisations(folded) == 0 < batch_normalisations(network)
        assert torch.equal(network(pixels), before)


def test_a_convolution_that_is_read_twice_keeps_its_batch_normalisation():
    class Twice(nn.Module):
        def __init__(self):
            super().__init__()
            self.convolution, self.norm = nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4)
            self.norm.running_mean.fill_(1)

        def forward(self, pixels):
            read = self.convolution(pixels)
            return (read + self.norm(read)).mean(dim=(2, 3))

    network = Twice().eval()
    assert fold(network, 8) is network
