"""Tables as files: raw numbers as CSV, rounded ones as Markdown and LaTeX."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd

from grounded.files import atomic, write_csv

DAGGER = "†"
MISSING = "\N{EN DASH}"
MINUS, TIMES = "\N{MINUS SIGN}", "\N{MULTIPLICATION SIGN}"


def write_table(
    stem: str | Path,
    raw: pd.DataFrame,
    text: pd.DataFrame,
    align: Sequence[str],
    title: str,
    notes: list[str],
    groups: Sequence[str] | None = None,
    spans: dict[str, int] | None = None,
    landscape: bool = False,
) -> None:
    """Write `stem`.csv, `stem`.md and `stem`.tex.

    Args:
        raw: what the CSV file holds.
        text: the cells and headings of the other two.
        align: how LaTeX aligns each column: l, r or a p{width}.
        groups: for each row the heading that it stands under; rows under one need not be
            adjacent.
        spans: headings above the last columns, with the number of columns that each is above.
        landscape: turn the page in LaTeX, and break the headings of columns at spaces.
    """
    grouped = {"": text}
    if groups is not None:
        grouped = dict(iter(text.groupby(pd.Series(groups, text.index), sort=False)))
    label = f"tab:{Path(stem).name}"
    write_csv(f"{stem}.csv", raw)
    for suffix, content in (
        (".md", _markdown(grouped, align, title, notes, spans or {})),
        (".tex", _latex(grouped, align, title, notes, spans or {}, label, landscape)),
    ):
        with atomic(f"{stem}{suffix}") as temporary:
            temporary.write_text(content, "utf-8")


def decimals(values: Iterable[float], digits: int = 1) -> list[str]:
    """Numbers to so many digits after the point; a dash for what is missing."""
    # Adding 0 turns -0.0 into 0.0.
    rounded = [MISSING if pd.isna(v) else f"{round(v, digits) + 0:.{digits}f}" for v in values]
    return [text.replace("-", MINUS) for text in rounded]


def _markdown(
    groups: dict[str, pd.DataFrame],
    align: Sequence[str],
    title: str,
    notes: list[str],
    spans: dict[str, int],
) -> str:
    def line(cells: Iterable[str]) -> str:
        return "| " + " | ".join(cells) + " |"

    def escaped(cells: Iterable[str]) -> Iterable[str]:
        return (re.sub(r"[\\`*_<|$~]", r"\\\g<0>", cell) for cell in cells)

    heading = list(next(iter(groups.values())))
    place = len(heading) - sum(spans.values())
    for span, columns in spans.items():
        heading[place] = f"{span} {heading[place]}"
        place += columns
    rule = ["--:" if column == "r" else ":--" for column in align]
    lines = [f"**{title}**"]
    for group, rows in groups.items():
        lines += ["", f"### {group}"] if group else []
        lines += ["", line(escaped(heading)), line(rule)]
        lines += (line(escaped(row)) for row in rows.to_numpy().tolist())
    return "\n".join([*lines, "", *(f"- {note}" for note in notes), ""])


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
    }
)


def _escaped(text: str) -> str:
    """Escaped for LaTeX; `49.1 +5.2 -5.6` (with a minus sign) gets its interval set small."""
    halves = rf" \+([\d.]+) {re.escape(LATEX[ord(MINUS)])}([\d.]+)"
    return re.sub(halves, r"$^{+\1}_{-\2}$", text.translate(LATEX))


def _latex(
    groups: dict[str, pd.DataFrame],
    align: Sequence[str],
    title: str,
    notes: list[str],
    spans: dict[str, int],
    label: str,
    landscape: bool,
) -> str:
    def line(cells: Iterable[str]) -> str:
        return " & ".join(cells) + r" \\"

    heading = [_escaped(name) for name in next(iter(groups.values()))]
    if landscape:
        heading = [r"\shortstack{" + name.replace(" ", r" \\ ") + "}" for name in heading]
    packages = "booktabs,longtable" + (",pdflscape" if landscape else "")
    lines = [
        rf"% needs \usepackage{{{packages}}}",
        r"\begin{landscape}" if landscape else r"\begingroup",
        r"\scriptsize\setlength{\tabcolsep}{3pt}",
        rf"\begin{{longtable}}{{@{{}}{''.join(align)}@{{}}}}",
        rf"\caption{{{title.translate(LATEX)}}}\label{{{label}}} \\",
        r"\toprule",
    ]
    if spans:
        first = len(heading) - sum(spans.values()) + 1
        above, rules = "& " * (first - 1), []
        for name, columns in spans.items():
            last = first + columns - 1
            end = last == len(heading)
            above += rf"\multicolumn{{{columns}}}{{c}}{{{_escaped(name.capitalize())}}} "
            above += r"\\" if end else "& "
            rules.append(rf"\cmidrule({'l' if end else 'lr'}){{{first}-{last}}}")
            first = last + 1
        lines += [above, " ".join(rules)]
    lines += [line(heading), r"\endhead"]
    for group, rows in groups.items():
        lines.append(r"\midrule")
        if group:
            name = rf"{{@{{}}l}}{{\textbf{{{_escaped(group)}}}}}"
            lines.append(rf"\multicolumn{{{len(heading)}}}{name} \\*")
        lines += (line(map(_escaped, row)) for row in rows.to_numpy().tolist())
    lines += [r"\bottomrule", r"\end{longtable}"]
    lines += [f"\\noindent {note.translate(LATEX)}\\par" for note in notes]
    return "\n".join([*lines, r"\end{landscape}" if landscape else r"\endgroup", ""])
