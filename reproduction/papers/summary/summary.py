"""The summary: recall and correlation with ratings of every system, over its seeds."""

from pathlib import Path

import numpy as np
import pandas as pd

from groundvec.card.text import MISSING, decimals
from groundvec.evaluation.ranks import DIRECTIONS
from groundvec.results.schemas import QUERYBANK, Retrieval
from reproduction.papers.merkx_frank_2019.reported import scores_of_network
from reproduction.render.tables import wide, write_table
from reproduction.reporting.measures import SEMANTIC, WAYS, whole
from reproduction.reporting.results import Results
from reproduction.reporting.systems import (
    BANK_NOTE,
    NAMES,
    PROVENANCE,
    ensembles,
    in_order,
    sorted_by,
)
from reproduction.schemas import Measures, Models

PAPER = "Merkx & Frank (2019), reported"
KEYS = ["dataset", "language", "system"]
NOTES = [
    "Percent, and Pearson's r × 100 with the ratings, for cosines or, for tasks with training "  # noqa: RUF001
    "pairs, for the predictions of SentEval's classifier. Mean over the seeds; in brackets the "
    "lowest and the highest.",
    "A model is the ensemble of a training's best snapshots. Recall is measured on the whole test "
    "set. Do not compare data sets with each other, or draws with whole data sets.",
]


def make(results: Results, stem: Path) -> None:
    """Write the summary."""
    table = summary(results.models, results.all_retrieval, results.measures)
    measures = list(dict.fromkeys(table["measure"]))
    text = wide(table.assign(text=_texts(table)), KEYS)
    rows = table.drop_duplicates(KEYS)
    datasets = text.pop("dataset").replace({**NAMES, "": "Baselines"})
    text.insert(2, "seeds", rows["seeds"].astype(str).replace("0", MISSING).to_numpy())
    if text["language"].nunique() < 2:
        del text["language"]
    align = ["r" if column in (*measures, "seeds") else "l" for column in text]
    title = "Scores of every system."
    notes = NOTES
    if results.all_retrieval["kind"].eq(QUERYBANK).any():
        notes = [*NOTES, BANK_NOTE]
    write_table(stem, table, text, align, title, notes, datasets)


def summary(models: Models, retrieval: Retrieval, measures: Measures | None) -> pd.DataFrame:
    """Compute the mean over seeds of every system's recalls and correlations.

    Returns:
        One row per system and measure: the columns `KEYS`, seeds (0 for baselines and reported
        numbers), measure, value, lowest, highest, and the provenance of the values.
    """
    reported = scores_of_network(models).assign(language="en", system=PAPER, seed=np.nan)
    parts = [reported, _recalls(in_order(retrieval, models))]
    if measures is not None:
        rated = measures.query(f"kind in ['ensemble', 'baseline'] and measure != {SEMANTIC!r}")
        system = rated["model"].where(rated["kind"].eq("ensemble"), rated["system"])
        parts.append(rated.assign(value=100 * rated["pearson"], language="en", system=system))
    table = pd.concat(parts, ignore_index=True)
    # Data sets in the order of the models, and then the baselines, which have none.
    datasets = {"dataset": [*models["dataset"], ""]}
    groups = sorted_by(table, ["dataset"], datasets).groupby([*KEYS, "measure"], sort=False)
    joined = groups["value"].agg(value="mean", lowest="min", highest="max")
    joined["seeds"] = groups["seed"].nunique()
    provenance = groups[[column for column in PROVENANCE if column in table]]
    return joined.join(provenance.agg(_once)).reset_index()


def _recalls(retrieval: Retrieval) -> pd.DataFrame:
    """List R@1 and R@10 of every ensemble on the whole test set, without and with a bank."""
    test = ensembles(whole(retrieval))
    test = test.assign(system=test["model"])
    parts = []
    for k in (1, 10):
        for direction in DIRECTIONS:
            rows = test.query("direction == @direction")
            measure = f"R@{k}, {WAYS[direction]}"
            parts.append(rows.assign(value=rows[f"r{k}"], measure=measure))
    return pd.concat(parts)


def _once(values: pd.Series) -> str:
    """Join the different values of a column by semicolons."""
    return "; ".join(values.dropna().astype(str).unique())


def _texts(table: pd.DataFrame) -> list[str]:
    """Write each value, with the range if it is a mean over several seeds."""
    numbers = table[["value", "lowest", "highest"]].apply(decimals)
    several = table["seeds"] > 1
    return [
        f"{mean} ({lowest}–{highest})" if is_mean else mean  # noqa: RUF001
        for is_mean, (mean, lowest, highest) in zip(several, numbers.to_numpy(), strict=True)
    ]
