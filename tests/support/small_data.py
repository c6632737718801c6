"""A script of the pipeline, and the files of a small data set that it reads."""

import importlib

import numpy as np
import pandas as pd
from PIL import Image

from groundvec.data import dataset
from groundvec.features import store


def run_script(name, *arguments):
    """Run a program of scripts/ as on the command line."""
    script = importlib.import_module(f"scripts.{name}")
    script.main(script.parser.parse_args([str(word) for word in arguments]))


def write_data(folder, splits, captions, width=12):
    """Write captions.csv, images.csv, features.h5 and a picture of each image.

    Args:
        folder: where these files are written.
        splits: the split of each image; the images are called i0, i1 and so on.
        captions: the captions of each image.
        width: the number of features.
    """
    names = [f"i{number}" for number in range(len(splits))]
    paths = [folder / f"{name}.png" for name in names]
    for number, path in enumerate(paths):
        red = 255 * number // len(paths)
        Image.new("RGB", (60, 40), (red, 255 - red, 120)).save(path)
    rows = [
        (name, "en", split, caption)
        for name, split, captions_of_image in zip(names, splits, captions, strict=True)
        for caption in captions_of_image
    ]
    images = pd.DataFrame({"image_id": names, "split": splits, "path": map(str, paths)})
    dataset.write(folder, pd.DataFrame(rows, columns=dataset.CAPTION_COLUMNS), images)
    features = np.random.default_rng(0).normal(size=(len(names), width)).astype(np.float32)
    store.write(folder / "features.h5", features, names, {})


def data_options(folder, *names):
    """The options of a program for some of these files."""
    files = {"captions": "captions.csv", "images": "images.csv", "features": "features.h5"}
    return [word for name in names for word in (f"--{name}", folder / files[name])]
