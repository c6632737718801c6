"""Checkpoints of a training, so that it resumes if it is killed at any moment."""

import io
import logging
import time
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from torch import nn

from groundvec.model import weights
from groundvec.model.folder import snapshot_name
from groundvec.runtime.files import atomic, sha256

SECONDS_BETWEEN = 60  # within an epoch,
LARGEST_SHARE = 0.01  # but seldom enough that they take no more of the time than this

log = logging.getLogger(__name__)


class Checkpoints:
    """The folder of one training: its snapshots, and its two latest states, or the last one.

    A state is a dictionary that `torch.save` writes. Its `sha256` holds the checksums of the
    snapshots written so far, by epoch.
    """

    def __init__(self, folder: Path) -> None:
        self.snapshots = folder / "snapshots"
        self.finished = folder / "finished.pt"
        self.latest = folder / "checkpoint.pt"
        self.previous = folder / "checkpoint-previous.pt"
        self.number, self.seconds = 0, 0.0  # how many were written, and what that took
        self.saved_at = self.started = time.monotonic()
        self.pause = float(SECONDS_BETWEEN)

    def load_finished(self) -> dict[str, Any] | None:
        """Load the last state, if the training was finished and all its snapshots are whole."""
        return self._load(self.finished, lambda state: state["history"])

    def load_latest(self, restore: Callable[[dict[str, Any]], None]) -> dict[str, Any] | None:
        """Restore the state to go on from, if there is one; if `restore` raises, the one before."""
        return self._load(self.latest, restore) or self._load(self.previous, restore)

    def save(self, state: dict[str, Any]) -> None:
        """Write a checkpoint; the one that is there becomes the previous one."""
        start = time.monotonic()
        _save(self.latest, state, self.previous)
        self.saved_at = time.monotonic()
        cost = self.saved_at - start
        self.number, self.seconds = self.number + 1, self.seconds + cost
        self.pause = max(SECONDS_BETWEEN, cost / LARGEST_SHARE)

    def due(self) -> bool:
        """Return whether the last checkpoint is long enough ago."""
        return time.monotonic() - self.saved_at > self.pause

    def save_snapshot(self, model: nn.Module, epoch: int) -> str:
        """Write the weights after an epoch, and return the file's checksum."""
        return weights.save(model, self.snapshots / snapshot_name(epoch))

    def remove_snapshots(self, other_than: Iterable[int]) -> None:
        """Remove the snapshots of all but these epochs."""
        names = {snapshot_name(epoch) for epoch in other_than}
        for path in self.snapshots.glob("*.safetensors"):
            if path.name not in names:
                path.unlink()

    def load_snapshot(self, model: nn.Module, epoch: int) -> None:
        """Give a model the weights that it had after an epoch."""
        model.load_state_dict(load_file(self.snapshots / snapshot_name(epoch)))

    def finish(self, state: dict[str, Any]) -> None:
        """Write the last state, and remove the checkpoints."""
        _save(self.finished, state)
        for path in (self.latest, self.previous):
            path.unlink(missing_ok=True)
        share = self.seconds / (time.monotonic() - self.started)
        log.info("%d checkpoints took %.1f %% of the time", self.number, 100 * share)

    def _load(self, path: Path, restore: Callable[[dict[str, Any]], None]) -> dict[str, Any] | None:
        """Restore a state whose snapshots are whole, and return it.

        Else its file is removed, and is never the previous one.
        """
        if not path.exists():
            return None
        data = io.BytesIO(path.read_bytes())  # an error here is the disk's, not for us to handle
        try:
            with zipfile.ZipFile(data) as archive:  # torch itself does not look at the checksums
                if archive.testzip():
                    raise zipfile.BadZipFile
            data.seek(0)
            state: dict[str, Any] = torch.load(data, map_location="cpu", weights_only=True)
            if self._whole(state["sha256"]):
                restore(state)
                return state
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


def _save(path: Path, state: dict[str, Any], previous: Path | None = None) -> None:
    buffer = io.BytesIO()
    torch.save(state, buffer)
    with atomic(path, replace=True) as temporary:
        temporary.write_bytes(buffer.getbuffer())
        if previous and path.exists():
            path.replace(previous)
