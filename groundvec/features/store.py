"""Image features in HDF5 files.

A file has the data set `features`, float32 (images, width), and `image_ids`. Its attributes say how
the features were made. One of them, the `fingerprint`, is a checksum of features and ids; it is
compared whenever the features are read. A second checksum, of everything but the features, is in
HDF5's user block, the first bytes of the file.

Features that were computed elsewhere are read from .npz files with the same two arrays, in any
floating-point type: HDF5 reads some damaged files of other programs without end.
"""

import hashlib
import json
import mmap
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pandas as pd

from groundvec.config.types import Attributes
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import atomic, check_memory, open_regular, open_zip
from groundvec.runtime.files import sha256 as file_sha256
from groundvec.runtime.vectors import MAX_FEATURE

BLOCK_BYTES = 2**26  # to read at a time, so that memory holds the features once and not twice
MAX_WIDTH = 2**16  # features of an image; networks have 512 to 4,096
USER_BLOCK = 512  # bytes: the shortest that HDF5 allows
SIGNATURE = b"groundvec features "  # of the user block; then JSON: [start, size, checksum]
MAX_METADATA = 2**30  # bytes of a file without its features: ids and attributes
# Attributes that must be equal in files whose features are joined.
ALIKE = ["backbone", "weights_sha256", "transform", "precision", "crops", "width"]


def write(
    path: str | Path, features: np.ndarray, image_ids: Collection[str], attributes: Attributes
) -> None:
    """Write features (images, width), their ids, and attributes that say how they were made."""
    features = np.ascontiguousarray(features, np.float32)
    sha = hashlib.sha256(features.data)
    sha.update("\n".join(image_ids).encode())
    attributes = attributes | {"width": features.shape[1], "fingerprint": sha.hexdigest()}
    with atomic(path) as temporary:
        try:
            # The latest form of HDF5 has checksums of all its own structures.
            with h5py.File(
                temporary, "w", libver="latest", userblock_size=USER_BLOCK, locking=False
            ) as file:
                start = file.create_dataset("features", data=features).id.get_offset()
                # Texts of a fixed length. HDF5 keeps texts of variable length in a heap without a
                # checksum, and may read a damaged heap without end.
                ids = [image_id.encode() for image_id in image_ids]
                file.create_dataset("image_ids", data=ids, dtype=_fixed_length(ids))
                for name, value in attributes.items():
                    dtype = _fixed_length([value.encode()]) if isinstance(value, str) else None
                    file.attrs.create(name, value, dtype=dtype)
        except RuntimeError as error:
            # On a full disk, writing fails first and closing the file second. The first says why.
            if isinstance(error.__context__, OSError):
                raise error.__context__ from None
            raise
        start = start or 0  # HDF5 has no offset for an empty data set
        size = features.nbytes
        listed = json.dumps([start, size, _checksum(temporary, start, size)])
        with temporary.open("r+b") as file:
            file.write(SIGNATURE + listed.encode())


def _fixed_length(texts: list[bytes]) -> np.dtype[Any]:
    """Return the HDF5 type of UTF-8 texts that are as long as the longest of these."""
    return h5py.string_dtype("utf-8", max([1, *map(len, texts)]))


def _checksum(path: Path, start: int, size: int) -> str:
    """Compute the checksum of a file without its user block and its features."""
    with (
        open_regular(path) as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped,
        memoryview(mapped) as content,
    ):
        if len(content) - size > MAX_METADATA:
            raise ValueError("more than ids and attributes besides the features")
        sha = hashlib.sha256(content[USER_BLOCK:start])
        sha.update(content[start + size :])
        return sha.hexdigest()


def _check_user_block(path: Path) -> None:
    """Raise InputError for a file that `write` did not write, or that is damaged.

    HDF5's C code, which reads the file next, may crash on damaged bytes or never return.
    """
    with open_regular(path) as file:
        block = file.read(USER_BLOCK)
    if not block.startswith(SIGNATURE):
        raise InputError(
            f"{path} is no file of features that groundvec wrote: save its arrays `features` and "
            "`image_ids` as .npz"
        )
    try:
        start, size, checksum = json.loads(block.removeprefix(SIGNATURE).rstrip(b"\0"))
        intact = checksum == _checksum(path, start, size)
    except (ValueError, TypeError):
        intact = False
    if not intact:
        raise InputError(f"{path} is damaged: delete it and make it again")


def attributes(path: str | Path) -> Attributes:
    """Read how the features in a file were made; `fingerprint` is a hash of them and their ids."""
    with _open(path) as (_, _, file_attributes):
        return file_attributes


@dataclass(frozen=True)
class Rows:
    """Rows of a matrix, perhaps mapped from a file; they become float32 when they are indexed."""

    matrix: np.ndarray  # (n, width), floating-point
    rows: np.ndarray  # (N,) rows of the matrix, in the order of this one
    file: mmap.mmap | None = None  # that the matrix is mapped from

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def shape(self) -> tuple[int, int]:
        """Return the number of rows and their width."""
        return len(self.rows), self.matrix.shape[1]

    def __getitem__(self, places: np.ndarray | slice) -> np.ndarray:
        # Most rows of a slice are neighbors, which the system can read ahead.
        sequential = self.file if isinstance(places, slice) else None
        if sequential:
            sequential.madvise(mmap.MADV_SEQUENTIAL)
        features: np.ndarray = self.matrix[self.rows[places]]
        if sequential:
            sequential.madvise(mmap.MADV_RANDOM)
        return features.astype(np.float32, copy=False)


def read(path: str | Path, image_ids: Collection[str]) -> Rows:
    """Read the features (ids, width) of some images, mapped from the file if it can be.

    Raises:
        InputError: the file cannot be read or has no features for an image.
    """
    features, _ = _gather([path], image_ids, mapped=True)
    return features


def join(paths: Sequence[str | Path], image_ids: Collection[str]) -> tuple[np.ndarray, Attributes]:
    """Gather the features of some images, in the order of their ids, from one or more files.

    Args:
        paths: files of `write`, or .npz files with floating-point `features` (n, width) and
            `image_ids` (n,). Other images are left out.

    Returns:
        (ids, width) float32, and the attributes of the first file.

    Raises:
        InputError: a file cannot be read or is damaged, files differ in how they were made, or they
            do not have exactly one row of finite numbers for each image.
    """
    features, first_attributes = _gather(paths, image_ids)
    return features.matrix, first_attributes


def _gather(
    paths: Sequence[str | Path], image_ids: Collection[str], mapped: bool = False
) -> tuple[Rows, Attributes]:
    """Join the files; `mapped` leaves features where they are, if the first file can be mapped."""
    wanted = pd.Index(list(image_ids))
    found = np.zeros(len(wanted), bool)
    for number, path in enumerate(paths):
        with _open(path) as (ids, values, file_attributes):
            if number == 0:
                first = file_attributes
                mapping = _map(path, values) if mapped else None
                if mapping is None:
                    check_memory(path, 4 * len(wanted) * values.shape[1])
                    features = np.empty((len(wanted), values.shape[1]), np.float32)
            _check_alike(path, file_attributes, paths[0], first)
            rows = ids.get_indexer(wanted)  # -1 for an image that is not in this file
            _refuse(f"{path} repeats", wanted[found & (rows >= 0)], "leave one of them out")
            found |= rows >= 0
            bad, sha = _copy(values, rows, features if mapping is None else None)
            sha.update("\n".join(ids).encode())
            # The fingerprint of a file made elsewhere is the checksum of the file.
            made_elsewhere = file_attributes["fingerprint"] == file_attributes.get("weights_sha256")
            if not made_elsewhere and file_attributes["fingerprint"] != sha.hexdigest():
                raise InputError(f"{path} is damaged: delete it and make it again")
            problem = f"{path} has features that are NaN or beyond {MAX_FEATURE:.0e} for"
            _refuse(problem, wanted[bad], "compute them again")
    like = f" (with ids like {ids[0]})" if len(ids) else ""
    problem = f"{', '.join(map(str, paths))}{like} has no features for"
    _refuse(problem, wanted[~found], "extract them or correct the ids")
    if mapping is None:
        return Rows(features, np.arange(len(wanted))), first
    matrix, mapped_file = mapping
    return Rows(matrix, rows, mapped_file), first


def _check_alike(
    path: str | Path, attributes: Attributes, first_path: str | Path, first: Attributes
) -> None:
    """Raise InputError if the features of two files were not made in the same way."""
    for name in ALIKE:
        if attributes.get(name) != first.get(name):
            reason = ""
            if name == "precision":
                reason = ": a CPU without bfloat16 computes it in float32"
            raise InputError(
                f"{path} and {first_path} differ in {name} ({attributes.get(name)} and "
                f"{first.get(name)}); extract both in the same way{reason}"
            )


def _map(
    path: str | Path, values: h5py.Dataset | np.ndarray
) -> tuple[np.ndarray, mmap.mmap] | None:
    """Map the features of an HDF5 file; None for an .npz file, and for a file without images."""
    offset = values.id.get_offset() if isinstance(values, h5py.Dataset) else None
    if offset is None:
        return None
    with Path(path).open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    # Rows are read in any order: without this, the system reads 128 kB of the disk for each.
    mapped.madvise(mmap.MADV_RANDOM)
    matrix = np.frombuffer(mapped, values.dtype, values.size, offset).reshape(values.shape)
    return matrix, mapped


def _refuse(problem: str, image_ids: pd.Index, remedy: str) -> None:
    """Raise InputError if there are images that have a problem."""
    if len(image_ids):
        more = f" and {len(image_ids) - 1:,} others" if len(image_ids) > 1 else ""
        raise InputError(f"{problem} image {image_ids[0]}{more}; {remedy}")


def _copy(
    values: h5py.Dataset | np.ndarray, rows: np.ndarray, features: np.ndarray | None
) -> tuple[np.ndarray, "hashlib._Hash"]:
    """Copy values[rows] into features, if there are any, where rows >= 0.

    Returns:
        (N,) whether a row has numbers beyond `MAX_FEATURE`, and the hash of all values.
    """
    bad = np.zeros(len(rows), bool)
    sha = hashlib.sha256()
    step = max(1, BLOCK_BYTES // (4 * values.shape[1]))
    for start in range(0, len(values), step):
        inside = np.flatnonzero((rows >= start) & (rows < start + step))
        with np.errstate(over="ignore"):  # a number too large for float32 becomes infinite
            block = np.ascontiguousarray(values[start : start + step], np.float32)
        sha.update(block.data)
        selected = block[rows[inside] - start]
        bad[inside] = ~(np.abs(selected) <= MAX_FEATURE).all(axis=1)  # true for NaN too
        if features is not None:
            features[inside] = selected
    return bad, sha


@contextmanager
def _open(
    path: str | Path,
) -> Iterator[tuple[pd.Index, h5py.Dataset | np.ndarray, Attributes]]:
    """Open a file, and yield its ids, its features (of HDF5, not read yet), and its attributes."""
    path = Path(path)
    try:
        if path.suffix == ".npz":
            with open_zip(path) as archive:
                check_memory(path, sum(member.file_size for member in archive.infolist()))
            file = np.load(path, allow_pickle=False)
            file_attributes = {}
            image_ids = file["image_ids"]
            values = file["features"]
        else:
            _check_user_block(path)
            file = h5py.File(path, "r", locking=False)  # some network drives have no locks
            file_attributes = {name: _scalar(value) for name, value in file.attrs.items()}
            image_ids = file["image_ids"]
            values = file["features"]
            check_memory(path, values.nbytes)
        if not all(isinstance(data, h5py.Dataset | np.ndarray) for data in (image_ids, values)):
            raise ValueError("one of them is no array")
        ids = pd.Index([_text(image_id) for image_id in image_ids[:].tolist()])
    except FileNotFoundError:
        raise InputError(f"{path} does not exist; extract the features first") from None
    except InputError:
        raise
    except KeyError:
        raise InputError(f"{path} lacks `features` or `image_ids`; it must have both") from None
    except Exception as error:  # of many types: the damage can be anywhere
        raise InputError(
            f"{path} is not a whole file of features and ids ({error}); make it again"
        ) from None
    with file:
        if values.ndim != 2 or values.dtype.kind != "f" or len(values) != len(ids):
            raise InputError(
                f"{path}: `features` must be floating-point numbers (images, width), a row for "
                f"each of the {len(ids)} image_ids, but is {values.dtype} {values.shape}"
            )
        if not 0 < values.shape[1] <= MAX_WIDTH:
            raise InputError(
                f"{path} has features of width {values.shape[1]:,}: it must be from 1 to "
                f"{MAX_WIDTH:,}"
            )
        _refuse(f"{path} has more than one row for", ids[ids.duplicated()], "leave one")
        if "fingerprint" not in file_attributes:  # made elsewhere
            checksum = file_sha256(path)
            file_attributes = {
                "backbone": "precomputed",
                "weights": path.name,
                "width": values.shape[1],
                "weights_sha256": checksum,
                "fingerprint": checksum,
            }
        yield ids, values, file_attributes


def _text(image_id: Any) -> str:
    """Return an id as a string; HDF5 has bytes."""
    return image_id.decode() if isinstance(image_id, bytes) else str(image_id)


def _scalar(value: Any) -> Any:
    """Convert an attribute's value for JSON."""
    value = value.item() if isinstance(value, np.generic) else value
    return value.decode() if isinstance(value, bytes) else value
