import errno
import json
import math
import os
import shutil
import subprocess
import sys
import threading
import time
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from groundvec import ImageEncoder, SentenceEncoder, search
from groundvec.features import backbones, store
from groundvec.features.concatenation import concatenate
from groundvec.features.extract import extract
from groundvec.features.files import PICTURE, pictures
from groundvec.features.images import FORMATS
from groundvec.model.folder import read_ensemble
from groundvec.model.network import Model, encode_images, pack
from groundvec.model.shipped import NEWEST, PRETRAINED, find
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import sha256
from groundvec.text import characters, words
from tests.support.examples import description, save_model

CAPTIONS = ["A dog chases 2 cats.", "Zwei Hunde!"]
TEXTS = {
    "characters": characters.Text.build(CAPTIONS),
    "words": words.Text.build(2 * CAPTIONS),
}


def model(text="characters", width=12, seed=0, **parts):
    torch.manual_seed(seed)
    described = description("gru-16-attention", text, parts)
    return Model(described, dict.fromkeys(described["languages"], TEXTS[text]), width).eval()


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("encoder")
    save_model(folder, model())
    return SentenceEncoder(folder)


def test_one_string_is_one_sentence(encoder):
    vector = encoder.encode("A dog chases 2 cats.")
    assert vector.shape == (16,)
    np.testing.assert_allclose(vector, encoder.encode(["A dog chases 2 cats."])[0], atol=1e-6)


@given(
    st.lists(st.text("A dogchasesZ2", min_size=1), min_size=1, max_size=6),
    st.lists(st.text(" \t\r\n\x00\x85\x1f\u2028", min_size=1, max_size=3), min_size=7, max_size=7),
)
def test_sentences_are_cleaned_as_captions_are(encoder, words, gaps):
    plain = " ".join(word for text in words for word in text.split())
    odd = "".join(f"{gap}{word}" for word, gap in zip(plain.split(), gaps * 99, strict=False))
    np.testing.assert_array_equal(encoder.encode([f"{odd}{gaps[0]}"]), encoder.encode([plain]))


@given(st.text(max_size=20), st.sampled_from("\u00ad\u200b\u200e\u2060\ufeff"))
def test_text_that_looks_the_same_has_the_same_vector(encoder, sentence, invisible):
    same = [unicodedata.normalize(form, sentence) for form in ("NFC", "NFD", "NFKC")]
    vectors = encoder.encode([sentence, *same, invisible.join(["", *sentence, ""])])
    np.testing.assert_allclose(vectors, vectors[[0] * 5], atol=1e-6)


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        ([None], "sentence 0 is not text but NoneType"),
        (["A dog.", 3], "sentence 1 is not text but int"),
        ([b"A dog."], "sentence 0 is not text but bytes"),
        (b"A dog.", "pass a list of strings, not bytes"),
        ({"A dog.": 1}, "pass a list of strings, not dict"),
        ({"A dog."}, "pass a list of strings, not set"),
        (None, "pass a list of strings, not NoneType"),
        (pd.DataFrame({"A dog.": [1]}), "pass a list of strings, not DataFrame"),
        (pd.Series(["A dog.", float("nan")]), "sentence 1 is not text but float"),
        (Image.new("RGB", (2, 2)), "pass a list of strings, not Image"),
        (np.zeros((1, 2)), "sentence 0 is not text but ndarray"),
        (zip("ab", "cd", strict=True), "sentence 0 is not text but tuple"),
        ([["A dog."]], "sentence 0 is not text but list"),
    ],
)
def test_what_is_no_sentence_is_named(encoder, sentences, message):
    with pytest.raises(InputError, match=message):
        encoder.encode(sentences)


def test_what_is_longer_than_a_caption_may_be_is_cut_and_says_so(encoder):
    start = time.monotonic()
    message = "1 of 2 sentences are cut after 1000 characters; the first begins 'dogs"
    with pytest.warns(UserWarning, match=message):
        long = encoder.encode(["dogs " * 200_000, "A dog."])
    assert time.monotonic() - start < 20  # a million characters, uncut, took minutes
    np.testing.assert_allclose(long[0], encoder.encode(["dogs " * 200])[0], atol=1e-6)


@pytest.mark.parametrize("text", ["characters", "words"])
def test_a_vector_is_the_same_alone_in_any_batch_and_in_any_order(text):
    encoder = SentenceEncoder([model(text), model(text, seed=1)])
    sentences = ["A dog.", "", "never seen: éß🐶", "Zwei Hunde! " * 20, "A dog chases 2 cats."]
    alone = np.stack([encoder.encode(sentence) for sentence in sentences])
    assert alone.dtype == np.float32
    for size in (1, 2, 100, None):
        np.testing.assert_allclose(encoder.encode(sentences, batch_size=size), alone, atol=1e-6)
    turned = encoder.encode(sentences[::-1], show_progress_bar=True)
    np.testing.assert_allclose(turned[::-1], alone, atol=1e-6)
    assert encoder.encode([]).shape == (0, 16)


def test_vectors_are_normalised_where_that_is_asked_for():
    encoder = SentenceEncoder([model(similarity="dot")])
    vectors = encoder.encode(CAPTIONS)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    assert not np.allclose(lengths, 1)
    np.testing.assert_allclose(
        encoder.encode(CAPTIONS, normalize_embeddings=True), vectors / lengths, atol=1e-6
    )


@pytest.mark.parametrize("kind", ["cosine", "dot", "euclidean"])
def test_similarity_is_the_model_s_own(kind):
    encoder = SentenceEncoder([model(similarity=kind)])
    a, b = CAPTIONS, ["A cat.", "A dog.", "Zwei"]
    one, other = encoder.encode(a), encoder.encode(b)
    expected = np.array(
        [[-((x - y) ** 2).sum() if kind == "euclidean" else sum(x * y) for y in other] for x in one]
    )
    np.testing.assert_allclose(encoder.similarity(a, b), expected, atol=1e-5)
    np.testing.assert_allclose(encoder.similarity(a[0], b), expected[0], atol=1e-5)
    np.testing.assert_allclose(encoder.similarity(a, b[2]), expected[:, 2], atol=1e-5)
    assert encoder.similarity(a[0], b[2]) == pytest.approx(expected[0, 2], abs=1e-5)


def test_a_language_is_the_first_if_none_is_named():
    encoder = SentenceEncoder([model(languages=["en", "de"])])
    assert encoder.languages == ["en", "de"]
    english, german = (encoder.encode(CAPTIONS, language=name) for name in ("en", "de"))
    np.testing.assert_array_equal(encoder.encode(CAPTIONS), english)
    assert not np.allclose(english, german)
    with pytest.raises(InputError, match="no language 'fr': choose one of en, de"):
        encoder.encode(CAPTIONS, language="fr")


@pytest.mark.parametrize("use", [SentenceEncoder, ImageEncoder])
def test_a_model_that_there_is_not_is_named(use):
    message = "no model nowhere: give the folder of a trained one.*: flickr8k, flickr8k-v4"
    with pytest.raises(InputError, match=message):
        use("nowhere")


def test_a_name_without_a_version_is_the_newest():
    versions: dict[str, list[int]] = {}
    for folder in PRETRAINED.iterdir():
        name, version = folder.name.rsplit("-v", 1)
        versions.setdefault(name, []).append(int(version))
    assert {name: f"{name}-v{max(of)}" for name, of in versions.items()} == NEWEST
    assert find("flickr8k") == find(NEWEST["flickr8k"]) == PRETRAINED / NEWEST["flickr8k"]


@pytest.mark.parametrize("use", [SentenceEncoder, ImageEncoder])
def test_a_folder_without_a_model_is_named(use, tmp_path):
    with pytest.raises(InputError, match=f"there is no model {tmp_path}: give the folder of a"):
        use(tmp_path)
    with pytest.raises(InputError, match="there is no model ~nobody-of-that-name/x: give"):
        use("~nobody-of-that-name/x")


def test_a_packed_model_is_the_ensemble_in_eight_bits(tmp_path):
    save_model(tmp_path / "whole", [model(seed=seed) for seed in range(3)], [0, 4, 8])
    (tmp_path / "whole" / "ensemble.json").write_text('{"epochs": [4, 8], "best": 8}')
    pack(tmp_path / "whole", tmp_path / "packed")
    assert read_ensemble(tmp_path / "packed") == {"epochs": [4, 8], "best": 8}
    whole, packed = (SentenceEncoder(tmp_path / name) for name in ("whole", "packed"))
    np.testing.assert_allclose(packed.encode(CAPTIONS), whole.encode(CAPTIONS), atol=2e-2)
    size = (tmp_path / "whole/snapshots/epoch-004.safetensors").stat().st_size
    small = sorted((tmp_path / "packed" / "snapshots").iterdir())
    assert [path.name for path in small] == ["epoch-004.safetensors", "epoch-008.safetensors"]
    assert all(path.stat().st_size < 0.6 * size for path in small)
    with pytest.raises(InputError, match="packed already exists"):
        pack(tmp_path / "whole", tmp_path / "packed")


# Pictures


@pytest.fixture(scope="module")
def lite():
    return backbones.load("efficientnet_lite0")


def of_backbone(backbone):
    return {
        "backbone": backbone.name,
        "weights": backbone.weights,
        "weights_sha256": backbone.sha256,
    }


@pytest.fixture
def photos(tmp_path, monkeypatch):
    """Four pictures, in folders."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    # Their features are one file, however slow the machine is.
    monkeypatch.setattr("groundvec.features.extract.SAVE_INTERVAL", np.inf)
    rng = np.random.default_rng(0)
    for name in ("b.png", "a.jpg", "deep/c.PNG", "deep/d.jpeg"):
        path = tmp_path / "photos" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(rng.integers(0, 256, (60, 80, 3), np.uint8)).save(path)
    return tmp_path / "photos"


def test_pictures_are_found_in_folders_and_by_name(photos):
    names = [path.relative_to(photos).as_posix() for path in pictures(photos)]
    assert names == ["a.jpg", "b.png", "deep/c.PNG", "deep/d.jpeg"]
    assert pictures([photos / "b.png", photos / "deep"]) == [
        photos / "b.png",
        photos / "deep/c.PNG",
        photos / "deep/d.jpeg",
    ]
    with pytest.raises(InputError, match=r"e\.png does not exist"):
        pictures([photos / "a.jpg", photos / "e.png"])
    (photos / "empty").mkdir()
    with pytest.raises(InputError, match="empty holds no pictures"):
        pictures(photos / "empty")


@pytest.mark.parametrize("similarity", ["dot", "euclidean"])
def test_search_compares_as_the_model_does(photos, tmp_path, lite, similarity):
    network = model(width=lite.width, similarity=similarity)
    save_model(tmp_path / "model", [network], [4], features=of_backbone(lite))
    vectors = ImageEncoder(tmp_path / "model").encode(photos)
    sentence = SentenceEncoder(tmp_path / "model").encode("A dog.")
    near = vectors @ sentence
    if similarity == "euclidean":
        near = -((vectors - sentence) ** 2).sum(axis=1)
    found = search(photos, "A dog.", model=tmp_path / "model")
    assert [path for path, _ in found] == [pictures(photos)[row] for row in np.argsort(-near)]


def test_search_ranks_pictures_as_their_vectors_do(photos, tmp_path, lite):
    both = [model(width=lite.width, seed=seed) for seed in (0, 1)]
    save_model(tmp_path / "model", both, [4, 8], features=of_backbone(lite))
    images = ImageEncoder(tmp_path / "model")
    vectors = images.encode(photos)
    assert vectors.shape == (4, 16) and vectors.dtype == np.float32
    total = sum(ImageEncoder([each], backbone=lite).encode(photos) for each in both)  # an ensemble
    total /= np.linalg.norm(total, axis=1, keepdims=True)
    np.testing.assert_allclose(vectors, total, atol=1e-6)
    np.testing.assert_allclose(images.encode(photos / "b.png"), vectors[1:2], atol=1e-6)
    sentence = SentenceEncoder(tmp_path / "model").encode("A dog.")
    found = search(photos, "A dog.", model=tmp_path / "model", best=3)
    order = np.argsort(-(vectors @ sentence))[:3]
    assert [path for path, _ in found] == [pictures(photos)[row] for row in order]
    np.testing.assert_allclose(
        [score for _, score in found], (vectors @ sentence)[order], atol=1e-6
    )


def test_a_search_for_no_pictures_is_refused(photos):
    with pytest.raises(InputError, match="best is 0: it must be 1 or more"):
        search(photos, "A dog.", best=0)


def test_pictures_are_computed_once(photos, tmp_path, lite):
    images = ImageEncoder([model(width=lite.width)], backbone=lite)
    first = images.encode(photos)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("groundvec.features.backbones.Backbone.network", None)  # not even made
        np.testing.assert_array_equal(images.encode(photos), first)


def test_files_are_read_several_at_a_time(photos, lite, monkeypatch):
    images = ImageEncoder([model(width=lite.width)], backbone=lite)
    expected = images.encode(photos)
    together = threading.Barrier(2, timeout=10)

    def read(path):
        together.wait()
        return sha256(path)

    monkeypatch.setattr("groundvec.features.files.sha256", read)
    np.testing.assert_array_equal(images.encode(photos), expected)


def test_features_are_computed_on_the_gpu_of_the_model(photos, lite, monkeypatch):
    images = ImageEncoder([model(width=lite.width)], backbone=lite)
    weight = SimpleNamespace(device=torch.device("cuda:1"))
    monkeypatch.setattr(images.models[0], "parameters", lambda: iter([weight]))
    devices = []

    def extract(files, backbone, work, device, *_):
        devices.append(device)
        return np.zeros((len(files), backbone.width))

    monkeypatch.setattr("groundvec.features.extract.extract", extract)
    monkeypatch.setattr("groundvec.model.network.encode_images", lambda models, features: features)
    images.encode(photos)
    assert devices == ["cuda:1"]


def test_damaged_pictures_are_all_named(photos, lite):
    for name in ("a.jpg", "b.png"):
        (photos / name).write_bytes(b"no picture")
    with pytest.raises(InputError, match=r"2 of 4 images cannot be used[\s\S]*a\.jpg[\s\S]*b\.png"):
        ImageEncoder([model(width=lite.width)], backbone=lite).encode(photos)


def test_a_search_leaves_out_what_is_no_picture_and_names_it(photos, tmp_path, lite, caplog):
    save_model(tmp_path / "model", model(width=lite.width), features=of_backbone(lite))
    expected = search(photos, "A dog.", model=tmp_path / "model")
    (photos / "!b.png").write_bytes(b"no picture")
    found = search(photos, "A dog.", model=tmp_path / "model")
    assert [path for path, _ in found] == [path for path, _ in expected]
    [line] = caplog.messages
    assert "!b.png is not a picture" in line and line.endswith("; it is left out")
    vectors = ImageEncoder(tmp_path / "model").encode(photos, skip_unusable=True)
    assert np.isnan(vectors).all(axis=1).tolist() == [True, False, False, False, False]
    (photos / "!c.png").write_bytes(b"nor this")
    with pytest.raises(InputError, match="none of 2 pictures can be used"):
        search([photos / "!b.png", photos / "!c.png"], "A dog.", model=tmp_path / "model")


def test_a_search_may_leave_punctuation_attached(photos, tmp_path, lite):
    save_model(tmp_path / "model", model(width=lite.width), features=of_backbone(lite))
    encoder = SentenceEncoder(tmp_path / "model")
    vectors = ImageEncoder(tmp_path / "model").encode(photos / "a.jpg")
    scores = [
        search(photos / "a.jpg", "Dogs, cats.", model=tmp_path / "model", tokenized=tokenized)[0][1]
        for tokenized in (False, True)
    ]
    sentences = [encoder.encode("Dogs, cats.", tokenized=each) for each in (False, True)]
    np.testing.assert_allclose(scores, [vectors[0] @ each for each in sentences], atol=1e-6)
    assert abs(scores[0] - scores[1]) > 1e-4


def test_what_could_not_be_read_at_first_is_not_kept(photos, tmp_path, lite, monkeypatch):
    """Else it would be found again in place of any other picture that cannot be read."""

    def refuse(path):
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    images = ImageEncoder([model(width=lite.width)], backbone=lite)
    with monkeypatch.context() as patch:
        patch.setattr("groundvec.features.files.sha256", refuse)
        with pytest.raises(InputError, match=r"1 of 1 images cannot be used.*a\.jpg has changed"):
            images.encode(photos / "a.jpg")
    assert not list((tmp_path / "cache").rglob("*.npz"))


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS])
def test_a_cache_that_cannot_be_written_costs_no_result(photos, lite, caplog, monkeypatch, number):
    images = ImageEncoder([model(width=lite.width)], backbone=lite)

    def refuse(*_, **__):
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr("groundvec.features.extract.write_bytes", refuse)
        vectors = images.encode(photos)
    [line] = caplog.messages
    assert line.endswith(f": {os.strerror(number)}; new features are not saved there")
    np.testing.assert_allclose(images.encode(photos), vectors, atol=1e-6)


@pytest.mark.parametrize(
    "change",
    [
        lambda values: values * np.float32("nan"),
        lambda values: values[:, :1],
        lambda values: values.astype(np.int8),
        lambda values: values.astype(np.float64),
        lambda values: values[:1],
    ],
    ids=["NaN", "width 1", "int8", "float64", "a row"],
)
def test_a_cache_of_other_numbers_is_not_used(photos, lite, tmp_path, caplog, change):
    images = ImageEncoder([model(width=lite.width)], backbone=lite)
    vectors = images.encode(photos)
    [shard] = (tmp_path / "cache").rglob("*.npz")
    with np.load(shard) as saved:
        content = dict(saved)
    np.savez(shard, **(content | {"features": change(content["features"])}))
    np.testing.assert_allclose(images.encode(photos), vectors, atol=1e-6)
    assert caplog.messages == [f"{shard} is damaged: its images are computed again"]


def test_pictures_are_found_by_every_ending_that_pillow_knows_for_their_form():
    known = {end for end, form in Image.registered_extensions().items() if form in FORMATS}
    assert {".jfif", ".apng", ".heic", ".avif"} < known
    for ending in {*known, ".mpo", ".pjpeg", ".JPG", ".PjPeG"}:
        assert PICTURE.fullmatch(ending), ending
    for ending in ("", ".jp2", ".cr2", ".dng", ".mp4", ".jpg_large", ".psd", ".svg", ".jp"):
        assert not PICTURE.fullmatch(ending), ending


def test_what_is_no_picture_is_counted_in_one_line(photos, caplog):
    photographs = (".CR2", ".cr2", "x.CR2", ".NEF", ".dng", ".jp2")
    for ending in (*photographs, ".mp4", ".MP4", ".xmp", ".txt", ".md", ".a", ".b", ""):
        (photos / f"deep/a{ending}").touch()
    (photos / "._a.jpg").touch()
    assert [file.name for file in pictures(photos)] == ["a.jpg", "b.png", "c.PNG", "d.jpeg"]
    [line] = caplog.messages
    assert line.endswith(
        ": left out what is not read: 5 RAW (.cr2, .dng, .nef: export them as JPEG), "
        "1 in other picture formats (.jp2: export them as JPEG), "
        "2 .mp4, 1 without ending, 1 .a, 1 .b, 3 others"
    )
    (photos / "deep/only").mkdir()
    (photos / "deep/only/r.CR2").touch()
    with pytest.raises(InputError, match=r"only holds no pictures .*: 1 RAW \(\.cr2: export them"):
        pictures(photos / "deep/only")


def test_thumbnails_and_trash_are_left_out_and_links_followed_once(photos, tmp_path):
    before = pictures(photos)
    for folder in (".thumbnails", ".Trash-1000/files", "@eaDir/a.jpg", "__MACOSX", "#recycle"):
        (photos / folder).mkdir(parents=True)
        shutil.copy(photos / "a.jpg", photos / folder / "x.jpg")
    assert pictures(photos) == before
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shutil.copy(photos / "a.jpg", elsewhere / "far.jpg")
    (photos / "deep/link").symlink_to(elsewhere)
    (photos / "deep/again").symlink_to(elsewhere)
    (photos / "deep/loop").symlink_to(photos)
    (elsewhere / "back").symlink_to(photos / "deep")
    assert sorted({*pictures(photos)} - {*before}) == [photos / "deep/again/far.jpg"]


def test_the_same_picture_is_shown_once(photos, tmp_path, lite):
    save_model(tmp_path / "model", model(width=lite.width), features=of_backbone(lite))
    once = search(photos, "A dog.", model=tmp_path / "model")
    shutil.copy(photos / "a.jpg", photos / "a (1).JPG")
    (photos / "z.png").symlink_to(photos / "b.png")
    found = search([photos, photos / "a.jpg"], "A dog.", model=tmp_path / "model")
    assert [score for _, score in found] == pytest.approx([score for _, score in once])


def test_folders_that_cannot_be_read_are_not_empty(photos, monkeypatch, caplog):
    scandir = os.scandir
    closed = photos / "deep"

    def refuse(path):
        if str(path) == str(closed):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    assert pictures(photos) == [photos / "a.jpg", photos / "b.png"]
    assert "deep cannot be read (Permission denied); its pictures are left out" in caplog.text
    with pytest.raises(InputError, match=r"deep cannot be read \(Permission denied\): change its"):
        pictures(closed)
    os.mkfifo(photos / "pipe")
    with pytest.raises(InputError, match="pipe is neither a file nor a folder: name a picture"):
        pictures(photos / "pipe")


def test_the_backbone_must_be_the_one_of_the_training(tmp_path, lite):
    elsewhere = {"backbone": "precomputed", "weights": "my.npz"}
    save_model(tmp_path / "elsewhere", model(width=lite.width), features=elsewhere)
    with pytest.raises(InputError, match=r"computed elsewhere \(my\.npz\): name the network"):
        ImageEncoder(tmp_path / "elsewhere")
    assert ImageEncoder(tmp_path / "elsewhere", backbone=lite).backbones == [lite]
    by_name = ImageEncoder(tmp_path / "elsewhere", backbone="efficientnet_lite0")
    assert by_name.backbones[0].sha256 == lite.sha256
    other = of_backbone(lite) | {"weights_sha256": "0" * 64}
    save_model(tmp_path / "other", model(width=lite.width), features=other)
    with pytest.raises(InputError, match="trained with other weights of efficientnet_lite0"):
        ImageEncoder(tmp_path / "other")
    save_model(tmp_path / "narrow", model(width=12), features=of_backbone(lite))
    with pytest.raises(InputError, match="has 1280 features, but the model reads 12"):
        ImageEncoder(tmp_path / "narrow")


def test_pictures_are_reduced_as_those_of_the_training_were(tmp_path, lite):
    how = json.dumps(asdict(lite.transform) | {"interpolation": "lanczos"})
    features = of_backbone(lite) | {"transform": how, "precision": "float16"}
    save_model(tmp_path / "model", model(width=lite.width), features=features)
    [backbone] = ImageEncoder(tmp_path / "model").backbones
    assert (backbone.transform.interpolation, backbone.precision) == ("lanczos", "float16")


def test_pictures_are_described_by_several_networks_as_those_of_the_training(
    photos, tmp_path, lite
):
    """The extracted and concatenated features give the vectors that picture files give."""
    networks = [replace(each, crops=2) for each in (lite, backbones.load("efficientnet_lite1"))]
    files = pictures(photos)
    images = pd.DataFrame({"image_id": [path.name for path in files], "split": "train"})
    images["path"] = [str(path) for path in files]
    images["sha256"] = [sha256(path) for path in files]
    for each in networks:
        values = extract(images, each, tmp_path / "work", "cpu", 1)
        made = of_backbone(each) | {"crops": 2}
        store.write(tmp_path / f"{each.name}.h5", values, images.image_id, made)
    stored = [tmp_path / f"{each.name}.h5" for each in networks]
    features, made = concatenate(stored, images)
    several = model(width=2 * lite.width)
    save_model(tmp_path / "model", several, features=made)

    seeing = ImageEncoder(tmp_path / "model")
    assert [(each.name, each.crops) for each in seeing.backbones] == [
        ("efficientnet_lite0", 2),
        ("efficientnet_lite1", 2),
    ]
    expected = encode_images([several], features)
    np.testing.assert_allclose(seeing.encode(photos), expected, atol=1e-5)

    found = search(photos, "A dog.", model=tmp_path / "model", best=4, crops=1)
    of_one_crop = ImageEncoder(tmp_path / "model", crops=1).encode(photos)
    assert not np.allclose(of_one_crop, expected, atol=1e-5)
    sentence = SentenceEncoder(tmp_path / "model").encode("A dog.")
    np.testing.assert_allclose(
        [score for _, score in found], np.sort(of_one_crop @ sentence)[::-1], atol=1e-5
    )
    with pytest.raises(InputError, match="crops is 3: it must be 1, 2 or 10"):
        ImageEncoder(tmp_path / "model", crops=3)
    with pytest.raises(InputError, match="has 1280 features, but the model reads 2560"):
        ImageEncoder(tmp_path / "model", backbone="efficientnet_lite1")
    features = made | {"blocks": made["blocks"].replace(lite.sha256, "0" * 64)}
    save_model(tmp_path / "other", several, features=features)
    with pytest.raises(InputError, match="trained with other weights of efficientnet_lite0"):
        ImageEncoder(tmp_path / "other")


def test_where_there_are_no_weights_the_error_says_where_to_get_them(tmp_path, monkeypatch):
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    monkeypatch.setattr(
        "torch.hub.download_url_to_file", lambda *_: (_ for _ in ()).throw(ConnectionError("no"))
    )
    features = {"backbone": "resnet50", "weights": "ResNet50_Weights.IMAGENET1K_V2"}
    save_model(tmp_path / "model", model(width=2048), features=features)
    with pytest.raises(InputError, match=r"cannot download .*resnet50-11ad3fa6\.pth .*put it at"):
        ImageEncoder(tmp_path / "model")


def test_the_shipped_encoder_imports_little_beside_torch():
    """Such as no pandas or scikit-learn: `groundvec encode` starts about as fast as torch.

    Sympy and torch's compiler take half a second to two. Nor does the search by the networks that
    come along import torchvision, which takes as long.
    """
    program = """
import sys, torch
of_torch = set(sys.modules)
from groundvec import SentenceEncoder
SentenceEncoder("flickr8k").encode(["A dog runs."])
new = {*sys.modules} - of_torch
print(*{name if name.startswith("torch.") else name.partition(".")[0] for name in new})
from groundvec.features import backbones, extract
backbones.load("efficientnet_lite0").network
assert not {"sympy", "torchvision"} & {*sys.modules}
"""
    result = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
    of_jsonschema = {"attr", "attrs", "idna", "jsonschema", "jsonschema_specifications"}
    of_jsonschema |= {"referencing", "rpds"}
    new = {name for name in result.stdout.decode().split() if not name.startswith("_cython")}
    assert new - sys.stdlib_module_names <= of_jsonschema | {
        *("groundvec", "safetensors", "yaml", "torch.utils._device"),
    }


# What sentence-transformers' users expect


def test_options_have_the_names_of_sentence_transformers(encoder):
    assert SentenceEncoder.from_pretrained(encoder.folder).dim == encoder.dim == 16
    vectors = encoder.encode(CAPTIONS, batch_size=1, convert_to_tensor=True)
    assert isinstance(vectors, torch.Tensor) and vectors.dtype == torch.float32
    np.testing.assert_allclose(vectors, encoder.encode(CAPTIONS), atol=1e-6)
    assert encoder.device == "cpu"
    name = encoder.folder.name
    assert repr(encoder) == f"SentenceEncoder({name!r}, dim=16, languages=['en'], device='cpu')"


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"truncate_dim": 64}, r"no option 'truncate_dim': write encode\(...\)\[:, :dim\]"),
        ({"precision": "int8"}, "no option 'precision': write encode"),
        ({"convert_to_numpy": False}, "no option 'convert_to_numpy': leave it out"),
        ({"prompt": "query: "}, "no option 'prompt': put it before each sentence"),
        ({"normalise": True}, "no option 'normalise': see its help"),
    ],
)
def test_other_options_are_refused_with_what_to_write(encoder, option, message):
    with pytest.raises(TypeError, match=message):
        encoder.encode(CAPTIONS, **option)


def parameter(vectors):
    return torch.tensor(vectors, requires_grad=True)


def test_defaults_of_sentence_transformers_may_be_named(encoder):
    defaults = {  # those of sentence-transformers 6.2
        "prompt_name": None,
        "prompt": None,
        "batch_size": 32,
        "show_progress_bar": None,
        "output_value": "sentence_embedding",
        "precision": "float32",
        "convert_to_numpy": True,
        "convert_to_tensor": False,
        "device": None,
        "normalize_embeddings": False,
        "truncate_dim": None,
        "pool": None,
        "chunk_size": None,
    }
    vectors = encoder.encode(CAPTIONS, **defaults)
    np.testing.assert_allclose(vectors, encoder.encode(CAPTIONS), atol=1e-6)
    tensors = encoder.encode(CAPTIONS, convert_to_numpy=False, convert_to_tensor=True)
    assert isinstance(tensors, torch.Tensor)


@pytest.mark.parametrize("size", [0, 2.0, "2"])
def test_a_batch_is_a_whole_number_of_sentences(encoder, size):
    with pytest.raises(InputError, match=f"batch_size is {size}: it must be 1 or more, a whole n"):
        encoder.encode(CAPTIONS, batch_size=size)


@pytest.mark.parametrize("form", [np.asarray, torch.tensor, np.float64, parameter])
def test_vectors_are_compared_as_their_sentences(encoder, form):
    a, b = encoder.encode(CAPTIONS), encoder.encode("A cat.")
    expected = encoder.similarity(CAPTIONS, "A cat.")
    np.testing.assert_allclose(encoder.similarity(form(a), form(b)), expected, atol=1e-6)
    np.testing.assert_allclose(encoder.similarity(form(a), "A cat."), expected, atol=1e-6)
    with pytest.raises(InputError, match=r"a: float\d\d of shape \(2, 3\): give sentences, or vec"):
        encoder.similarity(form(a[:, :3]), b)


@pytest.mark.parametrize(
    "form",
    [
        lambda vectors: np.round(127 * vectors).astype(np.int8),  # whose products overflow
        lambda vectors: np.round(127 * vectors + 128).astype(np.uint8),
        lambda vectors: np.round(2**62 * vectors.astype(float)).astype(np.int64),
        lambda vectors: 3 * vectors,
        lambda vectors: vectors[:1] + vectors,
        lambda vectors: (1000 * vectors).astype(np.float16),
        lambda vectors: 1e300 * vectors.astype(float),  # whose squares overflow
        lambda vectors: 1e-300 * vectors.astype(float),  # or vanish
        lambda vectors: vectors.tolist(),
        lambda vectors: [*map(torch.tensor, vectors)],
        lambda vectors: torch.tensor(vectors).bfloat16(),
        lambda vectors: pd.Series([*vectors]),
    ],
)
def test_vectors_of_any_kind_have_cosines(encoder, form):
    a, b = form(encoder.encode(CAPTIONS)), encoder.encode(["A cat.", "A dog."])
    rows = [[float(number) for number in row] for row in a]
    expected = [
        [
            sum(x * y for x, y in zip(row, other, strict=True)) / math.hypot(*row)
            for other in b.tolist()
        ]
        for row in rows
    ]
    near = encoder.similarity(a, b)
    assert near.dtype == np.float32
    np.testing.assert_allclose(near, expected, atol=1e-6)
    np.testing.assert_allclose(encoder.similarity(b, a).T, near, atol=1e-6)
    np.testing.assert_allclose(np.diag(encoder.similarity(a, a)), 1, atol=1e-6)


def test_the_cosine_of_a_vector_of_zeros_is_0(encoder):
    near = encoder.similarity(np.zeros((1, 16), int), CAPTIONS)
    np.testing.assert_array_equal(near, [[0, 0]])
    assert encoder.similarity(np.zeros((0, 16)), CAPTIONS).shape == (0, 2)


def test_other_measures_keep_the_length_of_vectors():
    encoder = SentenceEncoder([model(similarity="dot")])
    hundreds = np.full(16, 100, np.int8)
    assert encoder.similarity(hundreds, 2 * np.ones(16)) == 16 * 200
    with pytest.raises(InputError, match="products overflow 32-bit floats"):
        encoder.similarity(1e30 * np.ones(16), 1e30 * np.ones(16))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (np.ones((2, 16), bool), r"b: bool of shape \(2, 16\): give sentences, or vectors of 16 n"),
        (np.ones((2, 16), complex), "b: complex128 of shape"),
        (np.ones((1, 2, 16)), r"b: float64 of shape \(1, 2, 16\): give"),
        (np.array([[1.0] * 16, [np.nan] * 16]), r"b: row 1 \(from 0\) is not finite"),
        ([1.0] * 15 + [math.inf], r"b: row 15 \(from 0\) is not finite"),
        ([[1.0] * 16, [1.0] * 15], "b is no array"),
        ([np.ones(16), "A dog."], "b is no array"),
        (["A dog.", np.ones(16)], "sentence 1 is not text but ndarray"),
        (torch.ones(2, 16).to_sparse(), "b is no array .*to_dense"),
        (torch.ones(2, 16, device="meta"), "b is no array"),
        ([None, "A dog."], "b: object of shape .*: give sentences"),
        (np.array(1.0), "pass a list of strings, not ndarray"),
        (None, "pass a list of strings, not NoneType"),
    ],
)
def test_what_has_no_similarity_is_named(encoder, given, message):
    with pytest.raises(InputError, match=message):
        encoder.similarity(CAPTIONS, given)


def test_a_saved_model_is_the_ensemble_alone_and_gives_the_same_vectors(tmp_path):
    save_model(tmp_path / "model", [model(seed=seed) for seed in range(3)], [4, 8, 12])
    encoder = SentenceEncoder(tmp_path / "model", epochs=[4])
    everything = SentenceEncoder(tmp_path / "model")
    encoder.save_pretrained(tmp_path / "saved")
    copied = SentenceEncoder(tmp_path / "saved")
    np.testing.assert_array_equal(copied.encode(CAPTIONS), everything.encode(CAPTIONS))
    kept = sorted(path.name for path in (tmp_path / "saved/snapshots").iterdir())
    epochs = read_ensemble(tmp_path / "model")["epochs"]
    assert kept == [f"epoch-{epoch:03}.safetensors" for epoch in epochs]
    for path in (tmp_path / "saved").rglob("*.*"):  # whoever edits a copy, edits nothing else
        assert path.stat().st_nlink == 1
    with pytest.raises(InputError, match="saved already exists: name another folder"):
        encoder.save_pretrained(tmp_path / "saved")
    with pytest.raises(InputError, match="has no folder"):
        SentenceEncoder([model()]).save_pretrained(tmp_path / "other")


@pytest.mark.parametrize("device", ["banana", "cuda:17"])
def test_a_device_that_there_is_not_is_named(encoder, device):
    with pytest.raises(InputError, match=f"^{device}.* cannot be used"):
        SentenceEncoder(encoder.folder, device=device)


def test_several_threads_use_one_encoder(encoder):
    sentences = [f"A dog chases {number} cats." for number in range(200)]
    expected = encoder.encode(sentences)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: encoder.encode(sentences), range(8)))
    for vectors in found:
        np.testing.assert_allclose(vectors, expected, atol=1e-6)


@pytest.mark.parametrize("given", [None, 3, [], ["flickr8k"], {"flickr8k": 1}])
def test_what_is_no_model_is_refused(given):
    with pytest.raises(InputError, match="is no model: give the name or the folder of one"):
        SentenceEncoder(given)


@pytest.mark.parametrize("given", [None, 3, [4], [None]])
def test_what_is_no_picture_is_refused(given):
    with pytest.raises(InputError, match="is no picture: name a picture or a folder"):
        pictures(given)
