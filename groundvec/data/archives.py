"""Read and unpack archives that come from elsewhere: everything in its place, or nothing."""

import errno
import gzip
import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple
from uuid import uuid4

from groundvec.runtime.errors import InputError
from groundvec.runtime.files import (
    SMALL,
    most_unpacked,
    new_folder,
    open_zip,
    read_at_most,
    text_lines,
)
from groundvec.runtime.progress import Progress

# What the system says to names that are too long, or that are a file's and a folder's at once.
BAD_NAME = errno.ENAMETOOLONG, errno.ENOTDIR, errno.EISDIR, errno.EEXIST

# What the readers raise for damaged archives: RuntimeError where damage looks like encryption,
# OSError with one of these numbers (others are the disk's).
DAMAGED = zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, RuntimeError
DAMAGED_ERRNO = None, errno.EINVAL


class _Member(NamedTuple):
    """A member of a zip or tar archive."""

    name: str
    is_folder: bool
    is_link: bool  # or, in a tar archive, a device
    size: int  # in bytes, as the archive has it
    info: Any  # what `extract` takes


def unpack(archive: str | Path, folder: str | Path) -> None:
    """Unpack a zip, tar or tar.gz archive into a new folder, which appears when it is complete.

    If the archive has nothing but a folder of the same name, it becomes that folder. macOS's
    `__MACOSX` folders are left out.

    Raises:
        InputError: the archive is damaged, or has a member that is a link, leaves the folder or
            cannot be named so; or there is something in the folder already.
        OSError: the disk is full; nothing is left behind.
    """
    archive = Path(archive)
    folder = Path(folder)
    if not archive.is_file():
        raise InputError(f"{archive} is missing: put it there and run again")
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()  # a workflow may have made it
    if os.path.lexists(folder):
        raise InputError(f"{folder} already exists: delete it to unpack {archive} again")
    try:
        with new_folder(folder) as temporary:
            _extract(archive, temporary)
            _drop_top(temporary, folder.name)
    except (*DAMAGED, MemoryError, OSError) as error:  # MemoryError: a size that no memory holds
        if isinstance(error, OSError) and error.errno not in DAMAGED_ERRNO:
            raise
        raise InputError(
            f"{archive} is truncated or damaged ({error}): delete it and run again"
        ) from None


def _drop_top(folder: Path, name: str) -> None:
    """Move the content of the only folder in `folder` up, if that has this name."""
    top = folder / name
    if not top.is_dir() or list(folder.iterdir()) != [top]:
        return
    # Under another name first: the folder may contain one of its own name.
    emptied = top.rename(folder / uuid4().hex)
    for path in list(emptied.iterdir()):
        path.rename(folder / path.name)
    emptied.rmdir()


def _extract(archive: Path, folder: Path) -> None:
    with archive.open("rb") as file:
        start = file.read(2)
    if start == b"PK":
        with open_zip(archive) as packed:
            members = [
                _Member(m.filename, m.is_dir(), stat.S_ISLNK(m.external_attr >> 16), m.file_size, m)
                for m in packed.infolist()
            ]
            _extract_members(archive, members, partial(packed.extract, path=folder))
        return
    gzipped = start == b"\x1f\x8b"
    if gzipped:
        _check_gzip(archive)
    with tarfile.open(archive, "r:gz" if gzipped else "r:") as tar:
        members = [
            _Member(m.name, m.isdir(), not (m.isfile() or m.isdir()), m.size, m)
            for m in tar.getmembers()
        ]
        _extract_members(archive, members, partial(tar.extract, path=folder, filter="data"))


def _check_gzip(archive: Path) -> None:
    """Read to the end, where the checksum is; InputError if that is more than text becomes.

    `tarfile` keeps the headers of all members in memory, and they may be packed a thousandfold.
    """
    left = most_unpacked(archive.stat().st_size)
    with gzip.open(archive) as file:
        while chunk := file.read(2**20):
            left -= len(chunk)
            if left < 0:
                raise _too_large(archive)


def _too_large(archive: Path) -> InputError:
    return InputError(
        f"{archive} would become more than {most_unpacked(archive.stat().st_size) / 2**20:,.0f} "
        "MiB, too much for an archive of its size: get it from a source that you trust"
    )


def _extract_members(
    archive: Path, members: list[_Member], extract: Callable[[Any], object]
) -> None:
    """Check all members before the first is extracted."""
    files: set[PurePosixPath] = set()
    for member in members:
        path = PurePosixPath(member.name)
        if path in files:
            raise InputError(f"{archive}: its member {member.name} occurs twice: get it again")
        if not member.is_folder:
            files.add(path)
        if member.is_link or path.is_absolute() or ".." in path.parts:
            raise InputError(
                f"{archive}: its member {member.name} is a link or leaves the folder, so nothing "
                "is unpacked: get the archive from a source that you trust"
            )
    if sum(member.size for member in members) > most_unpacked(archive.stat().st_size):
        raise _too_large(archive)
    for member in Progress(members, desc=archive.name, unit="files"):
        if "__MACOSX" in PurePosixPath(member.name).parts:
            continue
        try:
            extract(member.info)
        except OSError as error:
            if error.errno not in BAD_NAME:
                raise
            raise InputError(
                f"{archive}: its member {member.name[:80]} cannot be unpacked ({error.strerror}): "
                "its name is too long, or another member's as well; get the archive elsewhere"
            ) from None


class Files:
    """The text files in a folder or a zip archive, wherever in it they are.

    Args:
        path: the archive, or the folder it was unpacked to; InputError if there is none.
        public: the name of the public archive, for errors.
    """

    def __init__(self, path: str | Path, public: str) -> None:
        self.path = path
        self.public = public
        self.root: Path | zipfile.Path = Path(path)
        try:
            if self.root.is_dir():
                found = [file for file in self.root.rglob("*") if file.is_file()]
                self.names = [file.relative_to(path).as_posix() for file in found]
            else:
                archive = open_zip(path)
                self.root = zipfile.Path(archive)
                self.names = archive.namelist()
        except FileNotFoundError:
            raise InputError(f"{path} does not exist; get {public}") from None
        except (zipfile.BadZipFile, OSError) as error:
            raise InputError(f"{path} is damaged; get it again ({error})") from None

    def lines(self, name: str) -> list[str]:
        """Read the lines of a file, gzipped or not, such as `task1/raw/train.en.gz`."""
        found = [path for path in self.names if f"/{path}".endswith(f"/{name}")]
        if not found:
            raise InputError(f"{self.path} has no {name}; get {self.public} again")
        try:
            with (self.root / min(found, key=len)).open("rb") as raw:
                file = gzip.GzipFile(fileobj=raw) if name.endswith(".gz") else raw
                content = read_at_most(file, SMALL, f"{self.path}: {name}")
        except (
            *DAMAGED,
            MemoryError,
            OSError,
        ) as error:  # MemoryError: a size that no memory holds
            raise InputError(f"{self.path}: {name} is damaged; get it again ({error})") from None
        return list(text_lines(content, f"{self.path}: {name}", "get it again"))
