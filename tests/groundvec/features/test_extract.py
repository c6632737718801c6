"""Extraction of features from images."""

import json
import multiprocessing
import os
import signal
from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from PIL import Image
from torchvision import transforms
from torchvision.transforms import functional as F

from groundvec.features import backbones, extract, store
from groundvec.features.images import cut
from groundvec.features.networks import InTorch
from groundvec.provenance import digest
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import read_cached, read_json, sha256, write_cached
from groundvec.runtime.jobs import Stopped
from groundvec.similarity import unit
from tests.support.features import STAND_IN, TINY, list_images, make_images
from tests.support.folders import DAMAGE
from tests.support.refusals import refused
from tests.support.small_data import run_script


def files_of(images):
    return list(zip(images.path, images.sha256, strict=True))


def features_of(images, work, network=STAND_IN, unusable=None):
    [features] = extract.extract(files_of(images), [network], work, "cpu", 2, unusable)
    return features


def channel_means(path):
    """The features of `LANCZOS` by torchvision's own transforms."""
    prepare = transforms.Compose(
        [
            transforms.Resize(64, transforms.InterpolationMode.LANCZOS),
            transforms.CenterCrop(48),
            transforms.ToTensor(),
            transforms.Normalize((0.5, 0.4, 0.3), (0.1, 0.2, 0.3)),
        ]
    )
    return prepare(Image.open(path)).mean(dim=(1, 2)).numpy()


LANCZOS = replace(STAND_IN, crops=1, transform=replace(STAND_IN.transform, interpolation="lanczos"))


def test_features_say_how_they_were_made(tmp_path, tiny):
    """The weights say how pictures are prepared, if nothing else is asked for."""
    transform = backbones.load(TINY, weights_file=tiny).transform
    assert transform.interpolation == "bilinear"
    assert (transform.mean, transform.std) == ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))
    assert backbones.load("efficientnet_lite0").transform.interpolation == "bicubic"
    make_images(tmp_path, 1)
    output = tmp_path / "lanczos.h5"
    options = ["--images", tmp_path / "images.csv", "--backbone", TINY, "--threads", 1]
    options += ["--weights-file", tiny, "--settings", "interpolation: lanczos"]
    run_script("extract_features", *options, "--work", tmp_path / "work", "--output", output)

    made = store.attributes(output)
    transform = json.loads(made["transform"])
    assert (transform["interpolation"], transform["resize"]) == ("lanczos", 256)
    assert (made["backbone"], made["weights"]) == (TINY, tiny.name)
    assert made["weights_sha256"] == sha256(tiny)
    assert (made["crops"], made["precision"]) == (10, "float32")
    for package in ("onnxruntime", "pillow"):
        assert f"{package} " in made["versions"]


def test_torch_and_onnx_runtime_compute_the_same_features():
    backbone = backbones.load("efficientnet_lite0_stages", crops=2)
    crops = np.random.default_rng(0).integers(0, 256, (1, 2, 3, 224, 224), np.uint8)
    network = backbone.network
    expected = InTorch(network, backbone.transform, "cpu", "float32")(crops)
    graph = backbone.graph
    computed = np.stack([graph(crops_of_image) for crops_of_image in crops])
    assert computed.dtype == np.float32
    assert_allclose(computed, expected, atol=1e-4 * np.abs(expected).max())
    rounded = InTorch(network, backbone.transform, "cpu", "bfloat16")(crops)
    assert rounded.dtype == np.float32 and not np.allclose(rounded, expected, rtol=1e-3)
    assert np.vecdot(unit(rounded), unit(expected)).min() > 0.99


def test_bfloat16_is_computed_where_the_processor_has_it(monkeypatch):
    backbone = replace(STAND_IN, precision="bfloat16")
    for has_it, precision in [(True, "bfloat16"), (False, "float32")]:
        monkeypatch.setattr("groundvec.device.has_bfloat16", lambda answer=has_it: answer)
        assert extract.precision_on(backbone, "cpu") == precision
        assert extract.by_graph(backbone, "cpu") != has_it
    assert extract.precision_on(backbone, "cuda") == "bfloat16"
    assert not extract.by_graph(STAND_IN, "cuda")


def test_torch_computes_batches_without_the_unusable_images(tmp_path, monkeypatch):
    make_images(tmp_path, 7)
    (tmp_path / "2.png").write_bytes(b"")
    images = pd.read_csv(list_images(tmp_path, 7))
    expected = features_of(images, tmp_path / "work", unusable={})
    monkeypatch.setattr(extract, "by_graph", lambda *_: False)
    monkeypatch.setattr(extract, "BATCH", 30)  # three images
    problems = {}
    computed = features_of(images, tmp_path / "2", unusable=problems)
    assert_allclose(computed, expected, atol=1e-5)
    assert list(problems) == [2] and np.isnan(computed[2]).all()


def test_several_networks_read_each_image_once_with_one_bar(tmp_path, monkeypatch):
    """Also if one of them finished some images before, and torch computes one."""
    make_images(tmp_path, 4)
    (tmp_path / "2.png").write_bytes(b"")
    files = files_of(pd.read_csv(list_images(tmp_path, 4)))
    networks = [STAND_IN, replace(STAND_IN, crops=1)]
    expected = [
        extract.extract(files, [each], tmp_path / "1", "cpu", 2, {})[0] for each in networks
    ]
    assert not np.allclose(expected[0][0], expected[1][0])
    extract.extract(files[:1], networks[:1], tmp_path / "2", "cpu", 2, {})
    opened = []
    bars = []
    load = extract.load
    progress = extract.Progress
    monkeypatch.setattr(extract, "load", lambda *file: opened.append(file) or load(*file))
    monkeypatch.setattr(extract, "Progress", lambda **how: bars.append(how) or progress(**how))
    monkeypatch.setattr(extract, "by_graph", lambda network, _: network.crops == 1)
    problems = {}
    computed = extract.extract(files, networks, tmp_path / "2", "cpu", 2, problems)
    for block, expected_block in zip(computed, expected, strict=True):
        assert_allclose(block, expected_block, atol=1e-5)
    assert sorted(opened) == sorted(files) and list(problems) == [2]
    assert [(bar["desc"], bar["total"], bar["initial"]) for bar in bars] == [
        ("reading pictures", 4, 0)
    ]


@pytest.mark.parametrize("value", [float("nan"), 1e38])
def test_features_that_are_not_finite_are_refused(tmp_path, monkeypatch, value):
    images = pd.read_csv(make_images(tmp_path, 2))
    features = np.full(STAND_IN.width, value, np.float32)
    monkeypatch.setattr(type(STAND_IN), "graph", property(lambda _: lambda crops: features))
    with pytest.raises(InputError, match=r"2 of 2 images cannot be used") as caught:
        features_of(images, tmp_path / "work")
    assert "stand-in has features that are NaN or beyond 1e+15 for" in str(caught.value)


@given(
    st.integers(1, 90),
    st.integers(1, 90),
    st.integers(8, 20),
    st.integers(0, 7),
    st.sampled_from(["bilinear", "bicubic", "lanczos"]),
)
def test_crops_are_torchvision_s(width, height, resize, margin, interpolation):
    pixels = np.random.default_rng(width).integers(0, 256, (height, width, 3), np.uint8)
    image = Image.fromarray(pixels)
    crop = resize - margin
    resized = F.resize(image, [resize], transforms.InterpolationMode(interpolation))
    expected = torch.stack([F.pil_to_tensor(each) for each in F.ten_crop(resized, [crop, crop])])
    assert np.array_equal(cut(image, resize, crop, interpolation), expected)
    center = F.pil_to_tensor(F.center_crop(resized, [crop, crop]))
    both = torch.stack([center, F.hflip(center)])
    assert np.array_equal(cut(image, resize, crop, interpolation, 2), both)
    assert np.array_equal(cut(image, resize, crop, interpolation, 1), both[:1])


def test_parts_joined_equal_a_single_run(tmp_path, tiny):
    make_images(tmp_path, 7)
    options = ["--images", tmp_path / "images.csv", "--backbone", TINY, "--weights-file", tiny]
    options += ["--work", tmp_path / "work", "--threads", 1, "--settings", "crops: 1"]
    run_script("extract_features", *options, "--output", tmp_path / "whole.h5")
    files = [tmp_path / f"part{k}.h5" for k in range(3)]
    for k, file in enumerate(files):
        run_script("extract_features", *options, "--part", k, "--parts", 3, "--output", file)
    # The ninth part of seven images is empty.
    empty = tmp_path / "empty.h5"
    run_script("extract_features", *options, "--part", 8, "--parts", 9, "--output", empty)
    joined = tmp_path / "joined.h5"
    command = ["--images", tmp_path / "images.csv", "--output", joined, "--parts"]
    run_script("join_features", *command, *files, empty)
    # The fingerprint, of the features and of their order, is among them.
    assert store.attributes(joined) == store.attributes(tmp_path / "whole.h5")
    with refused(r"--part 3 must be from 0 to 2"):
        run_script("extract_features", *options, "--part", 3, "--parts", 3, "--output", "x.h5")


def test_killed_and_started_again(tmp_path, monkeypatch, caplog):
    images = pd.read_csv(make_images(tmp_path, 15))
    arguments = files_of(images), [LANCZOS], tmp_path / "work", "cpu", 1
    load = extract.load

    def load_or_be_killed(path, *more):
        if path == images.path[8]:
            os.kill(os.getpid(), signal.SIGKILL)
        return load(path, *more)

    with monkeypatch.context() as patch:
        patch.setattr(extract, "load", load_or_be_killed)
        patch.setattr(extract, "SAVE_INTERVAL", 0)
        fork = multiprocessing.get_context("fork")
        process = fork.Process(target=extract.extract, args=arguments)
        process.start()
        process.join()
    assert process.exitcode == -signal.SIGKILL
    finished = (tmp_path / "work").glob("*/[!.]*.npz")
    done = sum(len(np.load(file)["sums"]) for file in finished)
    assert 3 <= done <= 8
    caplog.set_level("INFO")
    [features] = extract.extract(*arguments)
    assert f"15 images, {done} of them done before" in caplog.text
    expected = [channel_means(path) for path in images.path]
    assert_allclose(features, expected, atol=1e-5)


def test_a_stopped_extraction_keeps_its_finished_images(tmp_path, monkeypatch, caplog):
    images = pd.read_csv(make_images(tmp_path, 4))
    arguments = files_of(images), [STAND_IN], tmp_path / "work", "cpu", 2
    compute = extract._compute

    def told(*arguments):
        for batch in compute(*arguments):
            os.kill(os.getpid(), signal.SIGTERM)
            yield batch

    with monkeypatch.context() as patch, pytest.raises(Stopped, match="stop, after 1 of 4 images"):
        patch.setattr(extract, "_compute", told)
        extract.extract(*arguments)
    caplog.set_level("INFO")
    extract.extract(*arguments)
    assert "4 images, 1 of them done before" in caplog.text
    [about] = (tmp_path / "work").glob("*/about.json")
    assert digest(read_json(about)["inputs"]) == about.parent.name


def test_ctrl_c_counts_the_kept_images(tmp_path, monkeypatch, caplog):
    files = files_of(pd.read_csv(make_images(tmp_path, 4)))
    compute = extract._compute

    def interrupted(*arguments):
        yield next(compute(*arguments))
        raise KeyboardInterrupt

    monkeypatch.setattr(extract, "_compute", interrupted)
    for folder, messages in (("work", 1), ("file/work", 0)):  # the second cannot be written
        (tmp_path / "file").touch()
        caplog.clear()
        with pytest.raises(KeyboardInterrupt):
            extract.extract(files, [STAND_IN], tmp_path / folder, "cpu", 2, {})
        line = "stopped: 1 of 4 pictures are read, and kept for the next run"
        assert caplog.messages.count(line) == messages
    caplog.set_level("INFO")
    with pytest.raises(KeyboardInterrupt):
        extract.extract(files, [STAND_IN], tmp_path / "work", "cpu", 2)
    assert "4 images, 1 of them done before" in caplog.text


def take_from_another_network(part):
    """Put finished features of another network in the place of a file."""
    other = part.parent.parent / "other" / part.name
    write_cached(other, read_cached(part, 2**20))
    other.replace(part)


DAMAGES = DAMAGE | {"of another network": take_from_another_network}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_part_of_finished_features_is_computed_again(tmp_path, caplog, damage):
    images = pd.read_csv(make_images(tmp_path, 3))
    features = features_of(images, tmp_path / "work")
    [part] = (tmp_path / "work").glob("*/*.npz")
    damage(part)
    again = features_of(images, tmp_path / "work")
    assert np.array_equal(again, features)
    assert f"{part} is damaged: its images are computed again" in caplog.text
    caplog.clear()
    features_of(images, tmp_path / "work")
    assert "damaged" not in caplog.text


@pytest.mark.parametrize("error", [OSError(5, "Input/output error"), MemoryError("too little")])
def test_finished_features_that_cannot_be_read_are_not_removed(
    tmp_path, monkeypatch, caplog, error
):
    images = pd.read_csv(make_images(tmp_path, 2))
    features = features_of(images, tmp_path / "work")
    [part] = (tmp_path / "work").glob("*/*.npz")
    before = part.read_bytes()

    monkeypatch.setattr(extract, "read_cached", Mock(side_effect=error))
    again = features_of(images, tmp_path / "work", unusable={})
    assert np.array_equal(again, features) and part.read_bytes() == before
    assert f"{part} cannot be read (" in caplog.text
