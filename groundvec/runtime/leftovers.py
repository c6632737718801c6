"""Leftovers of trainings and extractions in the folder of checkpoints, and which are needed.

A folder's name is the hash of its about.json (`groundvec.runtime.jobs.describe`). All else is left
alone.
"""

import os
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from groundvec.provenance import digest
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import SMALL, read_json
from groundvec.runtime.jobs import ABOUT, locked, running

FEATURES = "features"  # the folder in it whose folders have finished features
KEY = re.compile("[0-9a-f]{16}")
# What is in a folder, also under the temporary name of a process that was killed.
OURS = re.compile(
    r"about\.json|lock|finished\.pt|checkpoint(-previous)?\.pt|[0-9a-f]{16}\.npz"
    r"|snapshots(/epoch-\d+\.safetensors)?|(snapshots/)?\.[0-9a-f]{16}\.(json|pt|npz|safetensors)"
)


@dataclass
class Leftover:
    """One folder. `problem` says why it is left alone, `running` who is at work in it."""

    path: Path
    kind: str = "unknown"  # training, translator or features, or from before there was about.json
    name: str = "of an earlier version"
    decides: dict[str, Any] = field(default_factory=dict)
    size: int = 0  # bytes
    freed: int = 0  # of them, those that are in no other place, such as a model's folder
    changed: float = 0  # when, in seconds since 1970
    running: str = ""
    problem: str = ""


def find(work: Path) -> list[Leftover]:
    """List the content of the folder of checkpoints, its folder `features` included.

    Raises:
        InputError: it is not a folder, or cannot be read.
    """
    folders = [work, work / FEATURES]
    try:
        paths = [path for folder in folders if folder.is_dir() for path in sorted(folder.iterdir())]
    except OSError as error:
        raise InputError(f"{error.filename}: {error.strerror}; change its permissions") from None
    if not work.is_dir():
        raise InputError(f"{work} is not a folder: name that of the checkpoints")
    found = [_look_at(path) for path in paths if path != work / FEATURES or path.is_symlink()]
    # An extraction has its lock in a folder of its own, and writes into others.
    of_features = [each for each in found if each.path.parent.name == FEATURES]
    extracting = next((each.running for each in of_features if each.running), "")
    for each in of_features:
        each.running = each.running or extracting
    return found


def _look_at(path: Path) -> Leftover:
    found = Leftover(path)
    try:
        if path.is_symlink() or not path.is_dir() or not KEY.fullmatch(path.name):
            found.problem = "it is not a folder of checkpoints"
            return found
        for file in _files(path):
            name = file.relative_to(path).as_posix()
            if file.is_symlink() or not OURS.fullmatch(name):
                found.problem = f"{name} in it is not of a training or extraction"
                return found
            about = file.lstat()
            if not file.is_dir():
                found.size += about.st_size
                found.freed += about.st_size if about.st_nlink == 1 else 0
            found.changed = max(found.changed, about.st_mtime)
        if (path / "lock").exists():
            found.running = running(path)
        if (path / ABOUT).exists():
            content = read_json(path / ABOUT, SMALL)
            decides = content.get("decides") if isinstance(content, dict) else None
            if not isinstance(decides, dict) or digest(decides) != path.name:
                found.problem = f"its {ABOUT} is not about it"
                return found
            found.kind, found.name = str(content.get("kind")), str(content.get("name"))
            found.decides = decides
    except (OSError, InputError) as error:
        found.problem = str(getattr(error, "strerror", None) or error)
    return found


def _files(folder: Path) -> Iterator[Path]:
    """List all files and folders in a folder, each after its own content; follow no links.

    Raises:
        OSError: a folder cannot be read.
    """

    def refuse(error: OSError) -> None:
        raise error

    for place, folders, files in os.walk(folder, topdown=False, onerror=refuse):
        yield from (Path(place, name) for name in (*files, *folders))


def needed(leftover: Leftover, wanted: Iterable[dict[str, Any]]) -> bool:
    """Return whether this work is wanted, by its settings, and was made by these libraries."""
    versions = leftover.decides.get("versions")
    if isinstance(versions, dict) and any(_version(name) != versions[name] for name in versions):
        return False
    return any(_fits(want, leftover.decides) for want in wanted)


def _version(library: str) -> str | None:
    try:
        return version(library)
    except (PackageNotFoundError, ValueError):  # ValueError: of an empty name
        return None


def _fits(want: Any, have: Any) -> bool:
    if isinstance(want, dict) and isinstance(have, dict):
        return all(key in have and _fits(value, have[key]) for key, value in want.items())
    return bool(want == have)


def remove(leftover: Leftover) -> None:
    """Remove a folder that `find` found no problem with."""
    if leftover.problem or leftover.running:
        raise ValueError(f"{leftover.path} is not to be removed")
    with locked(leftover.path, "removal"):  # which then removes the lock, and the empty folder
        for path in _files(leftover.path):
            if path.is_dir():
                path.rmdir()
            elif path.name != "lock":
                path.unlink()


def age(leftover: Leftover) -> str:
    """Say how long ago it was changed, such as `3 days`."""
    hours = max(0, time.time() - leftover.changed) / 3600
    return f"{hours / 24:.0f} days" if hours >= 48 else f"{hours:.0f} hours"
