"""Reported numbers beside measured ones, from tables that were written before."""

from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec

import numpy as np
import pandas as pd

from groundvec.evaluation.ranks import DIRECTIONS
from groundvec.results.schemas import CUTOFFS
from reproduction.reporting.systems import NAMES

INSIDE = "in the interval"
ABOVE = "above it"
BELOW = "below it"
KEYS = ["of", "system", "measure"]
COLUMNS = [*KEYS, "reported", "value", "low", "high", "verdict"]

Values = Iterator[pd.DataFrame]


def compared(paper: str, table: str, content: pd.DataFrame) -> pd.DataFrame:
    """Take the reported numbers of a table that were measured too, with an interval.

    The function of the table's name in `compared.py` of the paper's folder finds them.

    Args:
        paper: the name of its folder.
        table: its name, such as `table2`.
        content: its CSV file.
    """
    module = f"reproduction.papers.{paper}.compared"
    both = getattr(import_module(module), table, None) if find_spec(module) else None
    if both is None or content.empty:
        return pd.DataFrame(columns=COLUMNS)
    parts = list(both(content))
    found = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)
    found = found.reindex(columns=COLUMNS).dropna(subset=["reported", "low", "high"])
    return found.assign(verdict=lies(found))


def lies(table: pd.DataFrame) -> np.ndarray:
    """Say where reported numbers lie: `INSIDE`, `ABOVE`, `BELOW`; nothing without an interval."""
    reported = table["reported"]
    low = table["low"]
    high = table["high"]
    places = [reported > high, reported < low, reported.between(low, high)]
    return np.select(places, [ABOVE, BELOW, INSIDE], "")


def joined(values: pd.DataFrame) -> pd.DataFrame:
    """Join reported values with measured ones of the same `KEYS`."""
    reported = values[values["source"] == "reported"].dropna(subset="value")
    reported = reported[[*KEYS, "value"]].rename(columns={"value": "reported"})
    measured = values[values["source"] == "measured"]
    return reported.merge(measured, on=KEYS)


def recalls(content: pd.DataFrame) -> Values:
    """Take recalls and halves of their intervals, in columns such as `caption_to_image_r10_ci`."""
    for direction in DIRECTIONS:
        for k in CUTOFFS:
            recall, half = (content[f"{direction}_r{k}{end}"] for end in ("", "_ci"))
            measure = f"{direction.replace('_', ' ')} R@{k}"
            numbers = {"value": recall, "low": recall - half, "high": recall + half}
            yield joined(content.assign(measure=measure, **numbers))


def test_set(content: pd.DataFrame) -> pd.Series:
    """Name the data set and test set of each row in one text."""
    return content["dataset"].replace(NAMES) + ", " + content["test_set"].astype(str)
