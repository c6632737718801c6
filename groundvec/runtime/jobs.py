"""Robust jobs: they may be stopped at any moment, be started twice, or lose a process."""

import errno
import logging
import os
import signal
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from groundvec.runtime.errors import LONGEST, InputError
from groundvec.runtime.files import read_regular, write_bytes, write_json

if TYPE_CHECKING:
    from filelock import FileLock

log = logging.getLogger(__name__)

# Seconds to wait for a lock. A new attempt of a job may start while the last one is still being
# killed (SLURM's KillWait, 30 s), or before an NFSv4 server has noticed that the last one's node is
# gone (the lease, 90 s).
PATIENCE = 120
ABOUT = "about.json"
LOCK = "lock"
NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL}  # of a file system
HOLDER = "holder"  # names the process that holds the lock


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

    The lock ends with its process. It holds between the nodes of NFS (version 4, or 3 with lockd)
    and of Lustre with `flock`, but not with `localflock`. While it is held, the file `holder` names
    the process that has it.

    Args:
        folder: where the work is done; it is made, and removed if it stays empty.
        name: a name for the work, for messages.
        patience: seconds to wait for another process; by default `PATIENCE`.

    Raises:
        InputError: after that time, another process still has the lock.
    """
    from filelock import Timeout

    patience = PATIENCE if patience is None else patience
    lock = _lock(folder)
    try:
        try:
            _acquire(lock, folder)
        except Timeout:
            if patience > 0:
                log.info("waiting up to %d s: %s", patience, _holder(folder))
            _acquire(lock, folder, patience)
    except Timeout:
        raise InputError(f"{_holder(folder)}, and start again") from None
    except PermissionError:
        if not (folder / LOCK).exists():
            raise
        raise InputError(f"{_of_another_user(folder)}, and start again") from None
    except OSError as error:
        if error.errno not in NO_LOCKS:
            raise
        log.warning("%s: start nothing twice", _without_locks(folder, error))
    try:
        write_bytes(folder / HOLDER, f"{name}: {_this_process()}".encode(), replace=True)
        yield
    finally:
        (folder / HOLDER).unlink(missing_ok=True)
        # Before the lock is released: no other process has locked the file yet.
        with suppress(OSError):  # Windows keeps a file that is open; the folder is not empty
            (folder / LOCK).unlink(missing_ok=True)
            folder.rmdir()
        lock.release()


def describe(folder: Path, kind: str, name: str, inputs: Mapping[str, Any]) -> None:
    """Write a description of work into its folder, so that a user knows its purpose.

    Args:
        folder: the folder of the work. Its name is the hash of `inputs`.
        kind: training, translator or features.
        name: the name of the work in the configuration.
        inputs: everything that the result depends on.
    """
    write_json(folder / ABOUT, {"kind": kind, "name": name, "inputs": inputs}, replace=True)


def running(folder: Path) -> str:
    """Describe the process at work in a folder that `locked` is used on, and how to end it.

    Returns:
        One line; empty if no process works there. If the file system has no locks, the line says
        that this is unknown.
    """
    from filelock import Timeout

    if not (folder / LOCK).exists():
        return ""
    try:
        with _lock(folder).acquire(timeout=0):
            return ""
    except Timeout:
        return _holder(folder)
    except PermissionError:
        return _of_another_user(folder)
    except OSError as error:
        problem = _without_locks(folder, error)
        return f"{problem}; if no process is at work in {folder}, remove the file"


def _lock(folder: Path) -> "FileLock":
    """Return the lock of a folder, which is not acquired yet."""
    from filelock import FileLock

    # Without locks of the system, a file that a killed process leaves would be one forever.
    return FileLock(folder / LOCK, fallback_to_soft=False)


def _acquire(lock: "FileLock", folder: Path, patience: float = 0) -> None:
    """Acquire a lock, in a folder that its last holder may remove; filelock.Timeout if it fails."""
    while True:
        folder.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):
            lock.acquire(timeout=patience, poll_interval=0.5)
            return


def _holder(folder: Path) -> str:
    """Describe the process that holds the lock."""
    with suppress(OSError, InputError):
        return read_regular(folder / HOLDER, LONGEST).decode(errors="replace")
    return f"another process is at work in {folder}: wait for it, or end it"


def _of_another_user(folder: Path) -> str:
    return (
        f"another user's process may be at work in {folder}: ask for it, or remove {folder / LOCK}"
    )


def _without_locks(folder: Path, error: OSError) -> str:
    return f"{folder / LOCK}: this file system has no locks ({error})"


def _this_process() -> str:
    """Describe this process, and how to end it, for others that wait for its lock."""
    process = f"process {os.getpid()} on {socket.gethostname()}"
    if job := os.environ.get("SLURM_JOB_ID"):
        return (
            f"SLURM job {job} ({process}) is at work on it; wait for it "
            f"(squeue --jobs {job}) or cancel it (scancel {job})"
        )
    return f"{process} is at work on it; wait for it or end it (kill {os.getpid()})"
