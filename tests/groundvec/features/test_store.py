"""Files of features, and their damage."""

import hashlib
import json
import os
import subprocess
import zipfile
from pathlib import Path
from unittest.mock import patch

import h5py
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundvec.features import store
from groundvec.runtime.errors import InputError
from scripts import join_features
from tests.support.features import IDS, Trap, make_images, run


@pytest.fixture
def one_process(monkeypatch):
    """Spare the process that first reads HDF5 files of others, where a test is not about it."""
    monkeypatch.setattr(store, "_read_in_another_process", lambda path: None)


def small_store(folder):
    features = np.random.default_rng(0).normal(size=(20, 8)).astype(np.float32)
    ids = [f"ä image {k}" for k in range(20)]
    store.write(folder / "a.h5", features, ids, {"backbone": "x", "crops": 10})
    return folder / "a.h5", features, ids


@pytest.mark.usefixtures("one_process")
@pytest.mark.parametrize("number", ["<f2", ">f8"])
def test_features_stay_in_a_file_that_holds_them_in_one_piece(tmp_path, number):
    values = np.random.default_rng(0).normal(size=(9, 4)).astype(number)
    for name, options in [("whole", {}), ("packed", {"chunks": (2, 4), "compression": "gzip"})]:
        with h5py.File(tmp_path / f"{name}.h5", "w", userblock_size=512) as file:
            file.create_dataset("features", data=values, **options)
            file["image_ids"] = list("abcdefghi")
    wanted = ["i", "b", "b"]
    rows = [8, 1, 1]
    whole, packed = (store.read(tmp_path / f"{name}.h5", wanted) for name in ("whole", "packed"))
    assert not whole.matrix.flags.writeable and packed.matrix.flags.writeable
    for features in (whole, packed):
        assert features.shape == (3, 4) and len(features) == 3
        assert features[:].dtype == np.float32 and features[:].dtype.isnative
        assert np.array_equal(features[:], values[rows].astype(np.float32))
        assert np.array_equal(features[np.array([2, 0])], values[[1, 8]].astype(np.float32))
        assert np.array_equal(features[1:5], values[[1, 1]].astype(np.float32))


def test_read_names_missing_images(tmp_path):
    path, _, _ = small_store(tmp_path)
    with pytest.raises(InputError, match=r"like ä image 0.* no features for image b and 1 others"):
        store.read(path, ["ä image 1", "b", "c"])
    with pytest.raises(InputError, match=r"none\.h5 does not exist"):
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
    assert store.attributes(path) == {
        "backbone": "x",
        "crops": 10,
        "width": 8,
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


@pytest.mark.usefixtures("one_process")
@pytest.mark.parametrize(("name", "dtype"), [("a.npz", np.float16), ("a.h5", np.float64)])
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


@pytest.mark.usefixtures("one_process")
@pytest.mark.parametrize(
    ("name", "content"), [("a.h5", "nan")] + [("a.npz", content) for content in BAD]
)
def test_bad_precomputed_features(tmp_path, name, content):
    features, ids, message = BAD[content]
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


@pytest.mark.usefixtures("one_process")
@pytest.mark.parametrize(
    ("shape", "attribute", "message"),
    [
        ((2, 10**9), "x", r"features of width 1,000,000,000: it must be from 1 to"),
        ((10**12, 2), "x", r"needs .* GiB of memory|a row for each"),
        ((2, 2), np.zeros(3), "its attribute backbone is neither text nor a number"),
    ],
)
def test_hdf5_files_with_impossible_shapes_are_refused(tmp_path, shape, attribute, message):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("features", shape, np.float32, chunks=(1, 2))
        file["image_ids"] = ["a", "b"]
        file.attrs["backbone"] = attribute
    with pytest.raises(InputError, match=message):
        store.join([tmp_path / "a.h5"], ["a"])


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
    for made, message in [
        ({"backbone": "y"}, r"differ in backbone \(y and x\)"),
        ({"precision": "float16"}, r"differ in precision \(float16 and float32\)"),
        ({"crops": 2}, r"differ in crops \(2 and None\)"),
    ]:
        with pytest.raises(InputError, match=message):
            join(IDS[2:], np.zeros((1, 2)), **made)
    with pytest.raises(InputError, match=r"differ in width \(3 and 2\)"):
        join(IDS[2:], np.zeros((1, 3)))


@given(st.data())
def test_a_flipped_byte_in_a_feature_file_is_noticed_or_does_no_harm(tmp_path_factory, data):
    path, features, ids = small_store(tmp_path_factory.mktemp("store"))
    content = bytearray(path.read_bytes())
    content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
    path.write_bytes(content)
    try:
        # If the signature is damaged, the file is taken for one of another program.
        with patch.object(store, "_read_in_another_process"):
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
        with pytest.raises(InputError, match=r"a\.h5 is damaged: delete it and make it again"):
            read(path)


@pytest.mark.usefixtures("one_process")
def test_features_may_be_elsewhere_in_their_file(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["group/data"] = np.ones((1, 2), np.float32)
        file["group/ids"] = ["a"]
        file["group/again"] = h5py.SoftLink("data")
        file["features"] = h5py.SoftLink("/group/again")
        file["image_ids"] = file["group/ids"]
    assert store.read(tmp_path / "a.h5", ["a"])[:].tolist() == [[1, 1]]


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
    with pytest.raises(InputError, match=r"a\.npz is not a whole HDF5 or \.npz file"):
        store.read(tmp_path / "a.npz", ["a"])


def test_an_archive_that_inflates_beyond_the_memory_is_refused(tmp_path, monkeypatch):
    np.savez_compressed(tmp_path / "a.npz", features=np.zeros((9, 9)), image_ids=list("abcdefghi"))
    assert store.read(tmp_path / "a.npz", ["a"]).shape == (1, 9)
    names = {"SC_PAGE_SIZE": 1, "SC_PHYS_PAGES": 500}
    monkeypatch.setattr(os, "sysconf", names.__getitem__)
    with pytest.raises(InputError, match=r"a\.npz needs 0\.0 GiB of memory, and this machine has"):
        store.read(tmp_path / "a.npz", ["a"])


@pytest.mark.parametrize("program", ["import time; time.sleep(99)", "import os; os.abort()"])
def test_a_file_of_others_that_hdf5_does_not_read_to_its_end_is_refused(
    tmp_path, monkeypatch, program
):
    """HDF5 2.0 and before read one changed byte in a list of texts for ever."""
    write_precomputed(tmp_path / "a.h5", np.ones((2, 2), np.float32), ["a", "b"])
    assert len(store.read(tmp_path / "a.h5", ["a"])) == 1
    run_it = subprocess.run
    monkeypatch.setattr(store, "PATIENCE", 1)
    monkeypatch.setattr(
        store.subprocess,
        "run",
        lambda command, **options: run_it([*command[:2], program], **options),
    )
    with pytest.raises(InputError, match=r"a\.h5 is damaged: .* or save its arrays as \.npz"):
        store.read(tmp_path / "a.h5", ["a"])


def virtual():
    layout = h5py.VirtualLayout((1, 2), "f4")
    layout[:] = h5py.VirtualSource("other.h5", "features", (1, 2))
    return layout


@pytest.mark.usefixtures("one_process")
@pytest.mark.parametrize(
    "refer",
    [
        lambda file: file.update(
            {
                "group": h5py.ExternalLink("other.h5", "/"),
                "features": h5py.SoftLink("/group/features"),
            }
        ),
        lambda file: file.create_dataset(
            "features", (1, 2), "f4", external=[("/etc/passwd", 0, 8)]
        ),
        lambda file: file.create_virtual_dataset("features", virtual()),
    ],
    ids=["a soft link over a link", "external storage", "a virtual data set"],
)
def test_no_other_file_is_read_in_place_of_features(tmp_path, monkeypatch, refer):
    monkeypatch.chdir(tmp_path)
    write_precomputed(Path("other.h5"), np.ones((1, 2), np.float32), ["a"])
    with h5py.File("a.h5", "w") as file:
        file["image_ids"] = ["a"]
        refer(file)
    with pytest.raises(InputError, match=r"a\.h5 is not a whole .* another file"):
        store.read("a.h5", ["a"])


@pytest.mark.usefixtures("one_process")
def test_ids_that_share_one_long_text_take_no_memory(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        ids = file.create_dataset("image_ids", (10_000,), h5py.string_dtype())
        file["features"] = np.ones((10_000, 1), np.float16)
        ids[0] = "x" * 1_000_000
        start = ids.id.get_offset()
    data = bytearray((tmp_path / "a.h5").read_bytes())
    data[start : start + 160_000] = 10_000 * data[start : start + 16]
    (tmp_path / "a.h5").write_bytes(data)
    with pytest.raises(InputError, match="image_ids are longer than the file"):
        store.read(tmp_path / "a.h5", ["a"])
