"""The selected models' similarity against the rating, a dot a pair (not in the paper)."""

from pathlib import Path

from matplotlib.figure import Figure

from groundvec.evaluation.correlation import fisher_interval, pearson
from groundvec.evaluation.ratings import system_name
from groundvec.results.schemas import Predictions
from groundvec.runtime.errors import InputError
from reproduction.render.figures import CORRELATION
from reproduction.render.style import BLUE, COLUMN, PAGE, save, styled
from reproduction.reporting.results import Results
from reproduction.reporting.systems import NAMES


def make(results: Results, stem: Path) -> None:
    """Draw the subtask that was given, or the one that `subtask_of` chooses."""
    subtask = results.given.get("subtask")
    save(agreement(results.predictions, results.selected, subtask), stem)


def subtask_of(predictions: Predictions, name: str | None = None) -> tuple[str, str]:
    """Find the (task, subtask) that is written `task/subtask`.

    Without a name it is the unsupervised subtask with the most pairs, or else a supervised one.
    """
    pairs = predictions.drop_duplicates("pair")
    groups = pairs.groupby(pairs["task"] + "/" + pairs["subtask"], sort=False)["classifier"]
    classified = groups.count()
    sizes = groups.size()
    if name is None:
        choices = sizes[classified == 0] if (classified == 0).any() else sizes
        name = str(choices.idxmax())
    if name not in sizes:
        raise InputError(f"there is no subtask {name!r}: choose one of {', '.join(sizes.index)}")
    task, _, subtask = name.partition("/")
    return task, subtask


@styled
def agreement(
    predictions: Predictions, selected: dict[str, tuple[str, int]], subtask: str | None = None
) -> Figure:
    """Draw similarity against rating for one subtask: one dot per pair, one panel per data set."""
    chosen = subtask_of(predictions, subtask)
    columns = min(len(selected), 2)
    lines = -(-len(selected) // columns)
    width = COLUMN if columns == 1 else PAGE
    figure = Figure((width, 0.3 + 2.9 * lines), layout="constrained")
    figure.suptitle(" / ".join(chosen), weight="bold")
    panels = list(figure.subplots(lines, columns, squeeze=False, sharey=True).flat)
    for unused in panels[len(selected) :]:
        unused.remove()
    of_subtask = (predictions[["task", "subtask"]] == list(chosen)).all(axis=1)
    ours = predictions[of_subtask & predictions["kind"].eq("ensemble")]
    for panel, (dataset, (model, seed)) in zip(panels, selected.items(), strict=False):
        system = system_name(dataset, model, seed)
        rows = ours[ours["system"] == system]
        if rows.empty:
            raise InputError(
                f"there are no predictions of {system}, which is selected: give its file too"
            )
        r = pearson(rows["cosine"].to_numpy(), rows["rating"].to_numpy())
        low, high = fisher_interval(r, len(rows))
        dots = {"color": BLUE, "alpha": max(0.1, min(0.5, 300 / len(rows)))}
        dots |= {"markersize": 3, "markeredgewidth": 0}
        # Thousands of dots make a PDF slow.
        panel.plot(rows["rating"], rows["cosine"], "o", rasterized=True, **dots)
        panel.set_title(
            f"{NAMES.get(dataset, dataset)}: {model}, seed {seed}, n = {len(rows):,}\n"
            f"{CORRELATION} = {100 * r:.1f} [{100 * low:.1f}, {100 * high:.1f}]",
            loc="left",
        )
        if panel in panels[::columns]:
            panel.set_ylabel("cosine similarity of the embeddings")
        panel.set_xlim(-0.1, 5.1)
        panel.set_xlabel("rating (0 to 5)")
    return figure
