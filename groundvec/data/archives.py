"""Read and unpack archives, which may come from anybody: all of one, or nothing."""

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

# The system's errors for names that are too long, or that are a file's and a folder's at once.
BAD_NAME = errno.ENAMETOOLONG, errno.ENOTDIR, errno.EISDIR, errno.EEXIST

# The errors of readers for damaged archives: RuntimeError if damage looks like encryption, OSError
# with one of these numbers (others come from the disk).
DAMAGED = zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, RuntimeError
DAMAGED_ERRNO = None, errno.EINVAL


class _Member(NamedTuple):
    """A member of a zip or tar archive."""

    name: str
    is_folder: bool
    is_link: bool  # or, in a tar archive, a device
    size: int  # in bytes, by the archive's table
    info: Any  # the argument of `extract`


def unpack(archive: str | Path, folder: str | Path) -> None:
    """Unpack a zip, tar or tar.gz archive into a new folder, which appears when it is complete.

    If the archive has only a folder of the same name, the content of that becomes the folder's.
    The folders `__MACOSX`, which macOS adds, are left out.

    Raises:
        InputError: the archive is damaged; a member is a link, leaves the folder, or has a name
            that the disk cannot hold; or the folder exists and is not empty.
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
    except (*DAMAGED, MemoryError, OSError) as error:
        # MemoryError: damage made a size that no memory holds.
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
    """Extract a zip or tar archive into a folder, by the first bytes of its content."""
    with archive.open("rb") as file:
        start = file.read(2)
    if start == b"PK":
        with open_zip(archive) as packed:
            # The upper half of `external_attr` has Unix's type and permissions of a file.
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
    """Read a gzipped archive to the end; InputError if it unpacks to more than it may.

    This is done before `tarfile` reads it: that keeps the headers of all members in memory, and
    headers may be packed a thousandfold. The checksum, at the end, is compared too.
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
    """Extract members, after all of them are checked."""
    files: set[PurePosixPath] = set()
    for member in members:
        path = PurePosixPath(member.name)
        if path in files:
            raise InputError(f"{archive}: its member {member.name} occurs twice: download it again")
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
    """The text files anywhere in a folder or a zip archive.

    Args:
        path: the archive, or the folder that it was unpacked to.
        public: the name of the public archive, for errors.

    Raises:
        InputError: there is neither, or the archive is damaged.
    """

    def __init__(self, path: str | Path, public: str) -> None:
        self.path = path
        self.public = public
        self.root: Path | zipfile.Path = Path(path)
        try:
            if self.root.is_dir():
                files = [file for file in self.root.rglob("*") if file.is_file()]
                self.names = [file.relative_to(path).as_posix() for file in files]
            else:
                archive = open_zip(path)
                self.root = zipfile.Path(archive)
                self.names = archive.namelist()
        except FileNotFoundError:
            raise InputError(f"{path} does not exist; get {public}") from None
        except (zipfile.BadZipFile, OSError) as error:
            raise InputError(f"{path} is damaged; download it again ({error})") from None

    def lines(self, name: str) -> list[str]:
        """Read the lines of a file, gzipped or not, such as `task1/raw/train.en.gz`."""
        paths = [path for path in self.names if f"/{path}".endswith(f"/{name}")]
        if not paths:
            raise InputError(f"{self.path} has no {name}; get {self.public} again")
        place = f"{self.path}: {name}"
        shortest = min(paths, key=len)  # the one nearest to the top
        try:
            with (self.root / shortest).open("rb") as raw:
                file = gzip.GzipFile(fileobj=raw) if name.endswith(".gz") else raw
                content = read_at_most(file, SMALL, place)
        except (*DAMAGED, MemoryError, OSError) as error:
            raise InputError(f"{place} is damaged; download it again ({error})") from None
        return list(text_lines(content, place, "download it again"))
