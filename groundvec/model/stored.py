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
SCALE = ".scale"
CODEBOOK = ".codebook"
WIDTH = 4  # numbers that a code stands for
FLOATS = ("F16", "F32", "F64")
# Trained weights are far below. Encoders square sums of products of two weights, which with larger
# ones are more than float32 can hold.
LARGEST = 1e6


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
                can hold, or it is not finite, or larger than `LARGEST`.
        """
        if self.shapes.get(name) != [*shape]:
            raise self.wrong("other names or shapes")
        check_memory(self.path, 4 * int(np.prod(shape, dtype=object)))
        value: np.ndarray = self.file.get_tensor(name)
        with np.errstate(over="ignore"):  # infinite numbers are refused below
            if name in self._coded:
                codebook = self.file.get_tensor(name + CODEBOOK).astype(np.float32)
                if value.max(initial=0) >= len(codebook):
                    raise self.wrong(f"{name} has codes beyond its codebook")
                value = codebook[value].reshape(shape)
            value = value.astype(np.float32)
            if name in self._scaled:
                value *= self.file.get_tensor(name + SCALE).astype(np.float32)[:, None]
        largest = max(value.max(initial=0), -value.min(initial=0))
        if not largest <= LARGEST:  # also if it is NaN
            raise InputError(
                f"{self.path}: {name} is not finite, or has numbers above {LARGEST:,.0f}: train "
                "the model again"
            )
        return value

    def _shape(self, name: str) -> list[int]:
        """Return the shape of a decoded weight.

        Raises:
            InputError: its numbers are of another kind than `save` writes, or its scale or codebook
                is missing, superfluous or of another shape.
        """
        kind, shape = self._stored(name)
        if kind in FLOATS and name not in self._scaled | self._coded:
            return shape
        if name in self._scaled and len(shape) == 2:
            of_scale = self._stored(name + SCALE)
            fits = of_scale[0] in FLOATS and of_scale[1] == shape[:1]
            if kind == "I8" and fits and name not in self._coded:
                return shape
            if kind == "U8" and fits and name in self._coded:
                of_codebook = self._stored(name + CODEBOOK)
                if of_codebook[0] in FLOATS and of_codebook[1][1:] == [WIDTH]:
                    return [shape[0], WIDTH * shape[1]]
        raise self.wrong(f"{name} has numbers of another kind, or no scale or codebook that fits")

    def _stored(self, name: str) -> tuple[str, list[int]]:
        """Return the kind of numbers in the file, and their shape."""
        numbers = self.file.get_slice(name)
        return numbers.get_dtype(), numbers.get_shape()

    def wrong(self, reason: object) -> InputError:
        """Return the error of a file that holds something else."""
        return InputError(
            f"{self.path} does not hold the weights of this model ({reason}): get it again, or "
            "train the model again"
        )


def open_snapshot(folder: str | Path, epoch: int) -> tuple[dict[str, Any], Weights]:
    """Read the description of a trained model, and open its weights after an epoch.

    Raises:
        InputError: no such model or snapshot, or it is damaged.
    """
    content = read_description(folder)
    path = Path(folder, "snapshots", snapshot_name(epoch))
    return content, Weights(path, content.get("sha256", {}).get(str(epoch)))
