"""Learning curves: recall on the development set by epoch, and by the time that it took."""

from pathlib import Path

from matplotlib.artist import Artist
from matplotlib.figure import Figure

from groundvec.render.figures import curve_styles
from groundvec.render.style import PAGE, save, styled
from groundvec.reporting.results import Results
from groundvec.reporting.systems import NAMES
from groundvec.results.schemas import History

AXES = {"epoch": "epochs", "minutes": "minutes"}


def make(results: Results, stem: Path) -> None:
    """Draw the curves."""
    save(curves(results.history), stem)


@styled
def curves(history: History) -> Figure:
    """Draw two panels for each data set; curves are means over the seeds of a model."""
    keys = ["dataset", "model", "epoch"]
    table = history.assign(minutes=history["seconds"] / 60).groupby(keys, sort=False)
    means = table[["dev_recall", "minutes"]].mean().reset_index()
    datasets = means["dataset"].unique()
    looks = curve_styles(means["model"])
    figure = Figure((PAGE, 0.6 + 2.4 * len(datasets)), layout="constrained")
    rows = figure.subplots(len(datasets), len(AXES), sharey="row", squeeze=False)
    lines: dict[str, Artist] = {}
    for dataset, row in zip(datasets, rows, strict=True):
        row[0].set_title(NAMES.get(dataset, dataset), loc="left")
        row[0].set_ylabel("development set R@10 (%)")
        for panel, (axis, label) in zip(row, AXES.items(), strict=True):
            panel.set_xlabel(label)
            for model, curve in means[means["dataset"] == dataset].groupby("model", sort=False):
                name = str(model)
                [lines[name]] = panel.plot(curve[axis], curve["dev_recall"], **looks[name])
    figure.legend(list(lines.values()), list(lines), loc="outside lower center", ncols=4)
    return figure
