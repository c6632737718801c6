"""Robust jobs: they can be stopped at any moment, be started twice, or lose a process."""

import fcntl
import logging
import os
import signal
import socket
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

from groundvec.runtime.errors import LONGEST, InputError
from groundvec.runtime.files import write_json

log = logging.getLogger(__name__)

# Seconds to wait for a lock. A job that is tried again may start while its last attempt is still
# being killed (SLURM's KillWait, 30 s), or before a server of NFSv4 has noticed that the node of
# the last attempt is gone (its lease, 90 s).
PATIENCE = 120
ABOUT = "about.json"


class Stopped(Exception):
    """The program was told to stop; what is done is kept. The message says so, in one line."""


@contextmanager
def catch_sigterm() -> Iterator[threading.Event]:
    """Let SIGTERM, which a scheduler sends before it kills, only set the event within the block.

    Outside the main thread, where Python handles no signals, the event is never set.
    """
    told = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield told
        return
    before = signal.signal(signal.SIGTERM, lambda *_: told.set())
    try:
        yield told
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def working(loader: Iterable[Any]) -> Iterator[Iterator[Any]]:
    """Yield from a DataLoader; its processes end with the block, however that ends.

    Torch itself keeps them while a traceback refers to them, and Python then waits for them.

    Raises:
        InputError: one of the processes was killed, as Linux does if memory is short, or failed.
    """
    batches: Any = iter(loader)
    try:
        yield batches
    except Exception as error:
        if "DataLoader worker" not in str(error):
            raise
        traceback, _, reason = str(error).strip().rpartition("\n")
        if traceback:
            log.info("%s", traceback)
        raise InputError(
            f"a process of this program ended early ({reason}): if it took too much memory, start "
            "it again with fewer (--threads); finished work is kept"
        ) from error
    finally:
        if workers := getattr(batches, "_workers", []):  # else this process does the work itself
            batches._shutdown_workers()
            for worker in workers:
                worker.kill()


@contextmanager
def locked(folder: Path, name: str, patience: float | None = None) -> Iterator[None]:
    """Let only one process at a time work in a folder.

    It is a POSIX lock: it ends with its process, is not inherited, and holds between the nodes of
    NFS (version 4, or 3 with lockd) and of Lustre with `flock`, but not with `localflock`. The text
    in the file `lock` says who has it.

    Args:
        name: of the work, for messages.
        patience: seconds to wait for another process; by default `PATIENCE`.

    Raises:
        InputError: another process still has the lock then.
    """
    patience = PATIENCE if patience is None else patience
    give_up = time.monotonic() + patience
    waiting = False
    while isinstance(file := _lock(folder), str):
        if time.monotonic() >= give_up:
            raise InputError(f"{file}, and start again")
        if not waiting:
            log.info("waiting up to %d s: %s", patience, file)
            waiting = True
        time.sleep(1)
    with file:
        file.truncate(0)
        file.write(f"{name}: {_this_process()}")
        file.flush()
        try:
            yield
        finally:
            # Before the lock is released, so that no other process has it yet.
            (folder / "lock").unlink(missing_ok=True)
            with suppress(OSError):  # unless there is work in it
                folder.rmdir()


def describe(folder: Path, kind: str, name: str, decides: dict[str, Any]) -> None:
    """Describe work in a file beside it, which says whether it is still needed.

    Args:
        folder: of the work, whose name is the hash of what decides its result.
        kind: training, translator or features.
        decides: all that decides the result.
    """
    write_json(folder / ABOUT, {"kind": kind, "name": name, "decides": decides}, replace=True)


def running(folder: Path) -> str:
    """Say who is at work in a folder that `locked` is used on, and how to end that; else nothing.

    Where a file system has no locks, it says that nobody knows.
    """
    if isinstance(file := _lock(folder, needed=True), str):
        return file
    file.close()
    return ""


def _lock(folder: Path, needed: bool = False) -> TextIO | str:
    """Return the folder's lock, held until it is closed; or who else holds it.

    A file system that has no locks gets a warning, or if the lock is `needed`, a text too.
    """
    path = folder / "lock"
    while True:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            file = path.open("a+", encoding="utf-8", errors="backslashreplace")
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
        except (BlockingIOError, PermissionError):  # systems differ in which they raise
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
        file.close()  # the last holder removed it before we locked it


def _this_process() -> str:
    process = f"process {os.getpid()} on {socket.gethostname()}"
    if job := os.environ.get("SLURM_JOB_ID"):
        return (
            f"SLURM job {job} ({process}) is at work on it; wait for it "
            f"(squeue --jobs {job}) or cancel it (scancel {job})"
        )
    return f"{process} is at work on it; wait for it or end it (kill {os.getpid()})"
