"""Run the epochs of a training, which can be killed at any moment and resumed."""

import logging
import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import torch
from torch import Tensor, nn

from groundvec.provenance import provenance
from groundvec.runtime.errors import InputError
from groundvec.runtime.jobs import Stopped, catch_sigterm
from groundvec.runtime.progress import Progress
from groundvec.training.checkpoints import Checkpoints

log = logging.getLogger(__name__)

BATCHES_BETWEEN_CHECKS = 50  # reading the loss makes a GPU wait

History = list[dict[str, Any]]  # one row per epoch


@dataclass
class Training:
    """A model, the steps that train it, and what is recorded of it.

    Everything random has to be a function of the seed and the epoch or step, so that a training
    that was killed and resumed ends in the same weights.

    Args:
        name: for messages.
        checkpoints: the folder in which it is resumed.
        model: what is evaluated, and saved as snapshots.
        optimiser: resumed together with the model.
        epochs: their numbers. An epoch without batches only evaluates.
        batches: number of them per epoch.
        batch_size: in examples; the last batch may be smaller.
        examples: number of them per epoch.
        unit: the name of an example in the history's column of the speed, in the plural.
        prepare: called before each epoch, with its number.
        order: yields the batches of an epoch.
        step: trains on a batch, given the number of the step; returns the loss. None if no epoch
            has batches.
        evaluate: computes what the history records of the model after an epoch.
        keep: which epochs' weights to keep, given the history so far.
        enough: whether to stop before the last epoch, given the history so far.
        advice: what to change if the loss is not finite.
    """

    name: str
    checkpoints: Checkpoints
    model: nn.Module
    optimiser: torch.optim.Optimizer
    epochs: range
    batches: int
    batch_size: int
    examples: int
    unit: str
    order: Callable[[int], Iterable[Any]]
    step: Callable[[Any, int], Tensor] | None
    evaluate: Callable[[int], dict[str, float]]
    keep: Callable[[History], Iterable[int]]
    advice: str
    prepare: Callable[[int], None] = lambda epoch: None
    enough: Callable[[History], bool] = lambda history: False
    state: dict[str, Any] = field(init=False)

    def run(self) -> History:
        """Train for the epochs that are left, and return the history.

        SIGTERM is caught: after the current batch, a checkpoint is written.

        Raises:
            InputError: the loss is not finite.
            Stopped: SIGTERM came.
        """
        if finished := self.checkpoints.load_finished():
            log.info("%s: finished before, after epoch %d", self.name, finished["epoch"])
            return finished["history"]
        self.state = self._resumed()
        with catch_sigterm() as sigterm:
            for epoch in self.epochs[len(self.state["history"]) :]:
                if sigterm.is_set():
                    raise self._stopped()
                if self.enough(self.state["history"]):
                    break
                self.prepare(epoch)
                self.model.train()
                loss, speed = self._train(epoch, sigterm.is_set)
                self.model.eval()
                self._record(epoch, loss, speed)
        self.checkpoints.finish(self.state)
        return self.state["history"]

    def _train(self, epoch: int, interrupted: Callable[[], bool]) -> tuple[float, float]:
        """Train for the rest of an epoch; return the mean loss, and examples per second."""
        first, seconds, start = self.state["batch"], self.state["seconds"], time.monotonic()
        self.checkpoints.saved_at = start
        total = torch.tensor(self.state["loss"], dtype=torch.float64, device=self._device)
        title = f"{self.name} epoch {epoch}"
        bar = Progress(total=self.batches, initial=first, desc=title, unit="batches", leave=False)
        done = 0
        for done, batch in enumerate(islice(self.order(epoch), first, None), first + 1):
            assert self.step
            total += self.step(batch, (epoch - 1) * self.batches + done - 1)
            bar.update()
            last = done == self.batches
            if last or interrupted() or done % BATCHES_BETWEEN_CHECKS == 0:
                if not torch.isfinite(total):
                    where = f"epoch {epoch}, batch {done}"
                    raise InputError(
                        f"{self.name}: the loss is not finite in {where}: {self.advice}"
                    )
                passed = time.monotonic() - start
                self.state.update(batch=done, loss=total.item(), seconds=seconds + passed)
                if (interrupted() or self.checkpoints.due()) and not last:
                    self._save()
                    if interrupted():
                        raise self._stopped()
        bar.close()
        if not done:
            return math.nan, math.nan
        speed = (self.examples - first * self.batch_size) / (time.monotonic() - start)
        return self.state["loss"] / self.batches, speed

    def _record(self, epoch: int, loss: float, speed: float) -> None:
        """Evaluate the model after an epoch, and save its row of the history and its weights."""
        # Plain numbers: a checkpoint with NumPy's would not load without executing code.
        scores = {key: float(value) for key, value in self.evaluate(epoch).items()}
        row: dict[str, Any] = {"epoch": epoch, "step": epoch * self.batches, "loss": loss, **scores}
        row |= {f"{self.unit}_per_second": speed, "seconds": self.state["seconds"]}
        row |= provenance(str(self._device))  # an epoch before may be another machine's
        self.state["history"].append(row)
        kept, sums = set(self.keep(self.state["history"])), self.state["sha256"]
        if epoch in kept:
            sums = sums | {epoch: self.checkpoints.save_snapshot(self.model, epoch)}
        of_kept = {number: checksum for number, checksum in sums.items() if number in kept}
        self.state.update(epoch=epoch, batch=0, loss=0.0, sha256=of_kept)
        self._save()
        self.checkpoints.remove_snapshots(other_than=sums)  # the checkpoint before has them all
        log.info(
            "%s: epoch %d/%d, %s", self.name, epoch, self.epochs[-1], self._summary(row, scores)
        )

    def _resumed(self) -> dict[str, Any]:
        """Restore the model and the optimiser; return the rest of the state."""
        state = self.checkpoints.load_latest(self._restore)
        if not state:
            empty = {"epoch": 0, "batch": 0, "loss": 0.0, "seconds": 0.0}
            return {**empty, "history": [], "sha256": {}}
        log.info("%s: goes on after epoch %d, batch %d", self.name, state["epoch"], state["batch"])
        return state

    def _restore(self, state: dict[str, Any]) -> None:
        self.optimiser.load_state_dict(state.pop("optimiser"))
        self.model.load_state_dict(state.pop("model"))

    def _save(self) -> None:
        networks = {"model": self.model.state_dict(), "optimiser": self.optimiser.state_dict()}
        self.checkpoints.save(networks | self.state)

    def _stopped(self) -> Stopped:
        where = f"epoch {self.state['epoch']}, batch {self.state['batch']}"
        return Stopped(
            f"{self.name}: told to stop, after {where}; start it again to go on from there"
        )

    def _summary(self, row: dict[str, Any], scores: dict[str, float]) -> str:
        known = {"loss": row["loss"], **scores}
        numbers = [f"{key} {value:.4g}" for key, value in known.items() if not math.isnan(value)]
        if row["seconds"]:
            left = row["seconds"] / row["epoch"] * (self.epochs[-1] - row["epoch"]) / 60
            numbers += [
                f"{row[f'{self.unit}_per_second']:.0f} {self.unit}/s",
                f"{left:.1f} min left",
            ]
        return ", ".join(numbers)

    @property
    def _device(self) -> torch.device:
        return next(self.model.parameters()).device
