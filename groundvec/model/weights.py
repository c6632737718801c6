"""The weights of a network in a file, as safetensors: nothing in it is executed."""

import hashlib
from pathlib import Path

import numpy as np
import torch
from safetensors import safe_open
from safetensors.torch import load_file
from safetensors.torch import save as to_bytes
from torch import nn

from groundvec.model.stored import SCALE, check_file, factors
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import check_memory, write_bytes


def save(network: nn.Module, path: Path, int8: bool = False) -> str:
    """Write a network's weights, atomically.

    Args:
        int8: whether matrices are rounded to 8 bits; each row has a factor, by which its largest
            number is 127 or -127.

    Returns:
        The file's SHA-256 sum.
    """
    weights = network.state_dict()
    data = to_bytes(_rounded(weights) if int8 else weights)
    write_bytes(path, data, replace=True)
    return hashlib.sha256(data).hexdigest()


def _rounded(weights: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    result = {}
    for name, value in weights.items():
        if value.ndim == 2:
            scale = (value.abs().amax(dim=1) / 127).clamp(min=torch.finfo(torch.float32).tiny)
            result[name + SCALE] = scale
            value = (value / scale[:, None]).round().to(torch.int8)
        result[name] = value
    return result


def _whole(stored: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Return the weights as float32."""
    result, scales = {}, factors(stored)
    for name, value in stored.items():
        if name not in scales:
            # A copy is where torch wants it: products with the file's are rounded otherwise.
            result[name] = value.to(torch.float32, copy=True)
            if name + SCALE in stored:
                result[name] *= stored[name + SCALE].to(torch.float32)[:, None]
    return result


def load(network: nn.Module, path: Path, checksum: str | None = None) -> None:
    """Give a network that was made on torch's device `meta`, without weights, those of a file.

    So no memory is taken before the file has the shapes too.

    Args:
        checksum: the file's SHA-256 sum, if it is known.

    Raises:
        InputError: the file is missing or damaged, or its weights are of other names or shapes,
            more than this machine's memory can hold, or not finite.
    """
    check_file(path, checksum)
    expected = network.state_dict()
    try:
        with safe_open(path, "pt") as file:
            names = list(file.keys())
            shapes = {
                name: file.get_slice(name).get_shape() for name in set(names) - factors(names)
            }
        if shapes != {name: list(value.shape) for name, value in expected.items()}:
            raise ValueError("other names or shapes")
        check_memory(path, sum(value.nbytes for value in expected.values()))
        values = _whole(load_file(path))
        network.load_state_dict(values, assign=True)
    except InputError:
        raise
    except Exception as error:
        reason = str(error).partition("\n")[0]
        raise InputError(f"{path} does not hold the weights of this model ({reason})") from None
    for name, value in values.items():
        # NaN is both of them, where there is one. An empty weight has neither.
        if value.numel() and not torch.stack(value.aminmax()).isfinite().all():
            raise InputError(f"{path}: {name} is not finite: train the model again")


def to_int8(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Round rows (..., N) to int8; and the scale (..., 1) that each has to be multiplied by."""
    scale: np.ndarray = np.abs(values).max(axis=-1, keepdims=True).clip(1e-30) / 127
    return np.rint(values / scale).astype(np.int8), scale
