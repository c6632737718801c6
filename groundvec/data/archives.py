"""Read and unpack archives, which may come from anybody: all of one, or nothing."""

import errno
import gzip
import io
import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO
from uuid import uuid4

from groundvec.runtime.errors import InputError
from groundvec.runtime.files import (
    SMALL,
    most_unpacked,
    new_folder,
    open_zip,
    read_at_most,
    text_lines,
    too_large,
)
from groundvec.runtime.progress import Progress

BUFFER = 2**20  # bytes of a zip archive's member to decompress at a time

# The errors of readers for damaged archives: RuntimeError if damage looks like encryption, OSError
# with one of these numbers (others come from the disk). The last four are for names that are too
# long, or that a file and a folder have.
DAMAGED = zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, RuntimeError
DAMAGED_ERRNO = (
    None,
    errno.EINVAL,
    errno.ENAMETOOLONG,
    errno.ENOTDIR,
    errno.EISDIR,
    errno.EEXIST,
)


def unpack(archive: str | Path, folder: str | Path) -> None:
    """Unpack a zip, tar or tar.gz archive into a new folder, which appears when it is complete.

    If the archive has only a folder of the same name, the content of that becomes the folder's.
    The folders `__MACOSX`, which macOS adds, are left out.

    Raises:
        InputError: the archive is damaged or too large; a member is a link, leaves the folder, or
            has a name that the disk cannot hold; or the folder exists and is not empty.
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
            entries = packed.infolist()
            # The upper half of `external_attr` has Unix's type and permissions of a file.
            links = {entry.filename for entry in entries if stat.S_ISLNK(entry.external_attr >> 16)}
            sizes = {entry.filename: entry.file_size for entry in entries}
            for name in _checked(archive, sizes, links):
                packed.extract(name, folder)
        return
    gzipped = start == b"\x1f\x8b"
    if gzipped:
        _check_gzip(archive)
    with tarfile.open(archive, "r:gz" if gzipped else "r:") as tar:
        members = {member.name: member for member in tar.getmembers()}
        links = {
            name for name, member in members.items() if not (member.isfile() or member.isdir())
        }
        sizes = {name: member.size for name, member in members.items()}
        # It ignores owners and special permissions. Debian 12 has Python 3.11.2, without it.
        tar.extraction_filter = getattr(tarfile, "data_filter", None)
        for name in _checked(archive, sizes, links):
            tar.extract(members[name], folder)


def _check_gzip(archive: Path) -> None:
    """Read a gzipped archive to the end; InputError if it unpacks to more than it may.

    This is done before `tarfile` reads it: that keeps the headers of all members in memory, and
    headers may be packed a thousandfold. The checksum, at the end, is compared too.
    """
    largest = most_unpacked(archive.stat().st_size)
    size = 0
    with gzip.open(archive) as file:
        while chunk := file.read(2**20):
            size += len(chunk)
            if size > largest:
                raise too_large(archive, largest)


def _checked(archive: Path, sizes: dict[str, int], links: set[str]) -> Progress:
    """Check all members of an archive, and return the names of those to extract, with a bar.

    Args:
        archive: the archive, for errors.
        sizes: the members' sizes in bytes, by name.
        links: the names of links and devices among them.

    Raises:
        InputError: a member leaves the folder or is a link, or they are too large together.
    """
    for name in sizes:
        path = PurePosixPath(name)
        if name in links or path.is_absolute() or ".." in path.parts:
            raise InputError(
                f"{archive}: its member {name} is a link or leaves the folder, so nothing is "
                "unpacked: get the archive from a source that you trust"
            )
    largest = most_unpacked(archive.stat().st_size)
    if sum(sizes.values()) > largest:
        raise too_large(archive, largest)
    wanted = [name for name in sizes if "__MACOSX" not in PurePosixPath(name).parts]
    return Progress(wanted, desc=archive.name, unit="files")


@contextmanager
def open_member(path: Path) -> Iterator[tuple[IO[bytes], int]]:
    """Open a file, or a member of a zip archive, and yield it with its size in bytes.

    Args:
        path: it may lead into an archive, as `glove.6B.zip/glove.6B.100d.txt`. An archive with one
            member needs no member's name.

    Raises:
        InputError: there is no such file or member, or the archive is damaged.
    """
    file = next((part for part in (path, *path.parents) if part.is_file()), None)
    if file is None:
        raise InputError(f"{path} does not exist, or is no file: put it there")
    if file == path and not zipfile.is_zipfile(file):
        with file.open("rb") as opened:
            yield opened, file.stat().st_size
        return
    try:
        with open_zip(file) as archive:
            members = [name for name in archive.namelist() if not name.endswith("/")]
            candidates = members if path == file else [path.relative_to(file).as_posix()]
            if len(candidates) != 1 or candidates[0] not in members:
                names = ", ".join(members)
                raise InputError(f"{path}: add to {file}/ the name of a file in it: {names}")
            with archive.open(candidates[0]) as member:
                # The types of `zipfile` do not say that a member is an io.BufferedIOBase.
                buffered = io.BufferedReader(member, BUFFER)  # type: ignore[type-var]
                yield buffered, archive.getinfo(candidates[0]).file_size
    except DAMAGED as error:
        raise InputError(f"{file} is damaged ({error}): download it again") from None


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
