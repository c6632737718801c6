"""Sentences and their translations, which translation learns from: parallel.csv.

It has one row per pair: split (train, dev or test), image_id (empty if the data set has no
picture of it), en and de.
"""

from pathlib import Path

import pandas as pd

from groundvec.data.schema import SPLITS, refuse
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
