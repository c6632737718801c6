"""Checkpoints of a training, so that it resumes if it is killed at any moment."""

import io
import logging
import math
import time
import zipfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from threading import Event
from typing import Any, TypeVar

import torch
from safetensors.torch import load_file
from torch import Tensor, nn

from groundvec.model import weights
from groundvec.model.folder import snapshot_name
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import atomic, sha256
from groundvec.runtime.jobs import Stopped
from groundvec.runtime.progress import Progress

# A checkpoint is written after each epoch, and within an epoch every minute. If writing takes long
# (a large model, a slow disk), the interval grows, so that it takes at most 1% of the time.
MIN_INTERVAL = 60  # seconds
MAX_SHARE = 0.01

History = list[dict[str, Any]]  # one row per epoch
T = TypeVar("T")

log = logging.getLogger(__name__)


@dataclass
class State:
    """The progress of a training.

    With the model's and the optimizer's state it is all that resuming needs. Random numbers need no
    state: they are functions of the seed and the step.
    """

    epoch: int = 0  # the last complete one
    batch: int = 0  # batches done in the epoch after it
    # The sum over these batches. Between checkpoints it is a float64 tensor on the device, since
    # reading a number makes the CPU wait for the GPU. In float64, the sum loses no digit.
    loss: float | Tensor = 0.0
    seconds: float = 0.0  # spent on batches so far
    history: History = field(default_factory=list)
    sha256: dict[int, str] = field(default_factory=dict)  # checksums of the snapshots, by epoch


class Checkpoints:
    """The folder of one training: its snapshots, and its two latest checkpoints or its last state.

    A checkpoint is a file of `torch.save` with a `State` and the states of the model and the
    optimizer. There are two, so that one is intact if the other was damaged.

    Args:
        name: of the training, for messages.
        remedy: what to do if its loss is not finite.
    """

    def __init__(
        self,
        folder: Path,
        model: nn.Module,
        optimizer: torch.optim.Optimizer,
        name: str,
        remedy: str,
    ) -> None:
        self.model = model
        self.optimizer = optimizer
        self.name = name
        self.remedy = remedy
        self.snapshots = folder / "snapshots"
        self.finished = folder / "finished.pt"
        self.latest = folder / "checkpoint.pt"
        self.previous = folder / "checkpoint-previous.pt"
        self.saved_at = time.monotonic()
        self.interval = float(MIN_INTERVAL)

    def load_finished(self) -> State | None:
        """Load the last state, if the training was finished and all its snapshots are intact."""
        return self._load(self.finished, networks=False)

    def load_latest(self) -> State | None:
        """Restore the model and the optimizer from the latest checkpoint, and return its state.

        If it is damaged, restore the one before it; if there is none, return None.
        """
        return self._load(self.latest) or self._load(self.previous)

    def resume(self) -> State:
        """Restore the latest checkpoint, or start anew."""
        state = self.load_latest()
        if state is None:
            return State()
        log.info("%s: resumes after epoch %d, batch %d", self.name, state.epoch, state.batch)
        return state

    def due(self) -> bool:
        """Return whether it is time for a checkpoint."""
        return time.monotonic() - self.saved_at > self.interval

    def save(self, state: State) -> None:
        """Write a checkpoint; the latest one so far becomes the previous one."""
        start = time.monotonic()
        contents = dict(vars(state))
        contents["model"] = self.model.state_dict()
        contents["optimizer"] = self.optimizer.state_dict()
        _save(self.latest, contents, self.previous)
        self.saved_at = time.monotonic()
        cost = self.saved_at - start
        self.interval = max(MIN_INTERVAL, cost / MAX_SHARE)

    def save_epoch(self, state: State, epoch: int, kept: Collection[int]) -> None:
        """Write the snapshot of an epoch and a checkpoint, once the history has the epoch's row.

        Args:
            kept: the epochs whose snapshots are kept. Others are removed.
        """
        snapshots = dict(state.sha256)
        if epoch in kept:
            snapshots[epoch] = self.save_snapshot(epoch)
        state.epoch = epoch
        state.batch = 0
        state.loss = 0.0
        state.sha256 = {number: sha for number, sha in snapshots.items() if number in kept}
        self.save(state)
        # If this checkpoint is damaged, the previous one is restored, and needs its own snapshots.
        # So a snapshot that is no longer kept stays for one more epoch.
        needed = {snapshot_name(number) for number in snapshots}
        for path in self.snapshots.glob("*.safetensors"):
            if path.name not in needed:
                path.unlink()

    def save_snapshot(self, epoch: int) -> str:
        """Write the weights after an epoch, and return the file's checksum."""
        return weights.save(self.model, self.snapshots / snapshot_name(epoch))

    def load_snapshot(self, epoch: int) -> None:
        """Give the model the weights that it had after an epoch."""
        self.model.load_state_dict(load_file(self.snapshots / snapshot_name(epoch)))

    def finish(self, state: State) -> None:
        """Write the last state, and remove the checkpoints."""
        _save(self.finished, vars(state))
        self.latest.unlink(missing_ok=True)
        self.previous.unlink(missing_ok=True)

    def _load(self, path: Path, networks: bool = True) -> State | None:
        """Return the state in a file whose snapshots are intact, and restore the networks from it.

        A damaged file is removed, so that it never becomes the previous checkpoint.
        """
        if not path.exists():
            return None
        data = io.BytesIO(path.read_bytes())  # not in `try`: such an error is the disk's
        try:
            with zipfile.ZipFile(data) as archive:  # torch itself ignores the checksums
                if archive.testzip():
                    raise zipfile.BadZipFile
            data.seek(0)
            contents = torch.load(data, map_location="cpu", weights_only=True)
            if self._intact(contents["sha256"]):
                if networks:
                    self.optimizer.load_state_dict(contents.pop("optimizer"))
                    self.model.load_state_dict(contents.pop("model"))
                return State(**contents)
        except (OSError, MemoryError, torch.OutOfMemoryError):  # the file may be intact
            raise
        except Exception:  # of many types; torch's message would advise to trust the file
            log.warning("%s cannot be read, or is damaged: it is removed", path)
        path.unlink()
        return None

    def _intact(self, checksums: dict[int, str]) -> bool:
        """Return whether the snapshots are as they were written."""
        for epoch, expected in checksums.items():
            path = self.snapshots / snapshot_name(epoch)
            if not path.exists() or sha256(path) != expected:
                log.warning("%s is missing or damaged: the checkpoint after it is removed", path)
                return False
        return True


def resumable(
    batches: Iterable[T],
    total: int,
    epoch: int,
    state: State,
    checkpoints: Checkpoints,
    sigterm: Event,
) -> Iterator[tuple[int, T]]:
    """Yield the batches of an epoch that are left to do, each with its number from 0.

    The caller trains on a batch and adds its loss to `state.loss`. Then a checkpoint is written if
    it is time for one, or if SIGTERM came.

    Args:
        batches, total: all batches of the epoch, and their number.
        sigterm: is set when SIGTERM came.

    Raises:
        InputError: the loss is not finite.
        Stopped: SIGTERM came; a checkpoint is written.
    """
    first = state.batch
    seconds_before = state.seconds
    start = time.monotonic()
    title = f"{checkpoints.name} epoch {epoch}"
    with Progress(total=total, initial=first, desc=title, unit="batches", leave=False) as bar:
        for done, batch in enumerate(islice(batches, first, None), first + 1):
            yield done - 1, batch
            bar.update()
            last = done == total
            interrupted = sigterm.is_set()
            if not (last or interrupted or checkpoints.due()):
                continue
            state.batch = done
            state.loss = float(state.loss)
            state.seconds = seconds_before + time.monotonic() - start
            # Stop before a checkpoint is written, so that none has such weights.
            if not math.isfinite(state.loss):
                raise InputError(
                    f"{checkpoints.name}: the loss is not finite by batch {done} of epoch {epoch}: "
                    f"{checkpoints.remedy}"
                )
            # After the last batch, `save_epoch` writes one anyway.
            if not last:
                checkpoints.save(state)
            if not last and interrupted:
                raise stopped(checkpoints.name, state)


def stopped(name: str, state: State) -> Stopped:
    """Return the exception that ends a training after SIGTERM, once its checkpoint is written."""
    return Stopped(
        f"{name}: told to stop, after epoch {state.epoch}, batch {state.batch}; start it again to "
        "resume there"
    )


def _save(path: Path, contents: Mapping[str, object], previous: Path | None = None) -> None:
    """Write a file under a temporary name and rename it; first rename an older one to `previous`.

    After a crash at any moment, the older one has one of these two names.
    """
    buffer = io.BytesIO()
    torch.save(contents, buffer)
    with atomic(path, replace=True) as temporary:
        temporary.write_bytes(buffer.getbuffer())
        if previous and path.exists():
            path.replace(previous)
