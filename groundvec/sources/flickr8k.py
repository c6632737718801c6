"""Flickr8k (Hodosh, Young & Hockenmaier 2013): 8,000 photographs with five captions each.

The text archive contains `Flickr8k.token.txt`, with a line `name.jpg#k<TAB>caption` for each
caption, and `Flickr_8k.{train,dev,test}Images.txt`, with a line for each image of a split: its
name. Case and punctuation are kept; some captions end in " .".
"""

import logging
from pathlib import Path

import pandas as pd

from groundvec.data import dataset
from groundvec.data.archives import Files
from groundvec.data.cleaning import clean
from groundvec.runtime.errors import InputError

log = logging.getLogger(__name__)

CAPTIONS = "Flickr8k.token.txt"


def read(images: str | Path, text: str | Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Read Flickr8k as (captions, images); images in the order of the split lists.

    Captions of images in no split are dropped, and counted in the log. In the public files these
    are 460 of 40,460 captions: of 91 images, and of one misspelled name that has no image.

    Args:
        images: the folder of the pictures (the public archive's `Flicker8k_Dataset`).
        text: Flickr8k_text.zip, or the folder that it was unpacked to.

    Raises:
        InputError: a file is missing or damaged, or a line cannot be understood.
    """
    files = Files(text, "Flickr8k_text.zip")
    rows = []
    for split in dataset.SPLITS:
        names = [name for name in files.lines(f"Flickr_8k.{split}Images.txt") if name.strip()]
        rows += [(name, split) for name in names]
    split_images = pd.DataFrame(rows, columns=["image_id", "split"], dtype=str)
    dataset.refuse_names(split_images, f"{text}: Flickr_8k.{{split}}Images.txt")
    split_images["path"] = [str(Path(images, name)) for name in split_images.image_id]

    # The index keeps the number of each line, for errors.
    lines = pd.Series(files.lines(CAPTIONS), dtype=str)
    lines = lines[lines.str.strip() != ""]
    captions = lines.str.extract(r"^(?P<number>(?P<image_id>[^\t]+)#\d+)\t(?P<caption>.*)$")
    bad = lines[captions.image_id.isna()]
    if not bad.empty:
        raise InputError(
            f"{text}: {CAPTIONS} line {bad.index[0] + 1} is not `name.jpg#number<TAB>caption`; "
            "get the public file again or correct the line"
        )
    repeated = captions[captions.number.duplicated()]
    dataset.refuse(repeated, f"{text}: {CAPTIONS} has {{number}}{{more}} twice; remove a line")
    # An image that is listed twice is refused later, by `dataset.check`.
    splits = split_images.drop_duplicates("image_id").set_index("image_id").split
    captions = captions.assign(language="en", split=captions.image_id.map(splits))
    captions["caption"] = captions.caption.map(clean)
    dropped = captions.image_id[captions.split.isna()]
    log.info("dropped %d captions of %d names in no split", len(dropped), dropped.nunique())
    captions = captions.dropna(subset="split").reset_index(drop=True)
    return captions[dataset.CAPTION_COLUMNS], split_images
