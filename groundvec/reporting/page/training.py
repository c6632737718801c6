"""How the loss and the recall on the development set went in each training."""

from collections.abc import Iterable
from itertools import cycle
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from groundvec.errors import InputError
from groundvec.reporting.figures import COLOURS
from groundvec.reporting.style import PAGE, styled

PANELS = {"loss": "training loss", "dev_recall": "dev. set, mean of R@10 (%)"}
LINES = ("-", "--", ":", "-.")


def read_histories(paths: Iterable[Path]) -> pd.DataFrame:
    """The history.csv of every training, one after the other; InputError if one is not whole."""
    tables = []
    for path in paths:
        table = pd.read_csv(path)
        if missing := {"dataset", "model", "seed", "epoch", *PANELS} - set(table):
            raise InputError(f"{path} has no column {min(missing)}: train the model again")
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


@styled
def curves(history: pd.DataFrame) -> Figure:
    """Draw the loss and the recall of one data set's models by epoch, the mean of their seeds.

    Args:
        history: as `read_histories` gives it, of one data set.
    """
    models = list(history["model"].unique())
    figure = Figure((PAGE, 2.5 + 0.16 * -(-len(models) // 4)), layout="constrained")
    for panel, (column, label) in zip(figure.subplots(1, 2), PANELS.items(), strict=True):
        looks = zip(models, cycle(COLOURS), cycle(LINES), strict=False)
        for number, (model, (colour, marker), _) in enumerate(looks):
            values = history[history["model"] == model].groupby("epoch")[column].mean().dropna()
            panel.plot(
                values,
                color=colour,
                marker=marker,
                linestyle=LINES[number // len(COLOURS) % len(LINES)],
                label=model,
            )
        panel.set_xlabel("epoch")
        panel.set_ylabel(label)
        panel.xaxis.set_major_locator(MaxNLocator(8, integer=True))
    handles, labels = panel.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4)
    return figure
