"""The image files in a folder of somebody's own photos."""

import logging
import os
import re
import stat
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from groundvec.runtime.errors import InputError, printable
from groundvec.runtime.files import LARGEST_PICTURE, sha256

log = logging.getLogger(__name__)

# Extensions of the formats in `features.images.FORMATS`.
PICTURE = re.compile(
    r"\.(jpe?g|jpe|jfif|pjpe?g|pjp|mpo|a?png|webp|gif|tiff?|bmp|avifs?|hei[cf]s?|hif)",
    re.IGNORECASE,
)
# Extensions of RAW files, which are not read.
RAW = re.compile(
    r"\.(3fr|ari|arw|bay|cap|cr[23w]|dc[rs]|dng|erf|fff|gpr|iiq|k25|kdc|mdc|mef|mos|mrw|nef|nrw|orf"
    r"|pef|ptx|pxn|raf|raw|rw[2l]|rwz|sr[2fw]|x3f)"
)
# Folders of thumbnails and trash. Names that begin with a dot are hidden too.
HIDDEN = {"@eadir", "@__thumb", "@recycle", "#recycle", "$recycle.bin", "__macosx", "lost+found"}
# Folders of the system's own files, and of links to everywhere, such as /proc/self/root.
SYSTEM = ("/proc", "/sys", "/dev")
UNREADABLE = "unreadable: "  # with the reason, it replaces a checksum


def paths(images: str | Path | Iterable[str | Path]) -> list[Path]:
    """Return one path or several as a list."""
    return [Path(image) for image in ([images] if isinstance(images, str | Path) else images)]


def pictures(images: str | Path | Iterable[str | Path]) -> list[Path]:
    """List the pictures in a folder and its subfolders, sorted; or one file, or several, as named.

    Links to folders are followed. Hidden files, folders of thumbnails and trash, and unreadable
    folders are left out. A log line counts other files that are left out.

    Raises:
        InputError: there is no such file, or none in the folder; the folder cannot be read.
    """
    files: list[Path] = []
    for path in paths(images):
        try:
            mode = path.stat().st_mode
        except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: a NUL in the name
            raise InputError(
                f"{path} does not exist: name a picture or a folder of pictures"
            ) from None
        except OSError as error:
            raise _unreadable(path, error) from None
        if stat.S_ISDIR(mode):
            inside = visible_files(path)
            readable = [file for file in inside if PICTURE.fullmatch(file.suffix)]
            left_out = _count(file.suffix.lower() for file in inside)
            if not readable:
                raise InputError(
                    f"{path} holds no pictures that can be read: {left_out or 'no files'}; name "
                    "another"
                )
            if left_out:
                log.warning("%s", printable(f"{path}: skipped unsupported files: {left_out}"))
            files += readable
        elif RAW.fullmatch(path.suffix.lower()):
            raise InputError(f"{path} is RAW, which is not read: export it as JPEG")
        elif stat.S_ISREG(mode):
            files.append(path)
        else:
            raise InputError(
                f"{path} is neither a file nor a folder: name a picture or a folder of pictures"
            )
    return files


def _count(endings: Iterable[str]) -> str:
    """Count the files by extensions that are not read: first RAW, then the most frequent."""
    counts = Counter(
        ending if 0 < len(ending) < 12 else "without ending"
        for ending in sorted(endings)
        if not PICTURE.fullmatch(ending)
    )
    listed: list[str] = []
    raw = [ending for ending, _ in counts.most_common() if RAW.fullmatch(ending)]
    if raw:
        count = sum(counts.pop(ending) for ending in raw)
        listed.append(f"{count:,} RAW ({', '.join(raw)}: export them as JPEG)")
    others = counts.most_common()
    listed += [f"{count:,} {ending}" for ending, count in others[:4]]
    if len(others) > 4:
        listed.append(f"{sum(count for _, count in others[4:]):,} others")
    return ", ".join(listed)


def visible_files(top: Path) -> list[Path]:
    """List the files in a folder and its subfolders, sorted, except those that are hidden.

    Every command that takes a folder of pictures lists it by this function. Links to folders are
    followed, each folder once, but none of `SYSTEM` is entered. Entries that cannot be read are
    left out; for each folder and reason, a line counts them.

    Raises:
        InputError: the folder itself cannot be read.
    """
    problems: dict[tuple[str, str | None], list[OSError]] = {}  # by folder and reason

    def leave_out(error: OSError) -> None:
        if str(error.filename) == str(top):
            raise _unreadable(top, error)
        key = (os.path.dirname(error.filename), error.strerror)  # noqa: PTH120
        problems.setdefault(key, []).append(error)

    system = [Path(folder).stat() for folder in SYSTEM if Path(folder).exists()]
    seen = {(status.st_dev, status.st_ino) for status in system}
    files: list[Path] = []
    for folder, inner, names in os.walk(top, onerror=leave_out, followlinks=True):
        try:
            status = os.stat(folder)  # noqa: PTH116
        except OSError as error:  # it was removed after it was listed
            leave_out(error)
            inner.clear()
            continue
        if (status.st_dev, status.st_ino) in seen:  # a link leads back here
            inner.clear()
            continue
        seen.add((status.st_dev, status.st_ino))
        # `os.walk` descends into the folders that this list has afterwards.
        visible = (name for name in inner if not name.startswith("."))
        inner[:] = sorted(name for name in visible if name.lower() not in HIDDEN)
        for name in sorted(names):
            if name.startswith("."):
                continue
            file = Path(folder, name)
            try:
                # Not `is_file`: it raises some errors, and hides others, such as a broken link.
                is_file = stat.S_ISREG(file.stat().st_mode)
            except OSError as error:
                leave_out(error)
                continue
            if is_file:
                files.append(file)
    for errors in problems.values():
        first = errors[0]
        others = f" and {len(errors) - 1:,} more in its folder" if len(errors) > 1 else ""
        line = (
            f"{first.filename}{others} cannot be read ({first.strerror}); its pictures are left out"
        )
        log.warning("%s", printable(line))
    return sorted(files)


def _unreadable(path: Path, error: OSError) -> InputError:
    """Return the error of a file or folder that a user named, and that cannot be read."""
    return InputError(
        f"{path} cannot be read ({error.strerror}): change its permissions, or name another"
    )


def checksums(files: Sequence[str | Path]) -> list[str]:
    """Compute the SHA-256 sum of each file, several at a time; see `UNREADABLE`."""
    with ThreadPoolExecutor() as pool:
        return list(pool.map(_checksum, files))


def _checksum(path: str | Path) -> str:
    try:
        return sha256(path, LARGEST_PICTURE)
    except OSError as error:  # such as a file that was removed meanwhile
        return f"{UNREADABLE}{path} cannot be read ({error.strerror}); make it readable"
    except InputError as error:
        return f"{UNREADABLE}{error}"
