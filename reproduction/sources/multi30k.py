"""Multi30k (Elliott, Frank, Sima'an & Specia 2016): photographs described in English and German.

The archive contains `task2/raw/{train,val,test_2016}.{1..5}.{en,de}.gz`, the k-th description of
each image, written independently in each language; `task1/raw/*.{en,de}.gz`, one description of
each image and its translation; and in both, `image_splits/*.txt`, the name of each line's image.
The images are Flickr30k's. 7,478 of them are Flickr8k's too: there `1000268201.jpg` is called
`1000268201_693b08cb0e.jpg`.
"""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from groundvec.data import dataset
from groundvec.data.archives import Files
from groundvec.data.cleaning import clean
from groundvec.runtime.errors import InputError
from groundvec.sources.flickr8k import read as read_photographs
from reproduction.sources import parallel

LANGUAGES = ("en", "de")
# The language and the number of each file of descriptions.
DESCRIPTIONS = [(language, k) for language in LANGUAGES for k in range(1, 6)]
# The splits of task 2, with the names of the same images' splits in task 1.
DESCRIBED = {"train": "train", "val": "val", "test_2016": "test_2016_flickr"}
TRANSLATED = [*DESCRIBED.values(), "test_2017_flickr", "test_2018_flickr"]
# Validation images that are dev here; the others are test (Calixto & Liu 2017, section 4).
DEV = 500

Read = tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]


def read(
    archive: str | Path,
    images: str | Path,
    folder: Path | None = None,
    flickr8k: str | Path | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Read Multi30k as (captions, images), and write its pairs.

    Args:
        archive: multi30k.zip, with the files anywhere in it, or the folder that it was unpacked to.
        images: the folder of Flickr30k's images; with `flickr8k`, of Flickr8k's.
        folder: where to write parallel.csv; by default nowhere.
        flickr8k: Flickr8k_text.zip or its folder, to read the part whose images are Flickr8k's.
    """
    if flickr8k:
        captions, image_table, pairs = read_flickr8k(archive, images, flickr8k)
    else:
        captions, image_table, pairs = read_flickr30k(archive, images)
    if folder:
        parallel.write(folder / "parallel.csv", pairs)
    return captions, image_table


def read_flickr30k(archive: str | Path, images_folder: str | Path) -> Read:
    """Read Multi30k with Flickr30k's images, as (captions, images), and pairs.

    Train is the published split. Dev has the first 500 images of the published validation split,
    test the others. Pairs are in the published splits; their test split is the one of 2016, whose
    images have the split `dataset.PAIRS` and no captions.

    Raises:
        InputError: a file is missing or damaged, or has fewer or more lines than images.
    """
    files = Files(archive, "multi30k.zip")
    names = _described(files, ["train", "val"])
    number = names.groupby("published").cumcount()
    names["split"] = np.where(number < DEV, "dev", "test")
    names.loc[names.published == "train", "split"] = "train"
    pairs = pd.concat([_pairs(files, name) for name in DESCRIBED.values()], ignore_index=True)
    published = dict(zip(DESCRIBED.values(), dataset.SPLITS, strict=True))
    pairs["split"] = pairs.published.map(published)
    tested = pairs.loc[pairs.split == "test", ["name"]].assign(split=dataset.PAIRS)
    images = pd.concat([names[["name", "split"]], tested], ignore_index=True)
    paths = [str(Path(images_folder, name)) for name in images.name]
    images = images.assign(image_id=images.name, path=paths)
    captions = _captions(names.assign(image_id=names.name))
    ids = images[["name", "image_id"]].drop_duplicates("name")
    pairs = pairs.merge(ids, "left", on="name").fillna({"image_id": ""})
    return captions, images[dataset.IMAGE_COLUMNS], pairs[parallel.COLUMNS]


def read_flickr8k(archive: str | Path, images_folder: str | Path, text: str | Path) -> Read:
    """Read the part of Multi30k whose images are Flickr8k's, with its ids and in its split.

    Pairs of dev and test images are dev and test pairs; all others are train pairs.

    Args:
        archive: see `read`.
        images_folder, text: the `images` and `text` of `groundvec.sources.flickr8k.read`.

    Raises:
        InputError: as `read_flickr30k` and `groundvec.sources.flickr8k.read`.
    """
    files = Files(archive, "multi30k.zip")
    _, images = read_photographs(images_folder, text)
    # Flickr8k's names have a second part, such as `_693b08cb0e`, which Flickr30k's lack.
    images["name"] = images.image_id.str.replace(r"_\w+(?=\.jpg$)", "", regex=True)
    names = _described(files, DESCRIBED).merge(images, on="name")
    if names.empty:
        raise InputError(
            f"{archive}: none of its images is one of {text}: get the public files again"
        )
    pairs = pd.concat([_pairs(files, name) for name in TRANSLATED], ignore_index=True)
    ids = names[["name", "image_id", "split"]].drop_duplicates("name")
    pairs = pairs.merge(ids, "left", on="name").fillna({"image_id": "", "split": "train"})
    return _captions(names), names[dataset.IMAGE_COLUMNS], pairs[parallel.COLUMNS]


def _table(files: Files, published: str, images: str, sentences: dict[str, str]) -> pd.DataFrame:
    """Make a table with a row per image.

    Args:
        files: the archive.
        published: the published split, which the column `published` gets.
        images: the file of the images' names.
        sentences: files with one sentence per image, by the column that they become.
    """
    names = [clean(line) for line in files.lines(images)]
    table = pd.DataFrame({"name": names, "published": published})
    dataset.refuse_names(table, f"{files.path}: {images}", "name")
    for column, file in sentences.items():
        lines = [clean(line) for line in files.lines(file)]
        if len(lines) != len(names):
            raise InputError(
                f"{files.path}: {file} has {len(lines):,} lines and {images} has "
                f"{len(names):,}, one for each; get the public files again"
            )
        table[column] = lines
    return table


def _described(files: Files, splits: Iterable[str]) -> pd.DataFrame:
    """Read the images of splits of task 2, with a column for each of their descriptions."""
    tables = []
    for published in splits:
        sentences = {
            f"{language} {k}": f"task2/raw/{published}.{k}.{language}.gz"
            for language, k in DESCRIPTIONS
        }
        images = f"task2/image_splits/{published}_images.txt"
        tables.append(_table(files, published, images, sentences))
    return pd.concat(tables, ignore_index=True)


def _pairs(files: Files, published: str) -> pd.DataFrame:
    """Read the pairs of one split of task 1."""
    sentences = {language: f"task1/raw/{published}.{language}.gz" for language in LANGUAGES}
    return _table(files, published, f"task1/image_splits/{published}.txt", sentences)


def _captions(names: pd.DataFrame) -> pd.DataFrame:
    """Make a row per description, image by image, the English ones first."""
    columns = [f"{language} {k}" for language, k in DESCRIPTIONS]
    of_image = ["image_id", "split"]
    captions = names.melt(of_image, columns, "column", "caption", ignore_index=False)
    # `melt` goes column by column; the index brings the captions of an image together.
    captions = captions.sort_index(kind="stable").reset_index(drop=True)
    captions["language"] = captions.column.str.partition(" ")[0]
    return captions[dataset.CAPTION_COLUMNS]
