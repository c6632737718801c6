"""A data set's parallel.csv: sentences, their translations, and the picture of both."""

from pathlib import Path

import pandas as pd

from groundvec.data.cleaning import clean
from groundvec.data.schema import SPLITS, read_fields
from groundvec.runtime.errors import InputError


def read(path: str | Path, split: str, source: str, target: str) -> pd.DataFrame:
    """The pairs of one split, in the file's order.

    Returns:
        A row a pair, numbered from 0: image_id (empty where there is no picture), source and
        target.

    Raises:
        InputError: the file cannot be read, or has not both languages, or no pair of this split,
            or a sentence is empty.
    """
    table = read_fields(path)
    for column in ("split", "image_id", source, target):
        if column not in table:
            raise InputError(
                f"{path} has no column {column!r}; its columns are {', '.join(table.columns)}"
            )
    unknown = table[~table["split"].isin(SPLITS)]
    if not unknown.empty:
        line = unknown.index[0] + 2
        raise InputError(
            f"{path} line {line}: unknown split {unknown['split'].iloc[0]!r}; the splits are "
            f"{', '.join(SPLITS)}"
        )
    table = table[table["split"] == split]
    if table.empty:
        raise InputError(f"{path} has no pairs of the split {split}: add some")
    table = table.assign(source=table[source].map(clean), target=table[target].map(clean))
    empty = table[(table["source"] == "") | (table["target"] == "")]
    if not empty.empty:
        raise InputError(
            f"{path} line {empty.index[0] + 2} (and {len(empty) - 1} more): a sentence is empty; "
            "write it or remove the row"
        )
    return table[["image_id", "source", "target"]].reset_index(drop=True)
