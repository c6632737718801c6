"""Small images and networks for tests of features."""

import os

import pandas as pd
import torch
from torch import nn

from groundvec.features import backbones
from groundvec.features.transform import Transform
from groundvec.runtime.files import sha256
from tests.support.photos import photo

TINY = "shufflenet_v2_x0_5"


def save_weights(network, folder, name):
    """Save weights as torchvision does: with the start of their SHA-256 in the file's name."""
    torch.save(network.state_dict(), folder / "weights")
    return (folder / "weights").rename(folder / f"{name}-{sha256(folder / 'weights')[:8]}.pth")


def make_images(folder, count):
    """Write pictures and an images.csv; returns its path."""
    folder.mkdir(parents=True, exist_ok=True)
    for k in range(count):
        photo(60 + k, 50, seed=k).save(folder / f"{k}.png")
    return list_images(folder, count)


def list_images(folder, count):
    """Write an images.csv of the pictures as they are now; returns its path."""
    files = [folder / f"{k}.png" for k in range(count)]
    images = pd.DataFrame({"image_id": [f"id {k}" for k in range(count)], "split": "train"})
    images["path"] = [str(file) for file in files]
    images["sha256"] = [sha256(file) for file in files]
    images.to_csv(folder / "images.csv", index=False)
    return folder / "images.csv"


class ChannelMeans(nn.Module):
    """A stand-in for a network, whose features can be computed by hand."""

    def forward(self, pixels):
        return pixels.mean(dim=(2, 3))


STAND_IN = backbones.Backbone(
    "stand-in",
    "none",
    "0" * 64,
    ChannelMeans,
    3,
    Transform(64, 48, (0.5, 0.4, 0.3), (0.1, 0.2, 0.3), "bilinear"),
)


class Trap:
    def __reduce__(self):
        return os.mkdir, ("sprung",)


IDS = ["id 0", "id 1", "id 2"]
