"""Changes of the training task and the semantic score late in training (section 4.3.4)."""

from functools import partial
from pathlib import Path

import pandas as pd

from groundvec.card.text import MISSING, decimals
from groundvec.provenance import provenance
from groundvec.results.frames import read_csv
from reproduction.papers.merkx_frank_2019.figure4 import by_epoch
from reproduction.render.tables import TIMES, write_table
from reproduction.reporting.measures import semantic_measures
from reproduction.reporting.results import Results
from reproduction.reporting.systems import NAMES, criterion, dataset_of, rows_of

EARLY = 4  # in the paper, both measures improve most until this epoch
NOTES = [
    "Training task: R@10 on the test set, mean of both directions. Semantic score: Pearson's r "
    f"{TIMES} 100 with the ratings, the mean of the tasks without training pairs (weighted by "
    "pairs) and of those with a classifier, without STS-B. Both are measured for single snapshots, "
    "as in Figure 4.",
    f"Epoch {EARLY}: the last kept epoch up to {EARLY}. Peak: the best kept epoch. Changes are "
    "relative to the earlier value.",
]
REPORTED = (
    "Reported: as printed in section 4.3.4 of Merkx & Frank (2019), where the semantic score peaks "
    "around epoch four. They are taken as relative changes; the paper does not define them."
)


def make(results: Results, stem: Path) -> None:
    """Write the changes of section 4.3.4."""
    curves = by_epoch(results.retrieval, semantic_measures(results.scores))
    reported = read_csv(results.reported_file("section_4_3_4"))
    datasets = reported["dataset"].map(partial(dataset_of, results.models))
    reported = reported.assign(dataset=datasets)
    write_changes(stem, changes(curves, reported, results.selected), results.select)


def changes(
    curves: pd.DataFrame, reported: pd.DataFrame, selected: dict[str, tuple[str, int]]
) -> pd.DataFrame:
    """Select the values at epoch 4, the peak and the last epoch, and compute the changes.

    Changes are in percent, and missing if the earlier value is 0 or less.
    """
    rows = []
    # One row per data set and measure, such as the training task on Flickr8k.
    for dataset, (model, seed) in selected.items():
        training = rows_of(curves, dataset, model, seed)
        for measure, points in training.groupby("measure", sort=False):
            values = points.set_index("epoch")["value"].sort_index()
            row = {"dataset": dataset, "measure": measure, "model": model, "seed": seed}
            epochs = {
                "early": max(epoch for epoch in values.index if epoch <= EARLY),
                "peak": values.idxmax(),
                "last": values.index[-1],
            }
            for name, epoch in epochs.items():
                row |= {f"{name}_epoch": epoch, name: values[epoch]}
            rows.append(row)
    measured = pd.DataFrame(rows).assign(source="measured", **provenance())
    for name in ("early", "peak"):
        # A correlation can be negative, and then a change in percent has no meaning.
        start = measured[name].where(measured[name] > 0)
        measured[f"since_{name}"] = 100 * (measured["last"] / start - 1)
    printed = reported[reported["dataset"].isin(list(selected))]
    columns = {"epoch 4": "since_early", "peak": "since_peak"}
    printed = printed.pivot(index=["paper", "dataset", "measure"], columns="since", values="change")
    printed = printed.rename(columns=columns).reset_index().assign(source="reported")
    groups = measured[["dataset", "measure"]]
    table = groups.merge(pd.concat([printed, measured]), on=["dataset", "measure"])
    first = ["dataset", "measure", "source", "paper", "model", "seed"]
    numbers = ["early_epoch", "early", "peak_epoch", "peak", "last_epoch", "last"]
    integers = dict.fromkeys(["seed", "early_epoch", "peak_epoch", "last_epoch"], "Int64")
    return table[[*first, *numbers, "since_early", "since_peak", *provenance()]].astype(integers)


def write_changes(stem: Path, table: pd.DataFrame, select: str) -> None:
    """Write the result of `changes` for models that were selected by `select`."""
    text = table[["measure", "source"]].copy()
    for name, heading in (("early", f"epoch {EARLY}"), ("peak", "peak"), ("last", "last epoch")):
        values = pd.Series(decimals(table[name]))
        epoch = table[f"{name}_epoch"].astype(str)
        text[heading] = values.where(values == MISSING, values + " (epoch " + epoch + ")")
    text[f"% since epoch {EARLY}"] = decimals(table["since_early"])
    text["% since the peak"] = decimals(table["since_peak"])
    title = "Changes of the training task and of the semantic score until the last epoch."
    notes = [*NOTES, f"The model of a data set: {criterion(select)}."]
    notes += [REPORTED] if "reported" in set(table["source"]) else []
    write_table(stem, table, text, "llrrrrr", title, notes, table["dataset"].replace(NAMES))
