"""The rated pairs that contain a training caption, and the scores without them.

Some rated sentences are captions of pictures from Flickr: in STS 2014 and 2015 Images, in SICK and,
copied from these, in STS-B. A model that was trained on these captions has *seen* their pairs.
"""

from collections.abc import Collection
from pathlib import Path

import numpy as np
import pandas as pd

from groundvec.config.types import Metadata
from groundvec.data.cleaning import letters_and_digits
from groundvec.data.split import UNENCODED, captions_of, load_split, load_text_only
from groundvec.evaluation.ratings import LANGUAGE, evaluate
from groundvec.results.schemas import Predictions, Ratings
from groundvec.runtime.errors import InputError

SEEN = ["seen", "seen_both"]
SUBTASK = ["task", "subtask"]
SYSTEM = ["system", "kind", "epochs"]
KEYS = [*SUBTASK, "statistic", "method"]


def training_captions(model: Metadata, path: str | Path) -> set[str]:
    """Find a model's training captions in the language of the ratings, by their letters and digits.

    Args:
        model: the content of its model.json.
        path: the captions.csv of its data set.
    """
    unencoded = dict.fromkeys(model["description"]["languages"], UNENCODED)
    table = captions_of(model, path)
    sentences = load_split(table, "train", np.asarray, unencoded).captions[LANGUAGE].encoded
    if "more_captions" in model:
        sentences = sentences + load_text_only(table, {LANGUAGE: UNENCODED}).encoded
    return {letters_and_digits(sentence) for sentence in sentences} - {""}  # punctuation alone


def seen(ratings: Ratings, captions: Collection[str]) -> pd.DataFrame:
    """Mark each rated pair whose sentences are `training_captions`.

    Returns:
        Columns task, subtask, pair (the row in `ratings`) and, true or false: `seen` (one of the
        sentences is a training caption) and `seen_both`.
    """
    sentences = ratings[["sentence_a", "sentence_b"]].map(letters_and_digits)
    is_caption = sentences.isin(captions)
    return ratings[SUBTASK].assign(
        pair=np.arange(len(ratings)), seen=is_caption.any(axis=1), seen_both=is_caption.all(axis=1)
    )


def score_systems(predictions: Predictions, pairs: pd.DataFrame) -> pd.DataFrame:
    """Call `score_unseen` for each system, kind and epochs; these are columns of the result."""
    scores = {
        names: score_unseen(group, pairs)
        for names, group in predictions.groupby(SYSTEM, sort=False)
    }
    return pd.concat(scores, names=SYSTEM).reset_index(SYSTEM).reset_index(drop=True)


def score_unseen(predictions: pd.DataFrame, pairs: pd.DataFrame) -> pd.DataFrame:
    """Score predictions with and without the `seen` pairs; no classifier is trained again.

    Without the seen pairs, a mean is weighted by the remaining pairs, and subtasks without any are
    left out.

    Returns:
        The rows of `evaluate`. Further columns: the numbers of pairs that are `seen` and
        `seen_both`; and `unseen_pearson`, `unseen_pearson_low` and so on, NaN if no pair remains.

    Raises:
        InputError: the predictions are not of these pairs.
    """
    table = predictions.merge(pairs, "left", ["pair", *SUBTASK])
    if table["seen"].isna().any():
        row = table[table["seen"].isna()].iloc[0]
        raise InputError(
            f"the predictions are not of these rated pairs (pair {row['pair']}, {row['task']} "
            f"{row['subtask']}): make them again"
        )
    table = table.astype(dict.fromkeys(SEEN, bool))
    scores = evaluate(table)
    unseen_pairs = table[~table["seen"]]
    unseen = evaluate(unseen_pairs) if len(unseen_pairs) else scores[:0]
    unseen = unseen.drop(columns="pairs").set_index(KEYS).add_prefix("unseen_")
    # Means are over the pairs without a classifier: count these also for each task, and for all.
    of_task = table[table["classifier"].isna()].assign(subtask="all")
    of_all = of_task.assign(task="all")
    counts = pd.concat([table, of_task, of_all]).groupby(SUBTASK)[SEEN].sum()
    scores = scores.merge(counts, left_on=SUBTASK, right_index=True)
    return scores.merge(unseen, "left", left_on=KEYS, right_index=True)
