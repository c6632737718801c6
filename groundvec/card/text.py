"""Numbers, intervals and text as they are printed in cards and tables."""

import re
from collections.abc import Iterable

import pandas as pd

from groundvec.runtime.errors import printable

DAGGER = "†"
DOUBLE = "‡"
MISSING = "\N{EN DASH}"
MINUS = "\N{MINUS SIGN}"
TIMES = "\N{MULTIPLICATION SIGN}"


def decimals(values: Iterable[float], digits: int = 1) -> list[str]:
    """Write numbers with so many digits after the point; missing ones as a dash."""
    # Adding 0 turns -0.0 into 0.0.
    rounded = [MISSING if pd.isna(v) else f"{round(v, digits) + 0:.{digits}f}" for v in values]
    return [text.replace("-", MINUS) for text in rounded]


def number(value: float, digits: int = 1) -> str:
    """Write a number, as `decimals` does."""
    return decimals([value], digits)[0]


def bracketed(
    values: Iterable[float], lows: Iterable[float], highs: Iterable[float], digits: int = 1
) -> list[str]:
    """Write values and intervals: `12.5 [11.2, 13.9]`; without one the value alone, or a dash."""
    texts = (decimals(numbers, digits) for numbers in (values, lows, highs))
    return [
        value if MISSING in (value, low) else f"{value} [{low}, {high}]"
        for value, low, high in zip(*texts, strict=True)
    ]


def with_interval(value: pd.Series, interval: pd.Series) -> list[str]:
    """Write recalls and halves of their intervals: 27.5 ± 1.2, or 27.5; a dash if missing."""
    pairs = zip(decimals(value), decimals(interval), strict=True)
    return [recall if MISSING in (recall, half) else f"{recall} ± {half}" for recall, half in pairs]


def markdown(text: str) -> str:
    """Escape text so that Markdown shows it letter by letter: no link, HTML or emphasis."""
    return re.sub(r"[\\`*_<$~]|\](?=\()", r"\\\g<0>", printable(text))


def markdown_cell(content: object) -> str:
    """Escape what a cell of a Markdown table holds."""
    return markdown(str(content)).replace("|", r"\|")
