"""docs/performance.md: the cost of each stage, from benchmarks/results/*.json."""

import json
from math import isnan
from typing import Any

import pandas as pd

from docs.pages.tables import ROOT, markdown
from groundvec.card.templates import fill
from groundvec.card.text import decimals

RESULTS = ROOT / "benchmarks" / "results"
HEADINGS = {
    "what": "what",
    "unit": "unit",
    "ours": "ours",
    "plain": "plain",
    "floor": "lower bound",
    "ratio_plain": "ours / plain",
    "ratio_floor": "ours / lower bound",
    "threads": "threads",
}
Result = dict[str, Any]


def number(value: float) -> str:
    """Write a number with three digits, or `not measured` for NaN."""
    if isnan(value):
        return "not measured"
    return f"{value:.3g}" if abs(value) < 100 else f"{value:,.0f}"


def table(rows: list[Result]) -> str:
    """Write a stage's table; a contestant that no case has gets no column."""
    cases = pd.DataFrame(rows)[list(HEADINGS)].dropna(axis="columns", how="all")
    numbers = cases.columns[2:]
    cases[numbers] = cases[numbers].astype(float).map(number)
    return markdown(cases.rename(columns=HEADINGS), 2)


def made_by(result: Result) -> str:
    """Write the command, the commit and the machine of a result."""
    machine = result["machine"]
    return (
        f"`{result['command']}`, {result['date']}, `{result['commit']}`: {machine['processor']}, "
        f"GPU: {machine['gpu'] or 'none'}."
    )


def page() -> str:
    """Write the page by its template."""
    results = {path.stem: json.loads(path.read_text()) for path in RESULTS.glob("*.json")}
    rows = {stage: result["rows"] for stage, result in results.items()}

    def case(stage: str, start: str) -> Result:
        return next(row for row in rows[stage] if row["what"].startswith(start))

    def finished(value: Any) -> Any:
        return number(value) if isinstance(value, int | float) else value

    values = {
        "rows": rows,
        "case": case,
        "table": {stage: table(of_stage) for stage, of_stage in rows.items()},
        "made_by": {stage: made_by(result) for stage, result in results.items()},
        "decimals": decimals,
    }
    template = ROOT / "docs" / "performance.template"
    return fill(template, values, finalize=finished, keep_trailing_newline=True)


FILES = {"performance.md": page}
