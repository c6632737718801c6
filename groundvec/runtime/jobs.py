"""Robust jobs: they may be stopped at any moment, be started twice, or lose a process."""

import fcntl
import logging
import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

from groundvec.runtime.errors import LONGEST, InputError
from groundvec.runtime.files import write_json

log = logging.getLogger(__name__)

# Seconds to wait for a lock. A new attempt of a job may start while the last one is still being
# killed (SLURM's KillWait, 30 s), or before an NFSv4 server has noticed that the last one's node is
# gone (the lease, 90 s).
PATIENCE = 120
ABOUT = "about.json"


class Stopped(Exception):
    """The program was told to stop. Its message, one line, says that finished work is kept."""


def cores() -> int:
    """Count the CPU cores that this process may use, regardless of OMP_NUM_THREADS."""
    affinity = getattr(os, "sched_getaffinity", None)  # Linux alone has it
    if affinity:
        return len(affinity(0))
    return os.cpu_count() or 1


@contextmanager
def catch_sigterm() -> Iterator[threading.Event]:
    """Let SIGTERM set an event within the block, and not end the program.

    A scheduler sends it some time before it kills a job. Outside the main thread, where Python
    handles no signals, the event is never set.
    """
    stop = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    previous_handler = signal.signal(signal.SIGTERM, lambda *_: stop.set())
    try:
        yield stop
    finally:
        signal.signal(signal.SIGTERM, previous_handler)


@contextmanager
def locked(folder: Path, name: str, patience: float | None = None) -> Iterator[None]:
    """Let only one process at a time work in a folder.

    It is a POSIX lock: it ends with its process, is not inherited, and holds between the nodes of
    NFS (version 4, or 3 with lockd) and of Lustre with `flock`, but not with `localflock`. The file
    `lock` names the process that has it.

    Args:
        folder: where the work is done; it is made, and removed if it stays empty.
        name: a name for the work, for messages.
        patience: seconds to wait for another process; by default `PATIENCE`.

    Raises:
        InputError: after that time, another process still has the lock.
    """
    patience = PATIENCE if patience is None else patience
    deadline = time.monotonic() + patience
    file = _lock(folder)
    if isinstance(file, str) and patience > 0:
        log.info("waiting up to %d s: %s", patience, file)
    while isinstance(file, str):  # it describes the other process
        if time.monotonic() >= deadline:
            raise InputError(f"{file}, and start again")
        time.sleep(1)
        file = _lock(folder)
    with file:
        file.truncate(0)
        file.write(f"{name}: {_this_process()}")
        file.flush()
        try:
            yield
        finally:
            # The file is removed before the lock is released: no other process has locked it yet.
            (folder / "lock").unlink(missing_ok=True)
            with suppress(OSError):  # the folder is not empty
                folder.rmdir()


def describe(folder: Path, kind: str, name: str, decides: dict[str, Any]) -> None:
    """Write a description of work into its folder, so that a user knows its purpose.

    Args:
        folder: the folder of the work. Its name is the hash of `decides`.
        kind: training, translator or features.
        name: the name of the work in the configuration.
        decides: everything that decides the result.
    """
    write_json(folder / ABOUT, {"kind": kind, "name": name, "decides": decides}, replace=True)


def running(folder: Path) -> str:
    """Describe the process at work in a folder that `locked` is used on, and how to end it.

    Returns:
        One line; empty if no process works there. If the file system has no locks, the line says
        that this is unknown.
    """
    if not (folder / "lock").exists():
        return ""
    file = _lock(folder, needed=True)
    if isinstance(file, str):
        return file
    file.close()
    return ""


def _lock(folder: Path, needed: bool = False) -> TextIO | str:
    """Return the folder's lock, held until it is closed; or a description of who else holds it.

    If the file system has no locks, log a warning and return the file without a lock; but if a
    lock is `needed`, return a description of the problem.
    """
    path = folder / "lock"
    while True:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            # Not through a link: the file that it leads to would be emptied.
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
            file = os.fdopen(descriptor, "a+", encoding="utf-8", errors="backslashreplace")
        except FileNotFoundError:  # the last holder removed the folder
            continue
        except PermissionError:
            if not path.exists():
                raise
            return (
                f"another user's process may be at work in {folder}: ask for it, or remove {path}"
            )
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):  # systems raise one or the other
            with file:
                file.seek(0)
                return (
                    file.read(LONGEST)
                    or f"another process is at work in {folder}: wait for it, or end it"
                )
        except OSError as error:
            problem = f"{path}: this file system has no locks ({error})"
            if needed:
                file.close()
                return f"{problem}; if no process is at work in {folder}, remove the file"
            log.warning("%s: start nothing twice", problem)
            return file
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                return file
        file.close()  # the last holder removed it before it was locked here: try the new file


def _this_process() -> str:
    """Describe this process, and how to end it, for others that wait for its lock."""
    process = f"process {os.getpid()} on {socket.gethostname()}"
    if job := os.environ.get("SLURM_JOB_ID"):
        return (
            f"SLURM job {job} ({process}) is at work on it; wait for it "
            f"(squeue --jobs {job}) or cancel it (scancel {job})"
        )
    return f"{process} is at work on it; wait for it or end it (kill {os.getpid()})"
