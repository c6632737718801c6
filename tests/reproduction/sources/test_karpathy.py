"""Karpathy's form: MSCOCO, Flickr30k, and JSON of other forms."""

import json
import re
import zipfile

import pandas as pd
import pytest
import yaml

from groundvec.data import dataset
from reproduction.sources import karpathy
from tests.support.karpathy_files import coco_entry, write_coco
from tests.support.refusals import refused
from tests.support.result_files import assert_rows
from tests.support.tables import cells

MSCOCO = """
image_id                        | split | path
COCO_train2014_000000000009.jpg | train | photos/train2014/COCO_train2014_000000000009.jpg
COCO_val2014_000000000005.jpg   | train | photos/val2014/COCO_val2014_000000000005.jpg
COCO_val2014_000000000007.jpg   | dev   | photos/val2014/COCO_val2014_000000000007.jpg
COCO_val2014_000000000008.jpg   | test  | photos/val2014/COCO_val2014_000000000008.jpg
"""
ITS_CAPTIONS = """
image_id                        | split | caption
COCO_train2014_000000000009.jpg | train | A dog .
COCO_train2014_000000000009.jpg | train | A second dog .
COCO_val2014_000000000005.jpg   | train | A café .
COCO_val2014_000000000007.jpg   | dev   | A cat .
COCO_val2014_000000000008.jpg   | test  | A cow .
"""


def test_mscoco(tmp_path):
    path = write_coco(
        tmp_path,
        coco_entry(9, "train", "a dog", "a second dog"),
        coco_entry(5, "restval", "a café"),
        coco_entry(7, "val", "a cat"),
        coco_entry(8, "test", "a cow"),
    )
    captions, images = karpathy.read("photos", path)
    dataset.check(captions, images)
    assert_rows(images, MSCOCO)
    assert_rows(captions, ITS_CAPTIONS)


@pytest.mark.parametrize(
    "raw, tokens",
    [
        ("A man's dog (2.5kg), 12-13.", "A man's dog ( 2.5kg ) , 12 - 13 ."),
        ('A brown-ish cat "sits", 1,000 & 5.', 'A brown-ish cat " sits " , 1,000 & 5 .'),
        ("TWO... e.g. one", "TWO . . . e . g . one"),
    ],
)
def test_mscoco_s_captions_are_cut_as_nist_s_script_does(raw, tokens):
    assert karpathy.tokenize(raw) == tokens


@pytest.mark.parametrize(
    "changes, error",
    cells(r"""
    [{split: extra}]                          | images[2]: unknown split 'extra'
    [{split: "val\n"}]                        | images[2]: unknown split
    [{sentences: []}]                         | image COCO_val2014_000000000005.jpg has no captions
    [{sentences: [{raw: " ", tokens: []}]}]   | images[2]: the caption is empty
    [{split: val}, {split: test}]             | 5.jpg is listed twice
    [{filepath: /etc}]                        | images[2]: the image /etc/COCO
    []                                        | no image is in split dev
    [{filename: "a\ud800.jpg"}]               | images[2]: the image's file name
    [{filename: 5}]                           | images[2] is not of Karpathy's form
    [{sentences: [{raw: 1}]}]                 | images[2] is not of Karpathy's
    """),
)
def test_a_file_of_karpathy_s_form_with_a_mistake_is_refused_in_one_line(tmp_path, changes, error):
    """A training image and a test image, then images for development with these changes."""
    good = [coco_entry(number, split, "a cow") for number, split in enumerate(("train", "test"))]
    entries = [coco_entry(5, "val", "a cat") | change for change in yaml.safe_load(changes)]
    path = write_coco(tmp_path, *good, *entries)
    with refused(re.escape(error)):
        karpathy.read("photos", path)


@pytest.mark.parametrize(
    "content, error",
    [
        (b'{"images": [{"filena', "is not JSON, or damaged .*: unpack it again"),
        (b"[" * 100_000, "is not JSON, or damaged"),
        (b'{"a.jpg": ["A cat.", "It sits."]}', "has no list `images`.*: make a table"),
        (b'[{"image": "a.jpg", "caption": "A cat."}]', "images.0. is not .*'filename'.*make a tab"),
        (
            b'{"images": [{"filename": "a", "split": "val", "sentences": [{"tokens": ["cat"]}]}]}',
            "KeyError: 'raw'.*: make a table of its captions, as docs/your-own-data.md shows",
        ),
        (None, "does not exist"),
    ],
)
def test_json_of_another_form_is_refused(tmp_path, content, error):
    if content is not None:
        (tmp_path / "dataset_coco.json").write_bytes(content)
    with refused(rf"dataset_coco\.json.*{error}"):
        karpathy.read("data/mscoco", tmp_path / "dataset_coco.json")


def flickr30k(*captions):
    """Flickr30k's entries have no `filepath`, and its captions end in ` .` or not."""
    entries = [coco_entry(number, split, *captions) for number, split in enumerate(SPLIT_NAMES)]
    for number, entry in enumerate(entries):
        del entry["filepath"]
        entry["filename"] = f"{number}.jpg"
    return entries


SPLIT_NAMES = ("train", "val", "test")


@pytest.mark.parametrize("end", ["\n", "\r\n\r\n"])
def test_a_list_of_entries_and_json_lines_are_read_as_karpathy_s_file_is(tmp_path, end):
    entries = flickr30k("a cat\u2028asleep")
    whole = karpathy.read("photos", write_coco(tmp_path, *entries))
    texts = {
        "list.json": json.dumps(entries, indent=1),
        "lines.jsonl": end.join(map(json.dumps, entries)) + end,
        "marked.jsonl": "\ufeff" + end.join(json.dumps(e, ensure_ascii=False) for e in entries),
    }
    for name, text in texts.items():
        (tmp_path / name).write_bytes(text.encode())
        for table_read, expected in zip(
            karpathy.read("photos", tmp_path / name), whole, strict=True
        ):
            pd.testing.assert_frame_equal(table_read, expected)


def test_paths_tell_images_of_one_name_apart(tmp_path):
    entries = flickr30k("a cat")
    entries.append(entries[0] | {"filepath": "sub", "split": "test"})
    captions, images = karpathy.read("photos", write_coco(tmp_path, *entries))
    expected = """
        image_id  | split | path
        0.jpg     | train | photos/0.jpg
        1.jpg     | dev   | photos/1.jpg
        2.jpg     | test  | photos/2.jpg
        sub/0.jpg | test  | photos/sub/0.jpg
    """
    assert_rows(images, expected)
    assert captions["image_id"].tolist() == images["image_id"].tolist()
    assert captions["split"].tolist() == images["split"].tolist()
    for place in ("", ".", "sub/.."):
        twice = [*entries, entries[0] | {"filepath": place}]
        with refused(r"image 0\.jpg is listed twice"):
            karpathy.read("photos", write_coco(tmp_path, *twice))


@pytest.mark.parametrize("zipped", [False, True])
def test_flickr30k_keeps_the_requested_number_of_captions(tmp_path, zipped):
    path = write_coco(tmp_path, *flickr30k("two dogs run", "a man's hat", "third"))
    if zipped:
        with zipfile.ZipFile(tmp_path / "all.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.write(path, "dataset_flickr30k.json")
        path = tmp_path / "all.zip/dataset_flickr30k.json"
    captions, images = karpathy.read("photos", path, 2)
    expected = """
        image_id | split | caption
        0.jpg    | train | Two dogs run .
        0.jpg    | train | A man's hat .
        1.jpg    | dev   | Two dogs run .
        1.jpg    | dev   | A man's hat .
        2.jpg    | test  | Two dogs run .
        2.jpg    | test  | A man's hat .
    """
    assert_rows(captions, expected)
    assert images["path"].tolist() == ["photos/0.jpg", "photos/1.jpg", "photos/2.jpg"]
    assert len(karpathy.read("photos", path)[0]) == 9


def test_an_archive_that_is_missing_or_damaged_is_refused(tmp_path):
    (tmp_path / "all.zip").write_bytes(b"PK\3\4")
    for name, error in (("none.zip/a.json", "does not exist"), ("all.zip/a.json", "is damaged")):
        with refused(error):
            karpathy.read("photos", tmp_path / name)
