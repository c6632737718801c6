"""Image features in HDF5 files.

`features` is float32 (images, width) and `image_ids` are the images' ids; the file's attributes say
how the features were made, and their checksum, which is compared whenever they are read. HDF5's
user block, the first bytes, has the checksum of all but the features. Files that were made
elsewhere may hold other floating-point numbers, such as float16.
"""

import hashlib
import json
import mmap
import subprocess
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pandas as pd

from groundvec.runtime.errors import InputError
from groundvec.runtime.files import atomic, check_memory, open_regular, open_zip
from groundvec.runtime.files import sha256 as file_sha256

BLOCK = 2**26  # bytes to read at a time, so that memory holds the features once and not twice
WIDEST = 2**16  # features of an image; networks have 512 to 4,096
LARGEST = 1e15  # of a feature: sums of squares of larger ones overflow, and all become 0
ID_BLOCK = 16  # ids of variable length to read at a time, of which each may claim the whole file
MAX_COMPRESSION = 1000  # an array that claims more than this many times its stored bytes is refused
USER_BLOCK = 512  # bytes: the shortest that HDF5 allows
OURS = b"groundvec features "  # how it begins; a place, a size and a checksum follow, as JSON
LARGEST_REST = 2**30  # bytes of a file of ours beside its features: ids and attributes
# seconds, and bytes a second, that HDF5 may take for others' files
PATIENCE = 60
SLOWEST = 5e6
# Of files to join.
ALIKE = ["backbone", "weights_sha256", "transform", "precision", "crops", "width"]


def write(
    path: str | Path, features: np.ndarray, image_ids: Collection[str], attributes: dict[str, Any]
) -> None:
    """Write features (images, width), their ids, and attributes that say how they were made."""
    features = np.ascontiguousarray(features, np.float32)
    sha = hashlib.sha256(features.data)
    sha.update("\n".join(image_ids).encode())
    attributes = attributes | {"width": features.shape[1], "fingerprint": sha.hexdigest()}
    # Texts of variable length are in a heap that has no checksum: where that is damaged, HDF5 may
    # read it without end.
    with atomic(path) as temporary:
        try:
            with _hdf5(temporary, "w") as file:
                start = file.create_dataset("features", data=features).id.get_offset()
                ids = [image_id.encode() for image_id in image_ids]
                file.create_dataset("image_ids", data=ids, dtype=_fixed(*ids))
                for name, value in attributes.items():
                    dtype = _fixed(value.encode()) if isinstance(value, str) else None
                    file.attrs.create(name, value, dtype=dtype)
        except RuntimeError as error:
            # On a full disk the file cannot be closed either; the first error says why.
            if isinstance(error.__context__, OSError):
                raise error.__context__ from None
            raise
        place = (start or 0, features.nbytes)  # of no features HDF5 has no place
        listed = json.dumps([*place, _checksum(temporary, *place)])
        with temporary.open("r+b") as file:
            file.write(OURS + listed.encode())


def _hdf5(path: Path, mode: str) -> h5py.File:
    """Open a file without a lock, which some network drives do not have.

    The latest form, which is written, has checksums of everything but data and heaps.
    """
    if mode == "w":
        return h5py.File(path, mode, libver="latest", userblock_size=USER_BLOCK, locking=False)
    return h5py.File(path, mode, locking=False)


def _checksum(path: Path, start: int, size: int) -> str:
    """Compute the checksum of a file after its user block, but for its features."""
    with (
        open_regular(path) as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped,
        memoryview(mapped) as content,
    ):
        if len(content) - size > LARGEST_REST:
            raise ValueError("more than ids and attributes beside the features")
        sha = hashlib.sha256(content[USER_BLOCK:start])
        sha.update(content[start + size :])
        return sha.hexdigest()


def _check(path: Path) -> None:
    """Raise InputError for a damaged file before HDF5's C code opens it, which may never return.

    Nobody knows the checksum of a file that was made elsewhere: another process reads it first.
    """
    with open_regular(path) as file:
        block = file.read(USER_BLOCK)
    if block.startswith(OURS):
        try:
            start, size, checksum = json.loads(block.removeprefix(OURS).rstrip(b"\0"))
            whole = checksum == _checksum(path, start, size)
        except (ValueError, TypeError):
            whole = False
        if not whole:
            raise InputError(f"{path} is damaged: delete it and make it again")
        return
    program = "import sys; from groundvec.features import store; store.read_all(sys.argv[1])"
    patience = PATIENCE + path.stat().st_size / SLOWEST
    try:
        ended = subprocess.run(
            [sys.executable, "-c", program, path], capture_output=True, timeout=patience
        )
        crashed = ended.returncode < 0  # by a signal; other errors come up again in this process
    except subprocess.TimeoutExpired:
        crashed = True
    if crashed:
        raise InputError(
            f"{path} is damaged: HDF5 crashes, or reads it without end; make it again, or save its "
            "arrays as .npz"
        )


def read_all(path: str | Path) -> None:
    """Read a file and forget it."""
    with _contents(Path(path)) as (_, values, _):
        _copy(values, np.zeros(0, int), None)


def _fixed(*texts: bytes) -> np.dtype[Any]:
    """Return the HDF5 type of UTF-8 texts with the length of the longest of these."""
    return h5py.string_dtype("utf-8", max([1, *map(len, texts)]))


def attributes(path: str | Path) -> dict[str, Any]:
    """Read how the features in a file were made; `fingerprint` is a hash of them and their ids."""
    with _open(path) as (_, _, described):
        return described


@dataclass(frozen=True)
class Rows:
    """Rows of a matrix, perhaps mapped from a file; they become float32 when they are indexed."""

    matrix: np.ndarray  # (n, width), of any floating-point type
    rows: np.ndarray  # (N,) which of them these are, in their order
    file: mmap.mmap | None = None  # that the matrix is mapped from

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def shape(self) -> tuple[int, int]:
        """Return the number of rows and their width."""
        return len(self.rows), self.matrix.shape[1]

    def __getitem__(self, places: np.ndarray | slice) -> np.ndarray:
        in_order = self.file if isinstance(places, slice) else None
        if in_order:  # most rows of a slice are neighbours, which the system can read ahead
            in_order.madvise(mmap.MADV_SEQUENTIAL)
        found: np.ndarray = self.matrix[self.rows[places]]
        if in_order:
            in_order.madvise(mmap.MADV_RANDOM)
        if found.dtype == np.float16:  # which torch converts several times as fast as NumPy
            import torch  # here, because most files are float32

            found = torch.from_numpy(found).float().numpy()
        return found.astype(np.float32, copy=False)


def read(path: str | Path, image_ids: Collection[str]) -> Rows:
    """Read the features (ids, width) of some images, mapped from the file if it can be.

    Raises:
        InputError: the file cannot be read or has no features for an image.
    """
    features, _ = _gather([path], image_ids, mapped=True)
    return features


def join(
    paths: Sequence[str | Path], image_ids: Collection[str]
) -> tuple[np.ndarray, dict[str, Any]]:
    """Gather the features of some images, in the order of their ids, from one or more files.

    Args:
        paths: HDF5 or .npz files, each with floating-point `features` (n, width) and `image_ids`
            (n,). Other images are left out.

    Returns:
        (ids, width) float32, and the attributes of the first file.

    Raises:
        InputError: a file cannot be read or is damaged, files differ in how they were made, or they
            do not have exactly one row of finite numbers for each image.
    """
    features, described = _gather(paths, image_ids)
    return features.matrix, described


def _gather(
    paths: Sequence[str | Path], image_ids: Collection[str], mapped: bool = False
) -> tuple[Rows, dict[str, Any]]:
    """Join the files; `mapped` leaves features where they are, if the first file can be mapped."""
    wanted = pd.Index(list(image_ids))
    found = np.zeros(len(wanted), bool)
    for number, path in enumerate(paths):
        with _open(path) as (ids, values, described):
            if number == 0:
                first = described
                file = _map(path, values) if mapped else None
                if file is None:
                    check_memory(path, 4 * len(wanted) * values.shape[1])
                    features = np.empty((len(wanted), values.shape[1]), np.float32)
            for name in ALIKE:
                own = described.get(name)
                of_first = first.get(name)
                if own != of_first:
                    why = ": a CPU without bfloat16 computes it in float32"
                    raise InputError(
                        f"{path} and {paths[0]} differ in {name} ({own} and {of_first}); extract "
                        f"both in the same way{why if name == 'precision' else ''}"
                    )
            rows = ids.get_indexer(wanted)  # -1 for an image that is not in this file
            _refuse(f"{path} repeats", wanted[found & (rows >= 0)], "leave one of them out")
            found |= rows >= 0
            bad, sha = _copy(values, rows, features if file is None else None)
            sha.update("\n".join(ids).encode())
            if described["fingerprint"] not in (sha.hexdigest(), described.get("weights_sha256")):
                raise InputError(f"{path} is damaged: delete it and make it again")
            problem = f"{path} has features that are NaN or beyond {LARGEST:.0e} for"
            _refuse(problem, wanted[bad], "compute them again")
    like = f" (with ids like {ids[0]})" if len(ids) else ""
    problem = f"{', '.join(map(str, paths))}{like} has no features for"
    _refuse(problem, wanted[~found], "extract them or correct the ids")
    if file is None:
        return Rows(features, np.arange(len(wanted))), first
    matrix, mapped_file = file
    return Rows(matrix, rows, mapped_file), first


def _map(
    path: str | Path, values: h5py.Dataset | np.ndarray
) -> tuple[np.ndarray, mmap.mmap] | None:
    """Map a data set of an HDF5 file; None if it is not in one piece there, as NumPy's numbers."""
    if not isinstance(values, h5py.Dataset):
        return None
    offset = values.id.get_offset()
    kind = values.id.get_type()
    if offset is None or not kind.equal(h5py.h5t.py_create(values.dtype)):
        return None
    with Path(path).open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    # Rows are read in any order: without this, the system reads 128 kB of the disk for each.
    mapped.madvise(mmap.MADV_RANDOM)
    matrix = np.frombuffer(mapped, values.dtype, values.size, offset).reshape(values.shape)
    return matrix, mapped


def _refuse(problem: str, image_ids: pd.Index, remedy: str) -> None:
    if len(image_ids):
        more = f" and {len(image_ids) - 1:,} others" if len(image_ids) > 1 else ""
        raise InputError(f"{problem} image {image_ids[0]}{more}; {remedy}")


def _copy(
    values: h5py.Dataset | np.ndarray, rows: np.ndarray, features: np.ndarray | None
) -> tuple[np.ndarray, "hashlib._Hash"]:
    """Put values[rows] into features, if there are any, where rows >= 0.

    Returns:
        Which of them are not numbers up to `LARGEST`, and the hash of all values.
    """
    bad = np.zeros(len(rows), bool)
    sha = hashlib.sha256()
    step = max(1, BLOCK // (4 * values.shape[1]))
    for start in range(0, len(values), step):
        here = np.flatnonzero((rows >= start) & (rows < start + step))
        with np.errstate(over="ignore"):  # a number too large for float32 becomes infinite
            block = np.ascontiguousarray(values[start : start + step], np.float32)
        sha.update(block.data)
        chosen = block[rows[here] - start]
        bad[here] = ~(np.abs(chosen) <= LARGEST).all(axis=1)  # nor is NaN
        if features is not None:
            features[here] = chosen
    return bad, sha


@contextmanager
def _open(path: str | Path) -> Iterator[tuple[pd.Index, h5py.Dataset | np.ndarray, dict[str, Any]]]:
    """Open a file: its ids, its features, not read yet if it is HDF5, and its attributes."""
    path = Path(path)
    try:
        if path.suffix != ".npz":
            _check(path)
    except FileNotFoundError:
        raise InputError(f"{path} does not exist; extract the features first") from None
    with _contents(path) as contents:
        yield contents


@contextmanager
def _contents(path: Path) -> Iterator[tuple[pd.Index, h5py.Dataset | np.ndarray, dict[str, Any]]]:
    try:
        if path.suffix == ".npz":
            with open_zip(path) as archive:
                check_memory(path, sum(member.file_size for member in archive.infolist()))
            file = np.load(path, allow_pickle=False)
            described = {}
            image_ids = file["image_ids"]
            values = file["features"]
        else:
            file = _hdf5(path, "r")
            described = {name: _scalar(name, value) for name, value in file.attrs.items()}
            image_ids = _own(file, "image_ids")
            values = _own(file, "features")
        if not all(isinstance(data, h5py.Dataset | np.ndarray) for data in (image_ids, values)):
            raise ValueError("one of them is no array")
        ids = pd.Index(_texts(image_ids, path.stat().st_size))
    except FileNotFoundError:
        raise InputError(f"{path} does not exist; extract the features first") from None
    except InputError:
        raise
    except KeyError:
        raise InputError(f"{path} lacks `features` or `image_ids`; it must have both") from None
    except Exception as error:  # which one depends on where the damage is
        raise InputError(
            f"{path} is not a whole HDF5 or .npz file of features and ids ({error}); make it again"
        ) from None
    with file:
        if values.ndim != 2 or values.dtype.kind != "f" or len(values) != len(ids):
            raise InputError(
                f"{path}: `features` must be floating-point numbers (images, width), a row for "
                f"each of the {len(ids)} image_ids, but is {values.dtype} {values.shape}"
            )
        if not 0 < values.shape[1] <= WIDEST:
            raise InputError(
                f"{path} has features of width {values.shape[1]:,}: it must be from 1 to {WIDEST:,}"
            )
        _refuse(f"{path} has more than one row for", ids[ids.duplicated()], "leave one")
        if "fingerprint" not in described:  # made elsewhere
            described = {"backbone": "precomputed", "weights": path.name, "width": values.shape[1]}
            described |= dict.fromkeys(("weights_sha256", "fingerprint"), file_sha256(path))
        yield ids, values, described


def _scalar(name: str, value: Any) -> Any:
    """Convert an attribute's value for JSON; ValueError if it is an array, or not UTF-8."""
    value = value.item() if isinstance(value, np.generic) else value
    value = value.decode() if isinstance(value, bytes) else value
    if isinstance(value, str):
        value.encode()
    elif not isinstance(value, int | float):
        raise ValueError(f"its attribute {name} is neither text nor a number")
    return value


def _own(group: h5py.Group, path: str) -> h5py.Dataset:
    """Find a data set by hard and soft links; ValueError if it leads to another file.

    HDF5 would open that, whatever it is, and show what is in it.
    """
    for part in filter(None, path.split("/")):
        link = group.get(part, getlink=True)
        if isinstance(link, h5py.ExternalLink):
            raise ValueError(f"{part} is a link to another file")
        if isinstance(link, h5py.SoftLink):
            start = group.file if link.path.startswith("/") else group
            group = _own(start, link.path)
        else:
            group = group[part]
    if isinstance(group, h5py.Dataset):
        if group.is_virtual or group.external:
            raise ValueError(f"{path} is in another file")
        if group.nbytes > MAX_COMPRESSION * group.id.get_storage_size():
            raise ValueError(f"{path} claims {group.shape}, which it does not hold")
    return group


def _texts(ids: h5py.Dataset | np.ndarray, most: int) -> list[str]:
    """Ids as strings; ValueError if they are longer than the file that they are in."""
    step = ID_BLOCK if ids.dtype.hasobject else max(1, len(ids))
    found: list[str] = []
    length = 0
    for start in range(0, len(ids), step):
        block = ids[start : start + step].tolist()
        found += [each.decode() if isinstance(each, bytes) else str(each) for each in block]
        length += sum(map(len, found[start:]))
        if step == ID_BLOCK and length > most:
            raise ValueError("image_ids are longer than the file")
    return found
