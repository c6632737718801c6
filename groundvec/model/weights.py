"""Writing a network's weights to a file, as safetensors, and loading them.

The forms of the file are described in `groundvec.model.stored`.
"""

import hashlib
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save as to_bytes
from torch import nn

from groundvec.model.stored import CODEBOOK, GROUP, SCALE, Weights
from groundvec.runtime.files import check_memory, write_bytes

CODES = 256  # entries of a codebook, so that a code is one byte
SAMPLE = 200_000  # groups of values to which a codebook is fitted, instead of millions
# Matrices with at least as many values are written as codes instead of int8: embedding tables, and
# the linear layer of pictures' features.
LARGE = 2**20


def save(network: nn.Module, path: Path, packed: bool = False, codes: bool = True) -> str:
    """Write a network's weights, atomically.

    Args:
        packed: whether matrices are rounded, by `to_int8` or if they are `LARGE` by `to_codes`.
        codes: whether `to_codes` is used.

    Returns:
        The file's SHA-256 checksum.
    """
    weights = network.state_dict()
    if packed:
        for name, value in list(weights.items()):
            if value.ndim != 2:
                continue
            if codes and value.numel() >= LARGE and value.shape[1] % GROUP == 0:
                rounded, scale, codebook = to_codes(value.numpy())
                weights[name + CODEBOOK] = torch.from_numpy(codebook)
            else:
                rounded, scale = to_int8(value.numpy())
            weights[name] = torch.from_numpy(rounded)
            weights[name + SCALE] = torch.from_numpy(scale[:, 0])
    data = to_bytes(weights)
    write_bytes(path, data, replace=True)
    return hashlib.sha256(data).hexdigest()


def load(network: nn.Module, weights: Weights) -> None:
    """Load the weights of a file into a network that was made on torch's device `meta`.

    On that device a network has shapes but no memory. So memory is allocated only after the file
    was found to have the same shapes.

    Raises:
        InputError: the weights have other names or shapes, do not fit in memory, or are not finite.
    """
    expected = network.state_dict()
    if weights.shapes != {name: list(value.shape) for name, value in expected.items()}:
        raise weights.wrong("other names or shapes")
    check_memory(weights.path, sum(value.nbytes for value in expected.values()))
    # `torch.tensor` copies to memory that torch has aligned. Products with NumPy's own memory are
    # rounded differently.
    values = {name: torch.tensor(weights(name, *value.shape)) for name, value in expected.items()}
    network.load_state_dict(values, assign=True)


def to_int8(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Round rows (..., N) to int8; return the factor (..., 1) of each row too.

    The number of the largest absolute value of a row becomes 127 or -127.
    """
    scale: np.ndarray = np.abs(values).max(axis=-1, keepdims=True) / np.float32(127)
    scale = scale.clip(np.finfo(np.float32).tiny)  # no division by 0 in a row of zeros
    return np.rint(values / scale).astype(np.int8), scale


def to_codes(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Round rows (N, size) by product quantization (Jégou, Douze & Schmid 2011).

    A row is divided into groups of four values, and each group is replaced by the number of the
    nearest entry of a codebook. In the paper, each group of a row has a codebook of its own. Here
    all groups share one, which is small compared to the codes.

    Returns:
        Codes (N, size / 4) uint8; the scale (N, 1) of each row, its root mean square; and the
        codebook (256, 4), the means of a k-means clustering.
    """
    from sklearn.cluster import MiniBatchKMeans

    # Divided by their scale, long and short rows share the codebook.
    scale: np.ndarray = np.sqrt(np.mean(values**2, axis=1, keepdims=True))
    scale = scale.clip(np.finfo(np.float32).tiny)
    groups = (values / scale).reshape(-1, GROUP)
    rng = np.random.default_rng(0)
    sample = groups[rng.choice(len(groups), min(SAMPLE, len(groups)), replace=False)]
    means = MiniBatchKMeans(CODES, batch_size=CODES**2, n_init=1, random_state=0).fit(sample)
    codes = means.predict(groups).reshape(len(values), -1).astype(np.uint8)
    return codes, scale, means.cluster_centers_
