"""Measure time and recall of a search in images, by the number of crops.

The shipped encoder embeds the 1,000 test images of Flickr8k and their 5,000 captions. The archives
are in $GROUNDVEC_MIRROR, or in data/, where the workflow downloads them. The time is measured
twice: for 100 images with an empty cache, and for a search in all images with cached features.
"""

import os
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
from features import pictures
from measure import Row, program, row, work

from groundvec import ImageEncoder, SentenceEncoder
from groundvec.evaluation.ranks import DIRECTIONS, ranks
from groundvec.features import backbones
from groundvec.provenance import ROOT
from groundvec.results.schemas import CUTOFFS
from groundvec.similarity import scores
from groundvec.sources import flickr8k

TIMED = 100  # photographs


def rows(small: bool) -> list[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if small:
            made = pictures(folder, 2).assign(caption=["A dog runs.", "A cat sleeps."])
            return case(made, ImageEncoder("flickr8k", crops=1), folder)
        captions = photographs(folder)
        measured = []
        for crops in backbones.CROPS:
            measured += case(captions, ImageEncoder("flickr8k", crops=crops), folder)
        return measured


def photographs(folder: Path) -> pd.DataFrame:
    """Unpack the test images; return one row per caption, with its image's `path`."""
    archives = Path(os.environ.get("GROUNDVEC_MIRROR") or ROOT / "data", "flickr8k")
    pixels = archives / "Flickr8k_Dataset.zip"
    captions, _ = flickr8k.read(folder, archives / "Flickr8k_text.zip")
    captions = captions.query("split == 'test'")
    with zipfile.ZipFile(pixels) as archive:
        for name in captions["image_id"].unique():
            (folder / name).write_bytes(archive.read(f"Flicker8k_Dataset/{name}"))
    return captions.assign(path=[str(folder / name) for name in captions["image_id"]])


def case(captions: pd.DataFrame, seeing: ImageEncoder, folder: Path) -> list[Row]:
    """Measure time and recall of one encoder with its number of crops.

    Args:
        captions: one row per caption, with the `path` of its image.
        seeing: the image encoder.
        folder: a folder for the cache.
    """
    image, paths = pd.factorize(captions["path"])
    reading = SentenceEncoder(seeing.models)
    similarity = seeing.models[0].similarity
    crops = seeing.backbones[0].crops
    some = paths[:TIMED]

    def ours() -> float:
        with tempfile.TemporaryDirectory() as cache:
            os.environ["XDG_CACHE_HOME"] = cache
            seeing.encode(some)
        return len(some)

    def search_in_cached_features() -> None:
        scores(reading.encode(captions["caption"][:1]), seeing.encode(paths), similarity)

    what = f"{crops} crop{'s' * (crops > 1)}"
    first = row(f"{what}, first time", "s a picture", ours)
    # From here on, features are cached: the search reads them.
    os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
    sentences = reading.encode(captions["caption"], tokenized=True)
    ranks_both_ways = ranks(sentences, seeing.encode(paths), image, similarity)
    recalls = {
        f"{direction}_r{k}": 100 * float(np.mean(ranks_of_queries <= k))
        for direction, ranks_of_queries in zip(DIRECTIONS, ranks_both_ways, strict=True)
        for k in CUTOFFS
    }
    cached = work(1, search_in_cached_features)
    second = row(f"{what}, {len(paths):,} pictures again", "s a search", cached)
    return [first | {"crops": crops, "pictures": len(paths)} | recalls, second]


if __name__ == "__main__":
    program(__doc__, rows)
