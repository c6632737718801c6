"""Training on captioned pictures."""

import logging
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from safetensors.torch import load_file
from torch import nn
from torch.nn.utils import clip_grad_norm_

from groundvec import parts
from groundvec.data.split import Split
from groundvec.device import reseed
from groundvec.errors import InputError
from groundvec.folder import snapshot_name
from groundvec.jobs import Stopped, notice
from groundvec.model import Model, to_tensors
from groundvec.progress import Progress
from groundvec.provenance import provenance
from groundvec.text.mistakes import TYPING, spoil
from groundvec.training.checkpoints import Checkpoints

log = logging.getLogger(__name__)

BATCHES_BETWEEN_CHECKS = 50
EARLY = 8  # the paper's Figure 4 is about the first epochs, so that all up to this one are kept


def snapshots(settings: dict[str, Any]) -> list[int]:
    """The epochs that end a cycle: the candidates of the ensemble."""
    return list(range(settings["cycle"], settings["epochs"] + 1, settings["cycle"]))


def saved(settings: dict[str, Any]) -> list[int]:
    """The epochs whose weights are kept: the snapshots, and early ones to plot."""
    early = range(min(EARLY, settings["epochs"]) + 1)
    return sorted({*early, *snapshots(settings)})


def train(
    model: Model,
    split: Split,
    seed: int,
    work: Path,
    evaluate: Callable[[Model], dict[str, float]],
    name: str = "training",
) -> list[dict[str, Any]]:
    """Train `model` in place, or go on with the training that was interrupted in `work`.

    How is said by its description: `training`, `objective` and `similarity`. SIGTERM is taken as
    notice: after the batch that is being computed, a checkpoint is written.

    What is random after the model was made is a function of the seed and the epoch, as the order of
    the captions, or of the seed and the step, as what dropout leaves out; so a training that was
    killed and started again ends in the same weights as one that was not.

    Args:
        split: what to train on.
        work: a folder for checkpoints and snapshots (`groundvec.training.checkpoints`); of these,
            those of the epochs that `saved` names are there when this returns.
        evaluate: what to record of the model after every epoch, and of the untrained one.

    Returns:
        The history: a row an epoch, epoch 0 included, each with its `provenance`.

    Raises:
        InputError: no batch fits in the data, or the loss is not finite.
        Stopped: SIGTERM came.
    """
    settings = model.description["training"]
    epochs, batch_size = settings["epochs"], settings["batch_size"]
    batches = split.batches(batch_size)
    if not batches:
        raise InputError(
            f"batch_size {batch_size} is larger than the training set of "
            f"{len(split.features)} images: make it smaller in the configuration"
        )
    checkpoints = Checkpoints(work)
    if state := checkpoints.load_finished():
        model.load_state_dict(load_file(checkpoints.snapshots / snapshot_name(epochs)))
        log.info("%s: finished before, after epoch %d", name, epochs)
        return state["history"]

    model.count({language: own.encoded for language, own in split.captions.items()})
    make = parts.find("optimisers", settings["optimiser"]["name"])
    cycle = settings["cycle"] * batches
    optimiser = make(model.parameters(), cycle, **parts.options(settings["optimiser"]))
    state = {"epoch": 0, "batch": 0, "loss": 0.0, "seconds": 0.0, "history": [], "sha256": {}}
    if found := checkpoints.load_latest():
        model.load_state_dict(found.pop("model"))
        optimiser.load_state_dict(found.pop("optimiser"))
        state = found
        log.info("%s: goes on after epoch %d, batch %d", name, state["epoch"], state["batch"])
    solve = parts.solution(model.description["objective"]["name"])
    train_batch = None if solve else _batch_trainer(model, split, optimiser, seed)
    device = next(model.parameters()).device

    def save_checkpoint() -> None:
        networks = {"model": model.state_dict(), "optimiser": optimiser.state_dict()}
        checkpoints.save(networks | state)

    def end_epoch(epoch: int, loss: float, speed: float) -> None:
        rate = optimiser.param_groups[0]["lr"] if epoch else math.nan
        row = {"epoch": epoch, "step": epoch * batches, "loss": loss, "learning_rate": rate}
        # Plain numbers: a checkpoint with NumPy's would not load without executing code.
        row |= {key: float(value) for key, value in evaluate(model.eval()).items()}
        row |= {"pairs_per_second": speed, "seconds": state["seconds"]}
        row |= provenance(str(device))  # of this epoch: others may be another machine's
        state["history"].append(row)
        state.update(epoch=epoch, batch=0, loss=0.0)
        if epoch in saved(settings):
            state["sha256"][epoch] = checkpoints.save_snapshot(model, epoch)
        save_checkpoint()
        log.info("%s: epoch %d/%d, %s", name, epoch, epochs, _summary(row, epochs))

    with notice() as told_to_stop:

        def stop_if_told() -> None:
            if told_to_stop.is_set():
                where = f"epoch {state['epoch']}, batch {state['batch']}"
                raise Stopped(
                    f"{name}: told to stop, after {where}; start it again to go on from there"
                )

        if not state["history"]:
            end_epoch(0, math.nan, math.nan)
        for epoch in range(state["epoch"] + 1, epochs + 1):
            stop_if_told()
            if solve:
                _solve(model, split, solve)
                end_epoch(epoch, math.nan, math.nan)
                continue
            assert train_batch
            model.train()
            _hold_still(model, epoch)
            first, before, start = state["batch"], state["seconds"], time.monotonic()
            checkpoints.saved_at = start
            total = torch.tensor(state["loss"], dtype=torch.float64, device=device)
            title = f"{name} epoch {epoch}"
            bar = Progress(total=batches, initial=first, desc=title, unit="batches", leave=False)
            for batch, rows in enumerate(split.epoch(batch_size, seed, epoch)):
                if batch < first:
                    continue
                step = (epoch - 1) * batches + batch
                optimiser.prepare(step)
                reseed(device, int(np.random.default_rng([seed, step]).integers(2**63)))
                total += train_batch(rows, step)
                bar.update()
                check = (batch + 1) % BATCHES_BETWEEN_CHECKS == 0 or batch + 1 == batches
                if check or told_to_stop.is_set():
                    if not torch.isfinite(total):
                        raise InputError(
                            f"{name}: the loss is not finite in epoch {epoch}, batch {batch + 1}: "
                            "look for NaN or huge values in the image features, and try a smaller "
                            "learning rate or smaller clip_image and clip_caption"
                        )
                    seconds = before + time.monotonic() - start
                    state.update(batch=batch + 1, loss=total.item(), seconds=seconds)
                    if (told_to_stop.is_set() or checkpoints.due()) and batch + 1 < batches:
                        save_checkpoint()
                        stop_if_told()
            bar.close()
            speed = (batches - first) * batch_size / (time.monotonic() - start)
            end_epoch(epoch, state["loss"] / batches, speed)
    checkpoints.finish(state)
    return state["history"]


def _hold_still(model: Model, epoch: int) -> None:
    """Train one network for the epochs of `alternate`, then the other one; the images' first."""
    if period := model.description["training"].get("alternate"):
        of_images = (epoch - 1) // period % 2 == 0
        model.image.requires_grad_(of_images)
        model.captions.requires_grad_(not of_images)
        model.spelling.requires_grad_(not of_images)


def _solve(model: Model, split: Split, solve: Callable[..., Any]) -> None:
    """Set the last layers of both networks to the best that there are."""
    [(language, captions)] = split.captions.items()
    encoder = model.captions[model.name_of(language)]
    last = cast(nn.Linear, encoder.projection)
    device = last.weight.device
    encoder.projection = nn.Identity()
    with torch.inference_mode():
        batch = to_tensors(captions.encoded.batch(np.arange(len(captions.texts))), device)
        inputs = encoder(*batch).cpu().numpy()
    encoder.projection = last
    options = parts.options(model.description["objective"])
    maps = solve(split.features[captions.image], inputs, len(last.weight), **options)
    for layer, (weights, bias) in zip((model.image.projection, last), maps, strict=True):
        layer.load_state_dict({"weight": torch.from_numpy(weights), "bias": torch.from_numpy(bias)})


def _batch_trainer(
    model: Model, split: Split, optimiser: torch.optim.Optimizer, seed: int
) -> Callable[[dict[str, np.ndarray], int], torch.Tensor]:
    """A function that takes a step, given a batch's rows by language, and returns its loss."""
    description, device = model.description, next(model.parameters()).device
    settings = description["training"]
    objective = parts.find("objectives", description["objective"]["name"])
    options = parts.options(description["objective"])
    features = torch.from_numpy(split.features).to(device)

    def train_batch(rows: dict[str, np.ndarray], step: int) -> torch.Tensor:
        rng = np.random.default_rng([seed, step, 1])
        embedded: dict[str, torch.Tensor] = {}
        for language, own in rows.items():
            captions, wanted = split.captions[language], [own]
            if settings.get("paraphrases"):
                wanted.append(captions.another(own, rng))
            chosen = np.concatenate(wanted)
            batch = captions.encoded.batch(chosen)
            if most := settings.get("typing_errors"):
                rate, lot = rng.uniform(0, most), int(rng.integers(2**32))
                mistyped = spoil([captions.texts[row] for row in chosen], TYPING, rate, lot)
                batch = model.texts[language].encode(mistyped).batch(np.arange(len(chosen)))
            vectors = model.embed_captions(language, to_tensors(batch, device))
            embedded |= {
                f"{language} {number}": part for number, part in enumerate(vectors.split(len(own)))
            }
        language, own = next(iter(rows.items()))
        image = torch.from_numpy(split.captions[language].image[own]).to(device)
        loss = objective(model.embed_images(features[image]), embedded, model.similarity, **options)
        optimiser.zero_grad()
        loss.backward()
        if settings["clip_image"] is not None:
            clip_grad_norm_(model.image.parameters(), settings["clip_image"])
        if settings["clip_caption"] is not None:
            of_captions = [*model.captions.parameters(), *model.spelling.parameters()]
            clip_grad_norm_(of_captions, settings["clip_caption"])
        optimiser.step()
        return loss.detach()

    return train_batch


def _summary(row: dict[str, Any], epochs: int) -> str:
    recall = f"dev R@10 {row['dev_recall']:.1f}"
    if row["epoch"] == 0:
        return f"untrained, {recall}"
    left = row["seconds"] / row["epoch"] * (epochs - row["epoch"]) / 60
    return (
        f"loss {row['loss']:.4f}, learning rate {row['learning_rate']:.1e}, {recall}, "
        f"{row['pairs_per_second']:.0f} pairs/s, {left:.1f} min left"
    )
