"""Figure 3 of Merkx & Frank (2019): every subtask of the semantic evaluation."""

from itertools import cycle
from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from groundvec.evaluation.files import headline
from groundvec.results.schemas import Scores
from reproduction.papers.merkx_frank_2019.reported import read_correlations
from reproduction.render.figures import COLORS, CORRELATION, MARKERS
from reproduction.render.style import PAGE, save, styled
from reproduction.reporting.measures import as_values
from reproduction.reporting.results import Results
from reproduction.reporting.systems import main_systems

Style = tuple[str, str, str]  # the color, the marker and the marker's fill color
System = tuple[pd.DataFrame, str, Style]  # the rows, the label and the style

SYSTEMS = [(color, marker, color) for color, marker in zip(COLORS, MARKERS, strict=True)]
SPELLING = [("0.25", marker, "0.25") for marker in "x+*1"]
REPORTED = [("0.55", marker, "white") for marker in "os^Dv"]


def make(results: Results, stem: Path) -> None:
    """Draw Figure 3."""
    reported = read_correlations(results.reported_file("table_s1"))
    save(correlation_by_subtask(results.scores, results.selected, reported), stem)


@styled
def correlation_by_subtask(
    scores: Scores, selected: dict[str, tuple[str, int]], reported: pd.DataFrame
) -> Figure:
    """Draw Pearson's r of every system on every subtask, with its 95% interval.

    Untrained networks and baselines that count trigrams are marked as baselines, which know
    spelling only. Reported numbers of subtasks that were not measured are left out.
    """
    measured = as_values(main_systems(headline(scores), selected))
    reported = as_values(reported).assign(name=reported["system"])
    subtasks = measured.groupby(["task", "subtask"], sort=False)["pairs"].first().reset_index()
    reported = reported.merge(subtasks[["task", "subtask"]])
    baselines = measured["kind"].eq("snapshot") | measured["encoder"].eq("trigrams")
    systems = [
        *_styled(measured[~baselines], "{}", SYSTEMS),
        *_styled(measured[baselines], "{} (baseline)", SPELLING),
        *_styled(reported, "{} (reported)", REPORTED),
    ]
    # In inches: a subtask gets 0.034 for each system, so that markers do not touch; all subtasks
    # together get at most 8.2, the height of a page.
    height = min(max(0.22, 0.034 * len(systems)), 8.2 / len(subtasks)) * len(subtasks)
    layout = ConstrainedLayoutEngine(h_pad=0.01, hspace=0)
    figure = Figure((PAGE, 0.75 + 0.05 * len(systems) + height), layout=layout)
    tasks = dict(iter(subtasks.groupby("task", sort=False)))
    heights = [len(rows) for rows in tasks.values()]
    panels = figure.subplots(len(tasks), sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    for panel, (task, rows) in zip(panels, tasks.items(), strict=True):
        panel.set_ylabel(task, rotation=0, ha="right", va="center", weight="bold")
        _task(panel, rows, [(r[r["task"] == task], label, style) for r, label, style in systems])
    panels[-1].tick_params(axis="x", bottom=True)
    panels[-1].set_xlabel(f"{CORRELATION} (95% interval); in brackets, the number of pairs")
    figure.align_ylabels()
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3, markerscale=1.4)
    return figure


def _styled(rows: pd.DataFrame, label: str, styles: list[Style]) -> list[System]:
    """Return the rows of each system, with its label and style."""
    return [
        (rows[rows["name"] == name], label.format(name), style)
        for name, style in zip(rows["name"].unique(), cycle(styles), strict=False)
    ]


def _task(panel: Axes, subtasks: pd.DataFrame, systems: list[System]) -> None:
    """Draw the subtasks of one task as lines, with the systems of a line below each other."""
    places = {subtask: place for place, subtask in enumerate(subtasks["subtask"])}
    for i, (rows, label, (color, marker, inside)) in enumerate(systems):
        panel.errorbar(
            x=rows["value"],
            y=rows["subtask"].map(places) + 0.84 * ((i + 0.5) / len(systems) - 0.5),
            xerr=[rows["value"] - rows["low"], rows["high"] - rows["value"]],
            fmt=marker,
            color=color,
            markerfacecolor=inside,
            markersize=3,
            markeredgewidth=0.8,
            elinewidth=0.7,
            label=label,
        )
    for place, number in enumerate(subtasks.index):
        if number % 2 == 0:
            panel.axhspan(place - 0.5, place + 0.5, color="0.96", zorder=0, linewidth=0)
    names = [f"{row.subtask} ({row.pairs:,.0f})" for row in subtasks.itertuples()]
    panel.set_yticks(range(len(names)), names)
    panel.set_ylim(len(names) - 0.5, -0.5)
    panel.tick_params(left=False, bottom=False)
    panel.grid(axis="y", visible=False)
