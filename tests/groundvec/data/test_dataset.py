import hashlib
import re
from pathlib import Path

import pandas as pd
import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from groundvec.data import dataset
from groundvec.data.cleaning import clean
from groundvec.data.split import UNENCODED, drawn, load_split, load_text_only
from groundvec.runtime.errors import InputError
from tests.support.limits import allocates_less_than
from tests.support.refusals import refused
from tests.support.result_files import assert_rows, read_table
from tests.support.tables import cells


@pytest.fixture(autouse=True)
def photos(tmp_path, monkeypatch):
    """The files of the images of `tables`."""
    (tmp_path / "photos").mkdir()
    for name in "abc":
        (tmp_path / "photos" / f"{name}.jpg").write_text(name)
    monkeypatch.chdir(tmp_path)


def tables():
    """Three images, one in each split, with two captions each."""
    images = read_table("""
        image_id | split | path
        a.jpg    | train | photos/a.jpg
        b.jpg    | dev   | photos/b.jpg
        c.jpg    | test  | photos/c.jpg
    """)
    captions = read_table("""
        image_id | language | split | caption
        a.jpg    | en       | train | A cat .
        a.jpg    | en       | train | Cats
        b.jpg    | en       | dev   | A dog .
        b.jpg    | en       | dev   | Dogs
        c.jpg    | en       | test  | A cow .
        c.jpg    | en       | test  | Cows
    """)
    return captions, images


# Any text, and texts that are likely to confuse a reader of CSV.
CAPTIONS = st.text(max_size=60) | st.text(alphabet="\",;'\\# \t\n\r", max_size=8)


@given(
    texts=st.lists(CAPTIONS.map(clean).filter(bool), min_size=1, max_size=8),
    name=CAPTIONS.map(clean).filter(bool),
)
@example(texts=["NA", "null", "007", "1e3", "True", "nan"], name="NA")  # not missing, nor numbers
def test_any_text_survives_writing_and_reading(tmp_path_factory, texts, name):
    folder = tmp_path_factory.mktemp("schema")
    images = pd.DataFrame({"image_id": [name], "split": ["dev"], "path": [__file__]})
    captions = pd.DataFrame({"image_id": name, "language": "en", "split": "dev", "caption": texts})
    dataset.write(folder, captions, images)
    again = dataset.read_captions(folder / "captions.csv")
    assert again.caption.tolist() == texts
    assert again.image_id.tolist() == [name] * len(texts)
    content = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()
    images = images.assign(sha256=content)
    assert dataset.read_images(folder / "images.csv").values.tolist() == images.values.tolist()


def test_reading_one_language(tmp_path):
    captions, images = tables()
    captions["language"] = ["en", "de"] * 3
    dataset.write(tmp_path, captions, images)
    path = tmp_path / "captions.csv"
    assert dataset.read_captions(path, "de").caption.tolist() == ["Cats", "Dogs", "Cows"]
    assert len(dataset.read_captions(path)) == 6
    with refused(r"captions\.csv has no captions in language 'fr'.*en, de"):
        dataset.read_captions(path, "fr")


@pytest.mark.parametrize(
    "table, rows, column, value, error",
    cells(r"""
    images   | 3         | null     | [a.jpg, dev, a]        | image a.jpg is listed twice
    images   | 3         | null     | [d.jpg, train, d]      | image d.jpg has no captions
    images   | 1         | split    | val                    | image b.jpg: unknown split 'val'
    captions | 2         | split    | ""                     | in en of image b.jpg: unknown split
    captions | 2         | split    | test                   | test, but its image b.jpg is in
    captions | [3, 4]    | language | English                | b.jpg (and 1 more): language
    captions | 6         | null     | [z.jpg, en, train, A.] | there is no image z.jpg; add
    captions | 4         | caption  | ""                     | image c.jpg: the caption is empty
    captions | [1, 2]    | caption  | " \t\u00a0"            | (and 1 more): the caption is empty
    captions | 3         | caption  | LONG                   | has 1,001 characters, more than
    images   | [0, 1, 2] | width    | "640"                  | the columns are image_id, split, p
    """),
)
def test_bad_data_is_refused_in_one_line_and_nothing_is_written(
    tmp_path, table, rows, column, value, error
):
    captions, images = tables()
    captions.loc[5, "caption"] = "x" * 1000
    dataset.check(captions, images)
    spoiled = images if table == "images" else captions
    rows, column, value = map(yaml.safe_load, (rows, column, value))
    if column:
        spoiled.loc[rows, column] = "🐕" * 1001 if value == "LONG" else value
    else:
        spoiled.loc[rows] = value
    with refused(re.escape(error)):
        dataset.write(tmp_path / "new", captions, images)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    "content, error",
    [
        (b"image_id,split,path\na,train,x\na,train,x,y\n", "not a whole CSV file.*line 3"),
        (b"image_id,path\na,x\n", "the columns are image_id, path but must be"),
    ],
)
def test_a_damaged_file_is_refused_by_name(tmp_path, content, error):
    (tmp_path / "images.csv").write_bytes(content)
    with refused(rf"images\.csv.*{error}"):
        dataset.read_images(tmp_path / "images.csv")


def test_missing_image_files_are_named_and_counted(tmp_path):
    for name in "ab":
        (tmp_path / name).touch()
    dataset.check_files(pd.DataFrame({"path": [str(tmp_path / name) for name in "ab"]}))
    images = pd.DataFrame({"path": [str(tmp_path / name) for name in "avwbxyz"]})
    with pytest.raises(InputError) as caught:
        dataset.check_files(images)
    v, w, x = (tmp_path / name for name in "vwx")
    assert str(caught.value).startswith(
        f"5 of 7 image files are missing: {v}, {w}, {x} and 2 more; "
    )


@pytest.mark.parametrize(
    "listed, file",
    [
        ("sp%20ace.png", "sp ace.png"),
        ("2024\\KITCHEN", "2024/kitchen.png"),
        ("kitchne.jpg", "2024/kitchen.png"),
        ("Sea.jpg", "sea.jpg"),
    ],
)
def test_the_file_that_was_probably_meant_is_named(tmp_path, listed, file):
    (tmp_path / "2024").mkdir()
    (tmp_path / file).touch()
    for ending in (".PNG", ".txt"):  # a text next to the picture
        (tmp_path / "sea").with_suffix(ending).touch()
    with refused(re.escape(f"{listed} (did you mean {tmp_path / file}?)")):
        dataset.check_files(pd.DataFrame({"path": [f"{tmp_path}/{listed}"]}))


def more_captions():
    """Captions of other pictures, in two languages; some hold captions of `tables`."""
    # e.jpg is a test picture, and h.jpg a training picture; g.jpg has one caption of another one.
    captions = read_table("""
        image_id | language | caption
        d.jpg    | en       | A bird .
        d.jpg    | de       | Ein Vogel .
        e.jpg    | en       | A fish .
        e.jpg    | en       | a COW
        e.jpg    | de       | Eine Kuh .
        f.jpg    | de       | Ein Frosch .
        g.jpg    | en       | Cats !
        g.jpg    | en       | An ape .
        h.jpg    | en       | a cat.
        h.jpg    | de       | Eine Katze .
        h.jpg    | de       | Katzen .
    """)
    return captions.assign(split="train")


def test_captions_without_images_share_no_caption_with_the_data_set(tmp_path):
    captions, images = tables()
    dataset.write(tmp_path / "set", captions, images, more_captions())
    read = dataset.read_captions(tmp_path / "set/captions.csv")
    assert read[: len(captions)].equals(captions)
    expected = """
        image_id | language | split | caption
        a.jpg    | de       | train | Eine Katze .
        a.jpg    | de       | train | Katzen .
        d.jpg    | en       | more  | A bird .
        d.jpg    | de       | more  | Ein Vogel .
        f.jpg    | de       | more  | Ein Frosch .
        g.jpg    | en       | more  | Cats !
        g.jpg    | en       | more  | An ape .
    """
    assert_rows(read[len(captions) :], expected)
    assert set(dataset.read_images(tmp_path / "set/images.csv").image_id) == set(images.image_id)


def test_a_caption_that_many_pictures_share_takes_no_memory():
    def described(name):
        images = [f"{name}{k:04}.jpg" for k in range(3000)]
        texts = ["A dog ."] * 3000 + [f"{name} , {image} ." for image in images]
        columns = {"image_id": images * 2, "language": "en", "split": "train", "caption": texts}
        return pd.DataFrame(columns)

    own = described("own")
    more = described("more")
    also = pd.DataFrame([["x.jpg", "en", "train", "a dog"], ["x.jpg", "de", "train", "Ein Hund ."]])
    with allocates_less_than(2**25):  # and not 3000 x 3000 pairs
        read = dataset.with_more(own, pd.concat([more, also.set_axis(own.columns, axis=1)]))
    assert read.split.value_counts().to_dict() == {"train": 6001, "more": 6000}
    assert read[read.language == "de"].values.tolist() == [
        ["own0000.jpg", "de", "train", "Ein Hund ."]
    ]


def test_captions_without_images_are_read_with_a_split(tmp_path):
    captions, images = tables()
    dataset.write(tmp_path, captions, images, more_captions())
    read = dataset.read_captions(tmp_path / "captions.csv")
    both = {"en": UNENCODED, "de": UNENCODED}
    for name, image in (("train", "a.jpg"), ("dev", "b.jpg"), ("test", "c.jpg")):
        split = load_split(read, name, list, both)
        assert split.image_ids.tolist() == [image]
        assert list(split.captions) == ["en"]  # no picture to test with is described in German
        german = [["Eine Katze .", "Katzen ."], []][name != "train"]
        assert split.captions["en"].encoded[2:] == german
        assert split.captions["en"].order.tolist() == [0, 1] + [-1] * len(german)
        batches = [batch["en"].tolist() for batch in split.epoch(1, 1, 1)]
        assert batches == [[0], [1]]
    more = load_text_only(read, both)
    assert more.encoded == ["A bird .", "Ein Vogel .", "Ein Frosch .", "Cats !", "An ape ."]
    assert more.image.tolist() == [0, 0, 1, 2, 2]
    assert load_text_only(read, {"en": UNENCODED}).encoded == ["A bird .", "Cats !", "An ape ."]
    assert load_text_only(drawn(read, [1, 1, 1], 1), both).encoded == more.encoded


def test_captions_without_images_are_checked_like_others():
    more = more_captions()
    more.loc[3, "caption"] = " "
    with refused(r"a caption of image e\.jpg: the caption is empty"):
        dataset.write("set", *tables(), more)
    assert not Path("set").exists()
