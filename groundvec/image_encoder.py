"""Encode pictures by a trained model, in the space of its sentences."""

import json
import logging
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from groundvec.features.files import checksums, pictures
from groundvec.model import hub
from groundvec.model.folder import read_description
from groundvec.runtime.errors import InputError, extra
from groundvec.runtime.files import cache

if TYPE_CHECKING:
    from groundvec.features.backbones import Backbone
    from groundvec.model.network import Model

log = logging.getLogger(__name__)


class ImageEncoder:
    """Pictures in, vectors out, in the space of the same model's sentences.

    Each picture is cut into crops; the mean of their features is projected. Features of several
    networks are multiplied by the network's factor and concatenated.

    Attributes:
        models: the snapshots.
        backbones: the networks that compute the features, mostly one.
    """

    def __init__(
        self,
        model: "str | Path | Sequence[Model]" = "flickr8k",
        epochs: Sequence[int] | None = None,
        device: str | None = None,
        backbone: "str | Backbone | Sequence[Backbone] | None" = None,
        crops: int | None = None,
    ) -> None:
        """Load a model, as `SentenceEncoder` does, and the networks that compute its features.

        Args:
            model, epochs, device: see `SentenceEncoder`.
            backbone: the network or networks, or the name of one, if the features were computed
                elsewhere.
            crops: the number of crops of each picture: 10, 2 or 1; by default as in training, or 10
                for a network that is named. Fewer are faster.

        Raises:
            InputError: also if a network is unknown, its weights are not available, or the model
                was trained on features of another width.
        """
        with extra("pictures"):
            from groundvec.device import choose
            from groundvec.features import backbones
            from groundvec.model.network import load_ensemble

        if isinstance(model, str | Path):
            folder = hub.find(model)
            if backbone is None:
                backbone = backbones_of(read_description(folder).get("features", {}))
            model = load_ensemble(folder, epochs, choose(device))
        if backbone is None or isinstance(backbone, str):
            backbone = backbones.load(str(backbone))
        if isinstance(backbone, backbones.Backbone):
            backbone = [backbone]
        self.models = list(model)
        self.backbones = list(backbone)
        if crops is not None:
            self.backbones = [replace(network, crops=crops) for network in self.backbones]
        # The model's first layer reads the features of all networks, one after another.
        width = sum(network.width for network in self.backbones)
        if width != self.models[0].width:
            names = " and ".join(network.name for network in self.backbones)
            raise InputError(
                f"{names} has {width} features, but the model reads "
                f"{self.models[0].width}: name the backbone that it was trained with"
            )

    def encode(
        self, images: str | Path | Iterable[str | Path], skip_unusable: bool = False
    ) -> np.ndarray:
        """Embed pictures: (n, size) float32, in the order of `groundvec.features.files.pictures`.

        Their features are kept in the user's cache, by the content of each picture.

        Args:
            images: see `groundvec.features.files.pictures`.
            skip_unusable: return NaN for unusable pictures, with a warning that names each.

        Raises:
            InputError: pictures are missing or damaged, or with `skip_unusable` all of them; it
                names them.
        """
        paths = pictures(images)
        vectors, errors = self.embed(paths, checksums(paths))
        # Each once, though a path may have been named twice.
        problems = list(dict.fromkeys(map(str, errors.values())))
        if not skip_unusable or len(problems) == len(set(paths)):
            from groundvec.features.extract import refuse

            refuse(problems, len(paths))
        for problem in problems:
            log.warning("%s; it is left out", problem)
        return vectors

    def embed(
        self, paths: Sequence[Path], sums: Sequence[str]
    ) -> tuple[np.ndarray, dict[int, InputError]]:
        """Embed pictures with known checksums: (n, dim) float32, NaN for unusable ones.

        Returns:
            The vectors, and the problem of each unusable picture, by row: see `extract`.
        """
        import pandas as pd
        import torch

        from groundvec.features.extract import CPU_BATCH, extract
        from groundvec.model.network import encode_images

        files = pd.DataFrame({"path": list(map(str, paths)), "sha256": sums})
        device = str(next(self.models[0].parameters()).device)
        blocks: list[np.ndarray] = []
        unusable: dict[int, InputError] = {}
        for backbone in self.backbones:
            # One process per batch at most; a single batch is decoded in this process.
            batches = math.ceil(len(files) * backbone.crops / CPU_BATCH)
            processes = min(torch.get_num_threads(), batches) if batches > 1 else 0
            problems: dict[int, InputError] = {}
            block = extract(files, backbone, cache(), device, processes, problems)
            blocks.append(backbone.factor * block)
            unusable = problems | unusable  # a picture's first problem wins
        return encode_images(self.models, np.hstack(blocks)), unusable


def backbones_of(features: dict[str, Any]) -> list["Backbone"]:
    """Load the networks that computed a model's features.

    Args:
        features: the attributes of the features in model.json. Several concatenated blocks of
            features have their attributes as JSON in `blocks`.
    """
    blocks = json.loads(features["blocks"]) if "blocks" in features else [features]
    return [_backbone_of(block) for block in blocks]


def _backbone_of(features: dict[str, Any]) -> "Backbone":
    """Load the network of one block of features, by its attributes."""
    from groundvec.features import backbones

    name = str(features.get("backbone", "precomputed"))
    if name == "precomputed":
        raise InputError(
            f"this model was trained on features that were computed elsewhere "
            f"({features.get('weights', 'nothing says where')}): name the network that computed "
            "them, such as resnet50, as its backbone"
        )
    # Torchvision's names are such as ResNet152_Weights.IMAGENET1K_V1; other names are files.
    weights = str(features.get("weights")).partition("_Weights.")[2] or None
    transform = json.loads(features.get("transform", "{}"))
    backbone = backbones.load(
        name,
        weights,
        interpolation=transform.get("interpolation"),
        precision=features.get("precision", "float32"),
        crops=features.get("crops", 10),
    )
    # Features of other weights have the same width, and would give meaningless vectors.
    if backbone.sha256 != features.get("weights_sha256"):
        raise InputError(
            f"this model was trained with other weights of {name} ({features.get('weights')}): "
            "give backbone=groundvec.features.backbones.load(name, weights_file=...) with those"
        )
    return replace(backbone, factor=float(features.get("factor", 1)))
