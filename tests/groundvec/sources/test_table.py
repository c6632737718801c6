"""A user's own table of captions: its rows, ignored rows, and mistakes."""

import hashlib
import logging

import pandas as pd
import pytest

from groundvec.data import dataset
from groundvec.sources import table
from tests.support.refusals import refused
from tests.support.result_files import assert_rows
from tests.support.tables import cells


def write_table(tmp_path, text, encoding="utf-8"):
    path = tmp_path / "my.csv"
    path.write_bytes(text.encode(encoding))
    return path


def assert_same(found, expected):
    """Expect the same captions and images."""
    for one, other in zip(found, expected, strict=True):
        pd.testing.assert_frame_equal(one, other)


GOOD = "image,caption,split\na.jpg,A cat.,train\nb.jpg,A dog.,dev\nc.jpg,A cow.,test\n"


def test_table(tmp_path):
    text = (
        "image,caption,split,language\n"
        'a.jpg,"A cat, ""Tom"", sleeps.",train,en\n'
        "a.jpg,  A cat\tsleeps 🐈 ,train,en\n"
        "\n"
        'a.jpg,"Eine Katze\nschläft.",train,de\n'
        'b.jpg, "A dog, asleep",dev,en\n'
        "sub/c.jpg,NA, test ,en\n"
    )
    captions, images = table.read(write_table(tmp_path, text), "photos")
    expected = """
        image_id  | split | path
        a.jpg     | train | photos/a.jpg
        b.jpg     | dev   | photos/b.jpg
        sub/c.jpg | test  | photos/sub/c.jpg
    """
    assert_rows(images, expected)
    assert images.index.tolist() == [0, 1, 2]
    expected = """
        image_id  | language | split | caption
        a.jpg     | en       | train | A cat, "Tom", sleeps.
        a.jpg     | en       | train | A cat sleeps 🐈
        a.jpg     | de       | train | Eine Katze schläft.
        b.jpg     | en       | dev   | A dog, asleep
    """
    assert_rows(captions[:-1], expected)
    assert captions["caption"][4] == "NA"


def test_table_without_a_split_gets_one_that_does_not_depend_on_the_order(tmp_path, caplog):
    caplog.set_level(logging.INFO)
    lines = [f"{k}.jpg,picture {k} seen {view}" for k in range(50) for view in ("once", "twice")]
    path = write_table(tmp_path, "\n".join(["image,caption", *lines]))
    captions, images = table.read(path, "photos")
    assert images.split.value_counts().to_dict() == {"train": 40, "dev": 5, "test": 5}
    assert (captions.language == "en").all()
    assert "has no column split" in caplog.text
    path = write_table(tmp_path, "\n".join(["image,caption", *lines[::-1]]))
    _, reverse = table.read(path, "photos")
    split = images.set_index("image_id").split
    assert split.to_dict() == reverse.set_index("image_id").split.to_dict()
    # Images are ordered by their hashes, as `printf 0.jpg | sha256sum` prints them.
    order = sorted(split.index, key=lambda name: hashlib.sha256(name.encode()).digest())
    assert split[order].tolist() == ["dev"] * 5 + ["test"] * 5 + ["train"] * 40


def test_pictures_with_the_same_content_are_in_one_split(tmp_path, caplog):
    names = [f"{number:02}.jpg" for number in range(30)]
    copies = names[:24:2]
    for name in names:
        (tmp_path / name).write_text("gone" if name in copies else name[:2] + "..")
    rows = "".join(f"{name},A cat.\n" for name in names)
    captions, images = table.read(write_table(tmp_path, "image,caption\n" + rows), tmp_path)
    # The test would have them only if there were too few others.
    assert set(images.split[images.image_id.isin(copies)]) == {"train"}
    assert "copies of other pictures: 11, such as 02.jpg of 00.jpg. They stay" in caplog.text
    caplog.clear()
    dataset.write(tmp_path / "out", captions, images)
    assert not caplog.text
    # A table has a column `split` that puts them apart.
    for rows in (captions, images):
        rows.loc[rows.image_id == "02.jpg", "split"] = "dev"
    dataset.write(tmp_path / "apart", captions, images)
    said = "12 images have the same content as one in another split, such as 00.jpg and 02.jpg: put"
    assert said in caplog.text


@pytest.mark.parametrize(
    "text, error",
    [
        (GOOD.replace("\n", ",x\n").replace("split,x", "split,"), r"'x' is in a column without"),
        ("", r"my.csv line 1: the columns are missing; they must be image and caption"),
        *cells(r"""
        GOOD "a↵b.jpg",A cat.,test↵                | line 5: the image's file name 'a\\nb.jpg'
        GOOD x/../../a.jpg,A cat.,test↵            | line 5: the image ../a.jpg is outside
        GOOD ,A horse.,test↵                       | my.csv line 5: the image's file name is missing
        GOOD c.jpg,A cow.,dev↵                     | line 5 is in split dev, but .* is in split test
        GOOD d.jpg,A pig, pink,dev↵d.jpg↵          | 5 \(and 1 more\) has 4 fields, but the header
        GOOD ↵c.jpg,"A↵cow",test↵c.jpg,...,test↵   | my.csv line 8: the caption is empty
        GOOD c.jpg,"A cow,test↵c.jpg,A cow,test↵   | my.csv line 5: unexpected end of data
        GOOD LONG                                  | line 5 has 1,048,576 characters or more: brea
        GOOD c.jpg,"A" cow,test↵                   | my.csv line 5: .*double those inside it
        GOOD https://x.org/a.png,x,test↵           | line 5: the image https://x.org/a.png is an ad
        GOOD d.jpg,"['A pig.', 'Pink.']",dev↵      | line 5: the caption is a list; write a r
        image,caption↵a.jpg,A cat.↵                | my.csv: no image is in split
        image,caption↵                             | my.csv has no rows
        picture,caption↵                           | line 1: the columns are picture, caption; they
        image;caption↵a.jpg;A cat, asleep.↵        | my.csv is separated by semicolons; save it
        ↵a.jpg,A cat; asleep.↵                     | line 2: the columns are a.jpg, .*; if this
        [{}]                                       | my.csv is JSON; make a table of it
        """),
    ],
)
def test_table_errors_name_the_line_and_the_remedy(tmp_path, text, error):
    """GOOD stands for the rows of that table."""
    text = text.replace("↵", "\n").replace("GOOD ", GOOD).replace("LONG", 2**20 * "a")
    with refused(error):
        table.read(write_table(tmp_path, text), "photos")


@pytest.mark.parametrize(
    "text",
    [
        GOOD.replace("\n", ",,\n"),
        GOOD.replace("dev\n", "dev, ,\n"),
        "\n ,\n" + GOOD,
        "\ufeffsep=,,\n\n" + GOOD,
        GOOD.replace("\n", "\r"),
        GOOD.replace(",", '","').replace("\n", '"\n"').removesuffix('"').join(['"', ""]),
    ],
)
def test_additions_of_spreadsheets_are_ignored(tmp_path, text):
    expected = table.read(write_table(tmp_path, GOOD), "photos")
    found = table.read(write_table(tmp_path, text), "photos")
    assert_same(found, expected)


@pytest.mark.parametrize(
    "encoding, message",
    [
        ("latin-1", r"my\.csv line 5 is not UTF-8: save the table as CSV UTF"),
        ("utf-16", r"my\.csv line 1 (is UTF-16|is not UTF-8).*: save the table as CSV"),
    ],
)
def test_table_in_another_encoding_is_refused_with_the_line(tmp_path, encoding, message):
    path = write_table(tmp_path, GOOD + "c.jpg,Kühe,test\n", encoding)
    with refused(message):
        table.read(path, "photos")


def test_two_ways_to_write_a_name_are_one_image(tmp_path):
    rows = ["a.jpg", "./a.jpg", "x/../a.jpg", "b.jpg", ".//b.jpg", "c.jpg"]
    text = "image,caption\n" + "".join(f"{name},Caption {k}.\n" for k, name in enumerate(rows))
    captions, images = table.read(write_table(tmp_path, text), "photos")
    assert images.image_id.tolist() == ["a.jpg", "b.jpg", "c.jpg"]
    assert captions.image_id.tolist() == ["a.jpg"] * 3 + ["b.jpg"] * 2 + ["c.jpg"]


def test_the_state_of_images_ignores_unlisted_files(tmp_path):
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


HUGGING_FACE = 'file_name,text\na.jpg,A cat.\nb.JPG,A dog.\nc.jpg,"A cow, brown."\n'
TEXTS = {"a.txt": "A cat.", "b.CAPTION": "A dog.", "c.jpg.txt": "A cow, brown."}


@pytest.mark.parametrize("form", ["metadata.csv", "texts"])
def test_a_folder_with_captions_is_read_like_a_table(tmp_path, form, caplog):
    expected = table.read(
        write_table(tmp_path, HUGGING_FACE.replace("file_name,text", "image,caption")),
        tmp_path / "photos",
    )
    folder = tmp_path / "photos"
    (folder / "#recycle").mkdir(parents=True)
    for name in ("a.jpg", "b.JPG", "c.jpg", "d.jpg", "d.json", "._a.jpg", "#recycle/e.jpg"):
        (folder / name).touch()
    (folder / "#recycle/e.txt").write_text("Deleted.")
    (folder / "notes.txt").write_text("Mine.")
    (folder / "f.jpg").symlink_to("nowhere")
    (folder / "._a.txt").write_bytes(b"\xff")  # macOS's notes on a.jpg
    if form == "texts":
        for name, text in TEXTS.items():
            (folder / name).write_text(f"{text}\n\n", "utf-8-sig")
    else:
        (folder / form).write_text(HUGGING_FACE, "utf-8-sig")
    assert_same(table.read(folder, folder), expected)
    assert caplog.text.count("f.jpg cannot be read") == 1
    message = "1 of 4 pictures have no caption and are left out: d.jpg (there is d.json)"
    assert message in caplog.text


@pytest.mark.parametrize("form", ["metadata.csv", "texts", "classes"])
def test_folders_of_splits_and_of_classes(tmp_path, form, caplog):
    for split, count in {"train": 20, "test": 2}.items():
        for number in range(count):
            name = ("guard dog" if number % 2 else "owl") + f"/{number}.jpg"
            path = tmp_path / split / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{split} {number}")
            if form == "texts":
                path.with_suffix(".txt").write_text("A bird.")
            elif form == "metadata.csv":
                with (tmp_path / split / form).open("a") as file:
                    file.write("" if number else "image,caption\n")
                    file.write(f"{name},A bird.\n")
    captions, images = table.read(tmp_path, tmp_path)
    of_split = images.groupby("split")["image_id"].agg(list)
    assert of_split.map(len).to_dict() == {"train": 18, "dev": 2, "test": 2}
    assert sorted(of_split["test"]) == ["test/guard dog/1.jpg", "test/owl/0.jpg"]
    expected = {"a photo of a guard dog", "a photo of an owl"} if form == "classes" else {"A bird."}
    assert set(captions["caption"]) == expected
    said = 'its 2 folders are taken for classes, with captions such as "a photo of a guard dog"'
    assert (said in caplog.text) == (form == "classes")


@pytest.mark.parametrize(
    "name, content, error",
    [
        ("metadata.csv", "file_name\na.jpg\n", "metadata.csv line 1: the columns are image; they"),
        ("metadata.csv", "file_name,image,text\n", "the columns are image, image, .* each once"),
        ("a.txt", 2**20 * "a" + "\n", "a.txt holds more than 1 MiB"),
        ("a.txt", "Kühe", "a.txt line 1 is not UTF-8"),
        ("b.txt", "A dog.", "photos has no captions: put a metadata.csv into it"),
    ],
)
def test_mistakes_in_a_folder_of_captions_are_named(tmp_path, name, content, error):
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos/a.jpg").touch()
    (tmp_path / "photos" / name).write_text(content, "latin-1")
    with refused(error):
        table.read(tmp_path / "photos", tmp_path / "photos")
