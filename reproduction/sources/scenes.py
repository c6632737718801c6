"""Pictures and captions that this project draws (`reproduction.scenes`), and pairs to translate."""

from pathlib import Path

import pandas as pd

from groundvec.data import parallel
from reproduction import scenes


def read(count: int, seed: int, folder: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Draw and describe so many scenes, as (captions, images).

    Args:
        seed: the same seed gives the same bytes.
        folder: where the pictures, the facts (scenes.jsonl) and parallel.csv are written.
    """
    captions, images = scenes.generate(folder, count, seed)
    parallel.write(folder / "parallel.csv", scenes.pairs(folder / "scenes.jsonl", seed))
    return captions, images
