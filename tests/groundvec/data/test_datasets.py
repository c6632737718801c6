import json
import logging
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundvec.data import dataset
from groundvec.data.split import load_split
from groundvec.runtime.errors import InputError
from groundvec.sources import flickr8k, karpathy, table
from groundvec.text.characters import Text

ROOT = Path(__file__).parents[3]


def rows(frame):
    return list(frame.itertuples(index=False, name=None))


# --- Flickr8k -------------------------------------------------------------------------------------

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
    assert rows(images) == [
        ("30_c.jpg", "train", "photos/30_c.jpg"),
        ("10_a.jpg", "train", "photos/10_a.jpg"),
        ("20_b.jpg", "dev", "photos/20_b.jpg"),
    ]
    assert rows(captions) == [
        (
            *("10_a.jpg", "en", "train"),
            "A child in a pink dress is climbing up stairs .",
        ),
        ("10_a.jpg", "en", "train", 'The sign says " Stop "'),
        ("30_c.jpg", "en", "train", "A black dog & a spotted dog"),
        ("20_b.jpg", "en", "dev", "a"),
    ]
    dataset.check(captions, images)
    assert "dropped 3 captions of 2 names in no split" in caplog.text


def test_flickr8k_names_the_line_that_it_cannot_understand(tmp_path):
    content = FLICKR8K["Flickr8k.token.txt"].replace("99_z.jpg#0\t", "99_z.jpg ")
    text = write_flickr8k(tmp_path, **{"Flickr8k.token.txt": content})
    with pytest.raises(InputError, match=r"Flickr8k\.token\.txt line 6 is not"):
        flickr8k.read("photos", text)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"Flickr_8k.testImages.txt": "20_b.jpg\n"}, "image 20_b.jpg is in two splits"),
        ({"Flickr_8k.testImages.txt": "40_d.jpg\n"}, "image 40_d.jpg has no captions"),
        (
            {"Flickr8k.token.txt": "10_a.jpg#0\tA\n10_a.jpg#0\tB\n"},
            "token.txt has 10_a.jpg#0 twice",
        ),
        (
            {"Flickr8k.token.txt": "10_a.jpg#0\tA\n20_b.jpg#0\t\n30_c.jpg#0\tC\n"},
            "a caption in en of image 20_b.jpg: the caption is empty",
        ),
    ],
)
def test_flickr8k_that_contradicts_itself_is_refused(tmp_path, change, error):
    text = write_flickr8k(tmp_path / "text", **change)
    with pytest.raises(InputError, match=re.escape(error)):
        dataset.write(tmp_path / "out", *flickr8k.read("photos", text))


def test_flickr8k_files_that_are_missing_or_damaged(tmp_path):
    text = write_flickr8k(tmp_path / "text")
    (text / "Flickr_8k.devImages.txt").unlink()
    with pytest.raises(InputError, match=r"text has no Flickr_8k\.devImages"):
        flickr8k.read("photos", text)
    with pytest.raises(InputError, match=r"none\.zip does not exist; get Flickr8k_text"):
        flickr8k.read("photos", tmp_path / "none.zip")

    archive = tmp_path / "text.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in FLICKR8K.items():
            file.writestr(name, content * 50)
    whole = archive.read_bytes()
    archive.write_bytes(whole[:-100])
    with pytest.raises(InputError, match=r"text\.zip is damaged"):
        flickr8k.read("photos", archive)
    archive.write_bytes(whole[:60] + bytes(40) + whole[100:])
    with pytest.raises(
        InputError, match=r"text\.zip: Flickr8k\.token\.txt (is damaged|line 1 is not)"
    ):
        flickr8k.read("photos", archive)


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


@pytest.mark.mirror
def test_flickr8k_pictures_of_the_mirror_are_all_there(mirror):
    _, images = flickr8k.read("Flicker8k_Dataset", mirror / "flickr8k" / "Flickr8k_text.zip")
    with zipfile.ZipFile(mirror / "flickr8k" / "Flickr8k_Dataset.zip") as archive:
        assert set(images.path) <= set(archive.namelist())


# --- MSCOCO ---------------------------------------------------------------------------------------


def sentence(caption):
    return f"{caption.capitalize()}." if caption.strip() else caption


def coco_entry(number, split, *captions):
    folder = "train2014" if split == "train" else "val2014"
    return {
        "filepath": folder,
        "filename": f"COCO_{folder}_{number:012d}.jpg",
        "cocoid": number,
        "imgid": 0,
        "split": split,
        "sentids": list(range(len(captions))),
        "sentences": [
            {
                "tokens": caption.split(),
                "raw": caption.capitalize() + "." * bool(caption.strip()),
                "sentid": k,
                "imgid": 0,
            }
            for k, caption in enumerate(captions)
        ],
    }


def write_coco(tmp_path, *entries):
    path = tmp_path / "dataset_coco.json"
    path.write_text(json.dumps({"dataset": "coco", "images": entries}))
    return path


def test_mscoco(tmp_path):
    path = write_coco(
        tmp_path,
        coco_entry(9, "train", *(f"a dog number {k}" for k in range(6))),
        coco_entry(5, "restval", "a café", "the café"),
        coco_entry(7, "val", "a cat"),
        coco_entry(8, "test", "a cow"),
    )
    captions, images = karpathy.read("data/mscoco", path)
    dataset.check(captions, images)
    assert rows(images) == [
        (
            *("COCO_train2014_000000000009.jpg", "train"),
            "data/mscoco/train2014/COCO_train2014_000000000009.jpg",
        ),
        (
            *("COCO_val2014_000000000005.jpg", "train"),
            "data/mscoco/val2014/COCO_val2014_000000000005.jpg",
        ),
        (
            *("COCO_val2014_000000000007.jpg", "dev"),
            "data/mscoco/val2014/COCO_val2014_000000000007.jpg",
        ),
        (
            *("COCO_val2014_000000000008.jpg", "test"),
            "data/mscoco/val2014/COCO_val2014_000000000008.jpg",
        ),
    ]
    assert captions.caption.tolist() == [
        *(f"A dog number {k} ." for k in range(6)),
        *("A café .", "The café .", "A cat .", "A cow ."),
    ]
    assert captions.split.tolist() == ["train"] * 8 + ["dev", "test"]
    assert captions.image_id[5] == "COCO_train2014_000000000009.jpg"
    assert captions.image_id[6] == "COCO_val2014_000000000005.jpg"


@pytest.mark.parametrize(
    ("raw", "tokens"),
    [
        ("A man's dog (2.5kg), 12-13.", "A man's dog ( 2.5kg ) , 12 - 13 ."),
        ("Two dogs\nrun  ", "Two dogs run"),
        (
            'A brown-ish cat "sits" & 1,000 look, at 5.',
            'A brown-ish cat " sits " & 1,000 look , at 5 .',
        ),
        ("salt &amp; pepper/oil; $3", "salt & pepper / oil ; $ 3"),
        ("TWO... e.g. one", "TWO . . . e . g . one"),
    ],
)
def test_mscoco_s_captions_are_cut_as_nist_s_script_does(raw, tokens):
    assert karpathy.tokenise(raw) == tokens


TRAIN, TEST = coco_entry(1, "train", "a cow"), coco_entry(2, "test", "a cow")


@pytest.mark.parametrize(
    ("entries", "error"),
    [
        ([coco_entry(5, "extra", "a cat")], "images[2]: unknown split 'extra'"),
        ([coco_entry(5, "val")], "image COCO_val2014_000000000005.jpg has no captions"),
        ([coco_entry(5, "val", "a cat", " ")], "images[2]: the caption is empty"),
        ([coco_entry(5, "val", "a" * 1001)], "images[2]: the caption has 1,003 characters"),
        (
            [coco_entry(5, "val", "a cat"), coco_entry(5, "test", "a cat")],
            "image COCO_val2014_000000000005.jpg is in two splits",
        ),
        ([], "no image is in split dev"),
        ([coco_entry(5, "val\n", "a cat")], "images[2]: the file name"),
        ([coco_entry(5, "val", "a cat") | {"filename": "a\ud800.jpg"}], "images[2]: the file name"),
        ([coco_entry(5, "val", "a cat") | {"filename": 5}], "images[2] is not of Karpathy's form"),
        ([coco_entry(5, "val", "a cat") | {"sentences": None}], "images[2] is not of Karpathy's"),
        ([coco_entry(5, "val") | {"sentences": ["a cat"]}], "images[2] is not of Karpathy's"),
        ([coco_entry(5, "val") | {"sentences": [{"raw": 1}]}], "images[2] is not of Karpathy's"),
        (["a cat"], "images[2] is not of Karpathy's form"),
    ],
)
def test_a_file_of_karpathy_s_form_with_a_mistake_is_refused_in_one_line(tmp_path, entries, error):
    path = write_coco(tmp_path, TRAIN, TEST, *entries)
    with pytest.raises(InputError, match=re.escape(error)) as caught:
        karpathy.read("photos", path)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b'{"images": [{"filena', "is not JSON, or damaged .*: unpack it again"),
        (b'{"images": []}{', "is not JSON, or damaged"),
        (b"[" * 100_000, "is not JSON, or damaged"),
        (b'{"images": "\xff"}', "is not JSON, or damaged"),
        (b'{"annotations": []}', "has no list `images`.*: make a table"),
        (b'{"images": {"filename": "a.jpg"}}', "has no list `images`.*: make a table"),
        (b'{"a.jpg": ["A cat.", "It sits."]}', "has no list `images`.*: make a table"),
        (b"7", "has no list `images`"),
        (b"[]", "no image is in split train"),
        (b'[{"image": "a.jpg", "caption": "A cat."}]', "images.0. is not .*'filename'.*make a tab"),
        (b'{"image": "a.jpg"}\n{"image": "b.jpg"}', "images.0. is not .*'filename'.*make a table"),
        (b'{"images": [{"filename": "a.jpg", "split": "val"}]}', "KeyError: 'sentences'"),
        (
            b'{"images": [{"filename": "a", "split": "val", "sentences": [{"tokens": ["cat"]}]}]}',
            "KeyError: 'raw'.*: make a table of its captions, as docs/your-own-data.md shows",
        ),
        (None, "cannot be read"),
    ],
)
def test_json_of_another_form_is_refused(tmp_path, content, error):
    if content is not None:
        (tmp_path / "dataset_coco.json").write_bytes(content)
    with pytest.raises(InputError, match=rf"dataset_coco\.json.*{error}"):
        karpathy.read("data/mscoco", tmp_path / "dataset_coco.json")


def flickr30k(*captions):
    """Flickr30k's entries have no `filepath`, and its captions end in ` .` or not."""
    entries = [coco_entry(number, split, *captions) for number, split in enumerate(SPLIT_NAMES)]
    for number, entry in enumerate(entries):
        del entry["filepath"], entry["cocoid"]
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
    ids = ["0.jpg", "1.jpg", "2.jpg", "sub/0.jpg"]
    assert captions.image_id.tolist() == images.image_id.tolist() == ids
    assert images.path.tolist() == [f"photos/{name}" for name in ids]
    assert captions.split.tolist() == images.split.tolist() == ["train", "dev", "test", "test"]
    for place in ("", ".", "sub/.."):
        twice = [*entries, entries[0] | {"filepath": place}]
        with pytest.raises(InputError, match=r"image 0\.jpg is listed twice"):
            karpathy.read("photos", write_coco(tmp_path, *twice))


@pytest.mark.parametrize("zipped", [False, True])
def test_flickr30k_keeps_as_many_captions_as_are_asked_for(tmp_path, zipped):
    path = write_coco(tmp_path, *flickr30k("two dogs run", "a man's hat", "third"))
    if zipped:
        with zipfile.ZipFile(tmp_path / "all.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.write(path, "dataset_flickr30k.json")
        path = tmp_path / "all.zip/dataset_flickr30k.json"
    captions, images = karpathy.read("photos", path, 2)
    assert rows(images) == [
        ("0.jpg", "train", "photos/0.jpg"),
        ("1.jpg", "dev", "photos/1.jpg"),
        ("2.jpg", "test", "photos/2.jpg"),
    ]
    assert captions.caption.tolist() == ["Two dogs run .", "A man's hat ."] * 3
    assert captions.image_id[:2].tolist() == ["0.jpg", "0.jpg"]
    assert len(karpathy.read("photos", path)[0]) == 9


def test_an_archive_that_lacks_the_file_or_is_damaged_or_a_bomb_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "all.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb.json", b'{"images": [' + b" " * 2**25 + b"]}")
    for path, error in [
        ("all.zip/dataset_coco.json", r"all\.zip has no dataset_coco\.json"),
        ("all.zip/bomb.json", r"all\.zip/bomb\.json holds more than 16 MiB"),
        ("none.zip/a.json", r"none\.zip cannot be read"),
    ]:
        with pytest.raises(InputError, match=error):
            karpathy.read("photos", tmp_path / path)
    (tmp_path / "all.zip").write_bytes((tmp_path / "all.zip").read_bytes()[:-50])
    with pytest.raises(InputError, match=r"all\.zip is damaged"):
        karpathy.read("photos", tmp_path / "all.zip/bomb.json")
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(InputError, match=r"pipe\.json is a folder, a FIFO or a device"):
        karpathy.read("photos", tmp_path / "pipe.json")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


@given(key=st.sampled_from(["filename", "filepath", "split", "sentences"]), value=json_values)
def test_any_value_of_a_key_is_read_or_refused_in_one_line(tmp_path_factory, key, value):
    entries = [*flickr30k("a cat"), coco_entry(5, "val", "a cat") | {key: value}]
    path = write_coco(tmp_path_factory.mktemp("any"), *entries)
    try:
        karpathy.read("photos", path)
    except InputError as error:
        assert len(str(error).splitlines()) == 1


def test_pictures_outside_the_folder_of_images_are_refused(tmp_path):
    for name in ("/etc/a.jpg", "../a.jpg"):
        text = write_flickr8k(tmp_path / "text", **{"Flickr_8k.devImages.txt": f"{name}\n"})
        with pytest.raises(InputError, match=rf"devImages.txt: the image {name} is outside the fo"):
            flickr8k.read("photos", text)
    for place in ("/etc", "..", "val2014/../.."):
        entry = coco_entry(5, "val", "a cat") | {"filepath": place}
        with pytest.raises(InputError, match=rf"coco.json: images\[0\]: the image {place}/COCO"):
            karpathy.read("data/mscoco", write_coco(tmp_path, entry))


# --- A user's own table ---------------------------------------------------------------------------


def write_table(tmp_path, text, encoding="utf-8"):
    path = tmp_path / "my.csv"
    path.write_bytes(text.encode(encoding))
    return path


GOOD = "image,caption,split\na.jpg,A cat.,train\nb.jpg,A dog.,dev\nc.jpg,A cow.,test\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_table(tmp_path, encoding, newline):
    text = (
        "image,caption,split,language\n"
        'a.jpg,"A cat, ""Tom"", sleeps.",train,en\n'
        "a.jpg,  A cat\tsleeps 🐈 ,train,en\n"
        "\n"
        'a.jpg,"Eine Katze\nschläft.",train,de\n'
        'b.jpg, "A dog, asleep",dev,en\n'
        "sub/c.jpg,NA, test ,en\n"
    )
    path = write_table(tmp_path, text.replace("\n", newline), encoding)
    captions, images = table.read(path, "photos")
    assert rows(images) == [
        ("a.jpg", "train", "photos/a.jpg"),
        ("b.jpg", "dev", "photos/b.jpg"),
        ("sub/c.jpg", "test", "photos/sub/c.jpg"),
    ]
    assert images.index.tolist() == [0, 1, 2]
    assert rows(captions) == [
        ("a.jpg", "en", "train", 'A cat, "Tom", sleeps.'),
        ("a.jpg", "en", "train", "A cat sleeps 🐈"),
        ("a.jpg", "de", "train", "Eine Katze schläft."),
        ("b.jpg", "en", "dev", "A dog, asleep"),
        ("sub/c.jpg", "en", "test", "NA"),
    ]


def test_table_without_a_split_gets_one_that_does_not_depend_on_the_order(tmp_path, caplog):
    caplog.set_level(logging.INFO)
    lines = [f"{k}.jpg,picture {k} seen {view}" for k in range(50) for view in ("once", "twice")]
    captions, images = table.read(
        write_table(tmp_path, "\n".join(["image,caption", *lines])), "photos"
    )
    assert images.split.value_counts().to_dict() == {"train": 40, "dev": 5, "test": 5}
    assert (captions.language == "en").all()
    assert "has no column split" in caplog.text
    _, reverse = table.read(
        write_table(tmp_path, "\n".join(["image,caption", *lines[::-1]])), "photos"
    )
    assert dict(rows(images[["image_id", "split"]])) == dict(rows(reverse[["image_id", "split"]]))
    # Not the order of the names either.
    assert set(images.split[:40]) == {"train", "dev", "test"}


def test_split_by_name_is_the_order_of_the_hashes():
    # sha256sum: a.jpg 509b..., d.jpg 53e7..., b.jpg 7a11..., c.jpg 92b3...
    split = table.split_by_name(pd.Series(["a.jpg", "b.jpg", "a.jpg", "c.jpg", "d.jpg"]))
    assert split.to_dict() == {"a.jpg": "dev", "d.jpg": "test", "b.jpg": "train", "c.jpg": "train"}


LONG = "x" * 10_000


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (GOOD + "c.jpg,,test\n", r"my.csv line 5: the caption is empty"),
        (GOOD + "c.jpg,\t ,test\n", r"my.csv line 5: the caption is empty"),
        (GOOD + f"c.jpg,{LONG},test\n", r"my.csv line 5: the caption has 10,000 characters"),
        (GOOD + ",A horse.,test\n", r"my.csv line 5: the image's file name is missing"),
        (GOOD + "c.jpg,A cow.,dev\n", r"my.csv line 5 is in split dev, but .* is in split test"),
        (GOOD + "d.jpg,A pig.,val\n", r"my.csv line 5: unknown split 'val'"),
        (GOOD + "d.jpg,A pig.,\n", r"my.csv line 5: unknown split ''"),
        (
            GOOD + "d.jpg,A pig, pink,dev\nd.jpg\n",
            r"my.csv line 5 \(and 1 more\) has 4 fields, but the header has 3; write a field for",
        ),
        (
            GOOD + '\nc.jpg,"A\ncow",test\nc.jpg,,test\nc.jpg,ok,test\nc.jpg,,test\n',
            r"my.csv line 8 \(and 1 more\): the caption is empty",
        ),
        (GOOD + 'c.jpg,"A cow,test\nc.jpg,A cow,test\n', r"my.csv line 5: unexpected end of data"),
        (GOOD + 'c.jpg,"A" cow,test\n', r"my.csv line 5: .*double those inside it"),
        (GOOD.replace(",test", ",dev"), r"my.csv: no image is in split test"),
        ("image,caption\na.jpg,A cat.\n", r"my.csv: no image is in split"),
        ("image,caption\n", r"my.csv has no rows"),
        ("", r"my.csv line 1: the columns are missing; they must be image and caption"),
        ("picture,caption\n", r"line 1: the columns are picture, caption; they must be image and"),
        ("image,caption,lang\n", r"line 1: the columns are image, caption, lang; .* language"),
        ("image,caption,image\n", r"line 1: .* each once"),
        ("image;caption\na.jpg;A cat, asleep.\n", r"my.csv is separated by semicolons; save it"),
        ("image\tcaption\na.jpg\tA cat.\n", r"my.csv is separated by tabs; save it"),
        ("a.jpg;A cat, asleep.\n", r"my.csv is separated by semicolons; save it"),
        ('"a.jpg";"A cat."\n', r"line 1: .*double those inside it"),
        ("\na.jpg,A cat; asleep.\n", r"line 2: the columns are a.jpg, .*; if this line is a capt"),
        ("Image,Caption\na.jpg,A cat.\n", r"line 1: the columns are Image, Caption; they must be"),
        (
            "image,notes,caption\na.jpg,,A cat.\n",
            r"line 1: the columns are .* language, each once$",
        ),
        ("\ufeff[{}]", r"my.csv is JSON; name its source, .*, or make a table of it"),
        (
            GOOD + "d.jpg,\"['A pig.', 'It is pink.']\",dev\n",
            r"line 5: the caption is a list; write a row for each of its captions",
        ),
        (GOOD + "e.jpg,x,dev\n" * 3 + "f.jpg,,dev\n" * 4, r"line 8 \(and 3 more\): the caption is"),
        (
            "image,caption,split,language\na.jpg,A cat,train,English\n",
            r"my.csv line 2: language 'English' is not a code of two small letters",
        ),
    ],
)
def test_table_errors_name_the_line_and_the_remedy(tmp_path, text, error):
    with pytest.raises(InputError, match=error) as caught:
        table.read(write_table(tmp_path, text), "photos")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        GOOD.replace("\n", ",,\n").replace("split,,", "split"),
        GOOD.replace("\n", ",,\n"),
        GOOD.replace("split\n", "split,,\n"),
        GOOD.replace("dev\n", "dev, ,\n"),
        "\n ,\n" + GOOD,
        "sep=,\n" + GOOD,
        "\ufeffsep=,,\n\n" + GOOD,
        GOOD.replace("\n", "\r"),
        GOOD.replace(",", '","').replace("\n", '"\n"').removesuffix('"').join(['"', ""]),
    ],
)
def test_what_spreadsheets_add_is_left_out(tmp_path, text):
    expected = table.read(write_table(tmp_path, GOOD), "photos")
    for found, wanted in zip(
        table.read(write_table(tmp_path, text), "photos"), expected, strict=True
    ):
        pd.testing.assert_frame_equal(found, wanted)


def test_table_in_another_encoding_is_refused_with_the_line(tmp_path):
    path = write_table(tmp_path, GOOD + "c.jpg,Kühe,test\n", "latin-1")
    with pytest.raises(InputError, match=r"my\.csv line 5 is not UTF-8: save the table as CSV UTF"):
        table.read(path, "photos")


def test_table_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match=r"my\.csv does not exist"):
        table.read(tmp_path / "my.csv", "photos")


# --- The program ----------------------------------------------------------------------------------


def program(*arguments):
    return subprocess.run(
        [sys.executable, ROOT / "scripts" / "dataset.py", *map(str, arguments)],
        capture_output=True,
        text=True,
    )


def test_program_writes_both_files(tmp_path):
    for name in "abc":
        (tmp_path / f"{name}.jpg").touch()
    path = write_table(tmp_path, GOOD)
    result = program("table", "--table", path, "--images", tmp_path, "--output", tmp_path / "out")
    assert result.returncode == 0, result.stderr
    captions = dataset.read_captions(tmp_path / "out" / "captions.csv")
    images = dataset.read_images(tmp_path / "out" / "images.csv")
    assert captions.caption.tolist() == ["A cat.", "A dog.", "A cow."]
    assert images.path.tolist() == [str(tmp_path / f"{name}.jpg") for name in "abc"]


def test_program_ends_with_one_line_and_writes_nothing_if_images_are_missing(tmp_path):
    (tmp_path / "b.jpg").touch()
    path = write_table(tmp_path, GOOD)
    result = program("table", "--table", path, "--images", tmp_path, "--output", tmp_path / "out")
    assert result.returncode == 1
    errors = [line for line in result.stderr.splitlines() if line.startswith("error:")]
    assert len(errors) == 1
    assert "2 of 3 image files are missing" in errors[0]
    assert str(tmp_path / "a.jpg") in errors[0]
    assert str(tmp_path / "c.jpg") in errors[0]
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "out").exists()


def test_program_generates_scenes(tmp_path):
    result = program("scenes", "--count", 20, "--seed", 1, "--output", tmp_path)
    assert result.returncode == 0, result.stderr
    images = dataset.read_images(tmp_path / "images.csv")
    assert len(images) == len(list((tmp_path / "images").iterdir())) == 20
    assert len((tmp_path / "scenes.jsonl").read_text().splitlines()) == 20
    assert len(dataset.read_captions(tmp_path / "captions.csv", "de")) == 100


def test_program_shows_an_example():
    result = program("--help")
    assert result.returncode == 0
    assert "python scripts/dataset.py table --table my/captions.csv" in result.stdout


# --- What a table from a stranger may say ---------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('image,caption\n"a\rb.jpg",A cat.\n', r"my.csv line 2: the image's file name 'a\\nb.jpg'"),
        ('image,caption\n"a\nb.jpg",A cat.\n', r"my.csv line 2: the image's file name 'a\\nb.jpg'"),
        ("image,caption\n../a.jpg,A cat.\n", r"line 2: the image ../a.jpg is outside the folder"),
        ("image,caption\nx/../../a.jpg,A cat.\n", r"line 2: the image ../a.jpg is outside the"),
        ("image,caption\n/etc/passwd,A cat.\n", r"line 2: the image /etc/passwd is outside the"),
        ("image,caption\na.jpg," + "x" * 10**6 + "\n", r"line 2: the caption has 1,000,000 char"),
    ],
)
def test_odd_names_and_endless_captions_are_one_line(tmp_path, text, error):
    with pytest.raises(InputError, match=error) as caught:
        table.read(write_table(tmp_path, text), "photos")
    assert "\n" not in str(caught.value)


def test_two_ways_to_write_a_name_are_one_image(tmp_path):
    rows = ["a.jpg", "./a.jpg", "x/../a.jpg", "b.jpg", ".//b.jpg", "c.jpg"]
    text = "image,caption\n" + "".join(f"{name},Caption {k}.\n" for k, name in enumerate(rows))
    captions, images = table.read(write_table(tmp_path, text), "photos")
    assert images.image_id.tolist() == ["a.jpg", "b.jpg", "c.jpg"]
    assert captions.image_id.tolist() == ["a.jpg"] * 3 + ["b.jpg"] * 2 + ["c.jpg"]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-16"])
def test_utf_16_is_called_so_or_not_utf_8(tmp_path, encoding):
    path = write_table(tmp_path, GOOD, encoding)
    with pytest.raises(InputError, match=r"(is UTF-16|is not UTF-8).*: save the table as CSV"):
        table.read(path, "photos")


def test_the_program_does_not_write_over_the_user_s_own_table(tmp_path):
    for name in "abc":
        (tmp_path / f"{name}.jpg").write_bytes(b"x")
    path = write_table(tmp_path, GOOD).rename(tmp_path / "captions.csv")
    command = ["table", "--table", path, "--images", tmp_path, "--output", tmp_path]
    for more in ([], ["--overwrite"]):
        result = subprocess.run(
            [sys.executable, ROOT / "scripts" / "dataset.py", *more, *map(str, command)],
            capture_output=True,
            text=True,
        )
        assert result.returncode == 1 and "captions.csv is an input" in result.stderr
    assert path.read_text() == GOOD
    assert not (tmp_path / "images.csv").exists()


def test_the_state_of_the_pictures_is_that_of_the_listed_ones(tmp_path):
    for name in "abc":
        (tmp_path / f"{name}.jpg").write_bytes(b"x")
    path = write_table(tmp_path, GOOD)
    before = table.state(path, tmp_path)
    (tmp_path / ".DS_Store").touch()
    (tmp_path / "d.jpg").touch()
    assert table.state(path, tmp_path) == before
    (tmp_path / "b.jpg").write_bytes(b"another")
    changed = table.state(path, tmp_path)
    (tmp_path / "c.jpg").unlink()
    assert len({before, changed, table.state(path, tmp_path)}) == 3


def test_pictures_of_one_size_and_time_that_exchange_their_names_change_the_state(tmp_path):
    for name in "abc":
        (tmp_path / f"{name}.jpg").write_bytes(name.encode())
        os.utime(tmp_path / f"{name}.jpg", (0, 0))
    path = write_table(tmp_path, GOOD)
    before = table.state(path, tmp_path)
    (tmp_path / "a.jpg").rename(tmp_path / "x")
    (tmp_path / "b.jpg").rename(tmp_path / "a.jpg")
    (tmp_path / "x").rename(tmp_path / "b.jpg")
    assert table.state(path, tmp_path) != before


def test_a_split_without_captions_in_the_language_says_so(tmp_path):
    captions = pd.DataFrame(
        {
            "image_id": ["a", "b"],
            "language": "de",
            "split": ["train", "test"],
            "caption": "Ein Hund.",
        }
    )
    with pytest.raises(InputError, match="the data set has no dev captions in language de: write"):
        load_split(captions, "dev", len, {"de": Text.build(["Ein Hund."])})
