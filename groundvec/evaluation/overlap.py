"""The rated pairs that contain a training caption, and the scores without them.

Some rated sentences are captions of pictures from Flickr: in STS 2014 and 2015 Images, in SICK and,
copied from these, in STS-B. A model that was trained on these captions has *seen* their pairs.
"""

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from groundvec.config.types import Metadata
from groundvec.data.cleaning import letters_and_digits
from groundvec.data.split import UNENCODED, captions_of, load_split, load_text_only
from groundvec.evaluation.ratings import LANGUAGE, evaluate
from groundvec.results.schemas import Predictions, Ratings
from groundvec.runtime.errors import InputError

SEEN = ["seen", "seen_both", "seen_one_image"]  # each is a subset of the one before
SUBTASK = ["task", "subtask"]
KEYS = [*SUBTASK, "statistic", "method"]


def training_captions(model: Metadata, path: str | Path) -> dict[str, set[int]]:
    """Find a model's training captions in the language of the ratings, by their letters and digits.

    Args:
        model: the content of its model.json.
        path: the captions.csv of its data set.

    Returns:
        The images of each caption.
    """
    unencoded = dict.fromkeys(model["description"]["languages"], UNENCODED)
    table = captions_of(model, path)
    split = load_split(table, "train", np.asarray, unencoded)
    captions = split.captions[LANGUAGE]
    sentences = captions.encoded
    numbers = captions.image.tolist()
    if "more_captions" in model:
        text_only = load_text_only(table, {LANGUAGE: UNENCODED})
        sentences = sentences + text_only.encoded
        # Their images are others: number them after the images of the split.
        numbers = numbers + (len(split.image_ids) + text_only.image).tolist()
    images: dict[str, set[int]] = defaultdict(set)
    for sentence, image in zip(sentences, numbers, strict=True):
        images[letters_and_digits(sentence)].add(image)
    images.pop("", None)  # captions of punctuation alone
    return dict(images)


def seen(ratings: Ratings, captions: Mapping[str, set[int]]) -> pd.DataFrame:
    """Mark each rated pair whose sentences are `training_captions`.

    Returns:
        Columns pair (the row in `ratings`), task, subtask, and, true or false: `seen` (one of the
        sentences is a training caption), `seen_both`, `seen_one_image` (both, of the same image).
    """
    flags = []
    for sentence_a, sentence_b in zip(ratings["sentence_a"], ratings["sentence_b"], strict=True):
        images_a = captions.get(letters_and_digits(sentence_a), set())
        images_b = captions.get(letters_and_digits(sentence_b), set())
        is_seen = bool(images_a or images_b)
        is_seen_both = bool(images_a and images_b)
        is_seen_one_image = bool(images_a & images_b)
        flags.append((is_seen, is_seen_both, is_seen_one_image))
    return pd.DataFrame(flags, columns=SEEN).assign(
        pair=np.arange(len(ratings)), **ratings[SUBTASK].reset_index(drop=True)
    )


def score_unseen(predictions: Predictions, pairs: pd.DataFrame) -> pd.DataFrame:
    """Score predictions with and without the `seen` pairs; no classifier is trained again.

    Without the seen pairs, a mean is weighted by the remaining pairs, and subtasks without any are
    left out.

    Returns:
        The rows of `evaluate` for each system, kind and epochs. Further columns: the numbers of
        pairs that are `seen`, `seen_both` and `seen_one_image`; and `unseen_pearson`,
        `unseen_pearson_low` and so on, NaN if no pair remains.

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
    unseen_pairs = pairs[~pairs["seen"]]
    unseen = evaluate(unseen_pairs) if len(unseen_pairs) else scores[:0]
    unseen = unseen.drop(columns="pairs").set_index(KEYS).add_prefix("unseen_")
    # Means are over the pairs without a classifier: count these also for each task, and for all.
    of_task = pairs[pairs["classifier"].isna()].assign(subtask="all")
    of_all = of_task.assign(task="all")
    counts = pd.concat([pairs, of_task, of_all]).groupby(SUBTASK)[SEEN].sum()
    scores = scores.merge(counts, left_on=SUBTASK, right_index=True)
    return scores.merge(unseen, "left", left_on=KEYS, right_index=True)
