"""Training on image-caption pairs that can be killed at any moment and goes on where it was."""

import io
import logging
import math
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file
from torch.nn.utils import clip_grad_norm_

from groundvec.errors import InputError
from groundvec.files import atomic, sha256
from groundvec.jobs import Stopped, notice
from groundvec.models.model import GroundedModel, save_weights, snapshot_name
from groundvec.progress import Progress
from groundvec.provenance import provenance
from groundvec.training.loss import batch_hinge
from groundvec.training.pairs import Pairs
from groundvec.training.schedule import cyclic
from groundvec.training.settings import Settings

log = logging.getLogger(__name__)

SECONDS_BETWEEN_CHECKPOINTS = 60  # within an epoch,
LARGEST_SHARE = 0.01  # but seldom enough that they take no more of the time than this
BATCHES_BETWEEN_CHECKS = 50


def train(
    model: GroundedModel,
    pairs: Pairs,
    settings: Settings,
    seed: int,
    work: Path,
    evaluate: Callable[[GroundedModel], dict[str, float]],
    name: str = "training",
) -> list[dict[str, Any]]:
    """Train `model` in place, or go on with the training that was interrupted in `work`.

    The two latest checkpoints are kept, so that one that is damaged loses little. SIGTERM is taken
    as notice: after the batch that is being computed, a checkpoint is written. When all is done the
    checkpoints go; the snapshots and the history stay, to be found again.

    Nothing random is drawn after the model was made but the order of the pairs, which is a
    function of the seed and the epoch; so a training that was killed and started again ends in
    the same weights as one that was not.

    Args:
        work: a folder for checkpoints and for `snapshots/epoch-<k>.safetensors`, of which those in
            `settings.saved` are there when this returns.
        evaluate: what to record of the model after every epoch, and of the untrained one.

    Returns:
        The history: a row an epoch, epoch 0 included, each with its `provenance`.

    Raises:
        InputError: no batch fits in the data, or the loss is not finite.
        Stopped: SIGTERM came.
    """
    batches = pairs.batches(settings.batch_size)
    if not batches:
        raise InputError(
            f"batch_size {settings.batch_size} is larger than the training set of "
            f"{len(pairs.features)} images: make it smaller in the configuration"
        )
    device = next(model.parameters()).device
    features = torch.from_numpy(pairs.features).to(device)
    optimiser = torch.optim.Adam(model.parameters(), fused=True)
    snapshots = work / "snapshots"
    finished, checkpoint = work / "finished.pt", work / "checkpoint.pt"
    previous = work / "checkpoint-previous.pt"
    state: dict[str, Any] = {"epoch": 0, "batch": 0, "loss": 0.0, "seconds": 0.0}
    state |= {"history": [], "sha256": {}}
    if (saved := _load(finished)) and _whole(snapshots, saved["sha256"]):
        model.load_state_dict(load_file(snapshots / snapshot_name(settings.epochs)))
        log.info("%s: finished before, after epoch %d", name, settings.epochs)
        return saved["history"]
    for path in (checkpoint, previous):
        if (saved := _load(path)) and _whole(snapshots, saved["sha256"]):
            model.load_state_dict(saved.pop("model"))
            optimiser.load_state_dict(saved.pop("optimiser"))
            state = saved
            log.info("%s: goes on after epoch %d, batch %d", name, state["epoch"], state["batch"])
            break

    costs = [0.0]  # seconds that each checkpoint took

    def save_checkpoint() -> None:
        start = time.monotonic()
        networks = {"model": model.state_dict(), "optimiser": optimiser.state_dict()}
        _save(checkpoint, networks | state, previous)
        costs.append(time.monotonic() - start)

    def stop_if_told() -> None:
        if told_to_stop.is_set():
            where = f"epoch {state['epoch']}, batch {state['batch']}"
            raise Stopped(
                f"{name}: told to stop, after {where}; start it again to go on from there"
            )

    def train_batch(rows: np.ndarray, rate: float) -> torch.Tensor:
        for group in optimiser.param_groups:
            group["lr"] = rate
        characters, lengths = map(torch.from_numpy, pairs.captions.batch(rows))
        loss = batch_hinge(
            model.caption(characters.to(device), lengths),
            model.image(features[torch.from_numpy(pairs.image[rows]).to(device)]),
            settings.margin,
        )
        optimiser.zero_grad()
        loss.backward()
        if settings.clip_image is not None:
            clip_grad_norm_(model.image.parameters(), settings.clip_image)
        if settings.clip_caption is not None:
            clip_grad_norm_(model.caption.parameters(), settings.clip_caption)
        optimiser.step()
        return loss.detach()

    def end_epoch(epoch: int, loss: float, rate: float, speed: float) -> None:
        row = {"epoch": epoch, "step": epoch * batches, "loss": loss, "learning_rate": rate}
        # Plain numbers: a checkpoint with NumPy's would not load without executing code.
        row |= {key: float(value) for key, value in evaluate(model.eval()).items()}
        row |= {"pairs_per_second": speed, "seconds": state["seconds"]}
        row |= provenance(str(device))  # of this epoch: others may be another machine's
        state["history"].append(row)
        state.update(epoch=epoch, batch=0, loss=0.0)
        if epoch in settings.saved:
            state["sha256"][epoch] = save_weights(model, snapshots / snapshot_name(epoch))
        save_checkpoint()
        log.info("%s: epoch %d/%d, %s", name, epoch, settings.epochs, _summary(row, settings))

    begin = time.monotonic()
    with notice() as told_to_stop:
        if not state["history"]:
            end_epoch(0, math.nan, math.nan, math.nan)
        for epoch in range(state["epoch"] + 1, settings.epochs + 1):
            stop_if_told()
            model.train()
            first, before = state["batch"], state["seconds"]
            start = last_checkpoint = time.monotonic()
            total = torch.tensor(state["loss"], dtype=torch.float64, device=device)
            title = f"{name} epoch {epoch}"
            bar = Progress(total=batches, initial=first, desc=title, unit="batches", leave=False)
            for batch, rows in enumerate(pairs.epoch(settings.batch_size, seed, epoch)):
                if batch < first:
                    continue
                rate = cyclic(
                    (epoch - 1) * batches + batch,
                    settings.cycle * batches,
                    settings.learning_rate_min,
                    settings.learning_rate_max,
                )
                total += train_batch(rows, rate)
                bar.update()
                checked = (batch + 1) % BATCHES_BETWEEN_CHECKS == 0 or batch + 1 == batches
                if checked or told_to_stop.is_set():
                    if not torch.isfinite(total):
                        raise InputError(
                            f"{name}: the loss is not finite in epoch {epoch}, batch {batch + 1}: "
                            "look for NaN or huge values in the image features, and try a smaller "
                            "learning_rate_max or smaller clip_image and clip_caption"
                        )
                    now = time.monotonic()
                    state.update(batch=batch + 1, loss=total.item(), seconds=before + now - start)
                    pause = max(SECONDS_BETWEEN_CHECKPOINTS, costs[-1] / LARGEST_SHARE)
                    due = told_to_stop.is_set() or now - last_checkpoint > pause
                    if due and batch + 1 < batches:
                        save_checkpoint()
                        stop_if_told()
                        last_checkpoint = time.monotonic()
            bar.close()
            speed = (batches - first) * settings.batch_size / (time.monotonic() - start)
            end_epoch(epoch, state["loss"] / batches, rate, speed)
    if len(costs) > 1:
        share = sum(costs) / (time.monotonic() - begin)
        log.info("%s: %d checkpoints took %.1f %% of the time", name, len(costs) - 1, 100 * share)
    _save(finished, state)
    for path in (checkpoint, previous):
        path.unlink(missing_ok=True)
    return state["history"]


def _save(path: Path, state: dict[str, Any], previous: Path | None = None) -> None:
    """Write a checkpoint; the one that is there becomes the previous one."""
    buffer = io.BytesIO()
    torch.save(state, buffer)
    with atomic(path, replace=True) as temporary:
        temporary.write_bytes(buffer.getbuffer())
        if previous and path.exists():
            path.replace(previous)


def _load(path: Path) -> dict[str, Any] | None:
    """A checkpoint, if it is there and whole; one that is damaged is removed."""
    if not path.exists():
        return None
    data = io.BytesIO(path.read_bytes())  # if this fails, the damage is not the file's
    try:
        with zipfile.ZipFile(data) as archive:  # torch itself does not look at the checksums
            damaged = archive.testzip()
        data.seek(0)
        if not damaged:
            return torch.load(data, map_location="cpu", weights_only=True)
    except Exception:  # many kinds, by where the damage is; torch's text advises to trust the file
        pass
    log.warning("%s cannot be read, or is damaged: it is removed", path)
    path.unlink()
    return None


def _whole(folder: Path, sums: dict[int, str]) -> bool:
    """Whether all snapshots that a checkpoint tells of are there as they were written."""
    for epoch, expected in sums.items():
        path = folder / snapshot_name(epoch)
        if not path.exists() or sha256(path) != expected:
            log.warning("%s is missing or damaged: its training goes back to before it", path)
            return False
    return True


def _summary(row: dict[str, Any], settings: Settings) -> str:
    recall = f"dev R@10 {row['dev_recall']:.1f}"
    if row["epoch"] == 0:
        return f"untrained, {recall}"
    left = row["seconds"] / row["epoch"] * (settings.epochs - row["epoch"]) / 60
    return (
        f"loss {row['loss']:.4f}, learning rate {row['learning_rate']:.1e}, {recall}, "
        f"{row['pairs_per_second']:.0f} pairs/s, {left:.1f} min left"
    )
