"""MSCOCO (Lin et al. 2014) in the splits of Karpathy & Fei-Fei (2015)."""

from pathlib import Path

import pandas as pd

from groundvec.runtime.errors import InputError
from reproduction.sources import karpathy


def read(train: Path, val: Path, captions: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Read MSCOCO as (captions, images); see `karpathy.read`.

    Args:
        train: the folder train2014 of images.
        val: the folder val2014, which must be next to it.
        captions: the folder of Karpathy's files.

    Raises:
        InputError: the folders are not in one folder; or as `karpathy.read`.
    """
    if train.parent.resolve() != val.parent.resolve():
        raise InputError(f"{train} and {val} must be in one folder: move one next to the other")
    return karpathy.read(train.parent, f"{captions}/dataset_coco.json")
