"""Retrieval by every kept snapshot and by the ensemble of its training (not in the paper)."""

from pathlib import Path

import pandas as pd

from groundvec.card.text import with_interval
from groundvec.evaluation.ranks import DIRECTIONS
from groundvec.results.schemas import Retrieval
from reproduction.render.retrieval_table import CHANCE, side_by_side, test_set, write
from reproduction.reporting.measures import recall
from reproduction.reporting.results import MEASURES, Results
from reproduction.reporting.systems import PROVENANCE, in_order, model_name
from reproduction.schemas import Models

NOTES = [
    "Measured by this project, for every epoch whose weights were kept. The ensemble combines the "
    "snapshots with the best R@10 on the development set (mean of both directions) among those at "
    "the end of a learning rate cycle. This R@10 is the column dev R@10; its interval's half-width "
    "is sqrt(sum of squared half-widths) / their number, over the directions of every language.",
    CHANCE,
]


def make(results: Results, stem: Path) -> None:
    """Write the table of snapshots."""
    table = snapshots(results.retrieval, results.models)
    labels = pd.DataFrame(
        {
            "epochs": (table["kind"] + " " + table["epochs"]).str.strip(),
            "dev R@10": with_interval(table["dev_r10"], table["dev_r10_ci"]),
        }
    )
    title = "Image-caption retrieval on the test sets: ensembles and their snapshots."
    write(stem, table, test_set(table) + ": " + model_name(table), labels, title, NOTES)


def snapshots(measured: Retrieval, models: Models) -> pd.DataFrame:
    """Join the test scores of random rankings, of each ensemble and of its training's snapshots."""
    keys = ["dataset", "test_set", "language", "model", "seed", "kind", "epochs"]
    # The kinds sort by name in the order of the table: chance, ensemble, snapshot.
    test = measured.query("split == 'test'").sort_values("kind", kind="stable")
    table = in_order(side_by_side(test, keys, [*MEASURES, "mean_rank", "queries"]), models)
    dev = recall(measured, "dev").rename(columns={"r10": "dev_r10", "r10_ci": "dev_r10_ci"})
    table = table.merge(dev, on=["dataset", "model", "seed", "kind", "epochs"], how="left")
    groups = table[keys[:3]].drop_duplicates()
    scores = [column for column in table.columns if column.startswith(DIRECTIONS)]
    columns = [*keys, "dev_r10", "dev_r10_ci", *scores, *PROVENANCE]
    return groups.merge(table, on=keys[:3])[columns]
