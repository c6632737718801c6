"""Tables of retrieval scores with both directions side by side, as in a paper's table."""

from pathlib import Path

import pandas as pd

from groundvec.card.card import conventions
from groundvec.card.text import MINUS, decimals, with_interval
from groundvec.evaluation.ranks import DIRECTIONS
from groundvec.results.schemas import CUTOFFS
from reproduction.render.tables import write_table
from reproduction.reporting.systems import NAMES

CHANCE = (
    "Chance: the expectation for a random ranking. It is computed, so its intervals are 0. Its "
    "med r is the median of the distribution of ranks."
)


def side_by_side(table: pd.DataFrame, keys: list[str], numbers: list[str]) -> pd.DataFrame:
    """Join the two directions in one row, with prefixes: `caption_to_image_r10`.

    Args:
        table: one row per direction, with columns direction, `keys` and `numbers`.
        keys: columns that identify the rows of the result.
        numbers: columns that differ between the directions. All others have to be equal.
    """
    result = table.drop(columns=["direction", *numbers]).drop_duplicates(keys)
    for direction in DIRECTIONS:
        rows = table.query("direction == @direction")[[*keys, *numbers]]
        names = {number: f"{direction}_{number}" for number in numbers}
        result = result.merge(rows.rename(columns=names), "left", on=keys, validate="1:1")
    return result


def chance(test: pd.DataFrame) -> pd.DataFrame:
    """Select the scores of a random ranking once for each test set: all files have the same."""
    keys = ["dataset", "test_set", "language", "direction"]
    # Its seed belongs to the model of the file.
    return test.query("kind == 'chance'").drop_duplicates(keys).drop(columns="seed")


def test_set(table: pd.DataFrame) -> pd.Series:
    """Return a heading for each row: data set, test set, and the language if there are several."""
    names = table["dataset"].replace(NAMES) + ", test set " + table["test_set"]
    return names + ", " + table["language"] if table["language"].nunique() > 1 else names


def write(
    stem: Path,
    table: pd.DataFrame,
    headings: pd.Series,
    labels: pd.DataFrame,
    title: str,
    notes: list[str],
) -> None:
    """Write a table of both directions, whose rows begin with `labels`.

    Args:
        table: the result of `side_by_side`. Recalls may have gains, in columns such as
            `caption_to_image_r10_gain`.
        headings: the heading above each row's group.
        labels: the first columns.
    """
    text = labels.copy()
    for direction in DIRECTIONS:
        for k in CUTOFFS:
            recall = f"{direction}_r{k}"
            text[recall] = with_interval(table[recall], table[f"{recall}_ci"])
            if f"{recall}_gain" in table:
                gains = table[f"{recall}_gain"]
                signed = gains.map(lambda gain: f" ({gain:+.1f})".replace("-", MINUS))
                text[recall] += signed.where(gains.notna(), "")
        text[f"{direction}_median"] = decimals(table[f"{direction}_median_rank"])
    # Both directions have the same headings, below the spans with their names.
    text.columns = [*labels, *[*(f"R@{k}" for k in CUTOFFS), "med r"] * len(DIRECTIONS)]
    notes = [*notes, *conventions(table)]
    spans = {direction.replace("_", " "): len(CUTOFFS) + 1 for direction in DIRECTIONS}
    align = "l" * labels.shape[1] + "r" * sum(spans.values())
    write_table(stem, table, text, align, title, notes, headings, spans)
