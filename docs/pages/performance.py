"""docs/performance.md and its tables: the cost of each stage, from benchmarks/results/*.json."""

import json
import sys
from collections.abc import Callable
from typing import Any

from docs.pages.tables import ROOT
from groundvec.card.templates import fill
from groundvec.card.text import decimals

# The benchmarks are programs and no package, so they import each other from their folder.
sys.path.insert(0, str(ROOT / "benchmarks"))

from measure import RESULTS, number, table

STAGES = ["training", "million", "features", "tuning", "search", "retrieval", "ratings", "encoding"]
STAGES += ["index", "workflow"]
IN_TABLES = ["training", "features", "retrieval", "ratings", "workflow"]  # in a file of their own
Result = dict[str, Any]


def read() -> dict[str, Result]:
    """Read the results by stage."""
    return {stage: json.loads((RESULTS / f"{stage}.json").read_text()) for stage in STAGES}


def made_by(result: Result) -> str:
    """Write the command, the commit and the machine of a result."""
    machine = result["machine"]
    return (
        f"`{result['command']}`, {result['date']}, `{result['commit']}`: {machine['processor']}, "
        f"GPU: {machine['gpu'] or 'none'}."
    )


def tables(results: dict[str, Result]) -> str:
    """Write the tables of stages that no table of the page shows."""
    parts = [
        "# Performance: all measurements",
        "Times of *ours*, *plain* and *floor*, as [the page](../performance.md) defines them.",
    ]
    for stage in IN_TABLES:
        parts += [
            f"## {stage.capitalize()}",
            table(results[stage]["rows"]),
            made_by(results[stage]),
        ]
    return "\n\n".join(parts) + "\n"


def page(results: dict[str, Result]) -> str:
    """Write the page by its template."""
    rows = {stage: result["rows"] for stage, result in results.items()}

    def case(stage: str, start: str) -> Result:
        return next(row for row in rows[stage] if row["what"].startswith(start))

    def measured(stage: str, caller: Callable[[], str] | None = None) -> str:
        """Write a stage's table, and below it the command, the commit and the machine."""
        rows_of_table = caller().strip() if caller else table(results[stage]["rows"])
        return f"{rows_of_table}\n\n{made_by(results[stage])}"

    def finished(value: Any) -> Any:
        return number(value) if isinstance(value, int | float) else value

    values = {"rows": rows, "case": case, "measured": measured, "decimals": decimals}
    template = ROOT / "docs" / "performance.template"
    return fill(template, values, finalize=finished, keep_trailing_newline=True)


FILES: dict[str, Callable[[], str]] = {
    "performance.md": lambda: page(read()),
    "tables/performance.md": lambda: tables(read()),
}
