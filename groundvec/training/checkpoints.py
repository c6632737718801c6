"""Checkpoints of a training, so that it resumes if it is killed at any moment."""

import io
import logging
import time
import zipfile
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from torch import nn

from groundvec.model import weights
from groundvec.model.folder import snapshot_name
from groundvec.runtime.files import atomic, sha256
from groundvec.runtime.jobs import Stopped

# A checkpoint is written after each epoch, and within an epoch every minute. Where writing takes
# long (a large model, a slow disk) the pause grows, so that it takes a hundredth of the time.
SECONDS_BETWEEN = 60
LARGEST_SHARE = 0.01
# A training reads its loss after so many batches, and may write a checkpoint then. Reading it makes
# the CPU wait for the GPU, which otherwise computes one batch while the CPU prepares the next.
BATCHES_BETWEEN_CHECKS = 50

History = list[dict[str, Any]]  # one row per epoch

log = logging.getLogger(__name__)


@dataclass
class State:
    """How far a training is: with the model's and the optimiser's state, all that resuming needs.

    Random numbers need no state: a training draws them as functions of its seed and the step.
    """

    epoch: int = 0  # the last one that is complete
    batch: int = 0  # number of batches done in the epoch after it
    loss: float = 0.0  # sum of the losses of these batches
    seconds: float = 0.0  # time spent on batches so far
    history: History = field(default_factory=list)
    sha256: dict[int, str] = field(default_factory=dict)  # checksums of the snapshots, by epoch


class Checkpoints:
    """The folder of one training: its snapshots, and its two latest checkpoints or its last state.

    A checkpoint is a file of `torch.save` with a `State` and the states of the model and the
    optimiser. There are two, so that one is whole if the other was damaged.
    """

    def __init__(self, folder: Path, model: nn.Module, optimiser: torch.optim.Optimizer) -> None:
        self.model = model
        self.optimiser = optimiser
        self.snapshots = folder / "snapshots"
        self.finished = folder / "finished.pt"
        self.latest = folder / "checkpoint.pt"
        self.previous = folder / "checkpoint-previous.pt"
        self.started = time.monotonic()
        self.saved_at = self.started
        self.pause = float(SECONDS_BETWEEN)
        # For the log: how many checkpoints were written, and how long that took.
        self.number = 0
        self.seconds = 0.0

    def load_finished(self) -> State | None:
        """Load the last state, if the training was finished and all its snapshots are whole."""
        return self._load(self.finished, networks=False)

    def load_latest(self) -> State | None:
        """Restore the model and the optimiser from the latest checkpoint, and return its state.

        If it is damaged, restore the one before it; if there is none, return None.
        """
        return self._load(self.latest) or self._load(self.previous)

    def due(self) -> bool:
        """Return whether the last checkpoint is long enough ago."""
        return time.monotonic() - self.saved_at > self.pause

    def save(self, state: State) -> None:
        """Write a checkpoint; the one that is there becomes the previous one."""
        start = time.monotonic()
        contents = dict(vars(state))
        contents["model"] = self.model.state_dict()
        contents["optimiser"] = self.optimiser.state_dict()
        _save(self.latest, contents, self.previous)
        self.saved_at = time.monotonic()
        cost = self.saved_at - start
        self.number += 1
        self.seconds += cost
        self.pause = max(SECONDS_BETWEEN, cost / LARGEST_SHARE)

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
        # The previous checkpoint still needs its snapshots, those that are no longer kept too: it
        # is restored if the new one is damaged. What neither of the two needs is removed.
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
        share = self.seconds / (time.monotonic() - self.started)
        log.info("%d checkpoints took %.1f %% of the time", self.number, 100 * share)

    def _load(self, path: Path, networks: bool = True) -> State | None:
        """Return the state in a file whose snapshots are whole, and restore the networks from it.

        A file that is damaged is removed, so that it never becomes the previous checkpoint.
        """
        if not path.exists():
            return None
        data = io.BytesIO(path.read_bytes())  # an error here is the disk's, not for us to handle
        try:
            with zipfile.ZipFile(data) as archive:  # torch itself does not look at the checksums
                if archive.testzip():
                    raise zipfile.BadZipFile
            data.seek(0)
            contents = torch.load(data, map_location="cpu", weights_only=True)
            if self._whole(contents["sha256"]):
                if networks:
                    self.optimiser.load_state_dict(contents.pop("optimiser"))
                    self.model.load_state_dict(contents.pop("model"))
                return State(**contents)
        except (OSError, MemoryError, torch.OutOfMemoryError):  # says nothing of the file
            raise
        except Exception:  # which one depends on the damage; torch's text advises to trust the file
            log.warning("%s cannot be read, or is damaged: it is removed", path)
        path.unlink()
        return None

    def _whole(self, sums: dict[int, str]) -> bool:
        """Return whether the snapshots are there as they were written."""
        for epoch, expected in sums.items():
            path = self.snapshots / snapshot_name(epoch)
            if not path.exists() or sha256(path) != expected:
                log.warning("%s is missing or damaged: the checkpoint after it is removed", path)
                return False
        return True


def stopped(name: str, state: State) -> Stopped:
    """Return the exception that ends a training after SIGTERM, when its checkpoint is written."""
    return Stopped(
        f"{name}: told to stop, after epoch {state.epoch}, batch {state.batch}; start it again to "
        "go on from there"
    )


def _save(path: Path, contents: dict[str, Any], previous: Path | None = None) -> None:
    """Write a file under a temporary name and rename it; first rename an older one to `previous`.

    A crash at any moment leaves the older one under one of both names.
    """
    buffer = io.BytesIO()
    torch.save(contents, buffer)
    with atomic(path, replace=True) as temporary:
        temporary.write_bytes(buffer.getbuffer())
        if previous and path.exists():
            path.replace(previous)
