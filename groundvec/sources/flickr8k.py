"""Flickr8k (Hodosh, Young & Hockenmaier 2013): 8,000 photographs with five captions each.

The text archive holds `Flickr8k.token.txt`, a line `name.jpg#k<TAB>caption` for each caption, and
`Flickr_8k.{train,dev,test}Images.txt`, a line with a name for each image of a split. Case and
punctuation are kept; some captions have a final " .".
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

    Captions of a name that is in no split are dropped, and counted in the log. In the public files
    that is 460 of the 40,460, of 92 names: 91 images, and one misspelt name that has no image.

    Args:
        images: where the pictures are (the public archive's `Flicker8k_Dataset`).
        text: Flickr8k_text.zip, or the folder it was unpacked to.

    Raises:
        InputError: a file is missing or damaged, or a line cannot be understood.
    """
    files = Files(text, "Flickr8k_text.zip")
    rows = [
        {"image_id": name, "split": split}
        for split in dataset.SPLITS
        for name in files.lines(f"Flickr_8k.{split}Images.txt")
        if name.strip()
    ]
    found = pd.DataFrame(rows, columns=["image_id", "split"], dtype=str)
    dataset.refuse_names(found, f"{text}: Flickr_8k.{{split}}Images.txt")
    found["path"] = [str(Path(images, name)) for name in found.image_id]

    said = pd.Series(files.lines(CAPTIONS), dtype=str)
    said = said[said.str.strip() != ""]
    captions = said.str.extract(r"^(?P<number>(?P<image_id>[^\t]+)#\d+)\t(?P<caption>.*)$")
    bad = said[captions.image_id.isna()]
    if not bad.empty:
        raise InputError(
            f"{text}: {CAPTIONS} line {bad.index[0] + 1} is not `name.jpg#number<TAB>caption`; "
            "get the public file again or correct the line"
        )
    twice = captions[captions.number.duplicated()]
    dataset.refuse(twice, f"{text}: {CAPTIONS} has {{number}}{{more}} twice; remove a line")
    splits = found.drop_duplicates("image_id").set_index("image_id").split
    captions = captions.assign(language="en", split=captions.image_id.map(splits))
    captions["caption"] = captions.caption.map(clean)
    dropped = captions.image_id[captions.split.isna()]
    log.info("dropped %d captions of %d names in no split", len(dropped), dropped.nunique())
    captions = captions.dropna(subset="split").reset_index(drop=True)
    return captions[dataset.CAPTION_COLUMNS], found
