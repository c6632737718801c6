"""Flickr8k: the captions, the splits, and files that are damaged."""

import logging
import re
import zipfile

import pytest

from groundvec.data import dataset
from groundvec.sources import flickr8k
from tests.support.refusals import refused
from tests.support.result_files import assert_rows

FLICKR8K = {
    "Flickr8k.token.txt": (
        "10_a.jpg#0\tA child in a pink dress is climbing up stairs .\n"
        '10_a.jpg#1\tThe sign says " Stop "\n'
        "30_c.jpg#0\tA  black\u00a0dog\t& a spotted dog\n"
        "22_x.jpg.1#0\tA name that has no image .\n"
        "22_x.jpg.1#1\tStill none .\n"
        "99_z.jpg#0\tAn image in no split .\n"
        "\n"
        "20_b.jpg#0\ta\r\n"
    ),
    "Flickr_8k.trainImages.txt": "30_c.jpg\n10_a.jpg\n",
    "Flickr_8k.devImages.txt": "20_b.jpg\r\n",
    "Flickr_8k.testImages.txt": "",
}


def write_flickr8k(folder, **changes):
    folder.mkdir(exist_ok=True)
    for name, content in FLICKR8K.items():
        (folder / name).write_bytes(changes.get(name, content).encode())
    return folder


@pytest.mark.parametrize("zipped", [False, True])
def test_flickr8k(tmp_path, caplog, zipped):
    caplog.set_level(logging.INFO)
    text = write_flickr8k(tmp_path / "text")
    if zipped:
        with zipfile.ZipFile(tmp_path / "text.zip", "w") as archive:
            for file in text.iterdir():
                archive.write(file, file.name)
        text = tmp_path / "text.zip"
    captions, images = flickr8k.read("photos", text)
    expected = """
        image_id | split | path
        30_c.jpg | train | photos/30_c.jpg
        10_a.jpg | train | photos/10_a.jpg
        20_b.jpg | dev   | photos/20_b.jpg
    """
    assert_rows(images, expected)
    expected = """
        image_id | language | split | caption
        10_a.jpg | en       | train | A child in a pink dress is climbing up stairs .
        10_a.jpg | en       | train | The sign says " Stop "
        30_c.jpg | en       | train | A black dog & a spotted dog
        20_b.jpg | en       | dev   | a
    """
    assert_rows(captions, expected)
    dataset.check(captions, images)
    assert "dropped 3 captions of 2 names in no split" in caplog.text


@pytest.mark.parametrize(
    "change, error",
    [
        ({"Flickr_8k.testImages.txt": "../a.jpg\n"}, "the image ../a.jpg is outside the folder"),
        ({"Flickr8k.token.txt": "10_a.jpg#0\tA\n99_z.jpg B\n"}, "token.txt line 2 is not"),
        ({"Flickr8k.token.txt": "10_a.jpg#0\tA\n10_a.jpg#0\tB\n"}, "txt has 10_a.jpg#0 twice"),
    ],
)
def test_flickr8k_that_contradicts_itself_is_refused(tmp_path, change, error):
    text = write_flickr8k(tmp_path / "text", **change)
    with refused(re.escape(error)):
        flickr8k.read("photos", text)


def test_flickr8k_files_that_are_missing_or_damaged(tmp_path):
    text = write_flickr8k(tmp_path / "text")
    (text / "Flickr_8k.devImages.txt").unlink()
    with refused(r"text has no Flickr_8k\.devImages"):
        flickr8k.read("photos", text)
    with refused(r"none\.zip does not exist; get Flickr8k_text"):
        flickr8k.read("photos", tmp_path / "none.zip")
    (tmp_path / "text.zip").write_bytes(b"PK\3\4")
    with refused(r"text\.zip is damaged"):
        flickr8k.read("photos", tmp_path / "text.zip")


@pytest.mark.mirror
def test_flickr8k_of_the_mirror(mirror, caplog):
    caplog.set_level(logging.INFO)
    captions, images = flickr8k.read("photos", mirror / "flickr8k" / "Flickr8k_text.zip")
    dataset.check(captions, images)
    assert images.split.value_counts().to_dict() == {"train": 6000, "dev": 1000, "test": 1000}
    assert len(captions) == 40_000
    assert (captions.groupby("image_id").size() == 5).all()
    assert "dropped 460 captions of 92 names in no split" in caplog.text
    first = captions[captions.image_id == "1000268201_693b08cb0e.jpg"].caption.iloc[0]
    assert first == "A child in a pink dress is climbing up a set of stairs in an entry way ."
