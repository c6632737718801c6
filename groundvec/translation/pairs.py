"""A data set's parallel.csv: sentences, their translations, and the picture of both."""

from pathlib import Path

import pandas as pd

from groundvec.data.cleaning import clean
from groundvec.data.dataset import SPLITS, refuse
from groundvec.results.frames import read_fields
from groundvec.runtime.errors import InputError


def read(path: str | Path, split: str, source: str, target: str) -> pd.DataFrame:
    """Read the pairs of one split, in the file's order.

    Returns:
        Columns image_id (empty where there is no picture), source and target.

    Raises:
        InputError: the file cannot be read, lacks a language or this split, or a sentence is empty.
    """
    table = read_fields(path)
    for column in ("split", "image_id", source, target):
        if column not in table:
            raise InputError(
                f"{path} has no column {column!r}; its columns are {', '.join(table.columns)}"
            )
    table["line"] = table.index + 2
    refuse(
        table[~table["split"].isin(SPLITS)],
        f"{path} line {{line}}{{more}}: unknown split {{split!r}}; the splits are "
        f"{', '.join(SPLITS)}",
    )
    table = table[table["split"] == split]
    if table.empty:
        raise InputError(f"{path} has no pairs of the split {split}: add some")
    table = table.assign(source=table[source].map(clean), target=table[target].map(clean))
    refuse(
        table[(table["source"] == "") | (table["target"] == "")],
        f"{path} line {{line}}{{more}}: a sentence is empty; write it or remove the row",
    )
    return table[["image_id", "source", "target"]].reset_index(drop=True)
