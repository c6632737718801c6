"""What a search in photographs costs and finds, by crops: JPEG files in, ranks out.

The shipped encoder sees the 1,000 test photographs of Flickr8k and reads their 5,000 captions. The
archives are in $GROUNDVEC_MIRROR, or in data/, where the workflow downloads them to. Time is
measured with 100 of the photographs and nothing in the cache; then of a search in all of them, when
their features are in it.
"""

import os
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
from features import pictures
from measure import Row, program, row

from groundvec import ImageEncoder, SentenceEncoder
from groundvec.config.description import complete_description
from groundvec.evaluation.ranks import DIRECTIONS, ranks
from groundvec.features import backbones
from groundvec.model.network import Model
from groundvec.runtime.provenance import ROOT
from groundvec.similarity import scores
from groundvec.sources import flickr8k
from groundvec.text.characters import Text

CROPS = (1, 2, 10)
TIMED = 100  # photographs
CUTOFFS = (1, 5, 10)


def rows(small: bool) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        if small:
            return case(made(work), untrained(), work)
        captions = photographs(work)
        encoders = (ImageEncoder.load("flickr8k", crops=crops) for crops in CROPS)
        return [each for encoder in encoders for each in case(captions, encoder, work)]


def made(work: Path) -> pd.DataFrame:
    """Two pictures that are made, each with one caption."""
    images: pd.DataFrame = pictures(work, 2)
    return images.assign(caption=["A dog runs.", "A cat sleeps."])


def untrained() -> ImageEncoder:
    """An encoder of the features of one small network, with one crop."""
    described = complete_description({"languages": ["en"], "encoder": {"name": "bag", "size": 8}})
    backbone = backbones.load("efficientnet_lite0", crops=1)
    model = Model(described, {"en": Text.build(["A dog runs."])}, backbone.width)
    return ImageEncoder([model.eval()], backbone)


def photographs(work: Path) -> pd.DataFrame:
    """Unpack the test photographs; returns a row for each caption, with its picture's `path`."""
    folders = [Path(os.environ.get("GROUNDVEC_MIRROR") or ROOT / "data"), ROOT / "data"]
    archives = [f"flickr8k/Flickr8k_{name}.zip" for name in ("Dataset", "text")]
    found = [folder for folder in folders if all((folder / name).exists() for name in archives)]
    if not found:
        wanted = " ".join(f"data/{name}" for name in archives)
        raise SystemExit(f"error: there are no photographs: run `snakemake --cores 1 {wanted}`")
    pixels, text = (found[0] / name for name in archives)
    captions, _ = flickr8k.read(work, text)
    captions = captions[captions["split"] == "test"]
    with zipfile.ZipFile(pixels) as archive:
        for name in captions["image_id"].unique():
            (work / name).write_bytes(archive.read(f"Flicker8k_Dataset/{name}"))
    return captions.assign(path=[str(work / name) for name in captions["image_id"]])


def case(captions: pd.DataFrame, seeing: ImageEncoder, work: Path) -> list[Row]:
    """Time and recall of one encoder with its number of crops.

    Args:
        captions: one a row, with the `path` of its picture.
    """
    image, paths = pd.factorize(captions["path"])
    reading, similarity = SentenceEncoder(seeing.models), seeing.models[0].similarity
    crops, some = seeing.backbones[0].crops, paths[:TIMED]

    def ours() -> float:
        with tempfile.TemporaryDirectory() as cache:
            os.environ["XDG_CACHE_HOME"] = cache
            seeing.encode(some)
        return len(some)

    def again() -> float:
        scores(reading.encode(captions["caption"][:1]), seeing.encode(paths), similarity)
        return 1

    what = f"{crops} crop{'s' * (crops > 1)}"
    first = row("search", f"{what}, first time", "s a picture", ours)
    os.environ["XDG_CACHE_HOME"] = str(work / "cache")
    sentences = reading.encode(captions["caption"], tokenised=True)
    found = ranks(sentences, seeing.encode(paths), image, similarity)
    recalls = {
        f"{direction}_r{k}": 100 * float(np.mean(of <= k))
        for direction, of in zip(DIRECTIONS, found, strict=True)
        for k in CUTOFFS
    }
    second = row("search", f"{what}, {len(paths):,} pictures again", "s a search", again)
    return [first | {"crops": crops, "pictures": len(paths)} | recalls, second]


if __name__ == "__main__":
    program(__doc__, rows)
