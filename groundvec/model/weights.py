"""The weights of a network in a file, as safetensors: nothing in it is executed."""

import hashlib
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save as to_bytes
from torch import nn

from groundvec.model.stored import CODEBOOK, SCALE, WIDTH, Weights
from groundvec.runtime.files import check_memory, write_bytes

CODES = 256  # vectors of a codebook, so that a code is one byte
SAMPLE = 200_000  # vectors that a codebook is fitted to
LARGE = 2**20  # numbers from which an embedding table is written as codes
EMBEDDINGS = (nn.Embedding, nn.EmbeddingBag)


def save(network: nn.Module, path: Path, packed: bool = False) -> str:
    """Write a network's weights, atomically.

    Args:
        packed: whether matrices are rounded by `to_int8`, and large embedding tables by `to_codes`.

    Returns:
        The file's SHA-256 sum.
    """
    weights = network.state_dict()
    tables = [each.weight.data_ptr() for each in network.modules() if isinstance(each, EMBEDDINGS)]
    for name, value in list(weights.items()):
        if packed and value.ndim == 2:
            if (
                value.data_ptr() in tables
                and value.numel() >= LARGE
                and value.shape[1] % WIDTH == 0
            ):
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


def to_codes(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Round rows (N, size) by product quantisation (Jégou, Douze & Schmid 2011), with one codebook.

    Returns:
        Codes (N, size / 4) uint8, each of four numbers; the scale (N, 1) that each row has to be
        multiplied by, its root mean square; and the codebook (256, 4), which is k-means of all.
    """
    from sklearn.cluster import MiniBatchKMeans

    scale: np.ndarray = np.sqrt(np.mean(values**2, axis=1, keepdims=True))
    scale = scale.clip(np.finfo(np.float32).tiny)
    vectors = (values / scale).reshape(-1, WIDTH)
    rng = np.random.default_rng(0)
    sample = vectors[rng.choice(len(vectors), min(SAMPLE, len(vectors)), replace=False)]
    means = MiniBatchKMeans(CODES, batch_size=CODES**2, n_init=1, random_state=0).fit(sample)
    codes = means.predict(vectors).reshape(len(values), -1).astype(np.uint8)
    return codes, scale, means.cluster_centers_
