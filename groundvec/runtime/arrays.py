"""Arrays that may be larger than the memory: mapped from files, which the system pages out."""

import math
import os
import tempfile
from collections.abc import Iterable
from typing import IO, Any, Protocol

import numpy as np

from groundvec.runtime.errors import InputError

LARGE = 2**28  # bytes; smaller arrays are in memory


class Matrix(Protocol):
    """A matrix (N, width), in memory or in a file (`features.store.Rows`)."""

    @property
    def shape(self) -> tuple[int, ...]:
        """N and the width."""

    def __len__(self) -> int: ...

    def __getitem__(self, rows: np.ndarray | slice, /) -> np.ndarray: ...


def empty(shape: tuple[int, ...], dtype: Any = np.float32) -> np.ndarray:
    """Make an array without content; a large one is mapped from a nameless file in `TMPDIR`.

    Raises:
        InputError: the disk is full.
    """
    size = math.prod(shape) * np.dtype(dtype).itemsize
    if size < LARGE:
        return np.empty(shape, dtype)
    with tempfile.TemporaryFile() as file:
        _reserve(file, size)
        return np.asarray(np.memmap(file, dtype, "r+", shape=shape))


def concatenate(parts: Iterable[np.ndarray]) -> np.ndarray:
    """Join arrays of one axis and type in a mapped file; only one is in memory at a time.

    Raises:
        InputError: the disk is full.
    """
    with tempfile.TemporaryFile() as file:
        for part in parts:
            _reserve(file, part.nbytes)
            part.tofile(file)
        file.flush()
        return np.asarray(np.memmap(file, part.dtype, "r"))


def _reserve(file: IO[bytes], size: int) -> None:
    """Reserve `size` more bytes on the disk.

    A file of holes takes no space. If the disk is full later, when a page of it is written, the
    system kills the program with SIGBUS.
    """
    try:
        if size and hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), file.tell(), size)
        elif size:  # macOS
            os.ftruncate(file.fileno(), file.tell() + size)
    except OSError as error:
        raise InputError(
            f"{tempfile.gettempdir()} has no room for {size / 2**30:,.1f} GiB more "
            f"({error.strerror}): set TMPDIR to a folder on a larger disk"
        ) from None
