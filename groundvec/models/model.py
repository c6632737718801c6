"""A trained system on disk: `model.json` beside the weights, and sentences in, vectors out."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence, Set
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from safetensors import safe_open
from safetensors.torch import load_file, save
from torch import nn

from groundvec.errors import InputError
from groundvec.files import check_memory, read_json, sha256, write_bytes
from groundvec.models.cell import Cell
from groundvec.models.encoders import CaptionEncoder, ImageEncoder
from groundvec.progress import Progress
from groundvec.text.characters import Encoded, Vocabulary

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
        hidden = not progress
        with Progress(total=len(order), desc="encoding", unit="sentences", disable=hidden) as bar:
            while start < len(order):
                longest = captions.lengths[order[start]]
                rows = order[start : start + max(1, CHARACTERS_PER_BATCH // longest)]
                characters, lengths = map(torch.from_numpy, captions.batch(rows))
                result[rows] = self.caption(characters.to(device), lengths).cpu().numpy()
                start += len(rows)
                bar.update(len(rows))
        return result


EPOCHS = {"type": "array", "minItems": 1, "items": {"type": "integer", "minimum": 0}}
# What the files of a model folder must hold; they may come from anybody.
MODEL = {
    "required": ["cell", "width", "vocabulary", "seed", "language", "snapshots", "saved", "key"],
    "properties": {
        "cell": {"type": "string"},
        "width": {"type": "integer", "minimum": 1, "maximum": 2**16},
        "vocabulary": {
            "required": ["characters", "counts"],
            "additionalProperties": False,
            "properties": {
                "characters": {"type": "string"},
                "counts": {"type": "array", "items": {"type": "integer"}},
            },
        },
        "seed": {"type": "integer"},
        "language": {"type": "string"},
        "snapshots": EPOCHS,
        "saved": EPOCHS,
        "sha256": {"type": "object", "additionalProperties": {"type": "string"}},
        "key": {"type": "string"},
    },
}
ENSEMBLE = {"required": ["epochs"], "properties": {"epochs": EPOCHS}}


def read_description(folder: str | Path) -> dict[str, Any]:
    """What `model.json` says of a training; InputError if it is missing or of another form."""
    return _read_checked(Path(folder, "model.json"), MODEL)


def read_ensemble(folder: str | Path) -> list[int]:
    """The epochs of a training's ensemble; InputError as above, of `ensemble.json`."""
    return _read_checked(Path(folder, "ensemble.json"), ENSEMBLE)["epochs"]


def _read_checked(path: Path, schema: dict[str, Any]) -> dict[str, Any]:
    content = read_json(path)
    if error := best_match(Draft202012Validator({"type": "object"} | schema).iter_errors(content)):
        place = ".".join(map(str, error.absolute_path)) or "it"
        reason = error.message if len(error.message) < 200 else f"{error.message[:200]}..."
        raise InputError(f"{path} does not describe a model ({place}: {reason}): make it again")
    return content


def snapshot_name(epoch: int) -> str:
    """The name of the file that holds the weights after an epoch."""
    return f"epoch-{epoch:03}.safetensors"


def save_weights(model: nn.Module, path: Path) -> str:
    """Write a model's weights as safetensors, atomically; returns the file's SHA-256 sum."""
    data = save(model.state_dict())
    write_bytes(path, data, replace=True)
    return hashlib.sha256(data).hexdigest()


def load_model(folder: str | Path, epoch: int) -> GroundedModel:
    """Load the snapshot of one epoch from a training's folder; runs no code from the files.

    Raises:
        InputError: no such model or snapshot; weights that are damaged, of another shape, or not
            finite; a size that this machine's memory cannot hold.
    """
    folder = Path(folder)
    description = read_description(folder)
    path = folder / "snapshots" / snapshot_name(epoch)
    if not path.exists():
        raise InputError(f"{path} does not exist: epochs with a snapshot are listed in model.json")
    expected = description.get("sha256", {}).get(str(epoch))  # older models have none
    if expected and sha256(path) != expected:
        raise InputError(
            f"{path} is damaged, it has not the checksum that model.json gives: delete {folder} "
            "and make it again, or get it again"
        )
    try:
        vocabulary = Vocabulary(**description["vocabulary"])
        with torch.device("meta"):  # shapes only: no memory is taken before the file has them too
            model = GroundedModel(description["cell"], vocabulary, description["width"])
    except InputError as error:
        raise InputError(f"{folder / 'model.json'}: {error}") from None
    parameters = model.state_dict()
    try:
        with safe_open(path, "pt") as file:
            shapes = {name: file.get_slice(name).get_shape() for name in file.keys()}  # noqa: SIM118
        if shapes != {name: list(value.shape) for name, value in parameters.items()}:
            raise ValueError("other names or shapes")
        check_memory(path, sum(value.nbytes for value in parameters.values()))
        weights = {name: value.float() for name, value in load_file(path).items()}
        model.load_state_dict(weights, assign=True)
    except InputError:
        raise
    except Exception as error:
        reason = str(error).partition("\n")[0]
        raise InputError(f"{path} does not hold the weights of this model ({reason})") from None
    for name, value in weights.items():
        if not value.isfinite().all():
            raise InputError(f"{path}: {name} is not finite: train the model again")
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
        epochs = read_ensemble(folder) if epochs is None else epochs
        self.models = [load_model(folder, epoch).to(device) for epoch in epochs]

    def encode(self, sentences: str | Iterable[str], progress: bool = False) -> np.ndarray:
        """Embed raw sentences: (N, size) float32 unit vectors; cosine is their inner product.

        One string is one sentence, and gives one vector (size,). Sentences are cleaned as captions
        are in training (see `groundvec.data.schema.clean`), so white space around them or several
        spaces within change nothing. What is beyond 1,000 characters is cut off, with a warning.

        Raises:
            InputError: something in `sentences` is not a string, or it has no order.
        """
        if isinstance(sentences, str):
            return self.encode([sentences])[0]
        if isinstance(sentences, bytes | Mapping | Set) or not isinstance(sentences, Iterable):
            raise InputError(f"give a list of strings, and not {type(sentences).__name__}")
        sentences = list(sentences)
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
