"""Files that are either whole or not there, and that replace nothing they should not."""

import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from groundvec.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

# Set by `guard` when one of our programs starts; for users of the library nothing is guarded.
_inputs: list[Path] = []
_keep_existing = False


def guard(inputs: Iterable[Path], overwrite: bool) -> None:
    """From now on let no file be written over an input, nor, unless `overwrite`, over any file."""
    global _inputs, _keep_existing
    _inputs, _keep_existing = list(inputs), not overwrite


def check_output(path: str | Path) -> None:
    """Raise InputError if writing this file would replace one that `guard` protects."""
    path = Path(path)
    if not path.exists():
        return
    if any(other.exists() and path.samefile(other) for other in _inputs):
        raise InputError(f"{path} is an input, and would be overwritten: name another output")
    if _keep_existing:
        raise InputError(f"{path} is there already: name another output, or say --overwrite")


@contextmanager
def atomic(path: str | Path, replace: bool = False) -> Iterator[Path]:
    """Yield a temporary path beside `path` that is renamed to it if the block succeeds.

    The temporary name keeps the suffix, so that writers which choose a format by it still work.
    If the block raises, the temporary file is removed and an existing `path` stays as it was.

    Args:
        replace: for files of the program's own, such as checkpoints, that `guard` is not about.
    """
    path = Path(path)
    if not replace:
        check_output(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{os.getpid()}.{path.name}")
    # Of a process that was killed and had this number: it may be a link to a file that is kept.
    temporary.unlink(missing_ok=True)
    try:
        yield temporary
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_bytes(path: str | Path, data: bytes | memoryview, replace: bool = False) -> None:
    """Write bytes, atomically.

    Libraries that write a format themselves hide a full disk behind errors of their own; bytes
    from memory raise a plain OSError.
    """
    with atomic(path, replace) as temporary:
        temporary.write_bytes(data)


def write_json(path: str | Path, data: Any, replace: bool = False) -> None:
    """Write `data` as readable JSON, atomically."""
    write_bytes(path, (json.dumps(data, indent=2, ensure_ascii=False) + "\n").encode(), replace)


def read_json(path: str | Path) -> Any:
    """Read a JSON file; InputError if it is missing or is not JSON."""
    try:
        return json.loads(Path(path).read_text("utf-8"))
    except FileNotFoundError:
        raise InputError(f"{path} does not exist") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not JSON ({error}): delete it and make it again") from None


def write_csv(path: str | Path, table: "pd.DataFrame") -> None:
    """Write a data frame without its index, atomically."""
    with atomic(path) as temporary:
        table.to_csv(temporary, index=False, lineterminator="\n")


def sha256(path: str | Path) -> str:
    """The SHA-256 sum of a file, in hexadecimal digits."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def copy(source: Path, target: Path) -> None:
    """Let a file that never changes be in two places: linked, or copied where that is impossible.

    Either has the file for as long as it wants, and the disk has it once.
    """
    with atomic(target) as temporary:
        try:
            os.link(source, temporary)
        except OSError:  # another file system, or one without links
            shutil.copyfile(source, temporary)


def check_memory(what: str | Path, size: int) -> None:
    """Raise InputError if something of `size` bytes cannot be held by this machine's memory.

    Files from elsewhere may claim any size, and Linux grants memory that it does not have.
    """
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if size > memory:
        raise InputError(
            f"{what} needs {size / 2**30:,.1f} GiB of memory, and this machine has "
            f"{memory / 2**30:,.1f}: use a larger machine, or a smaller model or data set"
        )
