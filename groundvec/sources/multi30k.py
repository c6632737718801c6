"""Multi30k (Elliott, Frank, Sima'an & Specia 2016): photographs described in English and German.

The archive holds `task2/raw/{train,val,test_2016}.{1..5}.{en,de}.gz`, the k-th description of each
image, written independently in each language; `task1/raw/*.{en,de}.gz`, one description of each
image and its translation; and beside them `image_splits/*.txt`, with the name of a line's image.
The images are Flickr30k's, and 7,478 of them are Flickr8k's too: there `1000268201.jpg` is called
`1000268201_693b08cb0e.jpg`.
"""

import logging
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from groundvec.data import dataset, parallel
from groundvec.data.archives import Files
from groundvec.data.cleaning import clean
from groundvec.runtime.errors import InputError
from groundvec.sources.flickr8k import read as read_photographs

log = logging.getLogger(__name__)

LANGUAGES = ("en", "de")
# Of an image's descriptions, by their language and the number of their file.
DESCRIPTIONS = [(language, k) for language in LANGUAGES for k in range(1, 6)]
# Names in task 2, and of the same images in task 1.
DESCRIBED = {"train": "train", "val": "val", "test_2016": "test_2016_flickr"}
TRANSLATED = [*DESCRIBED.values(), "test_2017_flickr", "test_2018_flickr"]
DEV = 500  # of the validation images; the others test (Calixto & Liu 2017, section 4)

Read = tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]


def read(
    archive: str | Path,
    images: str | Path,
    folder: Path | None = None,
    flickr8k: str | Path | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Read Multi30k as (captions, images), and write its pairs.

    Args:
        archive: multi30k.zip, with the files anywhere within, or the folder it was unpacked to.
        images: Flickr30k's images; with `flickr8k`, that one's.
        folder: where parallel.csv is written; by default nowhere.
        flickr8k: Flickr8k_text.zip or its folder, to read the part whose images are Flickr8k's.
    """
    own = read_flickr8k(archive, images, flickr8k) if flickr8k else read_flickr30k(archive, images)
    captions, found, pairs = own
    if folder:
        parallel.write(folder / "parallel.csv", pairs)
    return captions, found


def read_flickr30k(archive: str | Path, images_folder: str | Path) -> Read:
    """Read Multi30k with Flickr30k's images, as (captions, images), and pairs.

    Train is the published one; dev is the first 500 images of the published validation split, test
    the others. Pairs are in the published splits: test is that of 2016, whose images are there too,
    without captions (`dataset.PAIRS`).

    Raises:
        InputError: a file is missing or damaged, or has fewer or more lines than images.
    """
    files = Files(archive, "multi30k.zip")
    names = _described(files, ["train", "val"])
    of_val = names.groupby("published").cumcount()
    names["split"] = np.where(of_val < DEV, "dev", "test")
    names.loc[names.published == "train", "split"] = "train"
    pairs = pd.concat([_pairs(files, name) for name in DESCRIBED.values()], ignore_index=True)
    published = dict(zip(DESCRIBED.values(), dataset.SPLITS, strict=True))
    pairs["split"] = pairs.published.map(published)
    tested = pairs.loc[pairs.split == "test", ["name"]].assign(split=dataset.PAIRS)
    images = pd.concat([names[["name", "split"]], tested], ignore_index=True)
    paths = [str(Path(images_folder, name)) for name in images.name]
    images = images.assign(image_id=images.name, path=paths)
    captions = _captions(names.assign(image_id=names.name))
    return captions, images[dataset.IMAGE_COLUMNS], _with_ids(pairs, images)


def read_flickr8k(archive: str | Path, images_folder: str | Path, text: str | Path) -> Read:
    """Read the part of Multi30k whose images are Flickr8k's, with its ids and in its split.

    Dev and test pairs are those of its dev and test images, train pairs are all others.

    Args:
        images_folder, text: as of `groundvec.sources.flickr8k.read`.

    Raises:
        InputError: as `read_flickr30k`, and as that of Flickr8k.
    """
    files = Files(archive, "multi30k.zip")
    _, images = read_photographs(images_folder, text)
    images["name"] = images.image_id.str.replace(r"_\w+(?=\.jpg$)", "", regex=True)
    described = _described(files, DESCRIBED)
    names = described.merge(images, on="name")
    if names.empty:
        raise InputError(
            f"{archive}: none of its images is one of {text}: get the public files again"
        )
    dataset.refuse(
        names[names.name.duplicated()],
        f"{text}: the image {{image_id}}{{more}} begins with the number of another one; get the "
        "public files again",
    )
    counts = len(names), len(described), *_counts(names)
    log.info("%d of %d images are Flickr8k's: %d train, %d dev, %d test", *counts)
    pairs = pd.concat([_pairs(files, name) for name in TRANSLATED], ignore_index=True)
    split = names.set_index("name").split
    pairs["split"] = pairs.name.map(split).fillna("train")
    return _captions(names), names[dataset.IMAGE_COLUMNS], _with_ids(pairs, names)


def _refuse_twice(files: Files, rows: pd.DataFrame) -> None:
    dataset.refuse(
        rows[rows.name.duplicated()],
        f"{files.path}: the image {{name!r}}{{more}} is listed twice; get the public files again",
    )


def _table(files: Files, published: str, images: str, sentences: dict[str, str]) -> pd.DataFrame:
    """Make a row per image: name, published split, and sentences, by column and file."""
    names = list(map(clean, files.lines(images)))
    table = pd.DataFrame({"name": names}).assign(published=published)
    dataset.refuse_names(table, f"{files.path}: {images}", "name")
    _refuse_twice(files, table)
    columns = {column: list(map(clean, files.lines(file))) for column, file in sentences.items()}
    for column, file in sentences.items():
        if len(columns[column]) != len(names):
            raise InputError(
                f"{files.path}: {file} has {len(columns[column]):,} lines and {images} has "
                f"{len(names):,}, one for each; get the public files again"
            )
    return table.assign(**columns)


def _described(files: Files, splits: Iterable[str]) -> pd.DataFrame:
    """Read the images of splits of task 2, with a column for each of their descriptions."""
    tables = []
    for published in splits:
        names = {f"{of} {k}": f"task2/raw/{published}.{k}.{of}.gz" for of, k in DESCRIPTIONS}
        images = f"task2/image_splits/{published}_images.txt"
        tables.append(_table(files, published, images, names))
    described = pd.concat(tables, ignore_index=True)
    _refuse_twice(files, described)
    return described


def _pairs(files: Files, published: str) -> pd.DataFrame:
    """Read the pairs of one split of task 1."""
    sentences = {language: f"task1/raw/{published}.{language}.gz" for language in LANGUAGES}
    return _table(files, published, f"task1/image_splits/{published}.txt", sentences)


def _captions(names: pd.DataFrame) -> pd.DataFrame:
    """Make a row per description, image by image, the English ones first."""
    columns = [f"{language} {k}" for language, k in DESCRIPTIONS]
    of_image = ["image_id", "split"]
    captions = names.melt(of_image, columns, "column", "caption", ignore_index=False)
    captions = captions.sort_index(kind="stable").reset_index(drop=True)
    captions["language"] = captions.column.str.partition(" ")[0]
    return captions[dataset.CAPTION_COLUMNS]


def _with_ids(pairs: pd.DataFrame, names: pd.DataFrame) -> pd.DataFrame:
    """Add the ids of those images that the data set has."""
    pairs["image_id"] = pairs.name.map(names.set_index("name").image_id).fillna("")
    log.info("pairs of sentences: %d train, %d dev, %d test", *_counts(pairs))
    return pairs[["split", "image_id", *LANGUAGES]]


def _counts(table: pd.DataFrame) -> pd.Series:
    return table.split.value_counts().reindex(dataset.SPLITS, fill_value=0)
