"""A table of models side by side, and of how they differ from the first."""

from pathlib import Path

import numpy as np
import pandas as pd

from groundvec.card.text import TIMES, decimals
from groundvec.evaluation import bootstrap
from groundvec.evaluation.ranks import DIRECTIONS
from groundvec.evaluation.seeds import mean_of_seeds
from groundvec.results.schemas import History, Predictions, QueryRanks
from reproduction.render.tables import wide, write_table
from reproduction.reporting import resampled
from reproduction.reporting.measures import SEMANTIC
from reproduction.reporting.results import Results
from reproduction.reporting.systems import NAMES, named

TITLE = "What each part gives, and how models differ from the first one."
NOTES = [
    "Measured by this project, of ensembles; the mean of so many seeds. R@10: percent of the test "
    f"queries. Ratings: Pearson's r {TIMES} 100 with people's, by cosines (the mean of the "
    "subtasks, weighted by their pairs), or where there are training pairs by a classifier. Then "
    "the difference from the first model, each seed with itself, and its 95% interval by a paired "
    f"bootstrap: {bootstrap.DRAWS:,} draws of pictures, or of pairs within each subtask; of "
    "several seeds a t interval, whose variance is that over the seeds plus that of the bootstrap; "
    "it is never narrower than that of the seeds alone.",
    "min: minutes of training, whatever else the machine did meanwhile.",
]
VALUES = ["value", "low", "high", "difference", "difference_low", "difference_high"]


def make(results: Results, stem: Path) -> None:
    """Write the table."""
    predictions = results.predictions if results.given.get("predictions") else None
    table = ablation(results.query_ranks, predictions, results.history)
    columns = ["value", "difference", "difference_low", "difference_high"]
    numbers = zip(*(decimals(table[column]) for column in columns), strict=True)
    first = table["difference"].isna()
    texts = [  # 60.1 (1.2: 0.4, 2.0)
        value if alone else f"{value} ({difference}: {low}, {high})"
        for alone, (value, difference, low, high) in zip(first, numbers, strict=True)
    ]
    minutes = decimals(table["minutes"], 0)
    shown = table.assign(text=texts, seeds=table["seeds"].astype(str), min=minutes)
    text = wide(shown, ["dataset", "model", "seeds", "min"], "measure")
    headings = text.pop("dataset").replace(NAMES)
    write_table(stem, table, text, "lrr" + "l" * (text.shape[1] - 3), TITLE, NOTES, headings)


def ablation(ranks: QueryRanks, predictions: Predictions | None, history: History) -> pd.DataFrame:
    """Measure every model, the mean of its seeds, and its difference from the first model.

    The difference is over the seeds that both have, and NaN for the first model.
    """
    rows = []
    last = history.groupby(["dataset", "model", "seed"])["seconds"].max()
    minutes = last.groupby(["dataset", "model"]).mean() / 60
    recalls = resampled.recalls(ranks[ranks["kind"] == "ensemble"])
    recalls = recalls[recalls["direction"].isin(DIRECTIONS)]
    measured = [recalls.assign(measure="R@10 " + recalls["direction"].str.replace("_", " "))]
    if predictions is not None:
        rated = resampled.semantic_measures(predictions[predictions["kind"] == "ensemble"])
        measured.append(named(ranks).merge(rated[rated["measure"] != SEMANTIC], on="system"))
    keys = ["dataset", "measure"]
    for (dataset, measure), systems in pd.concat(measured).groupby(keys, sort=False):
        by_model = {
            model: own.set_index("seed")["draws"]
            for model, own in systems.groupby("model", sort=False)
        }
        first = next(iter(by_model.values()))
        for model, draws in by_model.items():
            both = draws.index.intersection(first.index)
            gains = [draws[seed] - first[seed] for seed in both] if draws is not first else []
            compared = mean_of_seeds(gains) if gains else (np.nan, np.nan, np.nan)
            labels = (dataset, model, len(draws), minutes.get((dataset, model)), measure)
            rows.append((*labels, *mean_of_seeds(draws.tolist()), *compared))
    names = ["dataset", "model", "seeds", "minutes", "measure"]
    return pd.DataFrame(rows, columns=[*names, *VALUES])
