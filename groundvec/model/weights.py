"""The weights of a network in a file, as safetensors: nothing in it is executed."""

import hashlib
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save as to_bytes
from torch import nn

from groundvec.model.stored import SCALE, Weights
from groundvec.runtime.files import check_memory, write_bytes


def save(network: nn.Module, path: Path, int8: bool = False) -> str:
    """Write a network's weights, atomically.

    Args:
        int8: whether matrices are rounded by `to_int8`.

    Returns:
        The file's SHA-256 sum.
    """
    weights = network.state_dict()
    for name, value in list(weights.items()):
        if int8 and value.ndim == 2:
            rounded, scale = to_int8(value.numpy())
            weights[name] = torch.from_numpy(rounded)
            weights[name + SCALE] = torch.from_numpy(scale[:, 0])
    data = to_bytes(weights)
    write_bytes(path, data, replace=True)
    return hashlib.sha256(data).hexdigest()


def load(network: nn.Module, weights: Weights) -> None:
    """Give a network that was made on torch's device `meta`, without weights, those of a file.

    So no memory is taken before the file has the shapes too.

    Raises:
        InputError: the weights are of other names or shapes, more than this machine's memory can
            hold, or not finite.
    """
    expected = network.state_dict()
    if weights.shapes != {name: [*value.shape] for name, value in expected.items()}:
        raise weights.wrong("other names or shapes")
    check_memory(weights.path, sum(value.nbytes for value in expected.values()))
    # A copy is where torch wants it: products with NumPy's are rounded otherwise.
    values = {name: torch.tensor(weights(name, *of.shape)) for name, of in expected.items()}
    network.load_state_dict(values, assign=True)


def to_int8(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Round rows (..., N) to int8; and the scale (..., 1) that each has to be multiplied by.

    The largest number of a row is 127 or -127.
    """
    scale: np.ndarray = np.abs(values).max(axis=-1, keepdims=True) / np.float32(127)
    scale = scale.clip(np.finfo(np.float32).tiny)
    return np.rint(values / scale).astype(np.int8), scale
