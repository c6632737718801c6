"""An index of pictures: made once, and brought up to date."""

import errno
import os
import shutil

import numpy as np
import pytest
import torch
from examples import description, save_model
from PIL import Image

from groundvec import ImageEncoder, Index
from groundvec.features import backbones
from groundvec.model.network import Model
from groundvec.runtime.errors import InputError
from groundvec.text.characters import Text


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder, lite = tmp_path_factory.mktemp("model"), backbones.load("efficientnet_lite0")
    torch.manual_seed(0)
    network = Model(description("gru-16-max"), {"en": Text.build(["A dog."])}, lite.width)
    about = {"backbone": lite.name, "weights": lite.weights, "weights_sha256": lite.sha256}
    save_model(folder, network, features=about | {"crops": 1})
    return folder


@pytest.fixture
def photos(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    rng = np.random.default_rng(0)
    for name in ("a.png", "b.png", "deep/c.png"):
        path = tmp_path / "photos" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(rng.integers(0, 256, (30, 30, 3), np.uint8)).save(path)
    return tmp_path / "photos"


@pytest.fixture
def closed(monkeypatch):
    """Pictures cannot be read from now on."""

    def close():
        def refuse(path):
            raise AssertionError(f"{path} is read")

        monkeypatch.setattr("groundvec.features.files.sha256", refuse)
        monkeypatch.setattr("groundvec.index.ImageEncoder", refuse)

    return close


def test_a_second_search_reads_no_picture(photos, model, closed):
    first = Index(photos, model)
    expected = ImageEncoder(model).encode(photos)
    np.testing.assert_allclose(first.vectors, expected, atol=1e-6)
    closed()
    second = Index(photos, model)
    assert second.paths == first.paths == sorted(photos.rglob("*.png"))
    np.testing.assert_array_equal(second.vectors, first.vectors)
    assert second.search("A dog.") == first.search("A dog.")


def test_a_changed_picture_is_read_again_and_a_deleted_one_forgotten(photos, model):
    before = Index(photos, model)
    Image.new("RGB", (40, 40), "red").save(photos / "a.png")
    (photos / "b.png").unlink()
    shutil.copy(photos / "deep/c.png", photos / "copy.png")
    after = Index(photos, model)
    assert [path.name for path in after.paths] == ["a.png", "copy.png"]  # c.png is the same
    np.testing.assert_allclose(after.vectors, ImageEncoder(model).encode(after.paths), atol=1e-6)
    assert not np.allclose(after.vectors[0], before.vectors[0])


def test_what_cannot_be_used_is_said_once(photos, model, closed, caplog):
    (photos / "a.png").write_bytes(b"no picture")
    assert len(Index(photos, model).paths) == 2
    [line] = caplog.messages
    assert "a.png is not a picture" in line and line.endswith("; it is left out")
    with pytest.raises(InputError, match="none of 1 pictures can be used: name others"):
        Index(photos / "a.png", model)
    caplog.clear()
    closed()
    assert len(Index(photos, model).paths) == 2 and not caplog.messages


def test_what_could_not_be_opened_is_tried_again(photos, model, monkeypatch):
    def refuse(path):
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    with monkeypatch.context() as patch:
        patch.setattr("groundvec.features.files.sha256", refuse)
        with pytest.raises(InputError, match="none of 3 pictures"):
            Index(photos, model)
    assert len(Index(photos, model).paths) == 3


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: b"PK\3\4" + data[4:200],
        lambda data: data[:300] + b"\xff" * 50 + data[350:],
    ],
    ids=["empty", "half", "header", "middle"],
)
def test_a_damaged_index_is_made_again(photos, model, tmp_path, damage):
    expected = Index(photos, model)
    [kept] = (tmp_path / "cache/groundvec/index").iterdir()
    kept.write_bytes(damage(kept.read_bytes()))
    found = Index(photos, model)
    assert found.paths == expected.paths
    np.testing.assert_allclose(found.vectors, expected.vectors, atol=1e-6)


def test_an_index_that_cannot_be_written_costs_no_result(photos, model, monkeypatch):
    def refuse(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("groundvec.index.write_bytes", refuse)
    assert len(Index(photos, model).paths) == 3


def test_other_crops_or_networks_have_an_index_of_their_own(photos, model, tmp_path):
    Index(photos, model)
    Index(photos, model, crops=2)
    Index(photos, model, backbone="efficientnet_lite0")
    Index([photos / "a.png"], model)
    assert len(list((tmp_path / "cache/groundvec/index").iterdir())) == 4
