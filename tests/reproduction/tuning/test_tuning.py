"""Tuning of an image network."""

import json
import math
from unittest.mock import MagicMock

import numpy as np
import pandas as pd
import pytest
import torch
from efficientnet_lite_pytorch import EfficientNet
from torch import nn

from groundvec.data.split import Captions
from groundvec.features.backbones import Backbone, load
from groundvec.features.images import cut
from groundvec.features.images import load as load_image
from groundvec.features.networks import FromPixels, Stages
from groundvec.features.transform import Transform
from groundvec.model.folder import ModelFolder
from groundvec.objectives import contrastive
from groundvec.training import checkpoints
from reproduction.tuning import image_network, training
from tests.support.examples import save_model
from tests.support.features import make_images
from tests.support.models import model
from tests.support.photos import photo
from tests.support.refusals import refused
from tests.support.small_data import write_data

SIDE = 32
TRANSFORM = Transform(40, SIDE, (127 / 255,) * 3, (128 / 255,) * 3, "bicubic")
SETTINGS = {"stage": 5, "passes": 2}


class Killed(BaseException):
    pass


def small_network():
    """EfficientNet-Lite0 with random weights, half of its channels, for 32 pixels."""
    torch.manual_seed(0)
    network = EfficientNet.from_name("efficientnet-lite0", width_coefficient=0.5, image_size=SIDE)
    network._fc = nn.Identity()
    # Normalizations that change something.
    for module in network.modules():
        if isinstance(module, nn.BatchNorm2d):
            nn.init.uniform_(module.running_var, 0.5, 2)
            nn.init.uniform_(module.weight, 0.5, 2)
            nn.init.normal_(module.running_mean, std=0.1)
            nn.init.normal_(module.bias, std=0.5)
    return Stages(network).eval()


def small_backbone():
    network = small_network()
    width = network(torch.zeros(1, 3, SIDE, SIDE)).shape[1]
    return Backbone(
        name="efficientnet_lite0_stages",
        weights="small.pth",
        sha256="0" * 64,
        build=lambda: network,
        width=width,
        transform=TRANSFORM,
    )


def random_pixels():
    return torch.randn(2, 3, SIDE, SIDE, generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("stage", [1, 4, 7])
def test_both_parts_compute_the_features_of_the_network(stage):
    network = small_network()
    lower, upper = image_network.divide(network, stage)
    run_lower = image_network.without_gradients(lower, TRANSFORM, "cpu")
    crops = torch.randint(0, 256, (2, 3, SIDE, SIDE), dtype=torch.uint8)
    with torch.no_grad():
        expected = FromPixels(network, TRANSFORM)(crops)
        features = upper(run_lower(crops))
    assert torch.allclose(features, expected, rtol=1e-4, atol=1e-4)


def test_gradients_equal_torch_s():
    network = small_network()
    lower, upper = image_network.divide(network, 1)
    weights = torch.randn_like(network(random_pixels()))
    (upper(lower(random_pixels())) * weights).sum().backward()
    network.requires_grad_(True)
    (network(random_pixels()) * weights).sum().backward()
    blocks = network.network._blocks
    # The folded weights of a convolution are its weights times `factor`.
    for block, original in zip(upper.blocks, blocks, strict=True):
        norm = original._bn2
        factor = norm.weight / (norm.running_var + norm.eps).sqrt()
        expected = original._project_conv.weight.grad[:, :, 0, 0] / factor[:, None]
        tolerance = 1e-3 * expected.abs().max().item()
        assert torch.allclose(block.project.weight.grad, expected, rtol=0, atol=tolerance)
        expected = original._bn1.bias.grad
        tolerance = 1e-3 * expected.abs().max().item()
        assert torch.allclose(block.bias.grad, expected, rtol=0, atol=tolerance)


def test_tuned_weights_are_a_file_of_the_network(tmp_path):
    backbone = load("efficientnet_lite0_stages", crops=1)
    _, upper = image_network.divide(backbone.network, 7)
    pixels = torch.randn(1, 3, 224, 224, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        before = backbone.network(pixels)
        upper.head.bias += 1
        torch.save(image_network.with_upper(backbone.network, upper), tmp_path / "tuned.pth")
        tuned = load("efficientnet_lite0_stages", weights_file=tmp_path / "tuned.pth")
        after = tuned.network(pixels)
    # The head's 1,280 features, which ReLU6 limits, are larger. Statistics of stages are the same.
    assert (after[:, :1280] > before[:, :1280] - 1e-4).all()
    assert after[:, :1280].mean() > before[:, :1280].mean() + 0.1
    assert torch.allclose(after[:, 1280:], before[:, 1280:], atol=1e-4)


def test_a_plain_view_is_the_center_or_its_mirror_image(monkeypatch):
    monkeypatch.setattr(training, "PLAIN", 1)
    image = torch.from_numpy(np.array(photo(40, 40))).permute(2, 0, 1)
    views = training.random_views(image.repeat(8, 1, 1, 1), SIDE)
    center = image[:, 4:36, 4:36]
    mirrored = [torch.equal(view, center.flip(2)) for view in views]
    whole = [torch.equal(view, center) for view in views]
    assert sum(mirrored) + sum(whole) == 8
    assert any(mirrored) and any(whole)


def test_views_are_within_the_image_and_a_function_of_the_seed():
    rows = torch.linspace(50, 200, 40).byte().repeat(64, 3, 40, 1)  # brighter from left to right
    torch.manual_seed(5)
    views = training.random_views(rows, SIDE)
    torch.manual_seed(5)
    assert torch.equal(views, training.random_views(rows, SIDE))
    # Views of unchanged colors: all within the image, at least 0.4 * 3 / 4 of the square of a side.
    slope = (views[:, 0, 0, -1].float() - views[:, 0, 0, 0]).abs()
    smallest = math.sqrt(0.4 * 3 / 4) * 150
    assert (slope > smallest * 0.75 * 0.8 * 0.9).all()


def test_an_epoch_has_each_image_once_with_one_of_its_captions():
    image = np.repeat(np.arange(6), 3)
    order = np.tile([0, 1, -1], 6)  # the last ones are only drawn as second captions
    captions = Captions(None, image, order)
    split = training.Passes(np.arange(6).astype(str), np.zeros((6, 1)), {"en": captions})
    epochs = [[batch["en"] for batch in split.epoch(2, 1, epoch)] for epoch in (1, 1, 2, 3)]
    rows = [np.concatenate(epoch) for epoch in epochs]
    assert split.batches(2) == 3 and {len(batch) for batch in epochs[0]} == {2}
    assert np.array_equal(rows[0], rows[1]) and not np.array_equal(rows[0], rows[2])
    for drawn in rows:
        assert sorted(image[drawn]) == list(range(6))
        assert (order[drawn] >= 0).all()


def save_trained(folder, backbone):
    """Write the folder of a model of this backbone's features."""
    encoder = {"name": "bag", "size": 8, "embedding": 8, "dropout": 0.2}
    parts = {"objective": {"name": "contrastive"}, "training": {"batch_size": 4}}
    save_model(folder, model(encoder, 2, "ngrams", backbone.width, **parts))


@pytest.fixture
def tune(tmp_path, monkeypatch):
    """Return a function that tunes a small network in a folder, and returns its output."""
    monkeypatch.setattr(training, "BATCH", 4)
    monkeypatch.setattr(training, "CHUNK", {"cpu": 3})
    (tmp_path / "data").mkdir()
    splits = ["train"] * 9 + ["dev"] * 2
    captions = [[f"picture {i} number {k}" for k in range(2)] for i in range(len(splits))]
    write_data(tmp_path / "data", splits, captions)
    save_trained(tmp_path / "trained", small_backbone())

    def tune_in(name, backbone=None):
        output = tmp_path / name / "output"
        training.tune_from_files(
            ModelFolder(tmp_path / "trained"),
            backbone or small_backbone(),
            {"dataset": "photos", "model": "bag", "seed": 3},
            SETTINGS,
            tmp_path / "data/captions.csv",
            tmp_path / "data/images.csv",
            tmp_path / name / "work",
            output,
            "cpu",
        )
        return output

    return tune_in


def test_a_tuning_killed_three_times_ends_in_the_same_bits(tune, monkeypatch):
    whole = tune("whole")
    monkeypatch.setattr(checkpoints, "MIN_INTERVAL", -1)
    monkeypatch.setattr(checkpoints, "MAX_SHARE", math.inf)
    loss = contrastive.Objective.forward
    calls = []

    def killed_each_second_time(*args, **options):
        calls.append(1)
        if len(calls) % 2 == 0:
            raise Killed
        return loss(*args, **options)

    monkeypatch.setattr(contrastive.Objective, "forward", killed_each_second_time)
    for _ in range(3):
        torch.rand(3)  # another process's generator stands elsewhere
        with pytest.raises(Killed):
            tune("killed")
    # Two passes have two batches each: three are done.
    killed = tune("killed")
    assert len(calls) == 7
    assert (whole / "tuned.pth").read_bytes() == (killed / "tuned.pth").read_bytes()
    histories = [pd.read_csv(folder / "history.csv") for folder in (whole, killed)]
    assert histories[0]["loss"].equals(histories[1]["loss"])
    assert list(histories[0]["epoch"]) == [0, 1, 2]

    about = json.loads((whole / "tuned.json").read_text())
    assert about["sha256"] == checkpoints.sha256(whole / "tuned.pth")
    assert about["tuned_from"] == {"weights": "small.pth", "sha256": "0" * 64}
    assert about["settings"] == SETTINGS


def test_the_upper_part_alone_is_changed(tune):
    before = small_network().network.state_dict()
    after = torch.load(tune("tuned") / "tuned.pth", weights_only=True)
    assert after.keys() == before.keys() | {"_fc.weight", "_fc.bias"}
    lower = [name for name in before if name.startswith(("_conv_stem", "_bn0", "_blocks.0."))]
    assert all(torch.equal(before[name], after[name]) for name in lower)
    # A normalization that only adds its bias.
    assert torch.equal(after["_bn1.running_var"], torch.ones_like(after["_bn1.running_var"]))
    name = "_conv_head.weight"
    factor = before["_bn1.weight"] / (before["_bn1.running_var"] + 1e-3).sqrt()
    assert not torch.equal(after[name], before[name] * factor[:, None, None, None])


def test_images_are_decoded_as_extraction_does(tmp_path, monkeypatch):
    images = pd.read_csv(make_images(tmp_path, 4)).set_index("image_id")
    ids = np.array(["id 3", "id 0"])
    pixels = training.decoded(images, TRANSFORM, tmp_path, ids)
    image = load_image(tmp_path / "3.png")
    # Extraction cuts the same pixels.
    [center] = cut(image, 40, SIDE, "bicubic", crops=1)
    assert np.array_equal(training.center(torch.tensor(pixels), SIDE)[0], center)

    with refused(r"images.csv lacks id 12, which captions.csv has"):
        training.decoded(images, TRANSFORM, tmp_path, np.array(["id 12"]))
    # Not a SIGBUS, as by a map of holes.
    full = MagicMock()
    full.return_value.__enter__.return_value.write.side_effect = OSError("No space left on device")
    monkeypatch.setattr(training, "TemporaryFile", full)
    with pytest.raises(OSError, match="No space left"):
        training.decoded(images, TRANSFORM, tmp_path, ids)


def test_networks_that_cannot_be_tuned_are_refused(tune):
    backbone = small_backbone()
    other = Backbone("resnet18", "x", "0" * 64, backbone.build, backbone.width, TRANSFORM)
    with refused("features of resnet18: only networks such as efficientne"):
        tune("other", other)
