"""Fixtures of several tests of features."""

import pytest
import torch
from torchvision.models import get_model

from tests.support.features import TINY, save_weights


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """A file of random weights of a small network of torchvision."""
    torch.manual_seed(0)
    return save_weights(get_model(TINY), tmp_path_factory.mktemp("weights"), TINY)
