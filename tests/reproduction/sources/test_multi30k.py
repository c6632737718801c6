"""Multi30k, and the pairs of sentences of data sets that have translations."""

import gzip
import zipfile
from pathlib import Path

import pandas as pd
import pytest

from groundvec.data import dataset
from reproduction.sources import multi30k, parallel
from tests.support.multi30k_files import small, write
from tests.support.refusals import refused
from tests.support.result_files import assert_rows

NAMES = {
    "train": ["10.jpg", "20.jpg", "30.jpg"],
    "val": ["40.jpg", "50.jpg", "60.jpg"],
    "test_2016": ["70.jpg", "80.jpg"],
}


@pytest.fixture
def folder(tmp_path):
    """Multi30k of eight images, and of two more without image files."""
    translated = {
        "train": NAMES["train"],
        "val": NAMES["val"],
        "test_2016_flickr": NAMES["test_2016"],
        "test_2017_flickr": ["90_aa.jpg"],
        "test_2018_flickr": ["91_bb.jpg"],
    }

    def sentence(name, language, k=None):
        return f"{name[:2]}  {language} {k}." if k else f"{name[:2]} in {language}"

    return small(tmp_path / "multi30k", NAMES, translated, sentence)


@pytest.fixture
def flickr8k(tmp_path):
    """Flickr8k's text; Multi30k has the images 10, 40, 50 and 70 too."""
    text = tmp_path / "flickr8k"
    splits = {
        "train": ["70_c.jpg", "40_x1.jpg"],
        "dev": ["10_a.jpg", "99_a.jpg"],
        "test": ["50_b.jpg"],
    }
    for split, names in splits.items():
        write(text / f"Flickr_8k.{split}Images.txt", names)
    write(
        text / "Flickr8k.token.txt", [f"{n}#0\tA caption ." for own in splits.values() for n in own]
    )
    return text


def test_an_image_that_is_listed_twice_is_named(folder):
    write(folder / "task2/image_splits/val_images.txt", ["10.jpg", "20.jpg", "20.jpg"])
    captions, images, _ = multi30k.read_flickr30k(folder, "photos")
    with refused(r"image 10.jpg \(and 2 more\) is listed twice"):
        dataset.check(captions, images)


def zipped(folder, inside):
    with zipfile.ZipFile(folder.parent / "multi30k.zip", "w") as archive:
        for file in folder.rglob("*.*"):
            archive.write(file, Path(inside, file.relative_to(folder)))
    return folder.parent / "multi30k.zip"


@pytest.mark.parametrize("inside", [None, ".", "dataset-a1b2/data"])
def test_published_splits_with_flickr30k_s_images(folder, monkeypatch, inside):
    monkeypatch.setattr(multi30k, "DEV", 2)
    archive = zipped(folder, inside) if inside else folder
    captions, images, pairs = multi30k.read_flickr30k(archive, "photos")
    assert images.path.tolist() == [f"photos/{i}0.jpg" for i in range(1, 9)]
    assert images.split.tolist() == ["train"] * 3 + ["dev"] * 2 + ["test"] + ["pairs"] * 2
    dataset.check(captions, images)
    assert len(captions) == 6 * 10
    first = captions[captions.image_id == "10.jpg"]
    assert first.caption.tolist() == [f"10 {x} {k}." for x in ("en", "de") for k in range(1, 6)]
    assert pairs.split.tolist() == ["train"] * 3 + ["dev"] * 3 + ["test"] * 2
    assert pairs.image_id.tolist() == [f"{i}0.jpg" for i in range(1, 9)]
    assert pairs.iloc[7].tolist() == ["test", "80.jpg", "80 in en", "80 in de"]


def test_the_images_that_are_flickr8k_s_in_its_own_split(folder, flickr8k):
    captions, images, pairs = multi30k.read_flickr8k(folder, "photos", flickr8k)
    expected = """
        image_id  | split | path
        10_a.jpg  | dev   | photos/10_a.jpg
        40_x1.jpg | train | photos/40_x1.jpg
        50_b.jpg  | test  | photos/50_b.jpg
        70_c.jpg  | train | photos/70_c.jpg
    """
    assert_rows(images, expected)
    dataset.check(captions, images)
    assert captions.loc[captions.language == "de", "caption"].iloc[0] == "10 de 1."
    expected = """
        en       | split | image_id
        10 in en | dev   | 10_a.jpg
        20 in en | train |
        30 in en | train |
        40 in en | train | 40_x1.jpg
        50 in en | test  | 50_b.jpg
        60 in en | train |
        70 in en | train | 70_c.jpg
        80 in en | train |
        90 in en | train |
        91 in en | train |
    """
    assert_rows(pairs, expected)


def test_the_mirror_s_multi30k(mirror, tmp_path):
    text = mirror / "flickr8k" / "Flickr8k_text.zip"
    archive = mirror / "multi30k" / "multi30k.zip"
    captions, images, pairs = multi30k.read_flickr8k(archive, "photos", text)
    counts = images.split.value_counts()[dataset.SPLITS].tolist()
    assert counts == [5528, 934, 929]
    assert len(captions) == 10 * sum(counts)
    assert pairs.split.value_counts()[dataset.SPLITS].tolist() == [31222, 934, 929]
    assert pairs.image_id[pairs.split != "train"].isin(images.image_id).all()
    dataset.check(captions, images)
    parallel.write(tmp_path / "parallel.csv", pairs)


# Without the time, which would be part of the tests' names.
CUT = gzip.compress(b"x" * 999, mtime=0)[:20]
OUTSIDE = "b/../../a.jpg"
TRAIN_IMAGES = "task2/image_splits/train_images.txt"
SENTENCES = "task2/raw/val.3.de.gz"


@pytest.mark.parametrize(
    "file, content, message",
    [
        (TRAIN_IMAGES, ["10.jpg", "20.jpg", OUTSIDE], f"the image {OUTSIDE} is outside the fold"),
        (SENTENCES, ["one"], r"raw/val\.3\.de\.gz has 1 lines and task2/image_"),
        (SENTENCES, None, r"multi30k has no task2/raw/val\.3\.de\.gz; get"),
        (SENTENCES, CUT, r"val\.3\.de\.gz is damaged"),
    ],
)
def test_files_that_are_not_whole_or_contradict_each_other_are_named(
    folder, file, content, message
):
    if content is None:
        (folder / file).unlink()
    elif isinstance(content, bytes):
        (folder / file).write_bytes(content)
    else:
        write(folder / file, content)
    with refused(message):
        multi30k.read_flickr30k(folder, "photos")


# Pairs


def test_pairs_are_read_as_they_were_written(tmp_path):
    path = tmp_path / "parallel.csv"
    pairs = pd.DataFrame(
        [["train", "", "NA", 'nein, "danke"'], ["dev", "7", "a", "b"]], columns=parallel.COLUMNS
    )
    parallel.write(path, pairs)
    for row, split in enumerate(("train", "dev")):
        [found] = parallel.read(path, split, "en", "de").values.tolist()
        assert found == pairs.iloc[row, 1:].tolist()
    with refused("no pairs of the split test"):
        parallel.read(path, "test", "en", "de")
    with refused("no column 'fr'"):
        parallel.read(path, "dev", "fr", "de")


@pytest.mark.parametrize(
    "row, message",
    [
        (["train", "", "a", " "], r"parallel\.csv line 3: the sentence in de is empty; write it"),
        (["val", "", "a", "b"], r"parallel\.csv line 3: no split 'val'"),
    ],
)
def test_pairs_that_are_none_are_named(tmp_path, row, message):
    pairs = pd.DataFrame([["dev", "", "a", "b"], row], columns=parallel.COLUMNS)
    pairs.to_csv(tmp_path / "parallel.csv", index=False)
    with refused(message):
        parallel.read(tmp_path / "parallel.csv", "dev", "en", "de")
