"""Numbers, intervals and text as they are printed in cards and tables."""

import re
from collections.abc import Iterable

import pandas as pd

from groundvec.runtime.errors import printable

MISSING = "\N{EN DASH}"
MINUS = "\N{MINUS SIGN}"


def decimals(values: Iterable[float], digits: int = 1) -> list[str]:
    """Write numbers with this number of digits after the point; missing ones as a dash."""
    return [number(value, digits) for value in values]


def number(value: float, digits: int = 1) -> str:
    """Write a number with this number of digits after the point; a dash if it is missing."""
    if pd.isna(value):
        return MISSING
    rounded = round(value, digits) + 0  # adding 0 turns -0.0 into 0.0
    return f"{rounded:.{digits}f}".replace("-", MINUS)


def with_interval(value: pd.Series, interval: pd.Series) -> list[str]:
    """Write recalls and halves of their intervals: 27.5 ± 1.2, or 27.5; a dash if missing."""
    texts = []
    for recall, half in zip(value, interval, strict=True):
        text = number(recall)
        if not (pd.isna(recall) or pd.isna(half)):
            text += f" ± {number(half)}"
        texts.append(text)
    return texts


def markdown(text: str) -> str:
    """Escape text so that Markdown shows it letter by letter: no link, HTML or emphasis."""
    return re.sub(r"[\\`*_<$~]|\](?=\()", r"\\\g<0>", printable(text))


def markdown_cell(content: object) -> str:
    """Escape the content of a cell of a Markdown table."""
    return markdown(str(content)).replace("|", r"\|")
