"""An index of pictures: made once, and brought up to date."""

import errno
import os
import shutil
from unittest.mock import Mock, patch

import numpy as np
import pandas as pd
import pytest
import yaml
from numpy.testing import assert_allclose, assert_array_equal
from PIL import Image

from groundvec import ImageEncoder, Index, SentenceEncoder
from groundvec.features import backbones
from groundvec.features.extract import described_features
from groundvec.features.files import checksums
from groundvec.model import bank
from groundvec.model.folder import ModelFolder
from groundvec.runtime.errors import InputError
from tests.support import models
from tests.support.examples import save_model
from tests.support.folders import DAMAGE
from tests.support.lexicons import add_classes
from tests.support.photos import write_photos
from tests.support.refusals import refused
from tests.support.tables import cells


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    lite = backbones.load("efficientnet_lite0", crops=1)
    network = models.model("gru-16-max", width=lite.width)
    save_model(folder, network, features=described_features(lite, "cpu"))
    return folder


@pytest.fixture
def cache(tmp_path, monkeypatch, kept_graphs):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def photos(tmp_path, cache):
    return write_photos(tmp_path / "photos", "a.png", "b.png", "deep/c.png")


@pytest.fixture
def closed(monkeypatch):
    """Return a function after whose call no picture can be read."""

    def close():
        monkeypatch.setattr("groundvec.features.files.sha256", None)
        monkeypatch.setattr("groundvec.index.ImageEncoder", None)

    return close


def test_a_second_search_reads_no_picture(photos, model, closed):
    first = Index(photos, model)
    expected = ImageEncoder(model).encode(photos)
    assert_allclose(first.vectors, expected, atol=1e-6)
    closed()
    second = Index(photos, SentenceEncoder(model))
    assert second.paths == first.paths == sorted(photos.rglob("*.png"))
    assert_array_equal(second.vectors, first.vectors)
    assert second.search("A dog.") == first.search("A dog.")
    for options in ({"model": second.encoder.models}, {"model": model, "epochs": [4]}):
        with refused("is no ensemble of a folder: load it without epochs"):
            Index(photos, SentenceEncoder(**options))


def test_a_changed_picture_is_read_again_and_a_deleted_one_forgotten(photos, model):
    before = Index(photos, model)
    Image.new("RGB", (40, 40), "red").save(photos / "a.png")
    (photos / "b.png").unlink()
    shutil.copy(photos / "deep/c.png", photos / "copy.png")
    after = Index(photos, model)
    assert [path.name for path in after.paths] == ["a.png", "copy.png"]  # c.png is the same
    assert_allclose(after.vectors, ImageEncoder(model).encode(after.paths), atol=1e-6)
    assert not np.allclose(after.vectors[0], before.vectors[0])


def test_each_search_names_unusable_images(photos, model, closed, caplog):
    for name in ("a.png", "d.png", "e.png", "f.png", "g.png"):
        (photos / name).write_bytes(f"no picture, {name}".encode())
    assert len(Index(photos, model).paths) == 2
    assert [line.partition(" is ")[0] for line in caplog.messages] == [
        f"{photos}/{name}.png" for name in "adefg"
    ]
    assert all(line.endswith("copy it again; it is left out") for line in caplog.messages)
    message = r"none of 1 pictures can be used: \S*a.png is not a pict"
    with refused(message):
        Index(photos / "a.png", model)
    caplog.clear()
    closed()
    assert len(Index(photos, model).paths) == 2
    assert caplog.messages == ["pictures that cannot be used and are left out: 5"]
    with refused(message):
        Index(photos / "a.png", model)


@pytest.mark.parametrize(
    "where, error",
    [
        ("features.files.sha256", OSError(errno.EIO, "Input/output error")),
        ("features.extract.load", InputError("a.png does not exist")),  # the drive is unplugged
        ("features.images._decode", MemoryError()),
    ],
)
def test_a_failure_that_passes_is_not_kept(photos, model, caplog, where, error):
    fail = Mock(side_effect=error)
    with patch(f"groundvec.{where}", fail), pytest.raises(InputError, match="none of 3 pictures"):
        Index(photos, model)
    caplog.clear()
    assert len(Index(photos, model).paths) == 3 and not caplog.messages


def test_a_picture_that_is_written_over_and_gets_its_old_time_is_read_again(photos, model):
    """Its size and name stay too, as if a program had numbered pictures anew."""
    Image.new("RGB", (20, 15), "red").save(photos / "0.bmp")
    os.utime(photos / "0.bmp", (0, 0))
    before = Index(photos, model)
    Image.new("RGB", (20, 15), "blue").save(photos / "0.bmp")
    os.utime(photos / "0.bmp", (0, 0))
    assert not np.allclose(Index(photos, model).vectors[0], before.vectors[0])


def test_a_moved_or_copied_picture_is_read_and_not_embedded_again(photos, model, monkeypatch):
    expected = Index(photos, model)
    monkeypatch.setattr("groundvec.features.extract.load", None)  # no picture is decoded
    shutil.copy(photos / "a.png", photos / "a2.png")
    (photos / "a2.png").rename(photos / "a.png")  # another inode
    (photos / "b.png").chmod(0o600)  # another time of change
    assert_array_equal(Index(photos, model).vectors, expected.vectors)
    moved = photos.rename(photos.with_name("moved"))
    assert_array_equal(Index(moved, model).vectors, expected.vectors)


def replace_by_folder(path):
    path.unlink()
    path.mkdir()


DAMAGES = DAMAGE | {"folder": replace_by_folder}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_index_is_made_again(photos, model, tmp_path, caplog, damage):
    expected = Index(photos, model)
    [kept] = (tmp_path / "cache/groundvec/index").iterdir()
    damage(kept)
    found = Index(photos, model)
    assert caplog.messages == [f"{kept} is damaged: its pictures are read again"]
    assert found.paths == expected.paths
    assert_allclose(found.vectors, expected.vectors, atol=1e-6)
    if not kept.is_dir():  # which no program should remove
        caplog.clear()
        assert len(Index(photos, model).paths) == 3 and not caplog.messages


def test_other_crops_networks_or_libraries_have_an_index_of_their_own(
    photos, model, tmp_path, monkeypatch
):
    Index(photos, model)
    Index(photos, model, crops=2)
    Index(photos, model, backbone="efficientnet_lite0")
    Index([photos / "a.png"], model)
    monkeypatch.setattr("groundvec.index.versions", lambda: {"pillow": "99"})
    Index(photos, model)
    assert len(list((tmp_path / "cache/groundvec/index").iterdir())) == 5


def with_bank(model, folder):
    """Copy a model, and add a bank of nine captions."""
    shutil.copytree(model, folder / "with-bank")
    rows = [("a.jpg", "en", "train", f"A dog. {number}") for number in range(9)]
    captions = pd.DataFrame(rows, columns=["image_id", "language", "split", "caption"])
    captions.to_csv(folder / "captions.csv", index=False)
    bank.make(folder / "with-bank", folder / "captions.csv")
    return folder / "with-bank"


def test_normalizers_of_a_bank_are_kept(photos, model, tmp_path, closed):
    banked = with_bank(model, tmp_path)
    plain = Index(photos, model)
    first = Index(photos, banked)
    assert not plain.normalizers.any()
    assert_allclose(first.vectors, plain.vectors, atol=1e-6)
    assert_allclose(
        first.normalizers, bank.read(ModelFolder(banked)).normalizers(first.vectors), atol=1e-6
    )
    closed()
    second = Index(photos, banked)
    assert_array_equal(second.normalizers, first.normalizers)


def test_queries_are_added_and_subtracted(photos, model, tmp_path):
    """Each sentence brings a picture's normalizer with its sign; a picture in the query, none."""
    banked = with_bank(model, tmp_path)
    index = Index(photos, banked)
    dog, cat, red = SentenceEncoder(banked).encode(["A dog.", "A cat.", "Red."])
    attached = SentenceEncoder(banked).encode("Dogs, cats.", tokenized=True)
    like = ImageEncoder(banked).encode(photos / "b.png")[0]
    cases = [
        (index.search("A dog.", minus="A cat."), dog - cat, 0),
        (index.search("A dog.", plus="A cat."), dog + cat, 2),
        (index.search(photos / "b.png"), like, 0),
        (
            index.search("A cat.", plus=["Red.", "Red."], minus=["A dog.", photos / "b.png"]),
            cat + 2 * red - dog - like,
            2,
        ),
        (index.search("Dogs, cats.", tokenized=True), attached, 1),
        (
            index.search("A dog.", plus={photos / "b.png": 2}, minus={"A cat.": 0.5}),
            dog + 2 * like - 0.5 * cat,
            0.5,
        ),
    ]
    for found, query, normalizers in cases:
        cosines = index.vectors @ query / np.linalg.norm(query)
        ranking = cosines - normalizers * index.normalizers / np.linalg.norm(query)
        order = np.argsort(-ranking)
        assert [hit.path for hit in found] == [index.paths[row] for row in order]
        assert_allclose([hit.similarity for hit in found], cosines[order], atol=1e-5)
        assert_allclose([hit.score for hit in found], ranking[order], atol=1e-5)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"images": []}, "there is nothing to search: name a picture or a folder"),
        ({"images": "photos", "model": 5}, "model is 5: give it as str"),
        (
            {"images": "photos", "backbone": ["resnet50"]},
            r"backbone is \['resnet50'\]: give it as str | Backbone",
        ),
        ({"images": __file__, "crops": 3}, "crops is 3: it must be 1, 2 or 10"),
    ],
)
def test_an_option_of_another_type_is_refused(options, message):
    with refused(message):
        Index(**options)


def test_a_query_that_means_nothing_is_refused(photos, model, tmp_path):
    index = Index(photos, model)
    (tmp_path / "no.jpg").write_text("text")
    mistakes = [
        (photos / "a.png", {"minus": photos / "a.png"}, "nothing is left of"),
        ("a.png", {"language": "fr"}, r"a.png names a picture: write Path\('a.png'\)"),
        (photos / "none.png", {}, "none.png does not exist"),
        (photos, {}, "photos"),
        ("A dog.", {"plus": tmp_path / "no.jpg"}, "^\\S*no.jpg is not a picture"),
    ]
    of_sentence = cells(r"""
        {minus: A dog}            | nothing is left of A dog.: subtract something else
        {minus: [3]}              | minus is \[3\]: give it as str
        {plus: "\u200b"}          | sentence 1 is empty
        {minus: 5}                | minus is 5: give it as str
        {plus: [[a]]}             | plus is \[\['a'\]\]: give it as str
        {plus: {A cat.: 0}}       | the weight of A cat. is 0: it must be above 0, at
        {plus: {A cat.: 1.0e+39}} | is 1e\+39: it must be above 0, at most 1,000
        {minus: {A cat.: "2"}}    | the weight of A cat. is '2': it must be above 0
        {language: 5}             | language is 5: give it as str
        {best: 0}                 | best is 0: it must be 1 or more, a whole number
        {best: 2.5}               | best is 2.5: give it as int
    """)
    mistakes += [("A dog.", yaml.safe_load(further), message) for further, message in of_sentence]
    for query, further, message in mistakes:
        with refused(message):
            index.search(query, **further)


def test_copies_in_other_formats_and_sizes_are_shown_once(model, tmp_path, cache):
    """A burst is not: its pictures differ by a few pixels' movement."""
    rng = np.random.default_rng(0)
    blurred = Image.fromarray(rng.integers(0, 256, (12, 16, 3), np.uint8))
    (tmp_path / "copies").mkdir()
    scene = blurred.resize((640, 480), Image.Resampling.BICUBIC)
    scene.save(tmp_path / "copies/scene.png")
    scene.save(tmp_path / "copies/scene.jpg", quality=75)
    scene.resize((320, 240)).save(tmp_path / "copies/small.jpg")
    scene.crop((0, 0, 620, 480)).save(tmp_path / "copies/before.png")
    scene.crop((20, 0, 640, 480)).save(tmp_path / "copies/after.png")
    index = Index(tmp_path / "copies", model)
    found = [hit.path.stem for hit in index.search("A dog.")]
    assert sorted(found) in (["after", "before", "scene"], ["after", "before", "small"])
    assert len(index.search("A dog.", best=2)) == 2
    (tmp_path / "copies/small.jpg").unlink()  # after the index was made: it cannot be compared
    assert len(index.search("A dog.")) == 4


def test_classes_decide_the_order_and_explain_it(photos, model, tmp_path, closed):
    """The classifiers see a tiger in a.png, a cup, and in c.png an espresso."""
    classifying = shutil.copytree(model, tmp_path / "classifying")
    files = sorted(photos.rglob("*.png"))
    features, _ = ImageEncoder(model).features(files, checksums(files))
    weights = np.zeros((4, features.shape[1]), np.float32)
    weights[:3] = 50 * (features - features.mean(axis=0))
    add_classes(classifying, features.shape[1], weights)
    without = Index(photos, model)
    Index(photos, classifying)
    closed()
    index = Index(photos, classifying)
    tiger, cup, espresso = index.paths
    assert_array_equal(index.vectors, without.vectors)
    assert not without.levels.size and not without.explain(cup, "a cup")
    assert [index.search(query, 1)[0].path for query in ("a tiger", "Tasse")] == [tiger, cup]
    assert [hit.path for hit in index.search("a cup")][:2] == [cup, espresso]
    assert index.search("a cup", minus="a tiger")[-1].path == tiger
    assert index.search("a cup") == index.search("a cup", language="en")
    [added, subtracted] = index.explain(cup, "a tiger", minus=["eine Tasse", tiger])
    assert added == ("tiger", pytest.approx(0), {})
    assert subtracted.word == "Tasse" and subtracted.weight < 0
    assert subtracted.classes == {"Tasse": pytest.approx(1)}
    assert index.classes(espresso, 1, "de") == [("Espresso", pytest.approx(1))]
    with refused("'xyzzy' has too few words that captions or classes have: use other words, in"):
        index.search("a tiger", minus="xyzzy")
    with refused(r"other.png is not in this index: name one of its paths"):
        index.classes("other.png")
    with refused("best is -1: it must be 1 or more"):
        index.classes(cup, -1)
    for language in ("fr", ""):
        with refused(f"has no language '{language}': choose one of en"):
            index.explain(cup, "a cup", language)
        with refused(f"has no language '{language}': choose one of en"):
            index.classes(cup, language=language)
    with refused("has no classifiers: use flickr8k-v6"):
        without.classes(cup)
