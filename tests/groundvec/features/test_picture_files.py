"""Finding the pictures in folders."""

import errno
import os
import shutil

import pytest
from PIL import Image

from groundvec.features.files import PICTURE, pictures
from groundvec.features.images import FORMATS
from tests.support.photos import write_photos
from tests.support.refusals import refused


@pytest.fixture
def photos(tmp_path):
    """Four pictures, in folders."""
    return write_photos(tmp_path / "photos", "b.png", "a.jpg", "deep/c.PNG", "deep/d.jpeg")


def test_pictures_are_found_in_folders_and_by_name(photos):
    names = [path.relative_to(photos).as_posix() for path in pictures(photos)]
    assert names == ["a.jpg", "b.png", "deep/c.PNG", "deep/d.jpeg"]
    assert pictures([photos / "b.png", photos / "deep"]) == [
        photos / "b.png",
        photos / "deep/c.PNG",
        photos / "deep/d.jpeg",
    ]
    with refused(r"e\.png does not exist"):
        pictures([photos / "a.jpg", photos / "e.png"])
    (photos / "empty").mkdir()
    with refused("empty holds no pictures"):
        pictures(photos / "empty")


def test_pictures_are_found_by_every_ending_that_pillow_knows_for_their_form():
    known = {end for end, form in Image.registered_extensions().items() if form in FORMATS}
    assert {".jfif", ".apng", ".heic", ".avif"} < known
    for ending in {*known, ".mpo", ".pjpeg", ".JPG", ".PjPeG"}:
        assert PICTURE.fullmatch(ending), ending
    for ending in ("", ".jp2", ".cr2", ".dng", ".mp4", ".jpg_large", ".psd", ".svg", ".jp"):
        assert not PICTURE.fullmatch(ending), ending


def test_unsupported_files_are_counted_in_one_line(photos, caplog):
    photographs = (".CR2", ".cr2", "x.CR2", ".NEF", ".dng", ".jp2")
    for ending in (*photographs, ".mp4", ".MP4", ".xmp", ".txt", ".md", ".a", ".b", ""):
        (photos / f"deep/a{ending}").touch()
    (photos / "._a.jpg").touch()
    assert [file.name for file in pictures(photos)] == ["a.jpg", "b.png", "c.PNG", "d.jpeg"]
    [line] = caplog.messages
    assert line.endswith(
        ": skipped unsupported files: 5 RAW (.cr2, .dng, .nef: export them as JPEG), "
        "2 .mp4, 1 without ending, 1 .a, 1 .b, 4 others"
    )
    (photos / "deep/only").mkdir()
    (photos / "deep/only/r.CR2").touch()
    with refused(r"only holds no pictures .*: 1 RAW \(\.cr2: export them"):
        pictures(photos / "deep/only")
    with refused(r"r\.CR2 is RAW, which is not read: export it as JPEG"):
        pictures(photos / "deep/only/r.CR2")


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
    (photos / "deep/processes").symlink_to("/proc")
    assert sorted({*pictures(photos)} - {*before}) == [photos / "deep/again/far.jpg"]
    with refused(r"/proc holds no pictures that can be read: no files"):
        pictures("/proc")


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
    with refused(r"deep cannot be read \(Permission denied\): change its"):
        pictures(closed)
    os.mkfifo(photos / "pipe")
    with refused("pipe is neither a file nor a folder: name a picture"):
        pictures(photos / "pipe")


def test_entries_that_cannot_be_read_are_left_out_with_a_line_per_folder(
    photos, monkeypatch, caplog
):
    expected = pictures(photos)
    (photos / "gone").mkdir()
    (photos / "deep/far.jpg").symlink_to("a" * 300)
    for name in ("drive", "unmounted"):
        (photos / "deep" / name).symlink_to("/nowhere")
    status = os.stat

    def removed(path, **options):
        if str(path) == str(photos / "gone"):
            raise OSError(errno.ESTALE, "Stale file handle", str(path))
        return status(path, **options)

    monkeypatch.setattr(os, "stat", removed)
    assert pictures(photos) == expected
    left_out = "; its pictures are left out"
    assert sorted(caplog.messages) == [
        f"{photos}/deep/drive and 1 more in its folder cannot be read (No such file or directory)"
        f"{left_out}",
        f"{photos}/deep/far.jpg cannot be read (File name too long){left_out}",
        f"{photos}/gone cannot be read (Stale file handle){left_out}",
    ]
    with refused(r"gone cannot be read \(Stale file handle\): change its"):
        pictures(photos / "gone")
