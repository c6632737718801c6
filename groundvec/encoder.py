"""Encode sentences and images by a trained model.

A model is named by its folder, by its name in `pretrained` if it is part of this package, or by
`user/name` on a hub (`groundvec.model.hub`).
"""

import json
import logging
import math
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np

from groundvec import similarity
from groundvec.model import hub, inference
from groundvec.model.folder import read_description
from groundvec.model.sentences import Reader, encode_sentences
from groundvec.runtime.errors import InputError, extra, printable
from groundvec.runtime.files import cache, sha256
from groundvec.text.encoded import strings
from groundvec.text.punctuation import set_apart

if TYPE_CHECKING:
    import pandas as pd

    from groundvec.features.backbones import Backbone
    from groundvec.model.network import Model

log = logging.getLogger(__name__)

# What files of `features.images.FORMATS` are called.
PICTURE = re.compile(
    r"\.(jpe?g|jpe|jfif|pjpe?g|pjp|mpo|a?png|webp|gif|tiff?|bmp|avifs?|hei[cf]s?|hif)",
    re.IGNORECASE,
)
# Where GPUs show, NVIDIA's, those of WSL and AMD's: only then torch is asked for one.
GPUS = ("/dev/nvidiactl", "/dev/dxg", "/dev/kfd")
# Folders of thumbnails and trash, beside those whose names begin with a dot.
HIDDEN = {"@eadir", "@__thumb", "@recycle", "#recycle", "$recycle.bin", "__macosx", "lost+found"}


class SentenceEncoder:
    """Sentences in, vectors out: the caption encoders of an ensemble, or of one snapshot.

    >>> encoder = SentenceEncoder.load("flickr8k")
    >>> encoder.encode(["A dog chases a cat.", "Two red balloons above a house."]).shape
    (2, 2048)

    Attributes:
        models: its snapshots, in NumPy (`groundvec.model.inference`) or torch.
        description: of their parts.
        languages: that it reads; the first is the one it takes where none is named.
        size: of the vectors.
        folder: that it was loaded from, if it was.
    """

    folder: Path | None = None

    def __init__(self, models: Sequence[Reader]) -> None:
        self.models = list(models)
        self.description = self.models[0].description
        self.languages = list(self.models[0].texts)
        self.size = self.models[0].size

    @classmethod
    def load(
        cls,
        model: str | Path,
        epochs: Sequence[int] | None = None,
        device: str | None = None,
    ) -> Self:
        """Load a model that comes with this package, by its name, or a trained one, by its folder.

        One on a hub is `user/name`, or `user/name@revision` for the same weights for ever. Nothing
        in its files is executed.

        Args:
            epochs: of its snapshots; by default the ensemble that `ensemble.json` names.
            device: where to compute; by default a GPU where there is one. On a CPU most networks
                are computed by NumPy, without torch.

        Raises:
            InputError: no such model or snapshot; files that are damaged or of another form.
        """
        folder = hub.find(model)
        encoder = cls(_load(folder, epochs, device))
        encoder.folder = folder
        return encoder

    def push(self, name: str, private: bool = False) -> str:
        """Push the model's folder, with all snapshots, to a hub; see `groundvec.model.hub.push`.

        Raises:
            InputError: also if it was not loaded from a folder.
        """
        if self.folder is None:
            raise InputError("this encoder has no folder to push: load it from one")
        return hub.push(self.folder, name, private)

    def encode(
        self,
        sentences: str | Iterable[str],
        batch_size: int | None = None,
        device: str | None = None,
        show_progress: bool = False,
        normalize: bool = False,
        language: str | None = None,
        tokenised: bool = False,
    ) -> np.ndarray:
        """Embed raw sentences: (n, size) float32, in their order.

        One string is one sentence, and returns one vector (size,). A vector depends on its sentence
        alone. Sentences are cleaned as captions are in training (`groundvec.data.cleaning`), and
        punctuation is set apart from words (`groundvec.text.punctuation`). The empty string has a
        vector too. A final full stop changes nothing for encoders of characters, and little for
        those of n-grams: with and without it, vectors of `flickr8k-v3` have a cosine of about
        0.998. Characters or words that training never met are read as one unknown; character
        n-grams are hashed and have no unknown. What is beyond 1,000 characters is cut off, with a
        warning.

        Args:
            sentences: any number of them.
            batch_size: the most that are computed at a time; by default as many as make a good
                batch.
            device: where to compute from now on.
            show_progress: whether to show a bar.
            normalize: bring the vectors to unit length; those of models that compare cosines are.
            language: of the sentences; by default the first of `languages`.
            tokenised: whether they are in the form of the training captions, such as "A dog 's ball
                ."; then their punctuation stays where it is.

        Raises:
            InputError: something in `sentences` is not a string, or it has no order; the model
                knows no such language.
        """
        if isinstance(sentences, str):
            options = (batch_size, device, show_progress, normalize, language, tokenised)
            vector: np.ndarray = self.encode([sentences], *options)[0]
            return vector
        if batch_size is not None and batch_size < 1:
            raise InputError(f"batch_size is {batch_size}: it must be 1 or more")
        sentences = strings(sentences)
        if not tokenised:
            sentences = set_apart(sentences, self.description["text"])
        if device:
            self.models = [_on(device, model) for model in self.models]
        vectors = encode_sentences(self.models, sentences, language, show_progress, batch_size)
        return similarity.unit(vectors) if normalize else vectors

    def similarity(
        self,
        a: str | Iterable[str],
        b: str | Iterable[str],
        language: str | None = None,
        tokenised: bool = False,
    ) -> np.ndarray:
        """Compute how near each sentence of `a` is to each of `b`: (a, b) float32, more is nearer.

        It is the model's own measure, mostly the cosine. A single string in place of a list leaves
        its axis out, so that two of them return one number.
        """
        one, other = (self.encode(each, language=language, tokenised=tokenised) for each in (a, b))
        kind = self.models[0].similarity
        scores = similarity.scores(np.atleast_2d(one), np.atleast_2d(other), kind)
        return scores.reshape(one.shape[:-1] + other.shape[:-1])


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
        self, models: "Sequence[Model]", backbones: "Backbone | Sequence[Backbone]"
    ) -> None:
        """Combine trained models with the networks that compute their features.

        Raises:
            InputError: the models were trained on features of another width.
        """
        self.models = list(models)
        self.backbones = list(backbones) if isinstance(backbones, Sequence) else [backbones]
        width = sum(backbone.width for backbone in self.backbones)
        if width != self.models[0].width:
            names = " and ".join(backbone.name for backbone in self.backbones)
            raise InputError(
                f"{names} has {width} features, but the model reads "
                f"{self.models[0].width}: name the backbone that it was trained with"
            )

    @classmethod
    def load(
        cls,
        model: str | Path,
        epochs: Sequence[int] | None = None,
        device: str | None = None,
        backbone: "str | Backbone | Sequence[Backbone] | None" = None,
        crops: int | None = None,
    ) -> Self:
        """Load a model, as `SentenceEncoder.load` does, and the networks that its features are of.

        Args:
            backbone: the network or networks, or the name of one, if the features were computed
                elsewhere.
            crops: of each picture: 10, 2 or 1; by default as in training, or 10 for a network that
                is named. Fewer are faster.

        Raises:
            InputError: also if a network is not known, or its weights cannot be had.
        """
        with extra("pictures"):
            from groundvec.device import choose
            from groundvec.features import backbones
            from groundvec.model.network import load_ensemble

        folder = hub.find(model)
        if backbone is None:
            backbone = _backbones_of(read_description(folder).get("features", {}))
        elif isinstance(backbone, str):
            backbone = backbones.load(backbone)
        encoder = cls(load_ensemble(folder, epochs, choose(device)), backbone)
        if crops is not None:
            encoder.backbones = [replace(each, crops=crops) for each in encoder.backbones]
        return encoder

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
        return self._encode(_with_sums(pictures(images)), skip_unusable)

    def _encode(self, images: "pd.DataFrame", skip_unusable: bool) -> np.ndarray:
        import torch

        from groundvec.features.extract import CPU_BATCH, extract, refuse
        from groundvec.model.network import encode_images

        device = str(next(self.models[0].parameters()).device)
        features: list[np.ndarray] = []
        unusable: dict[str, None] = {}  # the problems, each once
        for backbone in self.backbones:
            batches = math.ceil(len(images) * backbone.crops / CPU_BATCH)
            processes = min(torch.get_num_threads(), batches) if batches > 1 else 0
            problems: list[str] = []
            block = extract(images, backbone, cache(), device, processes, problems)
            features.append(backbone.factor * block)
            unusable |= dict.fromkeys(problems)
        if not skip_unusable or len(unusable) == images.path.nunique():
            refuse(list(unusable), len(images))
        for problem in unusable:
            log.warning("%s; it is left out", problem)
        return encode_images(self.models, np.hstack(features))


def pictures(images: str | Path | Iterable[str | Path]) -> list[Path]:
    """List the pictures of a folder and those in it, sorted; or one file, or several, as named.

    Links to folders are followed. Hidden files, folders of thumbnails and trash, and unreadable
    folders are left out. A line counts what else is no picture that is read.

    Raises:
        InputError: there is no such file, or none in the folder; the folder cannot be read.
    """
    named = [images] if isinstance(images, str | Path) else list(images)
    files: list[Path] = []
    for path in map(Path, named):
        if path.is_dir():
            inside = list(_inside(path))
            found = sorted(file for file in inside if PICTURE.fullmatch(file.suffix))
            left = _count(file.suffix.lower() for file in inside)
            if not found:
                raise InputError(f"{path} holds no pictures ({left or 'no files'}): name another")
            if left:
                log.warning("%s", printable(f"{path}: left out what is not read: {left}"))
            files += found
        elif path.is_file():
            files.append(path)
        else:
            problem = "is neither a file nor a folder" if path.exists() else "does not exist"
            raise InputError(f"{path} {problem}: name a picture or a folder of pictures")
    return files


def _count(endings: Iterable[str]) -> str:
    """Count the files of each ending that no picture has, the most frequent first."""
    kinds = Counter(
        ending if 0 < len(ending) < 12 else "without ending"
        for ending in endings
        if not PICTURE.fullmatch(ending)
    ).most_common()
    more = sum(count for _, count in kinds[4:])
    listed = [f"{count:,} {kind}" for kind, count in kinds[:4]]
    return ", ".join([*listed, f"{more:,} others"] if more else listed)


def _inside(top: Path) -> Iterator[Path]:
    """List the files in a folder and those in it, but for what file managers hide."""
    seen = set()
    for folder, inner, names in os.walk(top, onerror=partial(_unreadable, top), followlinks=True):
        status = os.stat(folder)  # noqa: PTH116
        if (status.st_dev, status.st_ino) in seen:  # by a link
            inner.clear()
            continue
        seen.add((status.st_dev, status.st_ino))
        inner[:] = sorted(
            name for name in inner if not name.startswith(".") and name.lower() not in HIDDEN
        )
        paths = (Path(folder, name) for name in names if not name.startswith("."))
        yield from filter(Path.is_file, paths)


def _unreadable(named: Path, error: OSError) -> None:
    """Handle a folder that `os.walk` cannot read: `named`, or one within it."""
    if error.filename == str(named):
        raise InputError(f"{named} cannot be read ({error.strerror}): change its permissions")
    folder = printable(str(error.filename))
    log.warning("%s cannot be read (%s); its pictures are left out", folder, error.strerror)


def _with_sums(files: list[Path]) -> "pd.DataFrame":
    """Make a table of files and their checksums, in the form of images.csv."""
    with extra("pictures"):
        import pandas as pd

    with ThreadPoolExecutor() as pool:
        return pd.DataFrame({"path": map(str, files), "sha256": list(pool.map(_sum, files))})


def _sum(path: Path) -> str:
    """Compute a picture's checksum; what cannot be read gets none, so that it is refused later."""
    try:
        return sha256(path)
    except OSError:
        return f"unreadable {path}"


def search(
    images: str | Path | Iterable[str | Path],
    sentence: str,
    model: str | Path = "flickr8k",
    best: int = 10,
    language: str | None = None,
    device: str | None = None,
    backbone: "str | Backbone | Sequence[Backbone] | None" = None,
    crops: int | None = None,
    tokenised: bool = False,
) -> list[tuple[Path, float]]:
    """Find the pictures that a sentence describes best, and how near each is; the nearest first.

    Of files with the same content the first is taken. Unusable pictures are left out, with a
    warning that names each.

    Args:
        images: a folder, or files.
        sentence: what to look for.
        model: by its name or folder.
        best: how many pictures to return.
        language: of the sentence; by default the model's first.
        backbone, crops: see `ImageEncoder.load`.
        tokenised: see `SentenceEncoder.encode`.

    Raises:
        InputError: see `ImageEncoder` and `SentenceEncoder`.
    """
    if best < 1:
        raise InputError(f"best is {best}: it must be 1 or more")
    files = _with_sums(pictures(images)).drop_duplicates("sha256", ignore_index=True)
    seeing = ImageEncoder.load(model, device=device, backbone=backbone, crops=crops)
    reading = SentenceEncoder(seeing.models)
    vector = reading.encode([sentence], language=language, tokenised=tokenised)
    vectors = seeing._encode(files, skip_unusable=True)
    near = similarity.scores(vector, vectors, seeing.models[0].similarity)[0]
    order = np.argsort(-near, kind="stable")[: min(best, np.isfinite(near).sum())]  # NaN is last
    return [(Path(files.path[row]), float(near[row])) for row in order]


def _backbones_of(features: dict[str, Any]) -> list["Backbone"]:
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
    precision, crops = features.get("precision", "float32"), features.get("crops", 10)
    how = transform.get("interpolation")
    backbone = backbones.load(name, weights, None, how, precision, crops)
    if backbone.sha256 != features.get("weights_sha256"):
        raise InputError(
            f"this model was trained with other weights of {name} ({features.get('weights')}): "
            "give backbone=groundvec.features.backbones.load(name, weights_file=...) with those"
        )
    return replace(backbone, factor=float(features.get("factor", 1)))
