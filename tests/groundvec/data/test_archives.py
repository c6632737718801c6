"""Archives: good ones, damaged ones, and ones that mean harm."""

import errno
import gzip
import io
import os
import random
import re
import shutil
import stat
import tarfile
import zipfile
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundvec.data.archives import unpack
from groundvec.runtime.errors import InputError
from tests.support.folders import tree
from tests.support.refusals import refused
from tests.support.tables import cells

FILES = {"a.txt": b"first", "deep/er/b.bin": bytes(range(256)) * 20, "deep/empty": b""}


def make_zip(path, files, compression=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", compression) as file:
        for name, content in files.items():
            file.writestr(name, content)
    return path


def make_tar(path, files):
    with tarfile.open(path, "w:" + path.suffix.strip(".").replace("tar", "")) as file:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            file.addfile(info, io.BytesIO(content))
    return path


MAKERS = {"zip": make_zip, "tar": make_tar, "tar.gz": make_tar}


@pytest.fixture(params=MAKERS)
def make(request, tmp_path):
    """A function from {name: content} to an archive, for each of the kinds."""
    return lambda files: MAKERS[request.param](tmp_path / f"archive.{request.param}", files)


def unpacking_fails(archive, folder):
    """The one line with which an archive is refused; nothing may have been written."""
    before = sorted(archive.parent.rglob("*"))
    with refused(re.escape(str(archive))) as caught:
        unpack(archive, folder)
    assert sorted(archive.parent.rglob("*")) == before
    return str(caught.value)


def test_a_good_archive_is_unpacked_and_leaves_no_temporary_files(make, tmp_path):
    folder = tmp_path / "new" / "folder"
    unpack(make(FILES), folder)
    assert tree(folder) == FILES
    assert list(folder.parent.iterdir()) == [folder]


@pytest.mark.parametrize(
    "members, unpacked",
    cells("""
    train2014/1.jpg                                           | 1.jpg
    train2014/1.jpg __MACOSX/train2014/._1.jpg b/__MACOSX/._b | 1.jpg
    train2014/train2014/1.jpg                                 | train2014/1.jpg
    val2014/1.jpg                                             | val2014/1.jpg
    train2014/1.jpg readme.txt                                | train2014/1.jpg readme.txt
    """),
)
def test_only_a_single_folder_of_the_same_name_is_not_nested(make, tmp_path, members, unpacked):
    unpack(make(dict.fromkeys(members.split(), b"1")), tmp_path / "train2014")
    assert tree(tmp_path / "train2014") == dict.fromkeys(unpacked.split(), b"1")


@given(parts=st.lists(st.sampled_from(["..", ".", "a", "b", ""]), min_size=1, max_size=5))
@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_no_name_writes_outside(tmp_path_factory, kind, parts):
    top = tmp_path_factory.mktemp("top")
    name = "/".join([*parts, "file"])
    archive = MAKERS[kind](top / f"archive.{kind}", {name: b"content"})
    folder = top / "inner" / "folder"
    folder.parent.mkdir()
    if name.startswith("/") or ".." in parts:
        assert f"member {name} " in unpacking_fails(archive, folder)
    else:
        unpack(archive, folder)
        assert tree(folder.parent) == {f"folder/{os.path.normpath(name)}": b"content"}
        assert {path.name for path in top.iterdir()} == {archive.name, "inner"}


@pytest.mark.parametrize("kind", ["zip", tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE])
def test_a_link_or_a_device_is_named(tmp_path, kind):
    if kind == "zip":
        archive = make_zip(tmp_path / "archive.zip", FILES)
        info = zipfile.ZipInfo("link")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        with zipfile.ZipFile(archive, "a") as file:
            file.writestr(info, "a.txt")
    else:
        archive = make_tar(tmp_path / "archive.tar", FILES)
        info = tarfile.TarInfo("link")
        info.type = kind
        info.linkname = "../outside"
        with tarfile.open(archive, "a") as file:
            file.addfile(info)
    assert "member link " in unpacking_fails(archive, tmp_path / "folder")


def test_a_filled_folder_and_a_missing_archive_are_refused(make, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/mine").write_text("mine")
    unpacking_fails(make(FILES), tmp_path / "folder")
    assert "missing" in unpacking_fails(tmp_path / "none.zip", tmp_path / "new")


@pytest.mark.parametrize("share", [0, 0.5, 0.99])
@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_a_truncated_archive_is_named(tmp_path, kind, share):
    noise = {f"{i}.jpg": random.Random(i).randbytes(5000) for i in range(20)}
    archive = MAKERS[kind](tmp_path / f"archive.{kind}", noise)
    archive.write_bytes(archive.read_bytes()[: int(share * archive.stat().st_size)])
    message = unpacking_fails(archive, tmp_path / "folder")
    assert "truncated or damaged" in message
    assert "delete it and run again" in message


@pytest.mark.parametrize("kind", ["stored zip", "zip", "tar.gz"])
def test_a_flipped_bit_anywhere_is_noticed_or_harmless(tmp_path, kind):
    files = {"a.txt": b"some text, some text"}
    archive = tmp_path / f"archive.{kind}"
    if kind == "stored zip":
        make_zip(archive, files, zipfile.ZIP_STORED)
    else:
        MAKERS[kind](archive, files)
    good = archive.read_bytes()
    noticed = 0
    for i in range(len(good)):
        archive.write_bytes(good[:i] + bytes([good[i] ^ 1 << i % 8]) + good[i + 1 :])
        folder = tmp_path / str(i)
        try:
            unpack(archive, folder)
        except InputError:
            noticed += 1
            assert not folder.exists()
        else:
            assert tree(folder) == files
    assert noticed > len(b"some text")


def test_an_empty_folder_is_filled_and_hidden_neighbors_stay(make, tmp_path):
    hidden = tmp_path / ".folder.part"
    hidden.mkdir()
    (hidden / "mine.jpg").write_text("mine")
    (tmp_path / "folder").mkdir()  # as a workflow may make it
    unpack(make(FILES), tmp_path / "folder")
    assert tree(tmp_path / "folder") == FILES
    assert tree(hidden) == {"mine.jpg": b"mine"}


def test_a_full_disk_leaves_nothing_behind(make, tmp_path, monkeypatch):
    archive = make(FILES)
    full = Mock(side_effect=OSError(errno.ENOSPC, "No space left"))
    monkeypatch.setattr(shutil, "copyfileobj", full)
    monkeypatch.setattr(tarfile, "copyfileobj", full)
    with pytest.raises(OSError, match="No space left"):
        unpack(archive, tmp_path / "folder")
    assert list(tmp_path.iterdir()) == [archive]


@pytest.mark.parametrize("kind", ["zip", "headers", "trailing bytes"])
def test_a_decompression_bomb_is_refused_before_it_is_read(tmp_path, kind):
    """Python keeps the headers of all members in memory, and reads the bytes after the last one."""
    archive = tmp_path / ("a.zip" if kind == "zip" else "a.tar.gz")
    header = tarfile.TarInfo("a").tobuf(tarfile.GNU_FORMAT)
    if kind == "zip":
        make_zip(archive, {"a": bytes(2**25)})
    else:
        content = header * 2**16 if kind == "headers" else header + bytes(2**25)
        archive.write_bytes(gzip.compress(content))
    assert "holds more than 16 MiB" in unpacking_fails(archive, tmp_path / "folder")


# Names


@pytest.mark.parametrize("name", ["x" * 300, "deep/" + "x" * 300 + "/a", "a.txt/b", "deep"])
def test_names_that_no_disk_can_hold_are_one_line(make, tmp_path, name):
    archive = make({"a.txt": b"first", "deep/b.bin": b"second", name: b"third"})
    assert "damaged" in unpacking_fails(archive, tmp_path / "out")
