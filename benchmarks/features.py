"""Measure the time to extract ten-crop features by a small network and by ResNet-152.

The images are generated JPEG files of 640x480 pixels, like most images of MSCOCO. ResNet-152 has
random weights, which do not change the time, so nothing is downloaded.
"""

import copy
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from measure import Row, program, row, threads_of_torch, work
from PIL import Image
from torchvision import models, transforms

from groundvec.features import backbones
from groundvec.features.extract import BATCH, by_graph, extract, precision_on
from groundvec.features.images import cut, load
from groundvec.features.networks import InTorch
from groundvec.features.transform import Transform
from groundvec.runtime.files import sha256
from groundvec.similarity import unit


def rows(small: bool) -> list[Row]:
    lite = backbones.load("efficientnet_lite0")
    resnet = untrained("resnet18" if small else "resnet152")
    if small:
        tiny = replace(lite.transform, resize=72, crop=64)
        lite = replace(lite, transform=tiny)
        resnet = replace(resnet, transform=tiny)
    cases = [(lite, 2 if small else 24), (resnet, 2 if small else 8)]
    in_bfloat16 = replace(lite, precision="bfloat16")
    if not by_graph(in_bfloat16, "cpu"):  # the processor has instructions for it
        cases.append((in_bfloat16, 2 if small else 24))
    with tempfile.TemporaryDirectory() as folder:
        images = pictures(Path(folder), max(count for _, count in cases))
        rounds = 1 if small else 3
        return [case(images[:count], backbone, rounds) for backbone, count in cases]


def pictures(folder: Path, count: int) -> pd.DataFrame:
    """Generate images of smooth colors with noise; their files have about 140 kB, like photos."""
    rng = np.random.default_rng(0)
    files = []
    for number in range(count):
        coarse = Image.fromarray(rng.integers(0, 256, (60, 80, 3), np.uint8))
        smooth = np.asarray(coarse.resize((640, 480), Image.Resampling.BICUBIC))
        pixels = (smooth + rng.normal(0, 6, (480, 640, 1))).clip(0, 255).astype(np.uint8)
        path = folder / f"{number}.jpg"
        Image.fromarray(pixels).save(path, quality=90)
        files.append({"image_id": path.name, "path": str(path), "sha256": sha256(path)})
    return pd.DataFrame(files)


def untrained(name: str) -> backbones.Backbone:
    """Build a torchvision network with random weights."""
    network = models.get_model(name).eval()
    width = network.fc.in_features
    network.fc = torch.nn.Identity()
    mean = (0.485, 0.456, 0.406)
    std = (0.229, 0.224, 0.225)
    transform = Transform(256, 224, mean, std, "lanczos")
    return backbones.Backbone(name, "random", name, lambda: network, width, transform)


def case(images: pd.DataFrame, backbone: backbones.Backbone, rounds: int) -> Row:
    """Measure one network, and its cosines with the same network in float32."""
    count = len(images)
    files = list(zip(images["path"], images["sha256"], strict=True))

    def ours() -> float:
        """Extract the features from scratch."""
        with tempfile.TemporaryDirectory() as work:
            extract(files, [backbone], Path(work), "cpu", threads_of_torch())
        return count

    to = backbone.transform
    prepare = transforms.Compose(
        [
            transforms.Resize(to.resize, transforms.InterpolationMode(to.interpolation)),
            transforms.TenCrop(to.crop),
            transforms.Lambda(lambda crops: torch.stack([*map(transforms.ToTensor(), crops)])),
            transforms.Normalize(to.mean, to.std),
        ]
    )
    network = copy.deepcopy(backbone.network)
    # The plain method is slow, so it gets an eighth of the images.
    some = images.path[: max(2, count // 8)]

    @torch.inference_mode()
    def plain() -> None:
        """Extract the features image by image."""
        for path in some:
            network(prepare(Image.open(path).convert("RGB"))).mean(0)

    in_batch = BATCH // backbone.crops
    first = [load(path) for path in images.path[:in_batch]]
    crops = np.stack([cut(image, to.resize, to.crop, to.interpolation) for image in first])
    in_float32 = InTorch(copy.deepcopy(backbone.network), to, "cpu", "float32")
    if by_graph(backbone, "cpu"):
        graph = backbone.graph
    else:
        in_torch = InTorch(backbone.network, to, "cpu", precision_on(backbone, "cpu"))

    def network_alone() -> np.ndarray:
        """Compute the features of one batch by the network alone, in the same number of threads."""
        if not by_graph(backbone, "cpu"):
            return in_torch(crops)
        with ThreadPoolExecutor(threads_of_torch()) as pool:
            return np.stack([*pool.map(graph, crops)])

    cosine = np.vecdot(unit(network_alone()), unit(in_float32(crops)))
    batches = max(1, count // in_batch)
    result = row(
        f"{backbone.name}, {backbone.precision}, cpu",
        "s an image",
        ours,
        work(len(some), plain),
        work(len(crops), network_alone, times=batches),
        rounds,
    )
    return result | {"cosine": cosine.min().item()}


if __name__ == "__main__":
    program(__doc__, rows)
