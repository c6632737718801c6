"""The files of scores that evaluations write, read and checked."""

from collections.abc import Iterable
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd

from groundvec.evaluation.ranks import DIRECTIONS
from groundvec.results import schemas
from groundvec.results.frames import read_all
from groundvec.results.schemas import Scores
from groundvec.runtime.errors import InputError

SEEN_NOTE = (
    "Seen pairs: one of the two sentences is a training caption of the model, where case, "
    "punctuation and spaces are ignored. Without them a mean is weighted by the pairs that are "
    "left, and the classifier is not trained again."
)


def read_retrieval(paths: Iterable[str | Path], everything: bool = False) -> schemas.Retrieval:
    """Read retrieval scores, one file per training; the epochs of chance are empty texts.

    Args:
        everything: also retrieval between captions, and simulated chance.

    Raises:
        InputError: a file that is not whole, or two about the same model.
    """
    measured = read_all(paths, schemas.Retrieval, _check_ensembles).fillna({"epochs": ""})
    between = measured["direction"].isin(DIRECTIONS) & (measured["kind"] != "random")
    return measured[between | everything].reset_index(drop=True)


def _check_ensembles(path: str | Path, scores: schemas.Retrieval) -> None:
    """Raise InputError if a file of retrieval scores has none of an ensemble."""
    ensembles = scores[scores["kind"] == "ensemble"]
    there = set(zip(ensembles["split"], ensembles["direction"], strict=True))
    for split, direction in product(("dev", "test"), DIRECTIONS):
        if (split, direction) not in there:
            raise InputError(
                f"{path} has no {split} scores {direction} of an ensemble: delete it and "
                "make it again"
            )


def read_systems(paths: Iterable[str | Path], form: Any) -> pd.DataFrame:
    """Read scores with ratings, overlaps or predictions, one file per system.

    Returns:
        `seed` is Int64, missing for baselines, whose dataset, model and epochs are empty texts.

    Raises:
        InputError: a file that is not whole, or two about the same system.
    """
    table = read_all(paths, form, _check_systems)
    texts = table.columns.intersection(["dataset", "model", "epochs"])
    whole = table.columns.intersection(["seed"])
    return table.fillna(dict.fromkeys(texts, "")).astype(dict.fromkeys(whole, "Int64"))


read_scores = partial(read_systems, form=schemas.Scores)
read_overlap = partial(read_systems, form=schemas.Overlap)
read_predictions = partial(read_systems, form=schemas.Predictions)


def _check_systems(path: str | Path, table: pd.DataFrame) -> None:
    """Raise InputError if a file has neither an ensemble nor a baseline."""
    if not table["kind"].isin(["ensemble", "baseline"]).any():
        raise InputError(
            f"{path} has no rows of an ensemble or a baseline: delete it and make it again"
        )


def headline(scores: Scores) -> pd.DataFrame:
    """Take the correlation that stands for each subtask: the classifier's, or else the cosine's."""
    correlations = scores[scores["statistic"] == "correlation"]
    subtask = pd.MultiIndex.from_frame(correlations[["task", "subtask"]])
    classifier = correlations["method"] == "classifier"
    supervised = subtask.isin(subtask[classifier])
    return correlations[classifier | ~supervised].reset_index(drop=True)
