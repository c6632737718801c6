"""The rated pairs that hold a training caption, and the scores without them.

Some rated sentences are captions of pictures from Flickr: those of STS 2014 and 2015 Images, of
SICK and, through them, of STS-B. A model that was trained on them has *seen* the pairs they are in.
"""

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from groundvec.data.cleaning import normalised
from groundvec.data.split import UNENCODED, captions_of, load_more, load_split
from groundvec.evaluation.ratings import LANGUAGE, evaluate
from groundvec.results.schemas import Predictions, Ratings
from groundvec.runtime.errors import InputError

SEEN = ["seen", "seen_both", "seen_one_image"]  # numbers of pairs, each part of the one before
SUBTASK = ["task", "subtask"]
KEYS = [*SUBTASK, "statistic", "method"]


def training_captions(about: Mapping[str, Any], path: str | Path) -> dict[str, set[int]]:
    """Find a model's training captions in the language of the ratings, by the `normalised` caption.

    Args:
        about: the content of its model.json.
        path: the captions.csv of its data set.

    Returns:
        The images of each caption.
    """
    unencoded = dict.fromkeys(about["description"]["languages"], UNENCODED)
    read = captions_of(about, path)
    split = load_split(read, "train", np.asarray, unencoded)
    captions = split.captions[LANGUAGE]
    sentences = captions.encoded
    numbers = captions.image.tolist()
    if "more_captions" in about:
        more = load_more(read, {LANGUAGE: UNENCODED})
        sentences = sentences + more.encoded
        numbers = numbers + (len(split.image_ids) + more.image).tolist()
    images: dict[str, set[int]] = defaultdict(set)
    for sentence, image in zip(sentences, numbers, strict=True):
        images[normalised(sentence)].add(image)
    return dict(images)


def seen(ratings: Ratings, captions: Mapping[str, set[int]]) -> pd.DataFrame:
    """Tell for each rated pair whether its sentences are `training_captions`.

    Returns:
        Columns pair (the row in `ratings`), task, subtask, and, true or false: `seen` (one of the
        sentences is a training caption), `seen_both`, `seen_one_image` (both, of the same image).
    """
    a, b = (
        [captions.get(normalised(sentence), set()) for sentence in ratings[column]]
        for column in ("sentence_a", "sentence_b")
    )
    found = [(bool(x or y), bool(x and y), bool(x & y)) for x, y in zip(a, b, strict=True)]
    return pd.DataFrame(found, columns=SEEN).assign(
        pair=np.arange(len(ratings)), **ratings[SUBTASK].reset_index(drop=True)
    )


def score_unseen(predictions: Predictions, pairs: pd.DataFrame) -> pd.DataFrame:
    """Score predictions with and without the `seen` pairs; no classifier is trained again.

    Without the seen pairs, a mean is weighted by the pairs that are left, and leaves out subtasks
    that have none.

    Returns:
        The rows of `evaluate` for each system, kind and epochs. Further columns: the numbers of
        pairs that are `seen`, `seen_both` and `seen_one_image`; and `unseen_pearson`,
        `unseen_pearson_low` and so on, NaN if no pair is left.

    Raises:
        InputError: the predictions are not of these pairs.
    """
    table = predictions.merge(pairs, "left", ["pair", *SUBTASK])
    if table["seen"].isna().any():
        row = table[table["seen"].isna()].iloc[0]
        raise InputError(
            f"the predictions of {row['system']} are not of these rated pairs (pair {row['pair']}, "
            f"{row['task']} {row['subtask']}): make them again"
        )
    table = table.astype(dict.fromkeys(SEEN, bool))
    system = ["system", "kind", "epochs"]
    scores = {names: _score(group) for names, group in table.groupby(system, sort=False)}
    return pd.concat(scores, names=system).reset_index(system).reset_index(drop=True)


def _score(pairs: pd.DataFrame) -> pd.DataFrame:
    """Score one system for `score_unseen`."""
    scores = evaluate(pairs)
    rest = pairs[~pairs["seen"]]
    unseen = evaluate(rest) if len(rest) else scores[:0]
    unseen = unseen.drop(columns="pairs").set_index(KEYS).add_prefix("unseen_")
    of_task = pairs[pairs["classifier"].isna()].assign(subtask="all")  # those of the means
    counts = pd.concat([pairs, of_task, of_task.assign(task="all")]).groupby(SUBTASK)[SEEN].sum()
    scores = scores.merge(counts, left_on=SUBTASK, right_index=True)
    return scores.merge(unseen, "left", left_on=KEYS, right_index=True)
