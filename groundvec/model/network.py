"""A model in torch: its encoders and its objective, and loading it with its weights."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from groundvec import similarity
from groundvec.config import parts
from groundvec.config.types import Description, Text
from groundvec.model import weights
from groundvec.model.folder import ModelFolder
from groundvec.model.sentences import IMAGES_PER_BATCH, Snapshot
from groundvec.model.stored import open_snapshot
from groundvec.runtime.arrays import Matrix
from groundvec.runtime.errors import InputError

MIN_DEVIATION = 1e-6  # of a feature: with less it is constant, and has no information


class Projection(nn.Module):
    """Image features -> with `standardize`, standardized -> dropout -> one linear layer."""

    mean: Tensor
    scale: Tensor

    def __init__(
        self,
        width: int,
        size: int,
        dropout: float = 0.0,
        gaussian: float | None = None,
        standardize: bool = False,
    ) -> None:
        super().__init__()
        self.standardize = standardize
        if standardize:
            self.register_buffer("mean", torch.zeros(width))
            self.register_buffer("scale", torch.ones(width))
        self.dropout = nn.Dropout(dropout)
        self.projection = nn.Linear(width, size)
        if gaussian is None:
            nn.init.xavier_uniform_(self.projection.weight)
        else:
            nn.init.normal_(self.projection.weight, std=gaussian)
            nn.init.zeros_(self.projection.bias)

    def forward(self, features: Tensor) -> Tensor:
        """Project image features (B, width): (B, size)."""
        if self.standardize:
            features = (features - self.mean) * self.scale
        return self.projection(self.dropout(features))

    @torch.no_grad()
    def measure(self, features: Matrix) -> None:
        """Set `mean` and `scale` from the training images' features (N, width)."""
        if self.standardize:
            mean = _mean(features, lambda block: block)
            deviation = np.sqrt(_mean(features, lambda block: (block - mean) ** 2))
            self.mean.copy_(torch.from_numpy(mean))
            varies = deviation > MIN_DEVIATION
            if not varies.any():
                raise InputError(
                    "no feature of the training images varies by 1e-6: scale them, or train on "
                    "images that differ"
                )
            scale = np.where(varies, 1 / np.fmax(deviation, MIN_DEVIATION), 0)
            self.scale.copy_(torch.from_numpy(scale))


def _mean(features: Matrix, function: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Compute the mean (width,) float64 over images of a function, which is applied to blocks."""
    total = np.zeros(features.shape[1])
    for start in range(0, len(features), IMAGES_PER_BATCH):
        block = function(features[start : start + IMAGES_PER_BATCH])
        # Row after row is added to the total, as in a sum over all rows: the size of the blocks
        # does not change a bit.
        total = np.vstack([total, block]).sum(axis=0)
    return total / len(features)


class Model(nn.Module, Snapshot):
    """An image encoder and the captions' encoders, which embed in one space.

    Each language has an encoder, or with `shared` all have one. The objective belongs to the model,
    since it may have weights.
    """

    def __init__(self, description: Description, texts: dict[str, Text], width: int) -> None:
        """Build an untrained model; the seed is torch's own.

        Args:
            description: of its parts, checked and complete.
            texts: by language, the text that encodes its sentences (`groundvec.text`). With
                `shared` they are equal.
            width: of the image features.
        """
        super().__init__()
        self.description = description
        self.texts = texts
        self.width = width
        self.similarity = description["similarity"]
        encoder = description["encoder"]
        self.captions = nn.ModuleDict(
            {
                name: parts.make("encoders", encoder, text)
                for name, text in self.texts_of_encoders.items()
            }
        )
        self.image = Projection(width, encoder["size"], **description.get("image", {}))
        self.objective = parts.make("objectives", description["objective"])

    def fit_idf(self, captions: Iterable[tuple[str, Any]]) -> None:
        """Fit inverse document frequencies to training captions, if an encoder has them.

        Args:
            captions: pairs of a language and its encoded captions.
        """
        captions_of_encoders = defaultdict(list)
        for language, encoded in captions:
            captions_of_encoders[self.name_of(language)].append(encoded)
        for name, all_encoded in captions_of_encoders.items():
            encoder: Any = self.captions[name]
            if hasattr(encoder, "fit_idf"):
                encoder.fit_idf(all_encoded)

    def embed_images(self, features: Tensor) -> Tensor:
        """Embed image features (B, width): (B, size)."""
        vectors = similarity.embed(self.image(features), self.similarity)
        if self.training:
            return vectors
        # Captions of an encoder with `state` have more columns. Zeros there leave inner products
        # with images as they are.
        return pad(vectors, (0, self.size - vectors.shape[1]))

    def embed_captions(self, language: str, batch: Sequence[Tensor]) -> Tensor:
        """Embed a batch of encoded sentences of a language, as tensors: (B, size)."""
        return similarity.embed(self.captions[self.name_of(language)](*batch), self.similarity)

    @property
    def device(self) -> str:
        """Return where it computes, such as cpu or cuda:0."""
        return str(next(self.parameters()).device)

    @torch.inference_mode()
    def embed_features(self, batch: np.ndarray) -> np.ndarray:
        """Embed a batch of image features (B, width): (B, size)."""
        return self.embed_images(torch.as_tensor(batch).to(self.device)).cpu().numpy()

    @torch.inference_mode()
    def embed_batch(self, language: str, batch: Sequence[np.ndarray]) -> np.ndarray:
        """Embed a batch of encoded sentences of a language: (B, size)."""
        return self.embed_captions(language, to_tensors(batch, self.device)).cpu().numpy()


def to_tensors(batch: Sequence[np.ndarray], device: torch.device | str) -> list[Tensor]:
    """Convert a batch to tensors: the indices on the device, the rest on the CPU.

    Encoders read lengths as numbers, for which a GPU would make them wait.
    """
    indices, *others = map(torch.from_numpy, batch)
    return [indices.to(device), *others]


def load_model(folder: ModelFolder, epoch: int, device: str = "cpu", treebank: Any = None) -> Model:
    """Load the snapshot of one epoch; runs no code from the files.

    Args:
        treebank: parsed sentences, for a model that reads trees; others are parsed.

    Raises:
        InputError: no such snapshot; it is damaged; or the weights are of another model.
    """
    values = open_snapshot(folder, epoch)
    texts = folder.make_texts(treebank) if treebank else folder.texts
    # On the device `meta`, drawing the initial weights takes no time and no memory. Encoders draw
    # them by torch.normal: torch.randn, torch.eye and products import sympy or a compiler there.
    with torch.device("meta"):
        model = Model(folder.description, texts, folder.metadata["width"])
    weights.load(model, values)
    return model.to(device).eval()


def load_ensemble(
    folder: ModelFolder,
    epochs: Sequence[int] | None = None,
    device: str = "cpu",
    treebank: Any = None,
) -> list[Model]:
    """Load the snapshots of `epochs`, by default of the epochs in `ensemble.json`."""
    epochs = folder.ensemble["epochs"] if epochs is None else epochs
    return [load_model(folder, epoch, device, treebank) for epoch in epochs]
