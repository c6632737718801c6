"""The files of scores that evaluations write, read and checked."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from groundvec.evaluation.ranks import DIRECTIONS
from groundvec.results import schemas
from groundvec.results.frames import read_all
from groundvec.results.schemas import Scores

SEEN_NOTE = (
    "Seen pairs: one of the two sentences is a training caption of the model, ignoring case, "
    "punctuation and spaces. Without them, means are weighted by the remaining pairs, and the "
    "classifier is not trained again."
)


def read_retrieval(paths: Iterable[str | Path], everything: bool = False) -> schemas.Retrieval:
    """Read retrieval scores, one file per training; the epochs of chance are empty strings.

    Args:
        everything: include retrieval between captions, and with a bank.

    Raises:
        InputError: a file is not whole, or two files are of the same model.
    """
    scores = read_all(paths, schemas.Retrieval).fillna({"epochs": ""})
    if not everything:
        has_bank = scores["kind"] == schemas.QUERYBANK
        scores = scores[scores["direction"].isin(DIRECTIONS) & ~has_bank]
    return scores.reset_index(drop=True)


def read_systems(paths: Iterable[str | Path], form: Any) -> pd.DataFrame:
    """Read scores with ratings, overlaps or predictions, one file per system.

    Returns:
        A table; baselines have empty strings as dataset, model and epochs. `seed` is Int64, which
        can be missing.

    Raises:
        InputError: a file is not whole, or two files are of the same system.
    """
    table = read_all(paths, form)
    empty = {name: "" for name in ("dataset", "model", "epochs") if name in table}
    table = table.fillna(empty)
    return table.astype({"seed": "Int64"}) if "seed" in table else table


read_scores = partial(read_systems, form=schemas.Scores)
read_overlap = partial(read_systems, form=schemas.Overlap)
read_predictions = partial(read_systems, form=schemas.Predictions)


def headline(scores: Scores) -> pd.DataFrame:
    """Select one correlation per subtask: the classifier's if there is one, else the cosine's."""
    correlations = scores[scores["statistic"] == "correlation"]
    subtasks = pd.MultiIndex.from_frame(correlations[["task", "subtask"]])
    is_classifier = correlations["method"] == "classifier"
    has_classifier = subtasks.isin(subtasks[is_classifier])
    return correlations[is_classifier | ~has_classifier].reset_index(drop=True)
