"""The weights in a file, as NumPy arrays; nothing in it is executed."""

from pathlib import Path
from typing import Any

import numpy as np
from safetensors import safe_open

from groundvec.model.folder import read_description, snapshot_name
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import SMALL, check_memory, check_regular, sha256

SCALE = ".scale"  # ends the name of the factors of a matrix in int8, one per row


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
        self._scaled = {name for name in names if name + SCALE in names}
        names -= {name + SCALE for name in self._scaled}
        self.shapes = {name: self.file.get_slice(name).get_shape() for name in names}

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
            value: np.ndarray = self.file.get_tensor(name).astype(np.float32)
            if name in self._scaled:
                value *= self.file.get_tensor(name + SCALE).astype(np.float32)[:, None]
        except (TypeError, ValueError) as error:  # no kind of number that NumPy knows
            raise self.wrong(error) from None
        if not np.isfinite(value).all():
            raise InputError(f"{self.path}: {name} is not finite: train the model again")
        return value

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
