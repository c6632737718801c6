"""The numbers that sum up a model: recall on a whole split, and correlation with ratings."""

import numpy as np
import pandas as pd

from groundvec.evaluation.files import headline
from groundvec.results.schemas import Predictions, Retrieval, Scores
from reproduction.schemas import Measures

RECALL = "training task"
SEMANTIC = "semantic score"
# The names of directions in tables of all systems.
WAYS = {"caption_to_image": "images by captions", "image_to_caption": "captions by images"}


def whole(measured: Retrieval, split: str = "test") -> Retrieval:
    """Select the rows of a whole split, without means over folds."""
    folds = measured["test_set"].str.endswith("-folds")
    return measured[measured["split"].eq(split) & ~folds]


def recall(measured: Retrieval, split: str) -> pd.DataFrame:
    """Average R@10 on the whole development or test set over directions and languages, in percent.

    The interval's half-width is sqrt(sum of h^2) / n for the n half-widths h, as if these were
    independent.
    """
    keys = ["dataset", "model", "seed", "kind", "epochs"]
    groups = whole(measured, split).groupby(keys, sort=False, as_index=False)
    return groups.agg(
        r10=("r10", "mean"), r10_ci=("r10_ci", lambda ci: np.sqrt((ci**2).sum()) / len(ci))
    )


def prediction(predictions: Predictions) -> pd.Series:
    """Return each pair's prediction: the classifier's if the task has one, else the cosine."""
    return predictions["classifier"].fillna(predictions["cosine"])


def semantic_measures(scores: Scores) -> Measures:
    """Compute the measures of Figures 2 and 4 from correlations with ratings.

    In this order: the mean of all unsupervised tasks, weighted by pairs (task `all`); each
    supervised task by its classifier, with SICK as `SICK-R`; and `semantic score`, the mean of the
    others without STS-B, whose pairs are taken from STS 2012 to 2016.
    """
    weighted = scores.query("statistic == 'weighted mean'")
    name = joint_name(list(weighted.query("task != 'all'")["task"].unique()))
    supervised = headline(scores).query("method == 'classifier'")
    supervised["measure"] = supervised["task"].replace({"SICK": "SICK-R"})
    measures = pd.concat([weighted.query("task == 'all'").assign(measure=name), supervised])
    keys = ["system", "dataset", "model", "seed", "kind", "epochs"]
    columns = [*keys, "measure", "task", "pearson", "pearson_low", "pearson_high"]
    combined = means(measures.query("measure != 'STS-B'"), keys)
    table = pd.concat([measures, combined.assign(measure=SEMANTIC)], ignore_index=True)
    # A stable sort by system keeps the order of the measures within each system.
    order = table.groupby(keys, sort=False, dropna=False).ngroup().sort_values(kind="stable")
    return table.loc[order.index, columns].reset_index(drop=True)


def joint_name(tasks: list[str]) -> str:
    """Name several tasks: `STS 12-16` for `STS 2012` to `STS 2016`, else all their names."""
    years = sorted(task.removeprefix("STS 20") for task in tasks)
    if len(tasks) > 1 and all(task.startswith("STS 20") for task in tasks):
        return f"STS {years[0]}-{years[-1]}"
    return ", ".join(tasks)


def means(table: pd.DataFrame, keys: list[str], weights: str | None = None) -> pd.DataFrame:
    """Average the correlations of each group of rows, weighted by a column if one is named.

    The upper half-widths of the intervals combine as sqrt(sum (weight * half)^2), and so do the
    lower ones: Fisher's intervals are not symmetric.
    """
    table = table.assign(weight=table[weights] if weights else 1)
    # Weights that sum to 1 in each group.
    share = table["weight"] / table.groupby(keys, dropna=False)["weight"].transform("sum")
    parts = table.assign(
        pearson=share * table["pearson"],
        low=(share * (table["pearson"] - table["pearson_low"])) ** 2,
        high=(share * (table["pearson_high"] - table["pearson"])) ** 2,
    )
    sums = parts.groupby(keys, sort=False, dropna=False)[["pearson", "low", "high"]].sum()
    sums["pearson_low"] = sums["pearson"] - np.sqrt(sums.pop("low"))
    sums["pearson_high"] = sums["pearson"] + np.sqrt(sums.pop("high"))
    return sums.reset_index()


def as_values(recall_or_correlations: pd.DataFrame) -> pd.DataFrame:
    """Add columns value, low and high, in percent: R@10 (`recall`), or Pearson's r times 100."""
    table = recall_or_correlations
    if "r10" in table:
        # Recalls are in percent already, with a symmetric interval.
        r10 = table["r10"]
        half = table["r10_ci"]
        return table.assign(measure=RECALL, value=r10, low=r10 - half, high=r10 + half)
    names = {"value": "pearson", "low": "pearson_low", "high": "pearson_high"}
    return table.assign(**{new: 100 * table[old] for new, old in names.items()})
