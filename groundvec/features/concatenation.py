"""Concatenated features of several networks."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from groundvec.config.types import Attributes
from groundvec.features import store
from groundvec.runtime.errors import InputError


def concatenate(
    paths: Sequence[str | Path], images: pd.DataFrame, factors: Sequence[float] | None = None
) -> tuple[np.ndarray, Attributes]:
    """Concatenate the features of several networks, each network's scaled by one factor.

    The factor makes their root mean square over the training images 1, so that no network dominates
    by the size of its numbers.

    Args:
        paths: a file of features for each network.
        images: in the form of images.csv.
        factors: one for each network, such as those of a model that reads the features; by default
            they are computed.

    Returns:
        (images, sum of widths) float32, and attributes for `store.write`: `blocks`, as JSON, lists
        the attributes of each file, with its `factor`.

    Raises:
        InputError: see `store.join`; or all features of the training images are 0.
    """
    training = (images.split == "train").to_numpy()
    scaled = []
    blocks = []
    for number, path in enumerate(paths):
        features, attributes = store.join([path], images.image_id)
        square = np.mean(np.square(features[training]), dtype=np.float64) if training.any() else 0
        if not square > 0:
            raise InputError(f"{path}: features of training pictures are missing, or all 0")
        factor = factors[number] if factors else float(1 / np.sqrt(square))
        scaled.append(np.multiply(features, factor, out=features))
        blocks.append(attributes | {"factor": factor})
    described: Attributes = {
        key: "+".join(str(block.get(key, "unknown")) for block in blocks)
        for key in ("backbone", "weights")
    }
    described["blocks"] = json.dumps(blocks)
    return np.hstack(scaled), described
