"""Extraction of features from images."""

import json
import multiprocessing
import os
import re
import shutil
import signal
import time
from dataclasses import replace

import h5py
import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from torch import nn
from torchvision import transforms
from torchvision.transforms import functional as F

from groundvec.features import backbones, extract, store
from groundvec.features.images import cut
from groundvec.features.networks import InTorch
from groundvec.provenance import digest
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import read_json, sha256
from groundvec.runtime.jobs import Stopped
from groundvec.similarity import unit
from scripts import extract_features, join_features
from tests.support.features import STAND_IN, TINY, list_images, make_images, run
from tests.support.photos import photo


def assert_alike(features, expected):
    """The same up to rounding, of networks whose random weights make all features tiny."""
    expected = np.asarray(expected)
    np.testing.assert_allclose(features, expected, rtol=0, atol=1e-4 * np.abs(expected).max())


def files_of(images):
    return list(zip(images.path, images.sha256, strict=True))


def channel_means(path):
    """The stand-in's features by torchvision's own transforms."""
    pipeline = transforms.Compose([transforms.Resize(64), transforms.TenCrop(48)])
    prepare = transforms.Compose(
        [transforms.ToTensor(), transforms.Normalize((0.5, 0.4, 0.3), (0.1, 0.2, 0.3))]
    )
    crops = [prepare(crop).mean(dim=(1, 2)) for crop in pipeline(Image.open(path))]
    return torch.stack(crops).mean(0).numpy()


def test_pictures_are_resized_as_the_weights_want_it_or_as_asked_for(tmp_path, tiny):
    weights = tiny[1]
    backbone = backbones.load(TINY, weights_file=weights)
    assert backbone.transform.interpolation == "bilinear"
    assert backbones.load("efficientnet_lite0").transform.interpolation == "bicubic"
    make_images(tmp_path, 1)
    output = tmp_path / "lanczos.h5"
    options = ["--images", tmp_path / "images.csv", "--backbone", TINY, "--threads", 1]
    options += ["--weights-file", weights, "--settings", "interpolation: lanczos"]
    run(extract_features, *options, "--work", tmp_path / "work", "--output", output)

    made = store.attributes(output)
    transform = json.loads(made["transform"])
    assert (transform["interpolation"], transform["resize"]) == ("lanczos", 256)
    assert (made["backbone"], made["weights"]) == (TINY, weights.name)
    assert made["weights_sha256"] == sha256(weights)
    assert (made["crops"], made["precision"]) == (10, "float32")
    for package in ("onnxruntime", "pillow"):
        assert f"{package} " in made["versions"]

    normalize = transforms.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))
    prepare = transforms.Compose([transforms.ToTensor(), normalize])
    expected = {}
    for how in ("bilinear", "lanczos"):
        resize = transforms.Resize(256, transforms.InterpolationMode(how))
        with Image.open(tmp_path / "0.png") as image:
            crops = transforms.TenCrop(224)(resize(image))
        with torch.inference_mode():
            pixels = torch.stack([prepare(crop) for crop in crops])
            expected[how] = backbone.network(pixels).mean(0)
    features = store.read(output, ["id 0"])[0]
    assert_alike(features, expected["lanczos"])
    with pytest.raises(AssertionError):
        assert_alike(features, expected["bilinear"])


def test_torch_and_onnx_runtime_compute_the_same_features():
    backbone = backbones.load("efficientnet_lite0_stages", crops=2)
    crops = np.random.default_rng(0).integers(0, 256, (1, 2, 3, 224, 224), np.uint8)
    network = backbone.network
    expected = InTorch(network, backbone.transform, "cpu", "float32")(crops)
    graph = backbone.graph
    computed = np.stack([graph(crops_of_image) for crops_of_image in crops])
    assert computed.dtype == np.float32
    assert_alike(computed, expected)
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
    expected = extract.extract(files_of(images), STAND_IN, tmp_path / "work", "cpu", 2, {})
    monkeypatch.setattr(extract, "by_graph", lambda *_: False)
    monkeypatch.setattr(extract, "BATCH", 30)  # three images
    problems = {}
    computed = extract.extract(files_of(images), STAND_IN, tmp_path / "2", "cpu", 2, problems)
    np.testing.assert_allclose(computed, expected, atol=1e-5)
    assert list(problems) == [2] and np.isnan(computed[2]).all()


@pytest.mark.parametrize("crops", [1, 2])
def test_features_of_fewer_crops_are_those_of_the_centre(tmp_path, crops):
    """The stand-in's channel means do not change when a crop is mirrored; a left half's do."""

    class LeftHalf(nn.Module):
        def forward(self, pixels):
            return pixels[..., :24].mean(dim=(2, 3))

    images = pd.read_csv(make_images(tmp_path, 13))  # more than one batch of ten pictures
    backbone = replace(STAND_IN, build=LeftHalf, crops=crops)
    features = extract.extract(files_of(images), backbone, tmp_path / "work", "cpu", 2)
    prepare = transforms.Compose(
        [
            *(transforms.Resize(64), transforms.CenterCrop(48), transforms.ToTensor()),
            transforms.Normalize((0.5, 0.4, 0.3), (0.1, 0.2, 0.3)),
        ]
    )
    centres = [prepare(Image.open(path)) for path in images.path]
    halves = [centre[..., :24] if crops == 1 else centre for centre in centres]
    assert np.allclose(features, [half.mean(dim=(1, 2)) for half in halves], atol=1e-5)
    # Features of ten crops are not taken from the same folder.
    ten_crops = replace(backbone, crops=10)
    of_ten = extract.extract(files_of(images), ten_crops, tmp_path / "work", "cpu", 2)
    assert not np.allclose(of_ten, features)


@given(
    st.integers(1, 90),
    st.integers(1, 90),
    st.integers(8, 20),
    st.integers(0, 7),
    st.sampled_from(["bilinear", "bicubic", "lanczos"]),
)
def test_crops_are_torchvision_s(width, height, resize, margin, interpolation):
    pixels = np.random.default_rng(width).integers(0, 256, (height, width, 3), np.uint8)
    image, crop = Image.fromarray(pixels), resize - margin
    resized = F.resize(image, [resize], transforms.InterpolationMode(interpolation))
    expected = torch.stack([F.pil_to_tensor(each) for each in F.ten_crop(resized, [crop, crop])])
    assert np.array_equal(cut(image, resize, crop, interpolation), expected)
    centre = F.pil_to_tensor(F.center_crop(resized, [crop, crop]))
    both = torch.stack([centre, F.hflip(centre)])
    assert np.array_equal(cut(image, resize, crop, interpolation, 2), both)
    assert np.array_equal(cut(image, resize, crop, interpolation, 1), both[:1])


def test_parts_joined_equal_a_single_run(tmp_path, tiny):
    make_images(tmp_path, 7)
    options = ["--images", tmp_path / "images.csv", "--backbone", TINY, "--weights-file", tiny[1]]
    options += ["--work", tmp_path / "work", "--threads", 1]
    run(extract_features, *options, "--output", tmp_path / "whole.h5")
    files = [tmp_path / f"part{k}.h5" for k in range(3)]
    for k, file in enumerate(files):
        run(extract_features, *options, "--part", k, "--parts", 3, "--output", file)
    joined = tmp_path / "joined.h5"
    run(join_features, "--images", tmp_path / "images.csv", "--output", joined, "--parts", *files)
    with h5py.File(joined) as actual, h5py.File(tmp_path / "whole.h5") as expected:
        assert np.array_equal(actual["features"], expected["features"])
        assert np.array_equal(actual["image_ids"], expected["image_ids"])
        assert dict(actual.attrs) == dict(expected.attrs)  # the fingerprint among them
    # Of seven pictures the ninth part has none.
    empty = tmp_path / "empty.h5"
    run(extract_features, *options, "--part", 8, "--parts", 9, "--output", empty)
    command = ["--images", tmp_path / "images.csv", "--output", tmp_path / "x.h5", "--parts"]
    with pytest.raises(InputError, match=r"empty\.h5 has no features for image id 1 and 1 others"):
        run(join_features, *command, files[0], files[2], empty)
    with pytest.raises(InputError, match=r"--part 3 must be from 0 to 2"):
        run(extract_features, *options, "--part", 3, "--parts", 3, "--output", tmp_path / "x.h5")
    assert not (tmp_path / "x.h5").exists()


def test_all_problems_are_reported_together_and_the_rest_is_kept(tmp_path):
    make_images(tmp_path, 9)
    (tmp_path / "1.png").write_bytes(b"")
    (tmp_path / "2.png").write_bytes((tmp_path / "0.png").read_bytes()[:-200])
    (tmp_path / "3.png").unlink()
    Image.new("RGB", (1, 3000)).save(tmp_path / "8.png")
    images = pd.read_csv(list_images(tmp_path, 9))
    with pytest.raises(InputError) as error:
        extract.extract(files_of(images), STAND_IN, tmp_path / "work", "cpu", 2)
    first, *lines = str(error.value).split("\n")
    assert first.startswith("4 of 9 images cannot be used; replace them or remove them")
    named = [re.search(r"\d\.png", line).group() for line in lines]
    assert named == ["1.png", "2.png", "3.png", "8.png"]

    # Mark what was kept, to see that it is not computed again, and put the pictures right.
    kept = list((tmp_path / "work").glob("*/*.npz"))
    assert len(kept) == 1
    about = read_json(kept[0].with_name("about.json"))
    assert digest(about["decides"]) == kept[0].parent.name
    with np.load(kept[0]) as shard:
        assert len(shard["features"]) == 5
        content = dict(shard)
    np.savez(kept[0], **(content | {"features": content["features"] + 1000}))
    for k in (1, 2, 3):
        photo(64, 64, seed=20 + k).save(tmp_path / f"{k}.png")
    photo(70, 64, seed=30).save(tmp_path / "5.png")  # another picture by the same name
    images = pd.read_csv(list_images(tmp_path, 8))  # and one is removed

    features = extract.extract(files_of(images), STAND_IN, tmp_path / "work", "cpu", 2)
    expected = np.array([channel_means(path) for path in images.path])
    expected[[0, 4, 6, 7]] += 1000
    assert np.allclose(features, expected, atol=1e-4)


def test_killed_and_started_again(tmp_path, monkeypatch, caplog):
    images = pd.read_csv(make_images(tmp_path, 15))
    arguments = files_of(images), STAND_IN, tmp_path / "work", "cpu", 1
    load = extract.load

    def load_slowly(*file):
        time.sleep(0.05)
        return load(*file)

    with monkeypatch.context() as patch:
        patch.setattr(extract, "load", load_slowly)
        patch.setattr(extract, "SAVE_INTERVAL", 0)
        process = multiprocessing.get_context("fork").Process(
            target=extract.extract, args=arguments
        )
        process.start()

    def finished():
        return list((tmp_path / "work").glob("*/[!.]*.npz"))

    while len(finished()) < 3 and process.is_alive():
        time.sleep(0.01)
    process.kill()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    done = sum(len(np.load(file)["sums"]) for file in finished())
    assert 3 <= done < 15
    caplog.set_level("INFO")
    features = extract.extract(*arguments)
    assert f"15 images, {done} of them done before" in caplog.text
    expected = [channel_means(path) for path in images.path]
    np.testing.assert_allclose(features, expected, atol=1e-5)


def test_told_to_stop_it_keeps_what_is_done(tmp_path, monkeypatch, caplog):
    images = pd.read_csv(make_images(tmp_path, 4))
    arguments = files_of(images), STAND_IN, tmp_path / "work", "cpu", 2
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


def rewrite(change, save=np.savez):
    def rewritten(part):
        with np.load(part) as saved:
            content = dict(saved)
        save(part, **(content | change(content)))

    return rewritten


def flip_a_feature(part):
    content = bytearray(part.read_bytes())
    with np.load(part) as saved:
        content[content.index(saved["features"][0].tobytes()) + 1] ^= 1
    part.write_bytes(content)


DAMAGE = {
    "cut off": lambda part: os.truncate(part, part.stat().st_size // 2),
    "flipped": flip_a_feature,
    "empty": lambda part: part.write_bytes(b""),
    "of something else": lambda part: part.write_bytes(b"PK\3\4 something else"),
    "of another network": rewrite(lambda _: {"network": "another"}),
    "packed": rewrite(lambda _: {}, np.savez_compressed),
    "not finite": rewrite(lambda content: {"features": content["features"] * np.nan}),
    "huge": lambda part: os.truncate(part, 2**40),  # of holes
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_part_of_finished_features_is_computed_again(tmp_path, caplog, damage):
    images = pd.read_csv(make_images(tmp_path, 3))
    features = extract.extract(files_of(images), STAND_IN, tmp_path / "work", "cpu", 1)
    [part] = (tmp_path / "work").glob("*/*.npz")
    damage(part)
    again = extract.extract(files_of(images), STAND_IN, tmp_path / "work", "cpu", 1)
    assert np.array_equal(again, features)
    assert f"{part} is damaged: its images are computed again" in caplog.text
    caplog.clear()
    extract.extract(files_of(images), STAND_IN, tmp_path / "work", "cpu", 1)
    assert "damaged" not in caplog.text


@pytest.mark.parametrize("error", [OSError(5, "Input/output error"), MemoryError("too little")])
def test_finished_features_that_cannot_be_read_are_not_removed(
    tmp_path, monkeypatch, caplog, error
):
    images = pd.read_csv(make_images(tmp_path, 2))
    features = extract.extract(files_of(images), STAND_IN, tmp_path / "work", "cpu", 1)
    [part] = (tmp_path / "work").glob("*/*.npz")
    before = part.read_bytes()

    def refuse(*_):
        raise error

    monkeypatch.setattr(extract, "read_regular", refuse)
    again = extract.extract(files_of(images), STAND_IN, tmp_path / "work", "cpu", 1, unusable={})
    assert np.array_equal(again, features) and part.read_bytes() == before
    assert f"{part} cannot be read (" in caplog.text


def test_finished_features_of_other_pictures_are_not_read(tmp_path, caplog):
    """Nor is damage in them noticed: a few of many pictures are found fast."""
    images = pd.read_csv(make_images(tmp_path, 4))
    features = extract.extract(files_of(images[:2]), STAND_IN, tmp_path / "work", "cpu", 1)
    [part] = (tmp_path / "work").glob("*/*.npz")
    content = part.read_bytes()
    part.write_bytes(content.replace(features[0].tobytes(), bytes(features[0].nbytes)))
    extract.extract(files_of(images[2:]), STAND_IN, tmp_path / "work", "cpu", 1)
    assert "damaged" not in caplog.text
    extract.extract(files_of(images[1:3]), STAND_IN, tmp_path / "work", "cpu", 1)
    assert f"{part} is damaged: its images are computed again" in caplog.text


def test_features_are_found_again_by_the_pictures_content_whatever_their_names(tmp_path, caplog):
    caplog.set_level("INFO")
    images = pd.read_csv(make_images(tmp_path, 4))
    features = extract.extract(files_of(images), STAND_IN, tmp_path / "work", "cpu", 1)
    os.utime(tmp_path / "0.png")
    (tmp_path / "1.png").rename(tmp_path / "2024 new.png")
    photo(50, 50, seed=99).save(tmp_path / "3.png")  # another picture by the same name
    shutil.copy(tmp_path / "0.png", tmp_path / "copy.png")
    files = [tmp_path / f"{name}.png" for name in ("0", "2024 new", "2", "3", "copy")]
    images = pd.DataFrame({"image_id": list("abcde"), "path": [str(file) for file in files]})
    images["sha256"] = [sha256(file) for file in files]
    again = extract.extract(files_of(images), STAND_IN, tmp_path / "work", "cpu", 1)
    assert "5 images, 4 of them done before" in caplog.text
    assert np.array_equal(again[[0, 1, 2, 4]], features[[0, 1, 2, 0]])
    assert np.allclose(again[3], channel_means(tmp_path / "3.png"), atol=1e-5)
