"""Training on captioned pictures."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.utils import clip_grad_norm_

from groundvec.config import parts
from groundvec.data.split import Captions, Split
from groundvec.device import reseed
from groundvec.model.network import Model, to_tensors
from groundvec.runtime.errors import InputError
from groundvec.text.mistakes import TYPING, spoil
from groundvec.training.checkpoints import Checkpoints
from groundvec.training.epochs import Training

SENTENCES_PER_BATCH = 1_024  # whose weights are solved
EARLY = 8  # the paper's Figure 4 is about the first epochs, so that all up to this one are kept

Rows = dict[str, np.ndarray]  # the captions of a batch, by language


def snapshots(settings: dict[str, Any]) -> list[int]:
    """List the candidates for the ensemble: ends of cycles after both networks were trained."""
    both = 2 * settings.get("alternate", 0)
    ends = range(settings["cycle"], settings["epochs"] + 1, settings["cycle"])
    return [epoch for epoch in ends if epoch >= both]


def saved(settings: dict[str, Any]) -> list[int]:
    """List the epochs whose weights are kept: the snapshots, and early ones to plot."""
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
    """Train `model` in place by its description, or resume an interrupted training in `work`.

    Args:
        work: a folder for checkpoints and snapshots (`groundvec.training.checkpoints`). The
            snapshots of the epochs that `saved` names are there when this returns.
        evaluate: computes what to record of the model after each epoch, and of the untrained one.

    Returns:
        The history: one row per epoch from 0 on, each with its `provenance`.

    Raises:
        InputError: no batch fits in the data, or the loss is not finite.
        Stopped: SIGTERM came; a checkpoint is written.
    """
    settings = model.description["training"]
    batch_size = settings["batch_size"]
    if not (batches := split.batches(batch_size)):
        raise InputError(
            f"batch_size {batch_size} is larger than the training set of "
            f"{len(split.features)} images: make it smaller in the configuration"
        )
    _check_more(settings, split.more)
    captions = [(language, own.encoded) for language, own in split.captions.items()]
    if split.more:
        captions.append((captions[0][0], split.more.encoded))
    model.fit_idf(captions)
    model.image.measure(split.features)
    optimiser = make_optimiser(model, settings["cycle"] * batches)
    solved = hasattr(model.objective, "solve")  # at once, and not step by step
    checkpoints = Checkpoints(work)

    def scores(epoch: int) -> dict[str, float]:
        rate = optimiser.param_groups[0]["lr"] if epoch else math.nan
        return {"learning_rate": rate, **evaluate(model)}

    def prepare(epoch: int) -> None:
        freeze_alternately(model, epoch)
        if epoch and solved:
            solve(model, split)

    history = Training(
        *(name, checkpoints, model, optimiser, range(settings["epochs"] + 1)),
        batches=batches,
        batch_size=batch_size,
        examples=batches * batch_size,
        unit="pairs",
        prepare=prepare,
        order=lambda epoch: split.epoch(batch_size, seed, epoch) if epoch and not solved else [],
        step=None if solved else make_step(model, split, optimiser, seed),
        evaluate=scores,
        keep=lambda history: saved(settings),
        advice="look for NaN or huge values in the image features, and try a smaller learning rate "
        "or smaller clip_image and clip_caption",
    ).run()
    checkpoints.load_snapshot(model, settings["epochs"])  # not trained if it was finished before
    return history


@torch.inference_mode()
def solve(model: Model, split: Split) -> None:
    """Set the last layers of both networks to the weights that the objective computes at once."""
    [(language, captions)] = split.captions.items()
    features, encoded = split.features[captions.image], captions.encoded
    encoder: Any = model.captions[model.name_of(language)]
    last = encoder.projection
    inputs = []
    for start in range(0, len(encoded), SENTENCES_PER_BATCH):
        rows = np.arange(start, min(start + SENTENCES_PER_BATCH, len(encoded)))
        batch = to_tensors(encoded.batch(rows), last.weight.device)
        inputs.append(encoder.pooled(*batch).cpu().numpy())
    maps = model.objective.solve(features, np.concatenate(inputs), len(last.weight))
    for layer, (matrix, bias) in zip((model.image.projection, last), maps, strict=True):
        layer.weight.copy_(torch.from_numpy(matrix))
        layer.bias.copy_(torch.from_numpy(bias))


def make_optimiser(model: Model, cycle: int) -> Any:
    """Make the optimiser that a model's description names, for cycles of so many steps."""
    described = model.description["training"]["optimiser"]
    make = parts.find("optimisers", described["name"])
    return make(model.parameters(), cycle, **parts.options(described))


def make_step(
    model: Model, split: Split, optimiser: Any, seed: int
) -> Callable[[Rows, int], Tensor]:
    """Make the function that trains on a batch, given the number of the step; returns the loss."""
    settings, device = model.description["training"], next(model.parameters()).device
    networks = {"clip_image": model.image, "clip_caption": model.captions}
    clipped = [(each, settings[key]) for key, each in networks.items() if settings[key] is not None]
    # Once this is freed, glibc keeps twice as much for the next step. To return it to the system
    # and ask again took a twelfth of a step of a GRU 128.
    torch.empty(31 * 2**20, dtype=torch.uint8)

    def step(rows: Rows, number: int) -> Tensor:
        optimiser.prepare(number)
        reseed(device, int(np.random.default_rng([seed, number]).integers(2**63)))
        rng = np.random.default_rng([seed, number, 1])
        captions: dict[str, Tensor] = {}
        for language, own in rows.items():
            captions |= _embed_captions(model, split, language, own, rng)
        language, own = next(iter(rows.items()))
        more = [_embed_more(model, language, split.more, rng)] if split.more else []
        features = torch.from_numpy(split.features[split.captions[language].image[own]]).to(device)
        images = model.embed_images(features)
        loss: Tensor = model.objective(images, captions, model.similarity, *more)
        optimiser.zero_grad()
        loss.backward()
        for network, norm in clipped:
            clip_grad_norm_(network.parameters(), norm)
        optimiser.step()
        return loss.detach()

    return step


def _embed_captions(
    model: Model, split: Split, language: str, rows: np.ndarray, rng: np.random.Generator
) -> dict[str, Tensor]:
    """Embed captions, and with `paraphrases` another of each image, as if of one more language."""
    captions, wanted = split.captions[language], [rows]
    if model.description["training"].get("paraphrases"):
        wanted.append(captions.another(rows, rng))
    vectors = _embed(model, language, captions, np.concatenate(wanted), rng)
    return {f"{language} {number}": part for number, part in enumerate(vectors.split(len(rows)))}


def _embed_more(
    model: Model, language: str, captions: Captions, rng: np.random.Generator
) -> tuple[Tensor, ...]:
    """Embed two captions each of pictures that are drawn: (M, size) twice."""
    count = model.description["training"]["more_captions"]
    one = captions.any_of(rng.choice(captions.images, count, replace=False), rng)
    rows = np.concatenate([one, captions.another(one, rng)])
    return _embed(model, language, captions, rows, rng).split(count)


def _embed(
    model: Model, language: str, captions: Captions, chosen: np.ndarray, rng: np.random.Generator
) -> Tensor:
    """Embed chosen captions (B, size); with `typing_errors`, they are mistyped first."""
    batch = captions.encoded.batch(chosen)
    if highest_rate := model.description["training"].get("typing_errors"):
        rate, noise_seed = rng.uniform(0, highest_rate), int(rng.integers(2**32))
        mistyped = spoil([captions.texts[row] for row in chosen], TYPING, rate, noise_seed)
        batch = model.texts[language].encode(mistyped).batch(np.arange(len(chosen)))
    device = next(model.parameters()).device
    return model.embed_captions(language, to_tensors(batch, device))


def _check_more(settings: dict[str, Any], more: Captions | None) -> None:
    """Raise InputError if there are captions of fewer pictures than a step needs."""
    wanted, there = settings.get("more_captions", 0), more.images if more else 0
    if wanted > there:
        raise InputError(
            f"more_captions {wanted}: the data set has captions of {there} other pictures: make it "
            "smaller in the configuration, or add a source of more"
        )


def freeze_alternately(model: Model, epoch: int) -> None:
    """Train one network for the epochs of `alternate`, then the other one; the images' first."""
    if period := model.description["training"].get("alternate"):
        of_images = (epoch - 1) // period % 2 == 0
        model.image.requires_grad_(of_images)
        model.captions.requires_grad_(not of_images)
