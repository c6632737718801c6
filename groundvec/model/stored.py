"""Reading the weights in a file, as NumPy arrays; nothing in it is executed.

A matrix `w` is stored in one of three forms, which `groundvec.model.weights.save` writes:

- as it is, in floating-point numbers;
- in int8, with a factor for each row, `w.scale`: value = scale x number;
- in codes of product quantization, with `w.scale` and `w.codebook`: each code is a number from 0 to
  255 and stands for `GROUP` consecutive values of a row, value = scale x codebook[code].
"""

from pathlib import Path

import numpy as np
from safetensors import safe_open

from groundvec.model.folder import ModelFolder, snapshot_name
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import SMALL, check_memory, open_regular, sha256

# Suffixes of the names of a matrix's scale and codebook.
SCALE = ".scale"
CODEBOOK = ".codebook"
GROUP = 4  # values for which one code stands: 8 bits for 4 values, 16 times smaller than float32
FLOATS = ("F16", "F32", "F64")
# Trained weights are far smaller. Encoders square sums of products of two weights, which would
# overflow float32 with larger ones.
MAX_WEIGHT = 1e6
MAX_BYTES = 2**32  # of a file; embeddings of a million words take 1.2e9


class Stored:
    """The arrays of a file in the form of safetensors.

    Attributes:
        names: of the arrays.
    """

    content = "weights"  # for errors
    largest = MAX_BYTES

    def __init__(self, path: Path, checksum: str | None = None) -> None:
        """Open a file; InputError if it is missing or damaged, or has another SHA-256 checksum."""
        self.path = path
        if not path.exists():
            raise InputError(f"{path} does not exist: copy the model again")
        if checksum is not None and sha256(path, self.largest) != checksum:
            raise InputError(
                f"{path} is damaged, its checksum is not that in model.json: delete it, and train "
                "or copy the model again"
            )
        with open_regular(path, self.largest) as file:
            # safetensors would take as much memory as the first eight bytes say.
            if int.from_bytes(file.read(8), "little") > SMALL:
                raise self.wrong("a huge header")
        try:
            self.file = safe_open(path, "np")
        except Exception as error:  # of a type that safetensors' compiled part alone has
            raise self.wrong(str(error).partition("\n")[0]) from None
        self.names = set(self.file.keys())

    def array(self, name: str, number: str) -> np.ndarray:
        """Read a flat array; InputError if its numbers have another type than this."""
        array = self.file.get_slice(name)
        if array.get_dtype() != number or len(array.get_shape()) != 1:
            raise self.wrong(f"{name} has another type or shape")
        values: np.ndarray = self.file.get_tensor(name)
        return values

    def _stored(self, name: str) -> tuple[str, list[int]]:
        """Return the type and the shape of an array as it is in the file."""
        array = self.file.get_slice(name)
        return array.get_dtype(), array.get_shape()

    def wrong(self, reason: object) -> InputError:
        """Return the error of a file with other content than this model's."""
        return InputError(
            f"{self.path} does not hold the {self.content} of this model ({reason}): copy it "
            "again, or train the model again"
        )


class Weights(Stored):
    """The weights of a file; calling it reads one.

    Attributes:
        shapes: of the decoded weights, by name.
    """

    def __init__(self, path: Path, checksum: str | None = None) -> None:
        """Open a file; InputError as in `Stored`, or if a weight is in none of the three forms."""
        super().__init__(path, checksum)
        helpers = {
            name + suffix for name in self.names for suffix in (SCALE, CODEBOOK)
        } & self.names
        names = self.names - helpers
        self._scaled = {name for name in names if name + SCALE in helpers}
        self._coded = {name for name in names if name + CODEBOOK in helpers}
        if len(helpers) > len(self._scaled) + len(self._coded):
            raise self.wrong("a scale or codebook of another one")
        self.shapes = {name: self._shape(name) for name in names}
        self._unchecked = names

    def __call__(self, name: str, *shape: int) -> np.ndarray:
        """Read and decode a weight of this name and shape, as float32; see `checked`."""
        value = self.checked(name, *shape)
        if name in self._coded:
            codebook = self.file.get_tensor(name + CODEBOOK).astype(np.float32)
            value = codebook[value].reshape(shape)
        value = value.astype(np.float32)
        if name in self._scaled:
            value *= self.file.get_tensor(name + SCALE).astype(np.float32)[:, None]
        return value

    def checked(self, name: str, *shape: int) -> np.ndarray:
        """Return a weight as it is in the file; its name, decoded shape and numbers are checked.

        Raises:
            InputError: there is none, it has another shape, it does not fit in memory, or it is not
                finite, or larger than `MAX_WEIGHT`.
        """
        if self.shapes.get(name) != list(shape):
            raise self.wrong("other names or shapes")
        # As Python's integers, whose product cannot overflow: the shape comes from a file.
        check_memory(self.path, 4 * int(np.prod(shape, dtype=object)))
        value: np.ndarray = self.file.get_tensor(name)
        largest = _largest(value)
        if name in self._coded:
            codebook = self.file.get_tensor(name + CODEBOOK)
            if largest >= len(codebook):
                raise self.wrong(f"{name} has codes beyond its codebook")
            largest = _largest(codebook)
        if name in self._scaled:
            largest *= _largest(self.file.get_tensor(name + SCALE))
        if not largest <= MAX_WEIGHT:  # true for NaN too
            raise InputError(
                f"{self.path}: {name} is not finite, or has numbers above {MAX_WEIGHT:,.0f}: train "
                "the model again"
            )
        self._unchecked.discard(name)
        return value

    def check_rest(self) -> None:
        """Raise InputError if the file has a weight that was not asked for."""
        if self._unchecked:
            raise self.wrong(f"{min(self._unchecked)} is none of them")

    def _shape(self, name: str) -> list[int]:
        """Return the shape of a decoded weight.

        Raises:
            InputError: its numbers are of another type than `save` writes, or its scale or codebook
                is missing, superfluous or of another shape.
        """
        number, shape = self._stored(name)
        if number in FLOATS and name not in self._scaled | self._coded:
            return shape
        if name in self._scaled and len(shape) == 2:
            scale_number, scale_shape = self._stored(name + SCALE)
            scale_fits = scale_number in FLOATS and scale_shape == shape[:1]
            if number == "I8" and scale_fits and name not in self._coded:
                return shape
            if number == "U8" and scale_fits and name in self._coded:
                codebook_number, codebook_shape = self._stored(name + CODEBOOK)
                if codebook_number in FLOATS and codebook_shape[1:] == [GROUP]:
                    return [shape[0], GROUP * shape[1]]
        raise self.wrong(f"{name} has numbers of another kind, or no scale or codebook that fits")


def _largest(values: np.ndarray) -> float:
    """Return the largest absolute value of an array; NaN if it has one."""
    return max(float(values.max(initial=0)), -float(values.min(initial=0)))


def open_snapshot(folder: ModelFolder, epoch: int) -> Weights:
    """Open the weights of a trained model after an epoch.

    Raises:
        InputError: no such snapshot, or it is damaged.
    """
    path = folder.path / "snapshots" / snapshot_name(epoch)
    if not path.exists():
        raise InputError(
            f"{path} does not exist: train the model, copy it again, or name an epoch that is "
            "listed in model.json"
        )
    return Weights(path, folder.metadata.get("sha256", {}).get(str(epoch)))
