"""Tables as files: raw numbers as CSV, rounded ones as JSON, Markdown, LaTeX and HTML."""

import re
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from groundvec.runtime.errors import InputError, printable
from groundvec.runtime.files import read_json, write_bytes, write_csv, write_json
from groundvec.runtime.provenance import provenance

DAGGER, DOUBLE = "†", "‡"
MISSING = "\N{EN DASH}"
MINUS, TIMES = "\N{MINUS SIGN}", "\N{MULTIPLICATION SIGN}"


class Table(NamedTuple):
    """A table as it is shown: what `stem`.json holds, and what the others are made of."""

    title: str
    headings: list[str]
    align: list[str]  # of each column, as LaTeX has it: l, r or p{width}
    spans: dict[str, int]  # headings above the last columns, and how many columns each is above
    groups: dict[str, list[list[str]]]  # rows of cells, by the heading that they stand under
    notes: list[str]

    @property
    def kinds(self) -> list[str]:
        """What is in each column: label, number or text."""
        return [{"l": "label", "r": "number"}.get(column, "text") for column in self.align]


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
    """Write `stem`.csv, `stem`.json, `stem`.md, `stem`.tex and `stem`.html.

    Args:
        raw: what the CSV file holds, as `write_numbers` writes it.
        text: the cells and headings of the other four. A column `source` says of each row whether
            it is reported, measured, computed or simulated, a column `verdict` what holds.
        align: how LaTeX aligns each column: l, r or a p{width}.
        groups: for each row the heading that it stands under; rows under one need not be
            adjacent.
        spans: headings above the last columns, with the number of columns that each is above.
        landscape: turn the page in LaTeX, and break the headings of columns at spaces.
    """
    grouped = {"": text}
    if groups is not None:
        by_row = pd.Series(list(groups), text.index)
        grouped = {str(name): rows for name, rows in text.groupby(by_row, sort=False)}
    table = Table(
        title=title,
        headings=[str(name) for name in text],
        align=list(align),
        spans=spans or {},
        groups={name: rows.to_numpy().tolist() for name, rows in grouped.items()},
        notes=notes,
    )
    write_numbers(f"{stem}.csv", raw)
    write_json(f"{stem}.json", table._asdict())
    for suffix, content in (
        (".md", _markdown(table)),
        (".tex", _latex(table, f"tab:{Path(stem).name}", landscape)),
        (".html", _html(table)),
    ):
        write_bytes(f"{stem}{suffix}", content.encode())


def read_table(path: str | Path) -> Table:
    """Read the `stem`.json that `write_table` wrote.

    Raises:
        InputError: it is missing, or holds no table.
    """
    content = read_json(path)
    if not (isinstance(content, dict) and content.keys() == set(Table._fields)):
        raise InputError(f"{path} is not a table of this project: delete it and make it again")
    return Table(**content)


def write_numbers(path: str | Path, table: pd.DataFrame) -> None:
    """Write a table as CSV, with the commit, versions, machine and SLURM job that gave each row.

    A table that lacks these columns was computed by this run, which then fills them.
    """
    missing = {name: value for name, value in provenance().items() if name not in table}
    write_csv(path, table.assign(**missing))


def decimals(values: Iterable[float], digits: int = 1) -> list[str]:
    """Numbers to so many digits after the point; a dash for what is missing."""
    # Adding 0 turns -0.0 into 0.0.
    rounded = [MISSING if pd.isna(v) else f"{round(v, digits) + 0:.{digits}f}" for v in values]
    return [text.replace("-", MINUS) for text in rounded]


def bracketed(
    values: Iterable[float], lows: Iterable[float], highs: Iterable[float], digits: int = 1
) -> list[str]:
    """Values and intervals: `12.5 [11.2, 13.9]`; the value alone where it has none, or a dash."""
    texts = (decimals(numbers, digits) for numbers in (values, lows, highs))
    return [
        value if MISSING in (value, low) else f"{value} [{low}, {high}]"
        for value, low, high in zip(*texts, strict=True)
    ]


def column_with_interval(table: pd.DataFrame, column: str, digits: int = 1) -> list[str]:
    """Write a column as `bracketed` does, with the intervals in `COLUMN_low` and `COLUMN_high`."""
    return bracketed(table[column], table[f"{column}_low"], table[f"{column}_high"], digits)


def p_values(values: pd.Series) -> list[str]:
    """P-values to three digits, `< 0.001` if they are smaller; a dash for what is missing."""
    texts = zip(values, decimals(values, 3), strict=True)
    return ["< 0.001" if value < 0.001 else text for value, text in texts]


def markdown(text: str) -> str:
    """Text from anywhere, for Markdown to show it letter by letter: no link, HTML or emphasis."""
    return re.sub(r"[\\`*_<$~]|\](?=\()", r"\\\g<0>", printable(text))


def _markdown(table: Table) -> str:
    def line(cells: Iterable[str]) -> str:
        return "| " + " | ".join(cells) + " |"

    def escaped(cells: Iterable[str]) -> Iterable[str]:
        return (markdown(cell).replace("|", r"\|") for cell in cells)

    heading = list(table.headings)
    place = len(heading) - sum(table.spans.values())
    for span, columns in table.spans.items():
        heading[place] = f"{span} {heading[place]}"
        place += columns
    rule = ["--:" if column == "r" else ":--" for column in table.align]
    lines = [f"**{table.title}**"]
    for group, rows in table.groups.items():
        lines += ["", f"### {group}"] if group else []
        lines += ["", line(escaped(heading)), line(rule)]
        lines += (line(escaped(row)) for row in rows)
    return "\n".join([*lines, "", *(f"- {note}" for note in table.notes), ""])


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


def _escaped(text: str) -> str:
    """Escaped for LaTeX; `49.1 +5.2 -5.6` (with a minus sign) gets its interval set small."""
    halves = rf" \+([\d.]+) {re.escape(LATEX[ord(MINUS)])}([\d.]+)"
    return re.sub(halves, r"$^{+\1}_{-\2}$", text.translate(LATEX))


def _latex(table: Table, label: str, landscape: bool) -> str:
    def line(cells: Iterable[str]) -> str:
        return " & ".join(cells) + r" \\"

    heading = [_escaped(name) for name in table.headings]
    if landscape:
        heading = [r"\shortstack{" + name.replace(" ", r" \\ ") + "}" for name in heading]
    packages = "booktabs,longtable" + (",pdflscape" if landscape else "")
    lines = [
        rf"% needs \usepackage{{{packages}}}",
        r"\begin{landscape}" if landscape else r"\begingroup",
        r"\scriptsize\setlength{\tabcolsep}{3pt}",
        rf"\begin{{longtable}}{{@{{}}{''.join(table.align)}@{{}}}}",
        rf"\caption{{{table.title.translate(LATEX)}}}\label{{{label}}} \\",
        r"\toprule",
    ]
    if table.spans:
        first = len(heading) - sum(table.spans.values()) + 1
        above, rules = "& " * (first - 1), []
        for name, columns in table.spans.items():
            last = first + columns - 1
            end = last == len(heading)
            above += rf"\multicolumn{{{columns}}}{{c}}{{{_escaped(name[:1].upper() + name[1:])}}} "
            above += r"\\" if end else "& "
            rules.append(rf"\cmidrule({'l' if end else 'lr'}){{{first}-{last}}}")
            first = last + 1
        lines += [above, " ".join(rules)]
    lines += [line(heading), r"\endhead"]
    for group, rows in table.groups.items():
        lines.append(r"\midrule")
        if group:
            name = rf"{{@{{}}l}}{{\textbf{{{_escaped(group)}}}}}"
            lines.append(rf"\multicolumn{{{len(heading)}}}{name} \\*")
        lines += (line(map(_escaped, row)) for row in rows)
    lines += [r"\bottomrule", r"\end{longtable}"]
    lines += [f"\\noindent {note.translate(LATEX)}\\par" for note in table.notes]
    return "\n".join([*lines, r"\end{landscape}" if landscape else r"\endgroup", ""])


STYLE = """
body { font: 14px/1.4 sans-serif; margin: 1.5em; }
h1 { font-size: 1.3em; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { padding: 0.2em 0.6em; text-align: left; vertical-align: top; }
thead { border-bottom: 1px solid; }
tbody { border-bottom: 1px solid #bbb; }
td { white-space: nowrap; }
td.text { white-space: normal; min-width: 15em; }
.number { text-align: right; }
.span { text-align: center; }
ul { color: #444; max-width: 60em; padding-left: 1.2em; }
"""


def _html(table: Table) -> str:
    def line(tag: str, cells: Iterable[str]) -> str:
        cells = (
            f'<{tag} class="{kind}">{escape(cell)}</{tag}>'
            for kind, cell in zip(table.kinds, cells, strict=True)
        )
        return f"<tr>{''.join(cells)}</tr>"

    head = [line("th", table.headings)]
    if table.spans:
        before = len(table.align) - sum(table.spans.values())
        above = f'<th colspan="{before}"></th>'
        for name, columns in table.spans.items():
            above += (
                f'<th colspan="{columns}" class="span">{escape(name[:1].upper() + name[1:])}</th>'
            )
        head.insert(0, f"<tr>{above}</tr>")
    bodies = []
    for group, rows in table.groups.items():
        lines = [line("td", row) for row in rows]
        if group:
            lines.insert(0, f'<tr><th colspan="{len(table.align)}">{escape(group)}</th></tr>')
        bodies += ["<tbody>", *lines, "</tbody>"]
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            f'<head><meta charset="utf-8"/><title>{escape(table.title)}</title>',
            f"<style>{STYLE}</style></head>",
            f"<body><h1>{escape(table.title)}</h1>",
            '<div class="wide"><table>',
            *("<thead>", *head, "</thead>"),
            *bodies,
            "</table></div>",
            *("<ul>", *(f"<li>{escape(note)}</li>" for note in table.notes), "</ul>"),
            "</body></html>",
            "",
        ]
    )
