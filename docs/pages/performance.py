"""docs/performance.md and its tables: the cost of each stage, from benchmarks/results/*.json."""

import json
import sys
from collections.abc import Callable
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter

from docs.pages.tables import ROOT, svg
from groundvec.card.templates import fill
from groundvec.card.text import decimals
from reproduction.render.style import BLUE, PAGE, VERMILLION, styled

# The benchmarks are programs and no package, so they import each other from their folder.
sys.path.insert(0, str(ROOT / "benchmarks"))

from measure import RESULTS, number, table

STAGES = ["training", "million", "features", "tuning", "search", "retrieval", "ratings", "encoding"]
STAGES += ["index", "workflow", "growth"]
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
    """Write the tables of the stages that are compared with a floor."""
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


@styled
def ratios(results: dict[str, Result]) -> Figure:
    """Draw the times of ours and plain, divided by the floor, one line per case."""
    rows = [row for stage in STAGES[:-1] for row in results[stage]["rows"] if row["floor"]]
    figure = Figure(figsize=(PAGE, 0.6 + 0.25 * len(rows)), layout="constrained")
    axes = figure.subplots()
    places = range(len(rows))
    axes.scatter([row["ratio_floor"] for row in rows], places, color=BLUE, label="ours", zorder=3)
    plain = [(row["plain"] / row["floor"], y) for y, row in enumerate(rows) if row["plain"]]
    axes.scatter(
        [ratio for ratio, _ in plain],
        [place for _, place in plain],
        color=VERMILLION,
        marker="s",
        label="plain",
    )
    axes.axvline(1, color="0.4")
    axes.set_yticks(places, [f"{row['stage']}: {row['what']}" for row in rows])
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("time as a multiple of the floor's")
    axes.legend()
    return figure


@styled
def growth(results: dict[str, Result]) -> Figure:
    """Draw time and memory by size, one panel per case, with logarithmic axes."""
    rows = results["growth"]["rows"]
    lines = -(-len(rows) // 2)
    figure = Figure(figsize=(PAGE, 2 * lines), layout="constrained")
    panels = figure.subplots(lines, 2, squeeze=False).flat
    for row, axes in zip(rows, panels, strict=False):
        draw_growth(axes, row)
    for axes in panels:  # `panels` is an iterator: these are the unused ones
        axes.set_visible(False)
    return figure


def draw_growth(axes: Axes, row: Result) -> None:
    """Draw one panel: time on the left axis and, if it was measured, memory on the right one."""
    sizes, seconds, memory = zip(*row["points"], strict=True)
    axes.set_title(f"{row['what']}: exponent {row['exponent']:.2f}")
    axes.set_xlabel(row["against"])
    axes.loglog(sizes, seconds, "o-", color=BLUE)
    axes.set_ylabel("seconds", color=BLUE)
    pairs = [(axes, seconds)]
    if all(memory):  # None on systems other than Linux
        right = axes.twinx()
        right.semilogy(sizes, memory, "s--", color=VERMILLION)
        right.set_ylabel("MB", color=VERMILLION)
        right.grid(visible=False)
        pairs.append((right, memory))
    for side, values in pairs:
        side.yaxis.set_major_locator(FixedLocator([min(values), max(values)]))
        side.yaxis.set_major_formatter(FuncFormatter(lambda value, _: number(value)))
        side.minorticks_off()
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes])


FILES: dict[str, Callable[[], str]] = {
    "performance.md": lambda: page(read()),
    "tables/performance.md": lambda: tables(read()),
    "images/performance-ratios.svg": lambda: svg(ratios(read())),
    "images/performance-growth.svg": lambda: svg(growth(read())),
}
