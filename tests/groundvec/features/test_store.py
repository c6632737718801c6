"""Files of features, and their damage."""

import json
import os
import zipfile
from pathlib import Path

import h5py
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundvec.features import store
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import sha256
from tests.support.features import IDS, Trap, make_images
from tests.support.refusals import refused
from tests.support.small_data import run_script


def small_store(folder):
    features = np.random.default_rng(0).normal(size=(20, 8)).astype(np.float32)
    ids = [f"ä image {k}" for k in range(20)]
    store.write(folder / "a.h5", features, ids, {"backbone": "x", "crops": 10})
    return folder / "a.h5", features, ids


def test_features_stay_in_their_file(tmp_path):
    path, values, _ = small_store(tmp_path)
    np.savez(tmp_path / "a.npz", features=values, image_ids=[f"ä image {k}" for k in range(20)])
    wanted = ["ä image 8", "ä image 1", "ä image 1"]
    rows = [8, 1, 1]
    mapped = store.read(path, wanted)
    loaded = store.read(tmp_path / "a.npz", wanted)
    assert not mapped.matrix.flags.writeable and loaded.matrix.flags.writeable
    for features in (mapped, loaded):
        assert features.shape == (3, 8) and len(features) == 3
        assert np.array_equal(features[:], values[rows])
        assert np.array_equal(features[np.array([2, 0])], values[[1, 8]])
        assert np.array_equal(features[1:5], values[[1, 1]])


def test_read_names_missing_images(tmp_path):
    path, _, _ = small_store(tmp_path)
    with refused(r"like ä image 0.* no features for image b and 1 others"):
        store.read(path, ["ä image 1", "b", "c"])
    with refused(r"none\.h5 does not exist"):
        store.read(path.with_name("none.h5"), ["b"])


def test_fingerprint_tells_contents_apart(tmp_path):
    path, features, ids = small_store(tmp_path)
    first = store.attributes(path)["fingerprint"]
    other = path.with_name("b.h5")

    def written(features, ids):
        store.write(other, features, ids, {"backbone": "y"})
        return store.attributes(other)["fingerprint"]

    assert written(features, ids) == first
    assert written(features + np.float32(1e-6), ids) != first
    assert written(features, [*ids[1:], ids[0]]) != first
    attributes = {"backbone": "x", "crops": 10, "width": 8, "fingerprint": first}
    assert json.loads(json.dumps(store.attributes(path))) == attributes


def import_features(folder, name):
    options = ["--images", folder / "images.csv", "--output", folder / "out.h5"]
    run_script("join_features", *options, "--parts", folder / name)


@pytest.mark.parametrize("dtype", [np.float16, np.float64])
def test_precomputed_features(tmp_path, dtype):
    make_images(tmp_path, 3)
    features = np.arange(8).reshape(4, 2) / 4  # exact in 16 bits
    ids = ["id 2", "another", "id 0", "id 1"]
    np.savez(tmp_path / "a.npz", features=features.astype(dtype), image_ids=ids)
    import_features(tmp_path, "a.npz")
    with h5py.File(tmp_path / "out.h5") as file:
        assert file["features"].dtype == np.float32
        assert file["features"][:].tolist() == [[1.0, 1.25], [1.5, 1.75], [0.0, 0.25]]
        assert file["image_ids"].asstr()[:].tolist() == ["id 0", "id 1", "id 2"]
    made = store.attributes(tmp_path / "out.h5")
    assert made["backbone"] == "precomputed"
    assert made["weights"] == "a.npz"
    assert made["weights_sha256"] == sha256(tmp_path / "a.npz")


NAN = np.ones((3, 2))
LARGE = np.ones((3, 2))
NAN[1, 0] = np.nan
LARGE[2] = 1e300
BAD = {
    "nan": (NAN, IDS, "features that are NaN or beyond 1e\\+15 for image id 1;"),
    "infinite as float32": (LARGE, IDS, "features that are NaN or beyond 1e\\+15 for image id 2;"),
    "repeated": (np.ones((4, 2)), [*IDS, "id 1"], "more than one row for image id 1;"),
    "fewer ids": (np.ones((4, 2)), IDS, r"each of the 3 image_ids, but is float64 \(4, 2\)"),
    "integers": (np.ones((3, 2), int), IDS, r"floating-point .* int64 \(3, 2\)"),
}


@pytest.mark.parametrize("content", BAD)
def test_bad_precomputed_features(tmp_path, content):
    features, ids, message = BAD[content]
    make_images(tmp_path, 3)
    np.savez(tmp_path / "a.npz", features=features, image_ids=ids)
    with refused(f"a.npz:? .*{message}"):
        import_features(tmp_path, "a.npz")
    assert not (tmp_path / "out.h5").exists()


def test_precomputed_files_that_are_something_else(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.savez("a.npz", features=np.ones((3, 2)))
    with refused(r"a\.npz lacks `features` or `image_ids`"):
        store.read(Path("a.npz"), IDS)
    np.savez("a.npz", features=np.ones((3, 2)), image_ids=np.array([Trap()] * 3, object))
    with refused(r"a\.npz is not a whole .*make it again"):
        store.read(Path("a.npz"), IDS)
    assert not Path("sprung").exists()


def test_hdf5_files_of_other_programs_are_refused(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["features"] = np.ones((2, 2), np.float32)
        file["image_ids"] = ["a", "b"]
    with refused(r"a\.h5 is no file of features .* as \.npz"):
        store.read(tmp_path / "a.h5", ["a"])


def test_parts_must_fit_together(tmp_path):
    make_images(tmp_path, 3)
    paths = [tmp_path / "a.h5", tmp_path / "b.h5"]

    def join(ids, features, **attributes):
        store.write(paths[0], np.ones((2, 2)), IDS[:2], {"backbone": "x", "precision": "float32"})
        made = {"backbone": "x", "precision": "float32"} | attributes
        store.write(paths[1], features, ids, made)
        return store.join(paths, IDS)[0]

    assert join(IDS[2:], np.zeros((1, 2))).tolist() == [[1, 1], [1, 1], [0, 0]]
    with refused(r"b\.h5 repeats image id 1;"):
        join(IDS[1:], np.zeros((2, 2)))
    for made, message in [
        ({"backbone": "y"}, r"differ in backbone \(y and x\)"),
        ({"precision": "float16"}, r"differ in precision \(float16 and float32\)"),
        ({"crops": 2}, r"differ in crops \(2 and None\)"),
    ]:
        with refused(message):
            join(IDS[2:], np.zeros((1, 2)), **made)
    with refused(r"differ in width \(3 and 2\)"):
        join(IDS[2:], np.zeros((1, 3)))


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


@pytest.mark.parametrize("damaged", [b"groundvec features [", b"image 7", b"backbone"])
def test_damage_of_a_feature_file_is_noticed_before_hdf5_opens_it(tmp_path, monkeypatch, damaged):
    path, _, ids = small_store(tmp_path)
    monkeypatch.setattr(store.h5py, "File", None)
    content = path.read_bytes()
    assert damaged in content
    path.write_bytes(content.replace(damaged, damaged[:-1] + b"?"))
    for read in (store.attributes, lambda path: store.read(path, ids)):
        with refused(r"a\.h5 is damaged: delete it and make it again"):
            read(path)


HEADER = "{{'descr': {}, 'fortran_order': False, 'shape': {}, }}"


@pytest.mark.parametrize(
    "header",
    [
        HEADER.format("'<f4'", "(1000000000000000, 4)"),
        HEADER.format("'|O'", "(1, 2)"),
        "(" * 9000,
        None,
    ],
)
def test_arrays_whose_header_is_false(tmp_path, header):
    np.savez(tmp_path / "a.npz", image_ids=["a"])
    with zipfile.ZipFile(tmp_path / "a.npz", "a") as archive:
        text = (header or "").encode() + b"\n"
        start = b"\x93NUMPY\1\0" + len(text).to_bytes(2, "little")
        archive.writestr("features.npy", start + text + bytes(8) if header else b"text")
    with refused(r"a\.npz is not a whole file of features"):
        store.read(tmp_path / "a.npz", ["a"])


def test_an_archive_that_inflates_beyond_the_memory_is_refused(tmp_path, monkeypatch):
    np.savez_compressed(tmp_path / "a.npz", features=np.zeros((9, 9)), image_ids=list("abcdefghi"))
    assert store.read(tmp_path / "a.npz", ["a"]).shape == (1, 9)
    names = {"SC_PAGE_SIZE": 1, "SC_PHYS_PAGES": 500}
    monkeypatch.setattr(os, "sysconf", names.__getitem__)
    with refused(r"a\.npz needs 0\.0 GiB of memory, and this machine has"):
        store.read(tmp_path / "a.npz", ["a"])
