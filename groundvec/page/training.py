"""The loss and the recall on the development set by epoch, of each training."""

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from groundvec.render.figures import curve_styles
from groundvec.render.style import PAGE, styled
from groundvec.results.schemas import History

RECALL = "dev. set, mean of R@10 (%)"
# Of each panel: what it shows, its axis, by what, and that axis.
PANELS = [
    ("loss", "training loss", "epoch", "epoch"),
    ("dev_recall", RECALL, "epoch", "epoch"),
    ("dev_recall", RECALL, "minutes", "minutes of training"),
]


@styled
def curves(history: History) -> Figure:
    """Draw the loss and the recall of one data set's models by epoch and time, the mean of seeds.

    Args:
        history: of one data set.
    """
    looks = curve_styles(history["model"])
    means = history.assign(minutes=history["seconds"] / 60)
    means = means.groupby(["model", "epoch"])[["loss", "dev_recall", "minutes"]].mean()
    figure = Figure((PAGE, 2.5 + 0.16 * -(-len(looks) // 4)), layout="constrained")
    for panel, (column, label, by, of_time) in zip(figure.subplots(1, 3), PANELS, strict=True):
        for model, style in looks.items():
            values = means.loc[model].reset_index().dropna(subset=column)
            panel.plot(values[by], values[column], label=model, **style)
        panel.set_xlabel(of_time)
        panel.set_ylabel(label)
        panel.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    handles, labels = panel.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4)
    return figure
