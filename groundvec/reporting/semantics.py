"""Figure 3 of Merkx & Frank (2019), and the model's similarity against the rating."""

from itertools import chain, cycle

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from groundvec.errors import InputError
from groundvec.evaluation.similarity import fisher_interval, pearson
from groundvec.reporting.figures import COLOURS, CORRELATION, percent
from groundvec.reporting.results import NAMES, headline, main_systems
from groundvec.reporting.style import BLUE, COLUMN, PAGE, styled

Style = tuple[str, str, str]  # a colour, a marker and its inside
System = tuple[pd.DataFrame, str, Style]  # its rows and its label

SYSTEMS = [(colour, marker, colour) for colour, marker in COLOURS]
FLOORS = [("0.25", marker, "0.25") for marker in "x+*1"]
REPORTED = [("0.55", marker, "white") for marker in "os^Dv"]


@styled
def correlation_by_subtask(
    scores: pd.DataFrame, selected: dict[str, tuple[str, int]], reported: pd.DataFrame
) -> Figure:
    """Figure 3: Pearson's r on every subtask of every system, with its 95% interval.

    The measured systems are `results.main_systems`, by `results.headline`. Floors are those that
    know no more than spelling: untrained networks, and baselines named after trigrams.

    Args:
        scores, reported: as `results.read_scores` and `results.read_reported_sts` give them;
            what is reported on a subtask that was not measured is left out.
        selected: as `results.selected` gives it.
    """
    measured = percent(main_systems(headline(scores), selected))
    reported = percent(reported).assign(name=reported["system"])
    subtasks = measured.groupby(["task", "subtask"], sort=False)["pairs"].first().reset_index()
    reported = reported.merge(subtasks[["task", "subtask"]])
    floors = (measured["model"] == "snapshot") | measured["name"].str.contains(
        "trigram", case=False
    )
    kinds = [
        _styled(measured[~floors], "{}", SYSTEMS),
        _styled(measured[floors], "{} (floor)", FLOORS),
        _styled(reported, "{} (reported)", REPORTED),
    ]
    kinds = [kind for kind in kinds if kind]
    systems = list(chain(*kinds))
    most = max(map(len, kinds))

    # In inches: legend and axis, and so much for each subtask that its systems do not touch.
    height = min(max(0.22, 0.034 * len(systems)), 8.2 / len(subtasks))
    figure = Figure((PAGE, 0.6 + 0.14 * most + height * len(subtasks)), layout="constrained")
    figure.get_layout_engine().set(h_pad=0.01, hspace=0)
    tasks = dict(iter(subtasks.groupby("task", sort=False)))
    heights = [len(rows) for rows in tasks.values()]
    panels = figure.subplots(len(tasks), sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    for panel, (task, rows) in zip(panels, tasks.items(), strict=True):
        panel.set_ylabel(task, rotation=0, ha="right", va="center", weight="bold")
        _task(panel, rows, [(r[r["task"] == task], label, style) for r, label, style in systems])
    panels[-1].tick_params(axis="x", bottom=True)
    panels[-1].set_xlabel(f"{CORRELATION} (95% interval); in brackets, the number of pairs")
    figure.align_ylabels()
    handles = iter(panel.get_legend_handles_labels()[0])
    blank = Line2D([], [], linestyle="", label=" ")
    figure.legend(
        # Filled column by column: one for each kind of system.
        handles=[
            next(handles) if place < len(kind) else blank for kind in kinds for place in range(most)
        ],
        loc="outside upper center",
        ncols=len(kinds),
    )
    return figure


def _styled(rows: pd.DataFrame, label: str, styles: list[Style]) -> list[System]:
    """The rows of each system with its label and style."""
    return [
        (rows[rows["name"] == name], label.format(name), style)
        for name, style in zip(rows["name"].unique(), cycle(styles), strict=False)
    ]


def _task(panel: Axes, subtasks: pd.DataFrame, systems: list[System]) -> None:
    """A line for each subtask of one task, on it the systems below each other."""
    places = {subtask: place for place, subtask in enumerate(subtasks["subtask"])}
    for i, (rows, label, (colour, marker, inside)) in enumerate(systems):
        panel.errorbar(
            x=rows["value"],
            y=rows["subtask"].map(places) + 0.84 * ((i + 0.5) / len(systems) - 0.5),
            xerr=[rows["value"] - rows["low"], rows["high"] - rows["value"]],
            fmt=marker,
            color=colour,
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


def subtask_of(similarities: pd.DataFrame, name: str | None = None) -> tuple[str, str]:
    """The (task, subtask) that is written `task/subtask`.

    Without a name the unsupervised subtask with the most pairs; of equals, the first. If all are
    supervised, of these.

    Raises:
        InputError: there is no such subtask.
    """
    pairs = similarities.drop_duplicates("pair")
    counts = pairs.groupby(["task", "subtask"], sort=False).agg(
        unsupervised=("classifier", lambda column: column.isna().all()), pairs=("pair", "size")
    )
    if name is None:
        return max(counts.itertuples(), key=lambda row: (row.unsupervised, row.pairs)).Index
    known = {f"{task}/{subtask}": (task, subtask) for task, subtask in counts.index}
    if name not in known:
        raise InputError(f"there is no subtask {name!r}: choose one of {', '.join(known)}")
    return known[name]


@styled
def agreement(
    similarities: pd.DataFrame, selected: dict[str, tuple[str, int]], subtask: str | None = None
) -> Figure:
    """Similarity against rating for one subtask, a dot a pair, a panel a data set.

    Args:
        similarities: as `results.read_similarities` gives them.
        selected: the cell and seed of each data set whose ensemble is drawn.
        subtask: as `subtask_of` reads it.

    Raises:
        InputError: no such subtask, or no similarities of a selected ensemble.
    """
    chosen = subtask_of(similarities, subtask)
    columns = min(len(selected), 2)
    lines = -(-len(selected) // columns)
    width = COLUMN if columns == 1 else PAGE
    figure = Figure((width, 0.3 + 2.9 * lines), layout="constrained")
    figure.suptitle(" / ".join(chosen), weight="bold")
    panels = list(figure.subplots(lines, columns, squeeze=False, sharey=True).flat)
    for unused in panels[len(selected) :]:
        unused.remove()
    ours = similarities[
        (similarities["model"] == "ensemble")
        & (similarities["task"] == chosen[0])
        & (similarities["subtask"] == chosen[1])
    ]
    for panel, (dataset, (cell, seed)) in zip(panels, selected.items(), strict=False):
        rows = ours[ours["system"] == f"{dataset}/{cell}/seed{seed}"]
        if rows.empty:
            raise InputError(
                f"there are no similarities of {dataset}/{cell}/seed{seed}, which the "
                "development set selects: give its file too"
            )
        r = pearson(rows["cosine"].to_numpy(), rows["score"].to_numpy())
        low, high = fisher_interval(r, len(rows))
        panel.plot(
            *(rows["score"], rows["cosine"], "o"),
            color=BLUE,
            alpha=max(0.1, min(0.5, 300 / len(rows))),
            markersize=3,
            markeredgewidth=0,
            rasterized=True,  # thousands of dots make a PDF slow
        )
        panel.set_title(
            f"{NAMES.get(dataset, dataset)}: {cell}, seed {seed}, n = {len(rows):,}\n"
            f"{CORRELATION} = {100 * r:.1f} [{100 * low:.1f}, {100 * high:.1f}]",
            loc="left",
        )
        if panel in panels[::columns]:
            panel.set_ylabel("cosine similarity of the embeddings")
        panel.set_xlim(-0.1, 5.1)
        panel.set_xlabel("rating (0 to 5)")
    return figure
