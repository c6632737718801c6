"""MSCOCO (Lin et al. 2014) in the splits of Karpathy & Fei-Fei (2015).

`dataset_coco.json`, from Karpathy's `caption_datasets.zip`, lists 123,287 images of the archives
train2014.zip and val2014.zip, with five captions each (a few have six or seven), and their splits.
"""

import json
import logging
import re
from html import unescape
from pathlib import Path

import pandas as pd

from groundvec.data import schema
from groundvec.errors import InputError

log = logging.getLogger(__name__)

SPLITS = {"train": "train", "restval": "train", "val": "dev", "test": "test"}

# Where NIST's mteval-v14.pl puts spaces in Western languages: around punctuation; around full stops
# and commas, unless digits surround them; behind a number that a dash follows.
NIST = (
    (r"([{-~\[-` -&(-+:-@/])", r" \1 "),
    (r"([^0-9])([.,])", r"\1 \2 "),
    (r"([.,])([^0-9])", r" \1 \2"),
    (r"([0-9])(-)", r"\1 \2 "),
)


def read(images_folder: str | Path, karpathy_json: str | Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Read MSCOCO as (captions, images) of the schema, in the file's order.

    The id of an image is its file name, as in Flickr8k. The splits train and restval make up train
    (113,287 images), val is dev and test is test (5,000 each). Captions are the annotations' own
    (the file's `raw`), as `tokenise` gives them: with case and punctuation, as the published code
    of Merkx & Frank (2019) reads them. All captions are kept.

    Args:
        images_folder: the folder that holds the unpacked `train2014` and `val2014`.
        karpathy_json: dataset_coco.json.

    Raises:
        InputError: if the file is missing, damaged or of another form.
    """
    try:
        entries = json.loads(Path(karpathy_json).read_bytes())["images"]
        images = pd.DataFrame(
            {
                "image_id": [entry["filename"] for entry in entries],
                "split": [entry["split"] for entry in entries],
                "path": [f"{entry['filepath']}/{entry['filename']}" for entry in entries],
            }
        )
        captions = pd.DataFrame(
            [
                (entry["filename"], entry["split"], tokenise(sentence["raw"]))
                for entry in entries
                for sentence in entry["sentences"]
            ],
            columns=["image_id", "split", "caption"],
        )
    except OSError:
        raise InputError(f"{karpathy_json} cannot be read; get caption_datasets.zip") from None
    except (ValueError, LookupError, TypeError) as error:
        raise InputError(
            f"{karpathy_json} is damaged or not Karpathy's dataset_coco.json; unpack it again from "
            f"caption_datasets.zip ({type(error).__name__}: {error})"
        ) from None

    schema.refuse_names(images, str(karpathy_json), "path")
    images["path"] = [str(Path(images_folder, path)) for path in images["path"]]
    for table in images, captions:  # an unknown split stays, for the check of the schema to name
        table["split"] = table.split.replace(SPLITS)
    captions["language"] = "en"
    captions["caption_id"] = schema.caption_ids(captions.image_id, captions.language)
    counts = ", ".join(f"{n} {split}" for split, n in images.split.value_counts().items())
    log.info("%d images (%s), %d captions", len(images), counts, len(captions))
    return captions[schema.CAPTION_COLUMNS], images


def tokenise(caption: str) -> str:
    """Cut a caption into tokens as NIST's mteval-v14.pl does, with one space between them.

    Case and punctuation are kept: `A man's dog (2.5kg), 12-13.` becomes
    `A man's dog ( 2.5kg ) , 12 - 13 .`
    """
    text = f" {unescape(caption.replace('<skipped>', ''))} "
    for pattern, spaced in NIST:
        text = re.sub(pattern, spaced, text)
    return schema.clean(text)
