"""The weights in a file, as NumPy arrays; nothing in it is executed."""

from collections.abc import Collection
from pathlib import Path

import numpy as np
from safetensors import safe_open

from groundvec.runtime.errors import InputError
from groundvec.runtime.files import SMALL, check_memory, check_regular, sha256

SCALE = ".scale"  # ends the name of the factors of a matrix in int8, one per row


def check_file(path: Path, checksum: str | None = None) -> None:
    """Check what can be checked of a file of weights before it is parsed.

    Args:
        checksum: the file's SHA-256 sum, if it is known.

    Raises:
        InputError: the file is missing or damaged.
    """
    if not path.exists():
        raise InputError(f"{path} does not exist: train the model first, or get it again")
    check_regular(path)
    if checksum is not None and sha256(path) != checksum:
        raise InputError(
            f"{path} is damaged, its checksum is not that in model.json: delete it and make "
            "the model again, or get it again"
        )
    with path.open("rb") as file:
        if int.from_bytes(file.read(8), "little") > SMALL:
            raise InputError(f"{path} does not hold the weights of this model (a huge header)")


def factors(names: Collection[str]) -> set[str]:
    """Select the names of the factors of matrices in int8."""
    return {name + SCALE for name in names} & set(names)


class Weights:
    """The weights of a file, each read when it is asked for."""

    def __init__(self, path: Path, checksum: str | None = None) -> None:
        """Open a file; InputError if it is missing or damaged."""
        check_file(path, checksum)
        self.path = path
        try:
            self.file = safe_open(path, "np")
        except Exception as error:  # of a type that only the package's compiled part has
            raise self._wrong(str(error).partition("\n")[0]) from None

    def __call__(self, name: str, *shape: int) -> np.ndarray:
        """Read a weight of this name and shape, as float32.

        Raises:
            InputError: there is none, it has another shape, it is more than this machine's memory
                can hold, or it is not finite.
        """
        names = set(self.file.keys())
        if name not in names or self.file.get_slice(name).get_shape() != [*shape]:
            raise self._wrong("other names or shapes")
        check_memory(self.path, 4 * int(np.prod(shape, dtype=object)))
        try:
            value: np.ndarray = self.file.get_tensor(name).astype(np.float32)
            if name + SCALE in names:
                value *= self.file.get_tensor(name + SCALE).astype(np.float32)[:, None]
        except (TypeError, ValueError) as error:  # no kind of number that NumPy knows
            raise self._wrong(error) from None
        if not np.isfinite(value).all():
            raise InputError(f"{self.path}: {name} is not finite: train the model again")
        return value

    def _wrong(self, reason: object) -> InputError:
        return InputError(f"{self.path} does not hold the weights of this model ({reason})")
