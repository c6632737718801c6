"""Reported numbers and measured ones side by side, from tables that were written before.

Both are uncertain, so the interval of their difference decides, and not whether one of them is in
the interval of the other.
"""

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec

import numpy as np
import pandas as pd

from groundvec.evaluation.ranks import DIRECTIONS
from groundvec.results.schemas import CUTOFFS
from reproduction.reporting.systems import NAMES

# The verdict on a reported number, compared with the measured one.
EQUAL = "no difference shown"
HIGHER = "reported higher"
LOWER = "reported lower"
KEYS = ["of", "system", "measure"]
REPORTED = ["reported", "reported_low", "reported_high"]
MEASURED = ["value", "low", "high"]
DIFFERENCE = ["difference", "difference_low", "difference_high"]


def values_of(paper: str, table: str) -> Callable[[pd.DataFrame], pd.DataFrame] | None:
    """Return the function that lists a table's numbers; most tables have no reported numbers."""
    module = f"reproduction.papers.{paper}.reported_vs_measured"
    return getattr(import_module(module), table, None) if find_spec(module) else None


def compare(paper: str, table: str, content: pd.DataFrame) -> pd.DataFrame:
    """Compare the reported numbers of a table with the measured ones.

    The function of the table's name in the paper's `reported_vs_measured.py` lists the numbers: the
    columns `KEYS`, which are equal for a reported number and the measured ones, name (of the
    system, to be shown), source and `MEASURED`.

    Args:
        paper: the name of the paper's folder.
        table: the table's name, such as `table2`.
        content: the table's CSV file.

    Returns:
        One row per number that is reported and was measured with an interval: the columns `KEYS`,
        `REPORTED`, `MEASURED`, the ones of `difference`, and verdict.
    """
    values_of_table = values_of(paper, table)
    columns = [*KEYS, "name", "source", *MEASURED]
    values = pd.DataFrame(columns=columns)
    if values_of_table and len(content):
        values = values_of_table(content)[columns]
    reported = values[values["source"] == "reported"].drop(columns=["name", "source"])
    reported = reported.rename(columns=dict(zip(MEASURED, REPORTED, strict=True)))
    pairs = reported.merge(values[values["source"] == "measured"], on=KEYS)
    pairs = pairs.dropna(subset=["reported", "low", "high"], ignore_index=True)
    pairs = pairs.assign(system=pairs["name"])[[*KEYS, *REPORTED, *MEASURED]]
    pairs = pairs.join(difference(pairs))
    verdicts = [pairs["difference_high"] < 0, pairs["difference_low"] > 0]
    return pairs.assign(verdict=np.select(verdicts, [HIGHER, LOWER], EQUAL))


def difference(pairs: pd.DataFrame) -> pd.DataFrame:
    """Subtract reported numbers from measured ones, with 95% intervals that have both errors.

    The interval of a - b is a - b - sqrt((a - a_low)^2 + (b_high - b)^2) to
    a - b + sqrt((a_high - a)^2 + (b - b_low)^2) (Zou & Donner 2008, "Construction of confidence
    limits about effect measures"), as if both errors were independent. On one test set they are
    not: systems mostly err on the same items, so the interval is too wide rather than too narrow.

    Args:
        pairs: the columns `REPORTED` and `MEASURED`. If a paper reports no interval, its number
            gets the half-widths of the measured one, which was computed from as many items.
    """
    reported, reported_low, reported_high = (pairs[column] for column in REPORTED)
    value, low, high = (pairs[column] for column in MEASURED)
    below = (reported - reported_low).fillna(value - low)
    above = (reported_high - reported).fillna(high - value)
    gap = value - reported
    return pd.DataFrame(
        {
            "difference": gap,
            "difference_low": gap - np.hypot(value - low, above),
            "difference_high": gap + np.hypot(high - value, below),
        }
    )


def recalls(content: pd.DataFrame) -> pd.DataFrame:
    """List recalls, from columns such as `caption_to_image_r10` and `caption_to_image_r10_ci`."""
    parts = []
    for direction in DIRECTIONS:
        for k in CUTOFFS:
            recall = content[f"{direction}_r{k}"]
            half = content[f"{direction}_r{k}_ci"]
            measure = f"{direction.replace('_', ' ')} R@{k}"
            ends = {"value": recall, "low": recall - half, "high": recall + half}
            parts.append(content.assign(measure=measure, **ends))
    return pd.concat(parts)


def test_set(content: pd.DataFrame) -> pd.Series:
    """Return the data set and the test set of each row as one text."""
    return content["dataset"].replace(NAMES) + ", " + content["test_set"].astype(str)
