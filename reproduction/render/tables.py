"""Write tables: raw numbers as CSV, formatted cells as Markdown, LaTeX and HTML."""

import re
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

import pandas as pd

from groundvec.card.templates import fill
from groundvec.card.text import MINUS, MISSING, decimals, markdown_cell, number
from groundvec.provenance import provenance
from groundvec.runtime.files import write_bytes, write_csv

DAGGER = "†"
DOUBLE = "‡"
TIMES = "\N{MULTIPLICATION SIGN}"
SPACE = "\N{NO-BREAK SPACE}"
# LaTeX is full of braces, so its template has other delimiters.
LATEX_DELIMITERS = {
    "block_start_string": "<%",
    "block_end_string": "%>",
    "variable_start_string": "<<",
    "variable_end_string": ">>",
}


def write_table(
    stem: str | Path,
    raw: pd.DataFrame,
    text: pd.DataFrame,
    align: Sequence[str],
    title: str,
    notes: list[str],
    groups: Iterable[str] | None = None,
    spans: dict[str, int] | None = None,
    landscape: bool = False,
) -> None:
    """Write `stem`.csv, `stem`.md, `stem`.tex and `stem`.html.

    Args:
        raw: the numbers of the CSV file, for `write_numbers`.
        text: the cells and headings of the other formats. A column `source` marks a row as
            reported, measured or computed, and a column `verdict` has its verdict.
        align: LaTeX's alignment of each column: l, r or p{width}.
        title: the title above the table.
        notes: the notes below the table.
        groups: the heading above each row's group; rows of a group need not be adjacent.
        spans: headings above the last columns, with the number of columns of each.
        landscape: rotate the page in LaTeX, and break the headings of columns at spaces.
    """
    grouped = {"": text}  # without groups, all rows are below the heading ""
    if groups is not None:
        by_row = pd.Series(list(groups), text.index)
        grouped = {str(name): rows for name, rows in text.groupby(by_row, sort=False)}
    write_numbers(f"{stem}.csv", raw)
    spans = spans or {}
    first = len(text.columns) - sum(spans.values()) + 1  # columns count from 1
    placed = []
    for name, columns in spans.items():
        placed.append({"name": name, "columns": columns, "first": first})
        first += columns
    values = {
        "title": title,
        "headings": [str(name) for name in text],
        "align": list(align),
        # Whether each column has labels, numbers or text.
        "kinds": [{"l": "label", "r": "number"}.get(column, "text") for column in align],
        "spans": placed,
        "groups": {name: rows.to_numpy().tolist() for name, rows in grouped.items()},
        "notes": notes,
        "landscape": landscape,
        "label": f"tab:{Path(stem).name}",
    }
    heading = _stacked if landscape else _latex
    filters = {"latex": _symbols, "heading": heading, "breakable": breakable}
    for form, cell in (("md", markdown_cell), ("tex", _latex), ("html", escape)):
        delimiters = LATEX_DELIMITERS if form == "tex" else {}
        content = fill(
            Path(__file__).with_suffix(f".{form}"),
            values,
            {**filters, "cell": cell},
            keep_trailing_newline=True,
            **delimiters,
        )
        write_bytes(f"{stem}.{form}", content.encode())


def write_numbers(path: str | Path, table: pd.DataFrame) -> None:
    """Write a table as CSV, with each row's commit, versions, machine and SLURM job.

    If the table lacks these columns, this run computed it and fills them in, but for reported
    numbers.
    """
    missing = {name: value for name, value in provenance().items() if name not in table}
    table = table.assign(**missing)
    if "source" in table:
        table.loc[table["source"].eq("reported"), list(missing)] = None
    write_csv(path, table)


def bracketed(
    values: Iterable[float], lows: Iterable[float], highs: Iterable[float], digits: int = 1
) -> list[str]:
    """Write values and intervals: `12.5 [11.2, 13.9]`, the value alone, or a dash if missing."""
    texts = []
    for value, low, high in zip(values, lows, highs, strict=True):
        text = number(value, digits)
        if not (pd.isna(value) or pd.isna(low)):
            text += f" [{number(low, digits)}, {number(high, digits)}]"
        texts.append(text)
    return texts


def column_with_interval(table: pd.DataFrame, column: str, digits: int = 1) -> list[str]:
    """Write a column with its intervals (`bracketed`), from `COLUMN_low` and `COLUMN_high`."""
    return bracketed(table[column], table[f"{column}_low"], table[f"{column}_high"], digits)


def wide(cells: pd.DataFrame, rows: list[str]) -> pd.DataFrame:
    """Spread the `text` of cells over a column for each `measure`; a missing cell becomes a dash.

    Rows and columns keep their order of appearance.

    Args:
        cells: one row per cell, with the columns `text` and `measure`.
        rows: the columns that identify the rows of the result, which begin with them.
    """
    texts = cells.pivot(index=rows, columns="measure", values="text")[cells["measure"].unique()]
    table = cells[rows].drop_duplicates().merge(texts, left_on=rows, right_index=True)
    return table.fillna(MISSING)


def p_values(values: pd.Series) -> list[str]:
    """Write p-values with three digits, `< 0.001` for smaller ones, and a dash if missing."""
    texts = zip(values, decimals(values, 3), strict=True)
    return ["< 0.001" if value < 0.001 else text for value, text in texts]


# Characters that LaTeX treats specially, and symbols of the tables that it needs commands for.
LATEX = str.maketrans(
    {
        **{c: f"\\{c}" for c in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "±": r"$\pm$",
        "²": "$^2$",
        "√": r"$\surd$",
        "Σ": r"$\Sigma$",
        MINUS: "$-$",
        TIMES: r"$\times$",
        MISSING: "--",
        DAGGER: r"\dag{}",
        DOUBLE: r"\ddag{}",
        "β": r"$\beta$",
    }
)


def breakable(cell: str) -> str:
    """Allow a line break in `27.5 ± 1.2`, a number with its interval, only before the interval."""
    return re.sub(rf"^([\d.,{MINUS}]+){SPACE}", r"\1 ", cell.replace(" ", SPACE))


def _symbols(text: str) -> str:
    return text.translate(LATEX)


def _latex(text: str) -> str:
    """Escape a cell for LaTeX, and set the interval of `49.1 +5.2 -5.6` small."""
    halves = rf" \+([\d.]+) {re.escape(LATEX[ord(MINUS)])}([\d.]+)"
    return re.sub(halves, r"$^{+\1}_{-\2}$", _symbols(text))


def _stacked(heading: str) -> str:
    """Break a heading at its spaces."""
    return r"\shortstack{" + _latex(heading).replace(" ", r" \\ ") + "}"
