"""A table of models and their differences from the first model."""

from pathlib import Path

import numpy as np
import pandas as pd

from groundvec.card.text import decimals
from groundvec.evaluation import bootstrap
from groundvec.evaluation.ranks import DIRECTIONS
from groundvec.results.schemas import History, Predictions, QueryRanks
from reproduction.render.tables import TIMES, wide, write_table
from reproduction.reporting import resampled
from reproduction.reporting.measures import SEMANTIC
from reproduction.reporting.results import Results
from reproduction.reporting.seeds import DRAWS, mean_of_seeds
from reproduction.reporting.systems import (
    BANK_NOTE,
    NAMES,
    WITH_BANK,
    ensembles,
    named,
    test_to_train_of,
)

TITLE = "Models, and their differences from the first one."
NOTES = [
    "Measured by this project, for ensembles; means over the seeds. R@10: percent of the test "
    f"queries. Ratings: Pearson's r {TIMES} 100 with people's ratings, by cosines (the mean of the "
    "subtasks, weighted by their pairs), or by a classifier for tasks with training pairs. In "
    "brackets: the difference from the first model with the same seed, and its 95% interval. For "
    f"one seed it is by a paired bootstrap: {bootstrap.DRAWS:,} draws of images, or of pairs in "
    "each subtask. For several seeds it is a t interval, whose variance is the sum of the variance "
    "over the seeds and that of the bootstrap; it is never narrower than over the seeds alone.",
    "min: minutes of training, which include the time of other programs.",
]
VALUES = ["value", "low", "high", "difference", "difference_low", "difference_high"]


def make(results: Results, stem: Path) -> None:
    """Write the table."""
    predictions = results.predictions if results.given.get("predictions") else None
    overlap = test_to_train_of(results.models)
    table = ablation(results.query_ranks, predictions, results.history, overlap)
    columns = ["value", "difference", "difference_low", "difference_high"]
    first_model = table["difference"].isna()
    numbers = table[columns].apply(decimals)
    texts = [  # 60.1 (1.2: 0.4, 2.0)
        value if is_first else f"{value} ({difference}: {low}, {high})"
        for is_first, (value, difference, low, high) in zip(
            first_model, numbers.to_numpy(), strict=True
        )
    ]
    minutes = decimals(table["minutes"], 0)
    cells = table.assign(text=texts, seeds=table["seeds"].astype(str), min=minutes)
    text = wide(cells, ["dataset", "model", "seeds", "min"])
    headings = text.pop("dataset").replace(NAMES)
    notes = [*NOTES]
    if overlap.gt(0).any():
        notes.append(DRAWS)
    if table["model"].str.endswith(WITH_BANK).any():
        notes.append(BANK_NOTE)
    write_table(stem, table, text, "lrr" + "l" * (text.shape[1] - 3), TITLE, notes, headings)


def ablation(
    ranks: QueryRanks,
    predictions: Predictions | None,
    history: History,
    test_to_train: pd.Series,
) -> pd.DataFrame:
    """Compute the mean over seeds of every model, and its difference from the first model.

    The difference is over the seeds that both models have, and NaN for the first model.

    Args:
        test_to_train: the result of `systems.test_to_train_of`.
    """
    rows = []
    last = history.groupby(["dataset", "model", "seed"])["seconds"].max()
    minutes = last.groupby(["dataset", "model"]).mean() / 60
    recalls = resampled.recalls(ensembles(ranks))
    recalls = recalls[recalls["direction"].isin(DIRECTIONS)]
    recalls["test_to_train"] = recalls["dataset"].map(test_to_train)
    measured = [recalls.assign(measure="R@10 " + recalls["direction"].str.replace("_", " "))]
    if predictions is not None:
        rated = resampled.semantic_measures(predictions.query("kind == 'ensemble'"))
        # Seeds of a draw have the same rated pairs.
        rated = rated.query(f"measure != {SEMANTIC!r}").assign(test_to_train=0.0)
        measured.append(named(ranks).merge(rated, on="system"))
    keys = ["dataset", "measure"]
    for (dataset, measure), systems in pd.concat(measured).groupby(keys, sort=False):
        by_model = {
            model: seeds.set_index("seed")["draws"]
            for model, seeds in systems.groupby("model", sort=False)
        }
        overlap = systems["test_to_train"].iloc[0]
        # The first model of the configuration is the reference of all others.
        first = next(iter(by_model.values()))
        for model, draws in by_model.items():
            difference = (np.nan, np.nan, np.nan)
            shared_seeds = draws.index.intersection(first.index)
            if draws is not first and len(shared_seeds):
                gains = [draws[seed] - first[seed] for seed in shared_seeds]
                difference = mean_of_seeds(gains, overlap)
            training = (dataset, str(model).removesuffix(WITH_BANK))
            labels = (dataset, model, len(draws), minutes.get(training), measure)
            rows.append((*labels, *mean_of_seeds(draws.tolist(), overlap), *difference))
    names = ["dataset", "model", "seeds", "minutes", "measure"]
    return pd.DataFrame(rows, columns=[*names, *VALUES])
