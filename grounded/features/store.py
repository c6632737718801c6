"""Image features on disk: HDF5, one row an image."""

import hashlib
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from grounded.errors import InputError
from grounded.files import atomic


def write(path: Path, features: np.ndarray, image_ids: list[str], attributes: dict) -> None:
    """Write `features` float32 (images, width) and `image_ids`, with a fingerprint of both."""
    features = np.ascontiguousarray(features, np.float32)
    sha = hashlib.sha256(features)
    sha.update("\n".join(image_ids).encode())
    with atomic(path) as temporary, h5py.File(temporary, "w") as file:
        file["features"] = features
        file["image_ids"] = list(image_ids)
        file.attrs.update(attributes | {"fingerprint": sha.hexdigest()})


def attributes(path: Path) -> dict[str, Any]:
    """What is recorded of the features' making."""
    with h5py.File(path) as file:
        return {k: v.item() if hasattr(v, "item") else v for k, v in file.attrs.items()}


def fingerprint(path: Path) -> str:
    """A hash of the features and their image ids."""
    return attributes(path)["fingerprint"]


def read(path: Path, image_ids: np.ndarray) -> np.ndarray:
    """The features (images, width) float32 of `image_ids`, in that order.

    Raises:
        InputError: some image has no features.
    """
    with h5py.File(path) as file:
        row_of = {name: row for row, name in enumerate(file["image_ids"].asstr()[:])}
        missing = [name for name in image_ids if name not in row_of]
        if missing:
            raise InputError(
                f"{path} has no features of {len(missing)} images, {missing[0]} among them: "
                "delete it and extract the features again"
            )
        rows = np.array([row_of[name] for name in image_ids])
        result = np.empty((len(rows), file["features"].shape[1]), np.float32)
        order = np.argsort(rows)
        for start in range(0, len(order), 4096):
            block = order[start : start + 4096]
            result[block] = file["features"][rows[block]]
        return result
