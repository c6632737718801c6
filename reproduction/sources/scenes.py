"""The source `scenes`: drawn images with captions (`reproduction.scenes`), and sentence pairs."""

from pathlib import Path

import pandas as pd

from reproduction import scenes
from reproduction.sources import parallel


def read(count: int, seed: int, folder: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Draw and describe scenes.

    Args:
        count: the number of scenes.
        seed: the seed; the same seed results in the same bytes.
        folder: the folder for the images, the facts (scenes.jsonl) and parallel.csv.

    Returns:
        The tables of captions and images.
    """
    captions, images = scenes.generate(folder, count, seed)
    parallel.write(folder / "parallel.csv", scenes.pairs(folder / "scenes.jsonl", seed))
    return captions, images
