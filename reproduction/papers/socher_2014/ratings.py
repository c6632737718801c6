"""Agreement of Socher et al.'s (2014) systems with ratings of sentences: not in the paper."""

from pathlib import Path

import pandas as pd

from groundvec.card.text import MISSING
from reproduction.papers.socher_2014.labels import labelled
from reproduction.papers.socher_2014.retrieval import TRAINING, averaged, origin, sorted_systems
from reproduction.render.tables import column_with_interval, wide, write_table
from reproduction.reporting.measures import SEMANTIC, as_values
from reproduction.reporting.results import Results
from reproduction.reporting.systems import (
    NAMES,
    PROVENANCE,
    best_snapshot,
    check_scored,
    every_system,
    rows_of,
    sorted_by,
)

SYSTEM = ["dataset", "objective", "system", "name", "model"]
STATES = ["trained", "untrained"]

TITLE = "Correlation of every system with the ratings."
SNAPSHOT = (
    "The single snapshot of a training with the best R@10 on the development set among those at "
    "the end of a cycle, as in Table 1. Of several seeds the mean and its 95% t interval."
)
NOTES = [
    "Pearson's r \N{MULTIPLICATION SIGN} 100 with its 95% interval, Fisher's: of several subtasks "
    "the mean of their correlations weighted by pairs, of the cosines; of a task with training "
    "pairs, of what SentEval's classifier predicts.",
    SNAPSHOT + " Untrained: the same network before training, with the same word vectors.",
]


def make(results: Results, stem: Path) -> None:
    """Write the table of the ratings."""
    table = over_seeds(of_trainings(results), ["measure", "state"])
    measures = table["measure"].unique()
    write(stem, table, ["measure", "state"], dict.fromkeys(measures, len(STATES)), TITLE, NOTES)


def of_trainings(results: Results) -> pd.DataFrame:
    """Take correlations with the ratings, in percent: of best snapshots and of baselines.

    A row for each measure has the state `trained` or `untrained`; baselines count as trained.
    """
    models = labelled(results.models)
    scores = as_values(every_system(results.scores, results.models))
    scores = scores.rename(columns={"low": "value_low", "high": "value_high"})
    scores = scores[scores["measure"] != SEMANTIC]
    check_scored(models, scores)
    snapshots, baselines = (scores[scores["kind"] == kind] for kind in ("snapshot", "baseline"))
    parts = []
    for _, about in models.iterrows():
        rows = rows_of(snapshots, *about[TRAINING])
        labels = {name: about[name] for name in ("system", "objective", "name")}
        for state, epoch in zip(STATES, (best_snapshot(about), 0), strict=True):
            chosen = rows[rows["epochs"] == str(epoch)]
            parts.append(chosen.assign(state=state, **labels))
    name = baselines["system"]
    parts.append(baselines.assign(state=STATES[0], objective="", name=name, model=name))
    table = pd.concat(parts, ignore_index=True)
    values = ["value", "value_low", "value_high"]
    return table[[*SYSTEM, "seed", "epochs", "measure", "state", *values, *PROVENANCE]]


def over_seeds(trainings: pd.DataFrame, cell: list[str]) -> pd.DataFrame:
    """Average a system's seeds in every cell of the table, with the interval.

    Args:
        trainings: columns `SYSTEM`, seed, epochs, those of `cell`, value, value_low and value_high.
        cell: the columns that tell the numbers of a system apart, such as the measure.
    """
    rows = []
    for key, seeds in trainings.groupby([*SYSTEM, *cell], sort=False):
        row = dict(zip([*SYSTEM, *cell], key, strict=True)) | {"seeds": len(seeds)}
        rows.append(row | averaged(seeds, "value", "value") | origin(seeds))
    return sorted_systems(pd.DataFrame(rows))


def write(
    stem: Path,
    table: pd.DataFrame,
    cell: list[str],
    spans: dict[str, int],
    title: str,
    notes: list[str],
) -> None:
    """Write the result of `over_seeds`, a row for each system.

    Args:
        cell: the same; the last is a column's heading.
        spans: headings above the columns.
    """
    ours = table["dataset"] != ""
    seeds = table.groupby(SYSTEM)["seeds"].transform("first").astype(str)
    cells = table.assign(
        group=table["dataset"].replace(NAMES).where(ours, "Baselines"),
        system=table["name"],
        seeds=seeds.where(ours, MISSING),
        column=table[cell].agg(" ".join, axis=1),
        text=column_with_interval(table, "value"),
    )
    rows = ["group", "system", "objective", "seeds"]
    columns = sorted_by(cells, cell[:1]).drop_duplicates("column")
    text = wide(cells, rows, "column")[[*rows, *columns["column"]]]
    text.columns = [*rows, *columns[cell[-1]]]
    align = "llr" + "r" * len(columns)
    write_table(stem, table, text, align, title, notes, text.pop("group"), spans)
