"""Encode sentences and images by a trained model.

A model is named by its folder, by its name in `pretrained` if it is part of this package, or by
`user/name` on a hub (`groundvec.model.hub`).
"""

import json
import logging
import math
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, TypeGuard, cast, overload

import numpy as np

from groundvec import numpy_backend as inference
from groundvec import similarity
from groundvec.features.files import checksums, pictures
from groundvec.model import hub
from groundvec.model.folder import copy_ensemble, read_description
from groundvec.model.sentences import Reader, encode_sentences
from groundvec.runtime.errors import InputError, extra
from groundvec.runtime.files import cache
from groundvec.runtime.vectors import as_array, finite
from groundvec.text.encoded import strings
from groundvec.text.punctuation import detach_punctuation

if TYPE_CHECKING:
    from torch import Tensor

    from groundvec.features.backbones import Backbone
    from groundvec.model.network import Model

    Sentences = str | Iterable[str]
    Vectors = np.ndarray | Tensor | Sequence[np.ndarray | Tensor | Sequence[float]]

log = logging.getLogger(__name__)

# Where GPUs show, NVIDIA's, those of WSL and AMD's: only then torch is asked for one.
GPUS = ("/dev/nvidiactl", "/dev/dxg", "/dev/kfd")
# Options of sentence-transformers' `encode` that are taken if they ask for what happens anyway.
DEFAULTS = {
    "convert_to_numpy": True,
    "output_value": "sentence_embedding",
    "precision": "float32",
    "prompt": None,
    "prompt_name": None,
    "truncate_dim": None,
    "pool": None,
    "chunk_size": None,
}
# What to write for other values, and for options of other `encode`s.
INSTEAD = {
    "normalize": "write normalize_embeddings",
    "show_progress": "write show_progress_bar",
    "convert_to_numpy": "leave it out: vectors are NumPy's without convert_to_tensor",
    "output_value": "leave it out: there are vectors of sentences alone",
    "precision": "write encode(...).astype('float16')",
    "prompt": "put it before each sentence",
    "prompt_name": "put the prompt before each sentence",
    "truncate_dim": "write encode(...)[:, :dim]",
}


class SentenceEncoder:
    """Sentences in, vectors out: the caption encoders of an ensemble, or of one snapshot.

    >>> encoder = SentenceEncoder("flickr8k")
    >>> encoder.encode(["A dog chases a cat.", "Two red balloons above a house."]).shape
    (2, 1024)

    Attributes:
        models: its snapshots, in NumPy (`groundvec.numpy_backend`) or torch.
        description: of their parts.
        languages: that it reads; the first is the one it takes where none is named.
        dim: the size of the vectors.
        folder: that it was loaded from, if it was.
    """

    def __init__(
        self,
        model: str | Path | Sequence[Reader] = "flickr8k",
        epochs: Sequence[int] | None = None,
        device: str | None = None,
    ) -> None:
        """Load a model; nothing in its files is executed.

        Args:
            model: the name of one that comes with this package, or a trained one's folder. One on a
                hub is `user/name`, or `user/name@revision` for the same weights for ever. Or
                snapshots that are loaded already.
            epochs: of its snapshots; by default the ensemble that `ensemble.json` names.
            device: where to compute; by default a GPU where there is one. On a CPU most networks
                are computed by NumPy, without torch.

        Raises:
            InputError: no such model or snapshot; files that are damaged or of another form; the
                device cannot be used.
        """
        self.folder: Path | None = None
        if isinstance(model, str | Path):
            self.folder = hub.find(model)
            model = _load(self.folder, epochs, device)
        if not (isinstance(model, Sequence) and model and isinstance(model[0], Reader)):
            raise InputError(f"{model!r} is no model: give the name or the folder of one")
        self.models = [cast(Reader, each) for each in model]
        self.description = self.models[0].description
        self.languages = list(self.models[0].texts)
        self.dim = self.models[0].size

    @classmethod
    def from_pretrained(cls, model: str | Path, **options: Any) -> Self:
        """Load a model, as the constructor does."""
        return cls(model, **options)

    def __repr__(self) -> str:
        """Return what it is and where it computes."""
        name = self.folder.name if self.folder else self.description["encoder"]["name"]
        return (
            f"{type(self).__name__}({name!r}, dim={self.dim}, languages={self.languages}, "
            f"device={self.device!r})"
        )

    @property
    def device(self) -> str:
        """Return where it computes, such as cpu or cuda:0."""
        first = self.models[0]
        if isinstance(first, inference.Network):
            return "cpu"
        return str(next(cast("Model", first).parameters()).device)

    def save_pretrained(self, folder: str | Path) -> None:
        """Write the snapshots in use, their description and the card to a new folder.

        Raises:
            InputError: there is something at `folder`; it was not loaded from a folder.
        """
        copy_ensemble(self._own_folder(), Path(folder))

    def push_to_hub(self, name: str, private: bool = False) -> str:
        """Push the model's folder, with all snapshots, to a hub; see `groundvec.model.hub.push`.

        Raises:
            InputError: also if it was not loaded from a folder.
        """
        return hub.push(self._own_folder(), name, private)

    def _own_folder(self) -> Path:
        if self.folder is None:
            raise InputError("this encoder has no folder: load it from one")
        return self.folder

    @overload
    def encode(
        self,
        sentences: "Sentences",
        *,
        batch_size: int | None = None,
        show_progress_bar: bool | None = False,
        convert_to_tensor: Literal[False] = False,
        device: str | None = None,
        normalize_embeddings: bool = False,
        language: str | None = None,
        tokenized: bool = False,
        **others: Any,
    ) -> np.ndarray: ...

    @overload
    def encode(
        self, sentences: "Sentences", *, convert_to_tensor: Literal[True], **options: Any
    ) -> "Tensor": ...

    @overload
    def encode(
        self, sentences: "Sentences", *, convert_to_tensor: bool, **options: Any
    ) -> "np.ndarray | Tensor": ...

    def encode(
        self,
        sentences: "Sentences",
        *,
        batch_size: int | None = None,
        show_progress_bar: bool | None = False,
        convert_to_tensor: bool = False,
        device: str | None = None,
        normalize_embeddings: bool = False,
        language: str | None = None,
        tokenized: bool = False,
        **others: Any,
    ) -> "np.ndarray | Tensor":
        """Embed raw sentences: (n, dim) float32, in their order.

        One string is one sentence, and returns one vector (dim,). A vector depends on its sentence
        alone; in another batch it is the same to rounding (1e-6).

        Sentences are cleaned as captions are in training (`groundvec.data.cleaning`), and
        punctuation is set apart from words (`groundvec.text.punctuation`). The empty string has a
        vector too. A final full stop changes nothing for encoders of characters and of n-grams.
        Characters or words that training never met are read as one unknown; character
        n-grams are hashed and have no unknown. What is beyond 1,000 characters is cut off, with a
        warning.

        Args:
            batch_size: the most that are computed at a time; by default as many as make a good
                batch.
            convert_to_tensor: return a tensor on the encoder's device.
            device: where to compute from now on.
            normalize_embeddings: bring the vectors to unit length; those of models that compare
                cosines are.
            language: of the sentences; by default the first of `languages`.
            tokenized: whether they are in the form of the training captions, such as "A dog 's ball
                ."; then their punctuation stays where it is.

        Raises:
            InputError: something in `sentences` is no string; the model knows no such language.
            TypeError: there is no such option, and what to write instead. Other options of
                sentence-transformers are taken with their `DEFAULTS`.
        """
        if convert_to_tensor:  # which decides alone, as in sentence-transformers
            others.pop("convert_to_numpy", None)
        for option, value in others.items():
            if option not in DEFAULTS or value != DEFAULTS[option]:
                remedy = INSTEAD.get(option, "see its help")
                raise TypeError(f"encode() has no option {option!r}: {remedy}")
        if batch_size is not None and not (isinstance(batch_size, Integral) and batch_size >= 1):
            raise InputError(f"batch_size is {batch_size}: it must be 1 or more, a whole number")
        every = strings([sentences] if isinstance(sentences, str) else sentences)
        if not tokenized:
            every = detach_punctuation(every, self.description["text"])
        if device:
            self.models = [_on(device, model) for model in self.models]
        vectors = encode_sentences(
            self.models, every, language, bool(show_progress_bar), batch_size
        )
        if normalize_embeddings:
            vectors = similarity.unit(vectors)
        found: np.ndarray = vectors[0] if isinstance(sentences, str) else vectors
        if not convert_to_tensor:
            return found
        with extra("torch"):
            import torch
        return torch.from_numpy(found).to(self.device)

    def similarity(
        self,
        a: "Sentences | Vectors",
        b: "Sentences | Vectors",
        *,
        language: str | None = None,
        tokenized: bool = False,
    ) -> np.ndarray:
        """Compute how near each sentence, or vector, of `a` is to each of `b`: (a, b) float32.

        It is the model's own measure, mostly the cosine; more is nearer. A single string or vector
        in place of several leaves its axis out, so that two of them return one number.

        Vectors may be of any numeric type and, for cosines, of any length, such as means or
        quantized vectors. The cosine of a vector of zeros is 0.

        Raises:
            InputError: vectors are of another size or not finite; or what `encode` raises.
        """
        one, other = (
            self.encode(given, language=language, tokenized=tokenized)
            if _are_sentences(given)
            else self._as_encoded(given, name)
            for name, given in (("a", a), ("b", b))
        )
        with np.errstate(over="ignore", invalid="ignore"):
            scores = similarity.scores(
                np.atleast_2d(one), np.atleast_2d(other), self.models[0].similarity
            )
        if not np.isfinite(scores).all():
            raise InputError("a and b: products overflow 32-bit floats: divide the vectors")
        return scores.reshape(one.shape[:-1] + other.shape[:-1])

    def _as_encoded(self, given: Any, name: str) -> np.ndarray:
        """Return vectors as `encode` returns them: float32, and of unit length for cosines."""
        vectors = as_array(given, name)
        is_numeric = vectors.dtype.kind in "fiu"
        if not is_numeric or vectors.ndim not in (1, 2) or vectors.shape[-1] != self.dim:
            raise InputError(
                f"{name}: {vectors.dtype} of shape {vectors.shape}: give sentences, or vectors of "
                f"{self.dim} numbers each"
            )
        vectors = finite(vectors, name)
        if self.models[0].similarity == "cosine":
            # Squares of the largest and smallest numbers would overflow or vanish.
            largest = np.abs(vectors).max(axis=-1, keepdims=True)
            vectors = vectors / np.where(largest > 0, largest, 1)
            vectors = similarity.unit(np.atleast_2d(vectors)).reshape(vectors.shape)
        with np.errstate(over="ignore"):
            return vectors.astype(np.float32)


def _are_sentences(given: Any) -> "TypeGuard[Sentences]":
    """Return whether a text was passed, or texts; or something that is no vectors either."""
    if hasattr(given, "detach"):  # a tensor
        return False
    if isinstance(given, str | bytes | Iterator):
        return True
    try:
        first = next(iter(given), "")
    except TypeError:  # it has no elements
        return True
    return isinstance(first, str | bytes)


def _load(folder: Path, epochs: Sequence[int] | None, device: str | None) -> Sequence[Reader]:
    """Load snapshots, in NumPy where it can compute them, and is as fast."""
    if device in (None, "cpu"):
        description = read_description(folder)["description"]
        gpu = device is None and any(map(os.path.exists, GPUS))
        torch_is_better = gpu or inference.large(description)
        if inference.able(description) and not (torch_is_better and _has_torch()):
            return inference.load(folder, epochs)
    with extra("torch"):
        from groundvec.device import choose
        from groundvec.model.network import load_ensemble
    return load_ensemble(folder, epochs, choose(device))


def _has_torch() -> bool:
    try:
        import torch  # noqa: F401
    except ModuleNotFoundError:
        return False
    return True


def _on(device: str, model: Reader) -> Reader:
    """Return a snapshot that computes on a device."""
    if isinstance(model, inference.Network) and device == "cpu":
        return model
    with extra("torch"):
        from groundvec.device import usable
        from groundvec.model.network import Model, load_model
    if isinstance(model, inference.Network):
        model = load_model(model.folder, model.epoch)
    return cast(Model, model).to(usable(device))


class ImageEncoder:
    """Pictures in, vectors out, in the space of the same model's sentences.

    Each picture is cut into crops; the mean of their features is projected. Features of several
    networks are concatenated, each network's times its factor.

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
        """Load a model, as `SentenceEncoder` does, and the networks that its features are of.

        Args:
            backbone: the network or networks, or the name of one, if the features were computed
                elsewhere.
            crops: of each picture: 10, 2 or 1; by default as in training, or 10 for a network that
                is named. Fewer are faster.

        Raises:
            InputError: also if a network is not known, its weights cannot be had, or the model was
                trained on features of another width.
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
        self.models = list(model)
        several = [backbone] if isinstance(backbone, backbones.Backbone) else backbone
        self.backbones = list(several)
        if crops is not None:
            self.backbones = [replace(each, crops=crops) for each in self.backbones]
        width = sum(backbone.width for backbone in self.backbones)
        if width != self.models[0].width:
            names = " and ".join(backbone.name for backbone in self.backbones)
            raise InputError(
                f"{names} has {width} features, but the model reads "
                f"{self.models[0].width}: name the backbone that it was trained with"
            )

    def encode(
        self, images: str | Path | Iterable[str | Path], skip_unusable: bool = False
    ) -> np.ndarray:
        """Embed pictures, as `pictures` finds them: (n, size) float32, in their order.

        Their features are kept in the user's cache, by the content of each picture.

        Args:
            skip_unusable: return NaN for unusable pictures, with a warning that names each.

        Raises:
            InputError: pictures are missing or damaged, or with `skip_unusable` all of them; it
                names them.
        """
        paths = pictures(images)
        vectors, errors = self.embed(paths, checksums(paths))
        problems = list(dict.fromkeys(map(str, errors.values())))  # a path may be named twice
        if not skip_unusable or len(problems) == len(set(paths)):
            from groundvec.features.extract import refuse

            refuse(problems, len(paths))
        for problem in problems:
            log.warning("%s; it is left out", problem)
        return vectors

    def embed(
        self, paths: Sequence[Path], sums: Sequence[str]
    ) -> tuple[np.ndarray, dict[int, InputError]]:
        """Embed pictures of known checksums: (n, dim) float32, NaN for unusable ones.

        Returns:
            The vectors, and what is wrong with unusable pictures, by row: see `extract`.
        """
        import pandas as pd
        import torch

        from groundvec.features.extract import CPU_BATCH, extract
        from groundvec.model.network import encode_images

        files = pd.DataFrame({"path": list(map(str, paths)), "sha256": sums})
        device = str(next(self.models[0].parameters()).device)
        features: list[np.ndarray] = []
        unusable: dict[int, InputError] = {}
        for backbone in self.backbones:
            batches = math.ceil(len(files) * backbone.crops / CPU_BATCH)
            processes = min(torch.get_num_threads(), batches) if batches > 1 else 0
            problems: dict[int, InputError] = {}
            block = extract(files, backbone, cache(), device, processes, problems)
            features.append(backbone.factor * block)
            unusable = problems | unusable  # of several networks' problems the first
        return encode_images(self.models, np.hstack(features)), unusable


def backbones_of(features: dict[str, Any]) -> list["Backbone"]:
    """Load the networks that a model's features were computed by."""
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
    # Torchvision's names are such as ResNet152_Weights.IMAGENET1K_V1; others are of files.
    weights = str(features.get("weights")).partition("_Weights.")[2] or None
    transform = json.loads(features.get("transform", "{}"))
    precision = features.get("precision", "float32")
    crops = features.get("crops", 10)
    how = transform.get("interpolation")
    backbone = backbones.load(name, weights, None, how, precision, crops)
    if backbone.sha256 != features.get("weights_sha256"):
        raise InputError(
            f"this model was trained with other weights of {name} ({features.get('weights')}): "
            "give backbone=groundvec.features.backbones.load(name, weights_file=...) with those"
        )
    return replace(backbone, factor=float(features.get("factor", 1)))
