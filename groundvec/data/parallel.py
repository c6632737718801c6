"""Sentences and their translations, which translation learns from: parallel.csv.

It has a row a pair: split (train, dev or test), image_id (empty where the data set has no picture
of it), en and de.
"""

from pathlib import Path

import pandas as pd

from groundvec.data.schema import SPLITS, refuse
from groundvec.errors import InputError
from groundvec.files import write_csv

COLUMNS = ["split", "image_id", "en", "de"]


def write(path: str | Path, pairs: pd.DataFrame) -> None:
    """Check pairs and write them; InputError names the first that is not whole."""
    pairs = pairs[COLUMNS].reset_index(drop=True)
    pairs["row"] = pairs.index + 2  # of the file
    refuse(pairs[~pairs.split.isin(SPLITS)], f"{path} line {{row}}{{more}}: no split {{split!r}}")
    for language in ("en", "de"):
        refuse(
            pairs[pairs[language].str.strip() == ""],
            f"{path} line {{row}}{{more}}: there is no sentence in {language}; write one or leave "
            "the pair out",
        )
    write_csv(path, pairs[COLUMNS])


def read(path: str | Path, split: str) -> pd.DataFrame:
    """The pairs of one split, in the file's order; InputError if there are none."""
    try:
        pairs = pd.read_csv(path, dtype=str, na_filter=False, index_col=False)
    except FileNotFoundError:
        raise InputError(f"{path} does not exist; build the data set first") from None
    except ValueError as error:  # empty, ragged, or not UTF-8
        reason = str(error).strip()
        raise InputError(f"{path} is not a whole CSV file; build it again ({reason})") from None
    if list(pairs.columns) != COLUMNS:
        raise InputError(
            f"{path}: the columns are {', '.join(map(str, pairs.columns))} but must be "
            f"{', '.join(COLUMNS)}"
        )
    chosen = pairs[pairs.split == split].reset_index(drop=True)
    if chosen.empty:
        raise InputError(f"{path} has no {split} pairs: add some, or take another data set")
    return chosen
