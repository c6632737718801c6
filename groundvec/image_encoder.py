"""Encode pictures by a trained model, in the space of its sentences."""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from groundvec.features import backbones
from groundvec.features.backbones import Backbone
from groundvec.features.files import checksums, pictures
from groundvec.model.folder import ModelFolder
from groundvec.model.sentences import Snapshot, encode_images
from groundvec.opening import open_model
from groundvec.runtime.arguments import typed
from groundvec.runtime.errors import InputError, extra
from groundvec.runtime.files import cache
from groundvec.runtime.jobs import cores

log = logging.getLogger(__name__)


class ImageEncoder:
    """Pictures in, vectors out, in the space of the same model's sentences.

    Each picture is cut into crops; the mean of their features is projected. Features of several
    networks are multiplied by the network's factor and concatenated.

    Attributes:
        models: the snapshots.
        backbones: the networks that compute the features, mostly one.
    """

    @typed
    def __init__(
        self,
        model: str | Path | ModelFolder | Sequence[Snapshot] = "flickr8k",
        epochs: Sequence[int] | None = None,
        device: str | None = None,
        backbone: str | Backbone | Sequence[Backbone] | None = None,
        crops: int | None = None,
    ) -> None:
        """Load a model, as `SentenceEncoder` does, and the networks that compute its features.

        Args:
            model, epochs, device: see `SentenceEncoder`. If the model's folder has graphs of its
                image networks, the CPU computes these.
            backbone: the network or networks, or the name of one, if the features were computed
                elsewhere.
            crops: the number of crops of each picture: 10, 2 or 1; by default as in training, or 10
                for a network that is named. Fewer are faster.

        Raises:
            InputError: also if a network is unknown, its weights are not available, or the model
                was trained on features of another width.
        """
        folder, self.models = open_model(model, epochs, device)
        if backbone is None:
            if folder is None:
                raise InputError("loaded snapshots have no networks: pass the backbone as well")
            backbone = networks_of(folder)
        if isinstance(backbone, str):
            with extra("networks"):
                backbone = backbones.load(backbone)
        if isinstance(backbone, Backbone):
            backbone = [backbone]
        self.backbones = list(backbone)
        if crops is not None:
            self.backbones = [replace(network, crops=int(crops)) for network in self.backbones]
        # The model's first layer reads the features of all networks, one after another.
        width = sum(network.width for network in self.backbones)
        if width != self.models[0].width:
            names = " and ".join(network.name for network in self.backbones)
            raise InputError(
                f"{names} has {width} features, but the model reads "
                f"{self.models[0].width}: name the backbone that it was trained with"
            )

    @typed
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
        features, unusable = self.features(paths, sums)
        return self.project(features), unusable

    def features(
        self, paths: Sequence[Path], sums: Sequence[str]
    ) -> tuple[np.ndarray, dict[int, InputError]]:
        """Compute the features of pictures: (n, width) float32; otherwise as `embed`."""
        with extra("pictures"):
            from groundvec.features.extract import extract

        files = [(str(path), checksum) for path, checksum in zip(paths, sums, strict=True)]
        unusable: dict[int, InputError] = {}
        device = self.models[0].device
        blocks = extract(files, self.backbones, cache(), device, cores(), unusable)
        scaled = [
            backbone.factor * block for backbone, block in zip(self.backbones, blocks, strict=True)
        ]
        return np.hstack(scaled), unusable

    def project(self, features: np.ndarray) -> np.ndarray:
        """Embed pictures by their features."""
        return encode_images(self.models, features)


def networks_of(folder: ModelFolder) -> list[Backbone]:
    """Return the networks that computed the features of a model's training."""
    with extra("networks"):  # if there are no graphs
        return backbones.of_features(folder.blocks, folder.graphs)
