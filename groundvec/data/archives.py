"""Unpack archives that come from elsewhere: everything in its place, or nothing."""

import errno
import lzma
import shutil
import stat
import tarfile
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from groundvec.errors import InputError
from groundvec.progress import Progress

# What the system says to names that are too long, or that are a file's and a folder's at once.
BAD_NAME = errno.ENAMETOOLONG, errno.ENOTDIR, errno.EISDIR, errno.EEXIST

# What the readers raise for damaged archives: RuntimeError where damage looks like encryption,
# OSError with one of these numbers (others are the disk's).
DAMAGED = zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, RuntimeError
DAMAGED_ERRNO = None, errno.EINVAL


def unpack(archive: str | Path, folder: str | Path) -> None:
    """Unpack a zip or tar archive into a new folder, which is there only when it is complete.

    An archive that holds nothing but a folder of the same name as `folder` becomes that folder
    (train2014.zip, unpacked to `data/mscoco/train2014`, gives `data/mscoco/train2014/*.jpg`).
    The `__MACOSX` folders that macOS adds are left out. Checksums in the archive are checked.

    Raises:
        InputError: if the archive is damaged or has a member that is a link, leaves the folder or
            cannot be named so, or if there is something in the folder already.
        OSError: if the disk is full; nothing is left behind.
    """
    archive, folder = Path(archive), Path(folder)
    if not archive.is_file():
        raise InputError(f"{archive} is missing: put it there and run again")
    if folder.exists() and any(folder.iterdir()):
        raise InputError(f"{folder} is there already: delete it to unpack {archive} again")
    temporary = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(temporary, ignore_errors=True)  # left by a run that was killed
    temporary.mkdir(parents=True)
    try:
        _extract(archive, temporary)
        top = temporary / folder.name
        only_top = top.is_dir() and [*temporary.iterdir()] == [top]
        (top if only_top else temporary).replace(folder)
    except (*DAMAGED, OSError) as error:
        if isinstance(error, OSError) and error.errno not in DAMAGED_ERRNO:
            raise
        raise InputError(
            f"{archive} is truncated or damaged ({error}): delete it and run again"
        ) from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _extract(archive: Path, folder: Path) -> None:
    tar = tarfile.is_tarfile(archive)
    with tarfile.open(archive) if tar else zipfile.ZipFile(archive) as file:
        members = [
            (member.name if tar else member.filename, member)
            for member in (file.getmembers() if tar else file.infolist())
        ]
        files: set[PurePosixPath] = set()
        for name, member in members:
            path = PurePosixPath(name)
            if path in files:
                raise InputError(f"{archive}: its member {name} is there twice: get it again")
            if not (member.isdir() if tar else member.is_dir()):
                files.add(path)
            link = not (member.isfile() or member.isdir()) if tar else _is_link(member)
            if link or path.is_absolute() or ".." in path.parts:
                raise InputError(
                    f"{archive}: its member {name} is a link or leaves the folder, so nothing is "
                    "unpacked: get the archive from a source that you trust"
                )
        extract = {"filter": "data"} if tar else {}
        for name, member in Progress(members, desc=archive.name, unit="files"):
            if "__MACOSX" in PurePosixPath(name).parts:
                continue
            try:
                file.extract(member, folder, **extract)
            except OSError as error:
                if error.errno not in BAD_NAME:
                    raise
                raise InputError(
                    f"{archive}: its member {name[:80]} cannot be unpacked ({error.strerror}): its "
                    "name is too long, or another member's as well; get the archive elsewhere"
                ) from None
        while tar and file.fileobj.read(1 << 20):
            pass  # to the end of a compressed tar, where its checksum is


def _is_link(member: zipfile.ZipInfo) -> bool:
    return stat.S_ISLNK(member.external_attr >> 16)
