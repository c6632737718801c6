"""A trained system on disk: `model.json` beside the weights, and sentences in, vectors out."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file, save
from torch import nn
from tqdm import tqdm

from grounded.errors import InputError
from grounded.files import read_json, write_bytes
from grounded.models.cell import Cell
from grounded.models.encoders import CaptionEncoder, ImageEncoder
from grounded.text.characters import Encoded, Vocabulary

CHARACTERS_PER_BATCH = 16_384


class GroundedModel(nn.Module):
    """A caption encoder and an image encoder that embed into one space of unit vectors."""

    def __init__(self, cell: str, vocabulary: Vocabulary, width: int) -> None:
        """Build an untrained model for image features of `width`; the seed is torch's own."""
        super().__init__()
        self.cell, self.vocabulary, self.width = Cell.parse(cell), vocabulary, width
        self.caption = CaptionEncoder(len(vocabulary), self.cell)
        self.image = ImageEncoder(width, self.cell.size)

    @torch.inference_mode()
    def encode_images(self, features: np.ndarray, batch_size: int = 4096) -> np.ndarray:
        """Embed image features (N, width): (N, size) float32 unit vectors."""
        device = next(self.parameters()).device
        batches = torch.as_tensor(features).split(batch_size)
        return torch.cat([self.image(batch.to(device)).cpu() for batch in batches]).numpy()

    @torch.inference_mode()
    def encode_captions(self, captions: Encoded, progress: bool = False) -> np.ndarray:
        """Embed encoded captions: (N, size) float32 unit vectors, in the order given.

        They are batched longest first, a fixed number of characters at a time, so that little
        padding is computed and a very long sentence does not exhaust the memory.
        """
        device = next(self.parameters()).device
        result = np.empty((len(captions), self.cell.size), np.float32)
        order = np.argsort(-captions.lengths, kind="stable")
        start = 0
        with tqdm(total=len(order), desc="encoding", disable=None if progress else True) as bar:
            while start < len(order):
                longest = captions.lengths[order[start]]
                rows = order[start : start + max(1, CHARACTERS_PER_BATCH // longest)]
                characters, lengths = map(torch.from_numpy, captions.batch(rows))
                result[rows] = self.caption(characters.to(device), lengths).cpu().numpy()
                start += len(rows)
                bar.update(len(rows))
        return result


def save_weights(model: nn.Module, path: Path) -> None:
    """Write a model's weights as safetensors, atomically."""
    write_bytes(path, save(model.state_dict()))


def load_model(folder: str | Path, epoch: int) -> GroundedModel:
    """Load the snapshot of one epoch from a training's folder; runs no code from the files.

    Raises:
        InputError: no such model or snapshot, or weights of another shape.
    """
    folder = Path(folder)
    description = read_json(folder / "model.json")
    path = folder / "snapshots" / f"epoch-{epoch:03}.safetensors"
    if not path.exists():
        raise InputError(f"{path} does not exist: epochs with a snapshot are listed in model.json")
    model = GroundedModel(
        description["cell"], Vocabulary(**description["vocabulary"]), description["width"]
    )
    try:
        model.load_state_dict(load_file(path))
    except Exception as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"{path} does not hold the weights of this model ({reason})") from None
    return model.eval()


def ensemble(embeddings: Sequence[np.ndarray]) -> np.ndarray:
    """The sum of several models' unit vectors (N, size) each, with unit norm again."""
    total = np.sum(embeddings, axis=0)
    return total / np.linalg.norm(total, axis=1, keepdims=True)


class SentenceEncoder:
    """Sentences in, vectors out: the caption encoders of an ensemble, or of one snapshot.

    >>> encoder = SentenceEncoder("results/demo/models/scenes/gru-256-attention/seed1")
    >>> encoder.encode(["A dog chases a cat.", "Two red balloons above a house."]).shape
    (2, 256)
    """

    def __init__(
        self, folder: str | Path, epochs: Sequence[int] | None = None, device: str = "cpu"
    ) -> None:
        """Load the snapshots of `epochs`; without it, those that `ensemble.json` names."""
        if epochs is None:
            epochs = read_json(Path(folder) / "ensemble.json")["epochs"]
        self.models = [load_model(folder, epoch).to(device) for epoch in epochs]

    def encode(self, sentences: Sequence[str], progress: bool = False) -> np.ndarray:
        """Embed raw sentences: (N, size) float32 unit vectors; cosine is their inner product."""
        return ensemble(
            [
                model.encode_captions(model.vocabulary.encode(sentences), progress=progress)
                for model in self.models
            ]
        )


def describe(model: GroundedModel, **more: Any) -> dict[str, Any]:
    """What `model.json` holds: enough to build the model again, and `more` about its making."""
    return {
        "cell": "-".join(map(str, model.cell)),
        "width": model.width,
        "vocabulary": model.vocabulary.as_dict(),
        **more,
    }
