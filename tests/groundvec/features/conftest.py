"""Fixtures of several tests of features."""

import pytest
import torch
from torchvision.models import get_model

from tests.support.features import TINY, save_weights


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """A small network of torchvision with random weights, and the file of them."""
    torch.manual_seed(0)
    network = get_model(TINY).eval()
    return network, save_weights(network, tmp_path_factory.mktemp("weights"), TINY)
