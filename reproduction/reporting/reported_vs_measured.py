"""Reported numbers and measured ones side by side, from tables that were written before."""

from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec

import numpy as np
import pandas as pd

from groundvec.evaluation.ranks import DIRECTIONS
from groundvec.results.schemas import CUTOFFS
from reproduction.reporting.systems import NAMES

# Where a reported number is, relative to the interval of the measured one.
INSIDE = "in the interval"
ABOVE = "above it"
BELOW = "below it"
KEYS = ["of", "system", "measure"]
COLUMNS = [*KEYS, "reported", "value", "low", "high", "verdict"]

Pairs = Iterator[pd.DataFrame]


def compare(paper: str, table: str, content: pd.DataFrame) -> pd.DataFrame:
    """Compare the reported numbers of a table with the measured intervals.

    The function of the table's name in the paper's `reported_vs_measured.py` pairs the numbers.

    Args:
        paper: the name of the paper's folder.
        table: the table's name, such as `table2`.
        content: the table's CSV file.

    Returns:
        The columns `COLUMNS`: one row per number that is reported and was measured with an
        interval.
    """
    module = f"reproduction.papers.{paper}.reported_vs_measured"
    pairs_of_table = getattr(import_module(module), table, None) if find_spec(module) else None
    # Most tables have no reported numbers, and some papers have none at all.
    if pairs_of_table is None or content.empty:
        return pd.DataFrame(columns=COLUMNS)
    parts = list(pairs_of_table(content))
    pairs = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)
    pairs = pairs.reindex(columns=COLUMNS).dropna(subset=["reported", "low", "high"])
    return pairs.assign(verdict=place_in_interval(pairs))


def place_in_interval(table: pd.DataFrame) -> np.ndarray:
    """Return `INSIDE`, `ABOVE` or `BELOW` for each reported number, or "" without an interval."""
    reported = table["reported"]
    low = table["low"]
    high = table["high"]
    places = [reported > high, reported < low, reported.between(low, high)]
    return np.select(places, [ABOVE, BELOW, INSIDE], "")


def joined(values: pd.DataFrame) -> pd.DataFrame:
    """Join reported values and measured values of the same `KEYS`."""
    reported = values[values["source"] == "reported"].dropna(subset="value")
    reported = reported[[*KEYS, "value"]].rename(columns={"value": "reported"})
    measured = values[values["source"] == "measured"]
    return reported.merge(measured, on=KEYS)


def recalls(content: pd.DataFrame) -> Pairs:
    """Pair recalls, from columns such as `caption_to_image_r10` and `caption_to_image_r10_ci`."""
    for direction in DIRECTIONS:
        for k in CUTOFFS:
            recall = content[f"{direction}_r{k}"]
            half = content[f"{direction}_r{k}_ci"]
            yield joined(
                content.assign(
                    measure=f"{direction.replace('_', ' ')} R@{k}",
                    value=recall,
                    low=recall - half,
                    high=recall + half,
                )
            )


def test_set(content: pd.DataFrame) -> pd.Series:
    """Return the data set and the test set of each row as one text."""
    return content["dataset"].replace(NAMES) + ", " + content["test_set"].astype(str)
