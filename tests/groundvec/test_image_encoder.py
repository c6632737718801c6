"""Vectors of pictures, and searches by them."""

import json
import shutil
import threading
from dataclasses import asdict, replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal

from groundvec import ImageEncoder, Index, SentenceEncoder
from groundvec.features import backbones, graphs, store
from groundvec.features.concatenation import concatenate
from groundvec.features.extract import described_features, extract
from groundvec.features.files import pictures
from groundvec.model.packing import pack
from groundvec.model.sentences import encode_images
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import read_json, sha256, write_json
from groundvec.similarity import join, scores, unit
from tests.support.examples import save_model
from tests.support.models import BAG, model
from tests.support.photos import write_photos
from tests.support.refusals import refused


@pytest.fixture(scope="module")
def lite():
    return backbones.load("efficientnet_lite0")


@pytest.fixture
def photos(tmp_path, monkeypatch, kept_features):
    """Four pictures, in folders."""
    # Their features are one file, however slow the machine is.
    monkeypatch.setattr("groundvec.features.extract.SAVE_INTERVAL", np.inf)
    return write_photos(tmp_path / "photos", "b.png", "a.jpg", "deep/c.PNG", "deep/d.jpeg")


@pytest.mark.parametrize("similarity", ["cosine", "dot", "euclidean"])
def test_search_ranks_pictures_as_their_vectors_do(photos, tmp_path, lite, similarity):
    both = [model(width=lite.width, seed=seed, similarity=similarity) for seed in (0, 1)]
    save_model(tmp_path / "model", both, [4, 8], features=described_features(lite, "cpu"))
    images = ImageEncoder(tmp_path / "model")
    vectors = images.encode(photos)
    assert vectors.shape == (4, 16) and vectors.dtype == np.float32
    of_snapshots = [ImageEncoder([each], backbone=lite).encode(photos) for each in both]
    assert_allclose(vectors, join(of_snapshots, similarity), atol=1e-6)
    assert_allclose(images.encode(photos / "b.png"), vectors[1:2], atol=1e-6)
    dog, cat = SentenceEncoder(tmp_path / "model").encode(["A dog.", "A cat."])
    for vector in (*of_snapshots[0], dog):
        assert np.isclose(np.linalg.norm(vector), 1) == (similarity == "cosine")
    index = Index(photos, tmp_path / "model")
    # Queries are combined before their distances are computed.
    for query, minus in ((dog, []), (dog - cat, "A cat.")):
        query = unit(query[None]) if similarity == "cosine" else query[None]
        near = scores(vectors, query, similarity)[:, 0]
        found = index.search("A dog.", best=3, minus=minus)
        order = np.argsort(-near)[:3]
        assert [hit.path for hit in found] == [pictures(photos)[row] for row in order]
        assert_allclose([hit.score for hit in found], near[order], rtol=1e-5, atol=1e-6)


def test_files_are_read_several_at_a_time(photos, lite, monkeypatch):
    images = ImageEncoder([model(width=lite.width)], backbone=lite)
    expected = images.encode(photos)
    together = threading.Barrier(2, timeout=10)

    def read(path, largest):
        together.wait()
        return sha256(path, largest)

    monkeypatch.setattr("groundvec.features.files.sha256", read)
    assert_array_equal(images.encode(photos), expected)


def test_features_are_computed_on_the_gpu_of_the_model(photos, lite, monkeypatch):
    images = ImageEncoder([model(width=lite.width)], backbone=lite)
    weight = SimpleNamespace(device=torch.device("cuda:1"))
    monkeypatch.setattr(images.models[0], "parameters", lambda: iter([weight]))
    devices = []

    def extract(files, backbones, work, device, *_):
        devices.append(device)
        return [np.zeros((len(files), backbone.width)) for backbone in backbones]

    monkeypatch.setattr("groundvec.features.extract.extract", extract)
    monkeypatch.setattr("groundvec.image_encoder.encode_images", lambda models, features: features)
    images.encode(photos)
    assert devices == ["cuda:1"]


def test_damaged_pictures_are_all_named_or_skipped(photos, lite, caplog):
    for name in ("a.jpg", "b.png"):
        (photos / name).write_bytes(f"no picture {name}".encode())
    images = ImageEncoder([model(width=lite.width)], backbone=lite)
    with pytest.raises(InputError, match=r"2 of 4 images cannot be used[\s\S]*a\.jpg[\s\S]*b\.png"):
        images.encode(photos)
    vectors = images.encode(photos, skip_unusable=True)
    assert np.isnan(vectors).all(axis=1).tolist() == [True, True, False, False]
    assert [line.endswith("; it is left out") for line in caplog.messages] == [True, True]
    with pytest.raises(InputError, match="2 of 2 images cannot be used"):
        images.encode([photos / "a.jpg", photos / "b.png"], skip_unusable=True)


def test_the_backbone_must_be_the_one_of_the_training(tmp_path, lite):
    elsewhere = {"backbone": "precomputed", "weights": "my.npz"}
    save_model(tmp_path / "elsewhere", model(width=lite.width), features=elsewhere)
    with refused(r"computed elsewhere \(my\.npz\): name the network"):
        ImageEncoder(tmp_path / "elsewhere")
    assert ImageEncoder(tmp_path / "elsewhere", backbone=lite).backbones == [lite]
    by_name = ImageEncoder(tmp_path / "elsewhere", backbone="efficientnet_lite0")
    assert by_name.backbones[0].sha256 == lite.sha256
    other = described_features(lite, "cpu") | {"weights_sha256": "0" * 64}
    save_model(tmp_path / "other", model(width=lite.width), features=other)
    with refused("trained with other weights of efficientnet_lite0"):
        ImageEncoder(tmp_path / "other")
    save_model(tmp_path / "narrow", model(width=12), features=described_features(lite, "cpu"))
    with refused("has 1280 features, but the model reads 12"):
        ImageEncoder(tmp_path / "narrow")
    with refused("pass the backbone as well"):
        ImageEncoder([model(width=lite.width)])


def test_images_are_resized_as_in_training(tmp_path, lite):
    how = json.dumps(asdict(lite.transform) | {"interpolation": "lanczos"})
    features = described_features(lite, "cpu") | {"transform": how, "precision": "float16"}
    save_model(tmp_path / "model", model(width=lite.width), features=features)
    [backbone] = ImageEncoder(tmp_path / "model").backbones
    assert (backbone.transform.interpolation, backbone.precision) == ("lanczos", "float16")


def test_features_of_several_networks_are_concatenated_as_in_training(photos, tmp_path, lite):
    """The extracted and concatenated features give the vectors that picture files give."""
    networks = [replace(each, crops=2) for each in (lite, backbones.load("efficientnet_lite1"))]
    files = pictures(photos)
    images = pd.DataFrame({"image_id": [path.name for path in files], "split": "train"})
    rows = [(path, sha256(path)) for path in files]
    stored = [tmp_path / f"{each.name}.h5" for each in networks]
    for each, path in zip(networks, stored, strict=True):
        [values] = extract(rows, [each], tmp_path / "work", "cpu", 1)
        store.write(path, values, images.image_id, described_features(each, "cpu"))
    features, made = concatenate(stored, images)
    several = model(width=2 * lite.width)
    save_model(tmp_path / "model", several, features=made)

    seeing = ImageEncoder(tmp_path / "model")
    expected = encode_images([several], features)
    assert_allclose(seeing.encode(photos), expected, atol=1e-5)

    of_one_crop = ImageEncoder(tmp_path / "model", crops=np.int64(1)).encode(photos)
    assert not np.allclose(of_one_crop, expected, atol=1e-5)


def test_a_model_on_a_tuned_network_is_packed_with_the_file_of_its_weights(photos, tmp_path):
    public = backbones.load("efficientnet_lite0_stages", crops=2)
    state = public.network.network.state_dict()
    weights = {name: value * 1.01 for name, value in state.items()}
    weights["_fc.weight"] = torch.zeros(1000, 1280)  # the classifier, which is not read
    weights["_fc.bias"] = torch.zeros(1000)
    torch.save(weights, tmp_path / "tuned.pth")
    tuned = backbones.load(
        "efficientnet_lite0_stages", weights_file=tmp_path / "tuned.pth", crops=2
    )
    features = described_features(tuned, "cpu") | {"width": tuned.width}
    save_model(tmp_path / "model", model(width=tuned.width, encoder=BAG), features=features)
    with refused(r"trained with other weights of .* \(tuned\.pth\)"):
        pack(tmp_path / "model", tmp_path / "packed")
    assert not (tmp_path / "packed").exists()
    # Files of other networks of the model may be among them.
    (tmp_path / "other.pth").write_bytes(b"other")
    files = [tmp_path / "other.pth", tmp_path / "tuned.pth"]
    pack(tmp_path / "model", tmp_path / "packed", weights_files=files)
    expected = ImageEncoder(tmp_path / "model", backbone=tuned).encode(photos)
    vectors = ImageEncoder(tmp_path / "packed").encode(photos)
    assert np.vecdot(vectors, expected).min() > 0.98


def test_a_packed_model_has_its_networks(photos, tmp_path, lite):
    features = described_features(replace(lite, crops=2), "cpu") | {"width": lite.width}
    save_model(tmp_path / "model", model(width=lite.width, encoder=BAG), features=features)
    pack(tmp_path / "model", tmp_path / "packed")
    vectors = ImageEncoder(tmp_path / "model").encode(photos)
    packed = ImageEncoder(tmp_path / "packed")
    # Weights in 8 bits: the vectors are nearly those from two crops.
    assert 0.98 < np.vecdot(packed.encode(photos), vectors).min() < 0.999999
    exported = graphs.export(lite.network, lite.transform)
    assert (tmp_path / "packed/graphs/0.onnx").stat().st_size < 0.4 * len(exported)

    shutil.copytree(tmp_path / "packed", tmp_path / "copy")
    content = read_json(tmp_path / "copy/model.json")
    del content["features"]["transform"]
    write_json(tmp_path / "copy/model.json", content)
    with refused("does not describe this network"):
        ImageEncoder(tmp_path / "copy")
    content["features"]["transform"] = json.dumps(asdict(lite.transform) | {"crop": 300})
    write_json(tmp_path / "copy/model.json", content)
    with refused("crops of 300 pixels are larger than images of 256"):
        ImageEncoder(tmp_path / "copy")
