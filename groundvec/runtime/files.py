"""Files that are either whole or not there, and that replace nothing they should not."""

import atexit
import errno
import gzip
import hashlib
import io
import json
import logging
import os
import shutil
import stat
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache, partial
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING, Any
from uuid import uuid4

from groundvec.runtime.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

log = logging.getLogger(__name__)

# Bytes that one packed byte may become. Text packs 3 to 20 bytes into one, a bomb a thousand.
MAX_COMPRESSION = 50
CHECKSUM_BYTES = 32  # of SHA-256
SMALL = 2**24  # bytes that are accepted whatever was packed into how few
LARGEST_JSON = 2**28  # bytes; Python's objects take ten times as many
LARGEST_TABLE = 2**30  # bytes of a table or of a text with one sentence per line
LARGEST_LINE = 2**20  # characters
LARGEST_PICTURE = 2**31  # bytes; 179 million pixels of 16-bit RGB with alpha are 1.4e9
# In the head of each page that we write, so that a program may replace it.
OWN_PAGE = b'<meta name="generator" content="groundvec"'
HEAD = 1024  # bytes at the start of a page that are searched for it

# Set by `guard` when one of our programs starts; users of the library are not guarded.
_inputs: list[Path] = []
_keep_existing = False

# Outputs


def guard(inputs: Iterable[Path], overwrite: bool) -> None:
    """Let no file be written over an input from now on, nor, unless `overwrite`, over any file."""
    global _inputs, _keep_existing
    _inputs = list(inputs)
    _keep_existing = not overwrite


def check_output(path: str | Path) -> None:
    """Raise an error if this is no file, or one that `guard` protects, or in a read-only folder."""
    path = Path(path)
    folder = next(parent for parent in path.absolute().parents if parent.exists())
    if not os.access(folder, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))
    if not path.exists():
        return
    if not path.is_file():
        raise InputError(f"{path} is a folder, a FIFO or a device: name another output")
    if any(source.exists() and path.samefile(source) for source in _inputs):
        raise InputError(f"{path} is an input, and would be overwritten: name another output")
    if _keep_existing and not _is_own_page(path):
        raise InputError(f"{path} already exists: name another output, or use --overwrite")


def _is_own_page(path: Path) -> bool:
    """Return whether a file is a page that we wrote, and that nobody protected from changes."""
    is_page = path.suffix.lower() == ".html" and not path.is_symlink()
    if not is_page or not os.access(path, os.R_OK | os.W_OK):
        return False
    with open_regular(path) as page:
        return OWN_PAGE in page.read(HEAD)


def check_new(path: Path) -> None:
    """Raise InputError if anything exists at `path`."""
    if os.path.lexists(path):
        raise InputError(f"{path} already exists: name another folder")


@contextmanager
def atomic(path: str | Path, replace: bool = False) -> Iterator[Path]:
    """Yield a temporary path of the same suffix, which is renamed to `path` if the block succeeds.

    If the block raises, the temporary file is removed and an existing `path` stays as it was.

    Args:
        replace: overwrite whatever `guard` says, for the program's own files, such as checkpoints.
    """
    path = Path(path)
    if not replace:
        check_output(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = _temporary(path, path.suffix[:32])
    try:
        yield temporary
        with temporary.open("rb") as file:
            os.fsync(file.fileno())  # else a power cut after renaming leaves the file empty
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def new_folder(path: str | Path) -> Iterator[Path]:
    """Yield a temporary folder, which is renamed to `path` if the block succeeds.

    So a folder is whole or not there. If two processes write the same one, the first wins.

    Raises:
        InputError: something exists at `path`, be it a link that leads nowhere.
    """
    path = Path(path)
    check_new(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = _temporary(path)
    temporary.mkdir()
    try:
        yield temporary
        if hasattr(os, "sync"):  # not on Windows
            os.sync()  # as in `atomic`, but once for all files: MSCOCO has 123,287
        try:
            temporary.rename(path)
        except OSError:
            check_new(path)  # another process made it meanwhile
            raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)  # nothing after a rename


def _temporary(path: Path, suffix: str = "") -> Path:
    """Return a new name next to `path`: renaming needs the same file system.

    It is random, so that it is nobody else's, and short, as `path` may have the longest name
    that a file system takes.
    """
    return path.with_name(f".{uuid4().hex[:16]}{suffix}")


def write_bytes(path: str | Path, data: bytes | memoryview, replace: bool = False) -> None:
    """Write bytes, atomically. A full disk raises OSError, which the writers of libraries hide."""
    with atomic(path, replace) as temporary:
        temporary.write_bytes(data)


def write_cached(path: Path, data: bytes | memoryview) -> None:
    """Write a file of a cache, for `read_cached`: it ends with its checksum."""
    write_bytes(path, b"".join([data, _checksum(path, data)]), replace=True)


def read_cached(path: Path, largest: int) -> memoryview:
    """Read a file that `write_cached` wrote; see `read_regular`.

    The checksum covers the names of the file and of its folder, so that no file can replace
    another. It detects damage, but not a program that may write the user's cache.

    Raises:
        ValueError: the file has changed.
    """
    content = memoryview(read_regular(path, largest))
    data = content[:-CHECKSUM_BYTES]
    if content[-CHECKSUM_BYTES:] != _checksum(path, data):
        raise ValueError(f"{path} has changed")
    return data


def _checksum(path: Path, data: bytes | memoryview) -> bytes:
    checksum = hashlib.sha256(f"{path.parent.name}/{path.name}/".encode())
    checksum.update(data)
    return checksum.digest()


def write_json(path: str | Path, data: Any, replace: bool = False) -> None:
    """Write `data` as readable JSON, atomically."""
    write_bytes(path, (json.dumps(data, indent=2, ensure_ascii=False) + "\n").encode(), replace)


def write_csv(path: str | Path, table: "pd.DataFrame") -> None:
    """Write a data frame without its index, atomically."""
    with atomic(path) as temporary:
        table.to_csv(temporary, index=False, lineterminator="\n")


def copy(source: Path, target: Path) -> None:
    """Link a snapshot of a training to its results, or copy it where that is impossible.

    Checkpoints stay, so copies would double the space of all snapshots. Nobody edits weights in
    place; files that users do edit are copied (`groundvec.model.folder.ModelFolder.copy`).
    """
    with atomic(target) as temporary:
        try:
            os.link(source, temporary)
        except OSError:  # another file system, or one without links
            shutil.copyfile(source, temporary)


# Inputs


def check_regular(path: str | Path, largest: float = inf) -> None:
    """Raise InputError if something else than a file is at `path`, or one of more bytes.

    A program might read a FIFO, a device or a sparse file for ever.
    """
    path = Path(path)
    if not path.exists():
        return
    if not path.is_file():
        raise _not_regular(path)
    if path.stat().st_size > largest:
        raise too_large(path, largest)


def _not_regular(path: str | Path) -> InputError:
    return InputError(f"{path} is a folder, a FIFO or a device: put the file itself there")


def open_regular(path: str | Path, largest: float = inf) -> io.BufferedReader:
    """Open a file to read bytes; InputError if it is no regular file, or has more than `largest`.

    A sparse file may have any size, and takes no space on the disk.
    """
    # Without O_NONBLOCK, opening a FIFO would wait until somebody writes to it. Windows has none,
    # and would read text without O_BINARY.
    flags = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, os.O_RDONLY | flags)
    status = os.fstat(descriptor)
    is_regular = stat.S_ISREG(status.st_mode)
    if is_regular and status.st_size <= largest:
        return os.fdopen(descriptor, "rb")
    os.close(descriptor)
    raise too_large(path, largest) if is_regular else _not_regular(path)


def read_regular(path: str | Path, largest: int) -> bytes:
    """Read a file of at most `largest` bytes.

    Raises:
        InputError: it is no regular file, or larger than `largest` or than the memory.
        OSError: it is missing, or cannot be read.
    """
    with open_regular(path, largest) as file:
        size = os.fstat(file.fileno()).st_size
        check_memory(path, size)
        return file.read(size)


def read_json(path: str | Path, largest: int = LARGEST_JSON) -> Any:
    """Read a JSON file of at most `largest` bytes, which may come from anybody.

    Raises:
        InputError: it is missing, too large, or not JSON; or it has text that UTF-8 cannot hold.
    """
    try:
        content = json.loads(read_regular(path, largest))
        json.dumps(content, ensure_ascii=False).encode()  # "\ud800" is valid JSON, but not UTF-8
    except FileNotFoundError:
        raise InputError(f"{path} does not exist") from None
    except InputError:
        raise
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not JSON ({error}): delete it and make it again") from None
    return content


def text_lines(
    source: bytes | IO[bytes] | gzip.GzipFile,
    name: str | Path,
    remedy: str = "save it as UTF-8",
    newline: str | None = None,
) -> Iterator[str]:
    """Read lines of UTF-8, without byte-order mark and line ends (CR, LF or both).

    Args:
        source: the content, or a file that is open for reading bytes.
        name: the file's name, for errors.
        remedy: the advice of errors.
        newline: see `open`.

    Raises:
        InputError: a line is not UTF-8, or has `LARGEST_LINE` characters.
    """
    # Bytes that are not UTF-8 become halves of surrogate pairs. So the error names their line; the
    # decoder's own error would come before the lines of a whole block.
    file = io.BytesIO(source) if isinstance(source, bytes) else source
    text = io.TextIOWrapper(file, "utf-8-sig", "surrogateescape", newline)
    for number, line in enumerate(iter(partial(text.readline, LARGEST_LINE), ""), 1):
        try:
            line.encode()
        except UnicodeEncodeError:
            raise InputError(f"{name} line {number} is not UTF-8: {remedy}") from None
        if "\0" in line:  # UTF-16 of plain letters is valid UTF-8, with a NUL next to each
            raise InputError(f"{name} line {number} is UTF-16 or no text at all: {remedy}")
        if len(line) == LARGEST_LINE:
            raise InputError(
                f"{name} line {number} has {LARGEST_LINE:,} characters or more: break it into lines"
            )
        yield line.removesuffix("\n")


def check_memory(what: str | Path, size: int) -> None:
    """Raise InputError for more bytes than this machine has; Linux would grant them, then kill."""
    if not hasattr(os, "sysconf"):  # on Windows, which does not grant them
        return
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if size > memory:
        raise InputError(
            f"{what} needs {size / 2**30:,.1f} GiB of memory, and this machine has "
            f"{memory / 2**30:,.1f}: use a larger machine, or a smaller model or data set"
        )


# Packed files


def most_unpacked(size: int) -> int:
    """Compute how many bytes `size` packed ones may become."""
    return max(SMALL, MAX_COMPRESSION * size)


def read_packed(path: str | Path, remedy: str) -> bytes:
    """Read a gzipped file.

    Args:
        remedy: the advice of errors.

    Raises:
        InputError: it is missing or damaged, or has more bytes than text of its packed size can
            have.
    """
    try:
        check_regular(path)
        with gzip.open(path) as file:
            return read_at_most(file, most_unpacked(Path(path).stat().st_size), path)
    except FileNotFoundError:
        raise InputError(f"{path} does not exist: {remedy}") from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"{path} is damaged ({error}): {remedy}") from None


def read_at_most(file: IO[bytes] | gzip.GzipFile, largest: int, name: str | Path) -> bytes:
    """Read a file, which may be compressed; InputError if it has more than `largest` bytes."""
    data = io.BytesIO()
    for chunk in iter(partial(file.read, 2**20), b""):
        data.write(chunk)
        if data.tell() > largest:
            raise too_large(name, largest)
    return data.getvalue()


def too_large(name: str | Path, largest: float) -> InputError:
    """Return the error of a file, packed or not, that has more than `largest` bytes."""
    return InputError(
        f"{name} holds more than {largest / 2**20:,.0f} MiB, too much for a file of its kind "
        "and size: get it from a source that you trust"
    )


def open_zip(path: str | Path) -> zipfile.ZipFile:
    """Open a zip archive.

    Raises:
        InputError: a member is neither stored nor deflated. In other methods a kilobyte can become
            gigabytes, and Python unpacks a block before anything can stop it.
        OSError, zipfile.BadZipFile: it is missing or damaged.
    """
    check_regular(path)
    archive = zipfile.ZipFile(path)
    for member in archive.infolist():
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            archive.close()
            raise InputError(
                f"{path}: its member {member.filename} is packed by method {member.compress_type}: "
                "pack it again, stored or deflated"
            )
    return archive


# Other


def sha256(path: str | Path, largest: float = inf) -> str:
    """Compute the SHA-256 sum of a file, in hexadecimal digits; see `open_regular`."""
    with open_regular(path, largest) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def size(folder: Path) -> int:
    """Return the bytes of all files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def state(path: str | Path) -> tuple[int, int, int, int]:
    """Return numbers that change with a file: size, modification time, inode, change time.

    The inode differs if two files of the same size and time swap their names. The change time
    differs if a file is overwritten and its modification time is reset, as no program can set it.
    """
    status = Path(path).stat()
    return status.st_size, status.st_mtime_ns, status.st_ino, status.st_ctime_ns


def cache() -> Path:
    """Return the user's folder for files that can be downloaded or computed again."""
    named = os.environ.get("XDG_CACHE_HOME")
    if named:
        return Path(named, "groundvec")
    folder = Path(os.path.expanduser("~/.cache"), "groundvec")  # noqa: PTH111
    try:
        if not folder.is_absolute():
            raise FileNotFoundError("there is no home directory")
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:  # as in some containers and jobs
        return _cache_until_the_end(str(error))
    return folder


def is_first(notice: str) -> bool:
    """Return whether a user has not had a notice before, and remember that he has."""
    marker = cache() / "notices" / hashlib.sha256(notice.encode(errors="replace")).hexdigest()
    with suppress(OSError):  # where nothing can be kept, each time is the first
        if marker.exists():
            return False
        marker.parent.mkdir(parents=True, exist_ok=True)
        marker.touch()
    return True


@lru_cache
def _cache_until_the_end(problem: str) -> Path:
    """Make a folder that is removed when the program ends."""
    log.warning("%s: set XDG_CACHE_HOME, or nothing is kept for the next run", problem)
    folder = TemporaryDirectory(prefix="groundvec-")
    atexit.register(folder.cleanup)
    return Path(folder.name)
