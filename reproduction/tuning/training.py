"""Tuning of an image network together with a trained text encoder (VSE++, Faghri et al. 2018).

A training on the network's frozen features comes first. Tuning continues it: the text encoder, the
projection, and also the last stages of the image network. It has the loop of every training
(`groundvec.training.loop`), with pixels in place of features. The result is a file of weights that
extract features like any others.
"""

import copy
import io
import logging
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import numpy as np
import pandas as pd
import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

from groundvec.config import parts
from groundvec.config.types import Description, Labels
from groundvec.data import dataset
from groundvec.data.split import Split, captions_of, load_split, load_text_only
from groundvec.features.backbones import STAGES, Backbone
from groundvec.features.images import cut, load
from groundvec.features.transform import Transform
from groundvec.model.folder import ModelFolder, snapshot_name
from groundvec.model.network import Model, load_model
from groundvec.provenance import code_hash, digest, provenance
from groundvec.results.frames import write
from groundvec.results.schemas import History
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import sha256, write_bytes, write_json
from groundvec.runtime.jobs import describe, locked
from groundvec.runtime.progress import Progress
from groundvec.training import loop
from reproduction.tuning import image_network

log = logging.getLogger(__name__)

# The recipe, from trials on Flickr8k's development set.
BATCH = 256  # images, with two captions of each
NETWORK_RATE = 2e-4  # the highest learning rate of the image network,
OTHER_RATE = 7e-4  # and of the text encoder and the projection
# Views of a training image: a rectangle of at least 0.4 of its area, its colors changed in every
# second view. A quarter of the views are what extraction sees, the center. Half are mirrored.
PLAIN = 0.25
SMALLEST_AREA = 0.4
WIDEST_ASPECT = 4 / 3
CHANGED_COLORS = 0.5
CONTRAST = (0.75, 1.25)
BRIGHTNESS = (0.8, 1.2)

CHUNK = {"cpu": 16, "cuda": BATCH}  # images at a time; 16 fit best into a CPU's cache


def tune_from_files(
    trained: ModelFolder,
    backbone: Backbone,
    labels: Labels,
    settings: dict[str, int],
    captions: Path,
    images: Path,
    work: Path,
    output: Path,
    device: str,
) -> None:
    """Tune an image network; write tuned.pth, history.csv and, last, tuned.json.

    A tuning that was killed resumes. A finished one only writes its results again.

    Args:
        trained: a model that was trained on the features of `backbone` alone.
        labels: `dataset`, `model` and `seed`, the columns of history.csv.
        settings: `stage`, the first stage to tune, and `passes` over the training images.
        captions, images: the data set's captions.csv and images.csv.
        work: a folder for checkpoints, and for decoded images while this runs.

    Raises:
        InputError: the model cannot be tuned with this network, an image cannot be used, or see
            `groundvec.training.loop.train`.
        Stopped: SIGTERM came; a checkpoint is written.
    """
    content = trained.metadata
    if backbone.name not in STAGES:
        raise InputError(
            f"{trained.path} was trained on features of {backbone.name}: only networks such as "
            f"{next(iter(STAGES))} can be tuned"
        )
    seed = labels["seed"]
    last_snapshot = content["snapshots"][-1]
    model = load_model(trained, last_snapshot, device)
    if hasattr(model.objective, "fit"):
        raise InputError(f"{trained.path} has an objective without gradients: tune another model")
    table = captions_of(content, captions)
    listed = dataset.read_images(images).set_index("image_id")
    read_pixels = partial(decoded, listed, backbone.transform, work)
    split = Passes(**vars(load_split(table, "train", read_pixels, model.texts)))
    dev = load_split(table, "dev", read_pixels, model.texts)
    training_images = len(split.features)
    description = tuning_description(content["description"], settings["passes"], training_images)
    model.description = description
    if description["training"]["more_captions"]:
        split.text_only_captions = load_text_only(table, model.texts)

    # Everything on which the result depends, as in `groundvec.training.files`.
    inputs = {
        "description": description,
        "settings": settings,
        "seed": seed,
        "code": code_hash(__file__, *parts.files(description)),
        "captions": sha256(captions),
        "images": digest(listed["sha256"].to_dict()),
        "trained": sha256(trained.path / "snapshots" / snapshot_name(last_snapshot)),
        "backbone": [backbone.name, backbone.sha256, asdict(backbone.transform)],
    }
    key = digest(inputs)
    folder = work / key
    title = f"{backbone.name} seed {seed}"
    with locked(folder, str(output)):
        describe(folder, "tuning", f"{labels['dataset']} {title}", inputs)
        lower, upper = image_network.divide(backbone.network, settings["stage"])
        encoder = PixelsEncoder(lower, upper, backbone.transform, model.image, device)
        model.image = encoder  # type: ignore[assignment]
        history = loop.train(
            description,
            model.texts,
            split,
            dev,
            seed,
            device,
            folder,
            title,
            model,
            parameter_groups(model),
        )
        last = folder / "snapshots" / snapshot_name(settings["passes"])
        model.load_state_dict(load_file(last))
        _write(output, labels, history, encoder.upper.cpu(), backbone, settings, key)
    log.info("%s: done, in %s", title, output)


def tuning_description(description: Description, passes: int, images: int) -> Description:
    """Return a model's description with the settings of tuning in place of its training's.

    Args:
        images: of the training set; few are one batch.
    """
    description = copy.deepcopy(description)
    before = description["training"]
    description["training"] = {
        "epochs": passes,
        "cycle": passes,
        "batch_size": min(BATCH, images),
        "precision": before["precision"],
        "paraphrases": True,
        "more_captions": min(BATCH, before.get("more_captions", 0)),
        "optimizer": {
            "name": "adam",
            "schedule": "cosine",
            "learning_rate_max": OTHER_RATE,
            "learning_rate_min": 0.0,
        },
        "clip_image": None,
        "clip_caption": None,
    }
    return description


class Passes(Split):
    """A split whose epochs pass over the images once, with one drawn caption of each."""

    def epoch(self, batch_size: int, seed: int, epoch: int) -> Iterator[dict[str, np.ndarray]]:
        """Yield the batches of one epoch, as `Split.epoch`."""
        (language, first), *others = self.captions.items()
        rng = np.random.default_rng([seed, epoch])
        # The first caption of each image, when all captions are shuffled.
        shuffled = rng.permutation(np.flatnonzero(first.order >= 0))
        _, places = np.unique(first.image[shuffled], return_index=True)
        rows = shuffled[np.sort(places)]
        drawn = {name: captions.any_of(first.image[rows], rng) for name, captions in others}
        for start in range(0, len(rows) - batch_size + 1, batch_size):
            end = start + batch_size
            batch = {language: rows[start:end]}
            for name, other_rows in drawn.items():
                batch[name] = other_rows[start:end]
            yield batch

    def batches(self, batch_size: int) -> int:
        """Count the batches of an epoch."""
        return len(self.features) // batch_size


def parameter_groups(model: Model) -> list[dict[str, Any]]:
    """Return what the optimizer trains, the image network at a learning rate of its own."""
    network = list(model.image.upper.parameters())  # type: ignore[union-attr]
    tuned = {id(parameter) for parameter in network}
    others = [parameter for parameter in model.parameters() if id(parameter) not in tuned]
    return [{"params": others}, {"params": network, "factor": NETWORK_RATE / OTHER_RATE}]


class PixelsEncoder(nn.Module):
    """Pixels -> in training, a random view -> an image network -> the projection of a model.

    It takes the place of `Model.image`, which reads features.
    """

    def __init__(
        self,
        lower: image_network.Lower,
        upper: image_network.Upper,
        transform: Transform,
        projection: nn.Module,
        device: str,
    ) -> None:
        super().__init__()
        self.on_gpu = device.startswith("cuda")
        self.side = transform.crop
        # A function, not a module: it has no weights to train or to keep in checkpoints.
        self.lower = image_network.without_gradients(lower, transform, device)
        self.upper = upper.to(device)
        self.projection = projection

    def forward(self, pixels: Tensor) -> Tensor:
        """Embed images (n, 3, height, width) uint8: (n, size)."""
        features = []
        for chunk in pixels.split(CHUNK["cuda" if self.on_gpu else "cpu"]):
            views = self.views(chunk)
            with torch.autocast("cuda", torch.bfloat16, enabled=self.on_gpu):
                features.append(self.upper(self.lower(views)).float())
        vectors: Tensor = self.projection(torch.cat(features))
        return vectors

    def views(self, pixels: Tensor) -> Tensor:
        """Cut (n, 3, side, side) uint8 out of images: the center, or in training a random view."""
        if self.training:
            return random_views(pixels, self.side)
        return center(pixels, self.side)


def center(images: Tensor, side: int) -> Tensor:
    """Cut the center (n, 3, side, side) out of square images, as extraction does."""
    start = round((images.shape[-1] - side) / 2)
    return images[..., start : start + side, start : start + side]


def random_views(images: Tensor, side: int) -> Tensor:
    """Draw a view (n, 3, side, side) uint8 of each square image (n, 3, height, width) uint8.

    Torch's random numbers decide, which `loop.train_step` seeds for every step.
    """
    count = len(images)
    device = images.device

    def uniform(low: float, high: float, *shape: int) -> Tensor:
        return torch.empty(shape, device=device).uniform_(low, high)

    # A rectangle of each image, as shares of its sides; a plain view has the center.
    plain = uniform(0, 1, count) < PLAIN
    area = uniform(SMALLEST_AREA, 1, count)
    aspect = uniform(-math.log(WIDEST_ASPECT), math.log(WIDEST_ASPECT), count).exp()
    share = side / images.shape[-1]
    wide = (area * aspect).sqrt().clamp(max=1).masked_fill(plain, share)
    high = (area / aspect).sqrt().clamp(max=1).masked_fill(plain, share)
    mirrored = torch.where(uniform(0, 1, count) < 0.5, -1.0, 1.0)

    # affine_grid has coordinates from -1 to 1: the rectangle's center lies within 1 minus its size.
    maps = torch.zeros(count, 2, 3, device=device)
    maps[:, 0, 0] = wide * mirrored
    maps[:, 1, 1] = high
    maps[:, 0, 2] = (uniform(-1, 1, count) * (1 - wide)).masked_fill(plain, 0)
    maps[:, 1, 2] = (uniform(-1, 1, count) * (1 - high)).masked_fill(plain, 0)
    grid = functional.affine_grid(maps, [count, 3, side, side], align_corners=False)
    values = images.float()
    views = functional.grid_sample(values, grid, padding_mode="border", align_corners=False)

    # Contrast and brightness, the latter of each channel or of all.
    changed = (uniform(0, 1, count) < CHANGED_COLORS) & ~plain
    contrast = uniform(*CONTRAST, count, 1, 1, 1)
    brightness = uniform(*BRIGHTNESS, count, 3, 1, 1)
    alike = (uniform(0, 1, count) < 0.5).view(count, 1, 1, 1)
    brightness = torch.where(alike, brightness[:, :1], brightness)
    changed = changed.view(count, 1, 1, 1)
    # (view - middle) * contrast + middle, times brightness, as one factor and one term.
    factor = torch.where(changed, contrast * brightness, 1.0)
    middle = 255 / 2
    term = torch.where(changed, middle * (1 - contrast) * brightness, 0.0)
    return views.mul_(factor).add_(term).clamp_(0, 255).round_().to(torch.uint8)


def decoded(
    images: pd.DataFrame, transform: Transform, work: Path, image_ids: np.ndarray
) -> np.ndarray:
    """Decode images into a temporary file that is mapped into memory.

    Args:
        images: in the form of images.csv, by image id.
        work: the folder for the file, which may be larger than the system's own can hold.

    Returns:
        (images, 3, resize, resize) uint8: the central squares of the images. Extraction cuts
        smaller squares out of these.

    Raises:
        InputError: images are unusable (`groundvec.features.images.load`), or not listed.
    """
    missing = [image for image in image_ids if image not in images.index]
    if missing:
        raise InputError(f"images.csv lacks {missing[0]}, which captions.csv has: make both again")
    files = images.loc[image_ids]
    side = transform.resize
    work.mkdir(parents=True, exist_ok=True)
    paths = zip(files["path"], files["sha256"], strict=True)
    bar = Progress(paths, total=len(files), desc="decoding", unit="images", leave=False)
    with TemporaryFile(dir=work) as file:  # it exists as long as the array
        for path, sha in bar:
            # Not through the map: on a full disk, the system would kill the program.
            file.write(cut(load(path, sha), side, side, transform.interpolation, crops=1).tobytes())
        file.flush()
        return np.memmap(file, np.uint8, "r+", shape=(len(files), 3, side, side))


def _write(
    output: Path,
    labels: Labels,
    history: Sequence[Mapping[str, Any]],
    upper: image_network.Upper,
    backbone: Backbone,
    settings: dict[str, int],
    key: str,
) -> None:
    """Write the weights, history.csv and, last, tuned.json: with it, the folder is complete."""
    buffer = io.BytesIO()
    torch.save(image_network.with_upper(backbone.network, upper), buffer)
    write_bytes(output / "tuned.pth", buffer.getbuffer())
    epochs = pd.DataFrame([{**labels, **row} for row in history])
    write(output / "history.csv", epochs, History)
    tuned = {
        **labels,
        "backbone": backbone.name,
        "tuned_from": {"weights": backbone.weights, "sha256": backbone.sha256},
        "settings": settings,
        "sha256": sha256(output / "tuned.pth"),
        "key": key,
        # The provenance of the process that trained, which may be an earlier one.
        "provenance": {name: history[-1][name] for name in provenance()},
    }
    write_json(output / "tuned.json", tuned)
