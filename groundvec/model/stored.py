"""The weights in a file, as NumPy arrays; nothing in it is executed."""

from pathlib import Path
from typing import Any

import numpy as np
from safetensors import safe_open

from groundvec.model.folder import read_description, snapshot_name
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import SMALL, check_memory, check_regular, sha256

# Ends of names beside a matrix: the factors of its rows, if it is in int8 or codes, and what its
# codes stand for.
SCALE, CODEBOOK = ".scale", ".codebook"


class Weights:
    """The weights of a file, each read when it is asked for.

    Attributes:
        shapes: of the weights, by name.
    """

    def __init__(self, path: Path, checksum: str | None = None) -> None:
        """Open a file; InputError if it is missing or damaged, or has another SHA-256 sum."""
        self.path = path
        if not path.exists():
            raise InputError(
                f"{path} does not exist: train the model, get it again, or name an epoch that is "
                "listed in model.json"
            )
        check_regular(path)
        if checksum is not None and sha256(path) != checksum:
            raise InputError(
                f"{path} is damaged, its checksum is not that in model.json: delete it and make "
                "the model again, or get it again"
            )
        with path.open("rb") as file:
            if int.from_bytes(file.read(8), "little") > SMALL:
                raise self.wrong("a huge header")
        try:
            self.file = safe_open(path, "np")
        except Exception as error:  # of a type that only the package's compiled part has
            raise self.wrong(str(error).partition("\n")[0]) from None
        names = set(self.file.keys())
        self._scaled, self._coded = (
            {name for name in names if name + end in names} for end in (SCALE, CODEBOOK)
        )
        names -= {name + SCALE for name in self._scaled}
        names -= {name + CODEBOOK for name in self._coded}
        self.shapes = {name: self._shape(name) for name in names}

    def __call__(self, name: str, *shape: int) -> np.ndarray:
        """Read a weight of this name and shape, as float32.

        Raises:
            InputError: there is none, it has another shape, it is more than this machine's memory
                can hold, or it is not finite.
        """
        if self.shapes.get(name) != [*shape]:
            raise self.wrong("other names or shapes")
        check_memory(self.path, 4 * int(np.prod(shape, dtype=object)))
        try:
            value: np.ndarray = self.file.get_tensor(name)
            if name in self._coded:
                value = self.file.get_tensor(name + CODEBOOK)[value].reshape(shape)
            value = value.astype(np.float32)
            if name in self._scaled:
                value *= self.file.get_tensor(name + SCALE).astype(np.float32)[:, None]
        except (IndexError, TypeError, ValueError) as error:  # such as unknown kinds of numbers
            raise self.wrong(error) from None
        if not np.isfinite(value).all():
            raise InputError(f"{self.path}: {name} is not finite: train the model again")
        return value

    def _shape(self, name: str) -> list[int]:
        """Return the shape of a weight, which codes have others than."""
        shape: list[int] = self.file.get_slice(name).get_shape()
        if name in self._coded:
            width = self.file.get_slice(name + CODEBOOK).get_shape()[-1:]
            shape = [*shape[:-1], *(size * each for size in shape[-1:] for each in width)]
        return shape

    def wrong(self, reason: object) -> InputError:
        """Return the error of a file that holds something else."""
        return InputError(f"{self.path} does not hold the weights of this model ({reason})")


def open_snapshot(folder: str | Path, epoch: int) -> tuple[dict[str, Any], Weights]:
    """Read the description of a trained model, and open its weights after an epoch.

    Raises:
        InputError: no such model or snapshot, or it is damaged.
    """
    content = read_description(folder)
    path = Path(folder, "snapshots", snapshot_name(epoch))
    return content, Weights(path, content.get("sha256", {}).get(str(epoch)))
