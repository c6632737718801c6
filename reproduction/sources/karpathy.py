"""Captioned pictures in the splits of Karpathy & Fei-Fei (2015): Flickr8k, Flickr30k, MSCOCO.

`dataset_flickr8k.json`, `dataset_flickr30k.json` and `dataset_coco.json`, from Karpathy's
`caption_datasets.zip`, have the same form. MSCOCO's file lists 123,287 images of the archives
train2014.zip and val2014.zip, with their splits and five captions each (a few have six or seven).
"""

import io
import json
import posixpath
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pandas as pd
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from groundvec.data import dataset
from groundvec.data.archives import open_member
from groundvec.data.cleaning import LONGEST, clean
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import LARGEST_JSON, read_at_most

SPLITS = {"train": "train", "restval": "train", "val": "dev", "test": "test"}

# The remedy for captions in JSON of another form.
MAKE_A_TABLE = (
    "make a table of its captions, as docs/your-own-data.md shows, and take the source `table`"
)

# The tokenizer of NIST's mteval-v13a.pl, in sacreBLEU's port.
NIST: Callable[[str], str] = Tokenizer13a()  # type: ignore[no-untyped-call]


def read(
    images: str | Path, json: str | Path, captions: int | None = None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Read one of Karpathy's files as (captions, images), in the file's order.

    The id of an image is its file name, or its path if two folders have the same name. The file's
    splits train and restval are train here (113,287 images for MSCOCO), val is dev and test is
    test. Captions are the file's `raw`, tokenized by `tokenize`: so the published code of Merkx &
    Frank (2019) reads MSCOCO's.

    Args:
        images: the folder of the images; for MSCOCO, the one with `train2014` and `val2014`.
        json: the file, or a member of a zip file as FILE.zip/MEMBER.
        captions: how many captions of each image to keep, the first ones; by default all.

    Raises:
        InputError: the file is missing, damaged or of another form, a caption or an image has a
            problem (see `dataset.check`), or a split would have no image.
    """
    images_read = []
    captions_read = []
    for number, entry in enumerate(_entries(json)):
        where = f"{json}: images[{number}]"
        try:
            name = entry["filename"]
            split = entry["split"]
            path = posixpath.join(entry.get("filepath", ""), name)
            texts = [sentence["raw"] for sentence in entry["sentences"]]
            if not all(isinstance(text, str) for text in (name, split, path, *texts)):
                raise TypeError("not text")
        except (LookupError, TypeError) as error:
            raise InputError(
                f"{where} is not of Karpathy's form ({type(error).__name__}: {error}); it needs "
                f"`filename`, `split` and `sentences`, each with `raw`: {MAKE_A_TABLE}, or for "
                "MSCOCO take dataset_coco.json"
            ) from None
        split = SPLITS.get(split, split)  # an unknown one stays, for `dataset.check`
        images_read.append((name, split, path, where))
        captions_read += [(path, split, tokenize(text), where) for text in texts[:captions]]

    image_table = pd.DataFrame(images_read, columns=[*dataset.IMAGE_COLUMNS, "where"], dtype=str)
    dataset.refuse_names(image_table, "{where}", "path")
    # A name that images in different folders have is no id; their paths are.
    plain = image_table["path"].map(posixpath.normpath)
    is_shared = plain.groupby(image_table["image_id"]).transform("nunique") > 1
    image_table["image_id"] = image_table["image_id"].mask(is_shared, plain)
    image_ids = dict(zip(image_table["path"], image_table["image_id"], strict=True))

    columns = ["path", "split", "caption", "where"]
    caption_table = pd.DataFrame(captions_read, columns=columns, dtype=str)
    caption_table["image_id"] = caption_table["path"].map(image_ids)
    caption_table["language"] = "en"
    image_table["path"] = [str(Path(images, path)) for path in image_table["path"]]
    places = caption_table["where"]
    caption_table = caption_table[dataset.CAPTION_COLUMNS]
    image_table = image_table[dataset.IMAGE_COLUMNS]
    dataset.check(caption_table, image_table, places)
    dataset.check_splits(json, caption_table, image_table)
    return caption_table, image_table


def _entries(path: str | Path) -> list[Any]:
    """Read the list of images in Karpathy's file, which may come from anybody."""
    with open_member(Path(path)) as (file, _):
        data = read_at_most(file, LARGEST_JSON, path)
    try:
        content = _parsed(data)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{path} is not JSON, or damaged ({type(error).__name__}: {error}): unpack it again "
            "from caption_datasets.zip, or name another file, such as dataset_coco.json"
        ) from None
    entries = content.get("images") if isinstance(content, dict) else content
    if not isinstance(entries, list):
        raise InputError(f"{path} has no list `images`, as Karpathy's files have: {MAKE_A_TABLE}")
    return entries


def _parsed(data: bytes) -> Any:
    """Parse JSON, or JSON lines as a list."""
    try:
        return json.loads(data)
    except json.JSONDecodeError as error:
        if error.msg != "Extra data":
            raise
        return [json.loads(line) for line in io.BytesIO(data) if line.strip()]


def tokenize(caption: str) -> str:
    """Tokenize a caption as NIST's mteval-v13a.pl does, with one space between the tokens.

    Case and punctuation are kept: `A man's dog (2.5kg), 12-13.` becomes
    `A man's dog ( 2.5kg ) , 12 - 13 .`
    """
    if len(caption) > 10 * LONGEST:  # refused later; to tokenize megabytes would take minutes
        return caption
    return clean(NIST(unescape(caption)))
