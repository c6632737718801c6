"""Sentences and their translations, for training translators: parallel.csv."""

from pathlib import Path

import pandas as pd

from groundvec.data.cleaning import clean
from groundvec.data.dataset import SPLITS, refuse
from groundvec.results import frames
from groundvec.runtime.errors import InputError
from reproduction.schemas import Parallel

COLUMNS = list(frames.schema_of(Parallel).columns)


def write(path: str | Path, pairs: Parallel) -> None:
    """Write pairs; `read` checks them."""
    frames.write(path, pairs[COLUMNS], Parallel)


def read(path: str | Path, split: str, source: str, target: str) -> pd.DataFrame:
    """Read the pairs of one split, in the file's order.

    Args:
        path: the parallel.csv.
        split: train, dev or test.
        source, target: the languages to translate from and into.

    Returns:
        Columns image_id (empty for pairs without a picture), source and target.

    Raises:
        InputError: the file cannot be read, lacks a language or this split, or a sentence is empty.
    """
    table = frames.read_fields(path)
    for column in ("split", "image_id", source, target):
        if column not in table:
            raise InputError(
                f"{path} has no column {column!r}; its columns are {', '.join(table.columns)}"
            )
    table["line"] = table.index + 2  # the header is line 1
    refuse(
        table[~table["split"].isin(SPLITS)],
        f"{path} line {{line}}{{more}}: no split {{split!r}}; the splits are {', '.join(SPLITS)}",
    )
    for language in (source, target):
        refuse(
            table[table[language].map(clean) == ""],
            f"{path} line {{line}}{{more}}: the sentence in {language} is empty; write it or "
            "remove the pair",
        )
    table = table[table["split"] == split]
    if table.empty:
        raise InputError(f"{path} has no pairs of the split {split}: add some")
    # Cleaned as captions are, so that a caption and its translation are spelled alike.
    table = table.assign(source=table[source].map(clean), target=table[target].map(clean))
    return table[["image_id", "source", "target"]].reset_index(drop=True)
