"""docs/performance.md: the cost of each stage, from benchmarks/results/*.json."""

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

Result = dict[str, Any]


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

    def measured(stage: str, caller: Callable[[], str] | None = None) -> str:
        """Write a stage's table, and below it the command, the commit and the machine."""
        rows_of_table = caller().strip() if caller else table(rows[stage])
        return f"{rows_of_table}\n\n{made_by(results[stage])}"

    def finished(value: Any) -> Any:
        return number(value) if isinstance(value, int | float) else value

    values = {"rows": rows, "case": case, "measured": measured, "decimals": decimals}
    template = ROOT / "docs" / "performance.template"
    return fill(template, values, finalize=finished, keep_trailing_newline=True)


FILES = {"performance.md": page}
