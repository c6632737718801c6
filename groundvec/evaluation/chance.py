"""The expected scores of a model that ranks at random, computed exactly."""

import numpy as np
import pandas as pd

from groundvec.evaluation.ranks import DIRECTIONS
from groundvec.evaluation.retrieval import SENTENCES, cut_into_folds, mean_of_folds
from groundvec.evaluation.snapshots import DECIMALS
from groundvec.results.schemas import CUTOFFS


def chance(image: np.ndarray, folds: int = 1) -> pd.DataFrame:
    """Compute the expected scores of a model that ranks at random, in both directions.

    Recalls and mean ranks are exact, so that their intervals have no width.

    Args:
        image: (M,) the row of each caption's image; every image has a caption.
    """
    images = image.max() + 1
    to_image = []
    to_caption = []
    for rows, in_fold in cut_into_folds(image, images, folds):
        to_image.append(_found_by_chance(np.ones(1, int), len(rows)))
        captions_per_image = np.bincount(image[in_fold] - rows[0])
        to_caption.append(_found_by_chance(captions_per_image, in_fold.sum()))
    rows_of_scores = [
        _chance_row(DIRECTIONS[0], to_image, len(image)),
        _chance_row(DIRECTIONS[1], to_caption, images),
    ]
    return pd.DataFrame(rows_of_scores)


def chance_of_captions(
    image: np.ndarray, image_of_candidates: np.ndarray | None = None
) -> pd.DataFrame:
    """Compute the expected scores of `retrieval.caption_ranks` for a model that ranks at random.

    The table is empty if there are no candidates of another language and no image has several
    captions.
    """
    itself = 0  # the number of candidates that are the query itself, which it cannot find
    if image_of_candidates is None:
        image_of_candidates = image
        itself = 1
    right = np.bincount(image_of_candidates)[image] - itself
    right = right[right > 0]
    if not len(right):
        return pd.DataFrame()
    found = _found_by_chance(right, len(image_of_candidates) - itself)
    return pd.DataFrame([_chance_row(SENTENCES, [found], len(right))])


def _chance_row(direction: str, folds: list[np.ndarray], queries: int) -> dict[str, str | float]:
    """Make a row of scores from the `_found_by_chance` of each fold."""
    row: dict[str, str | float] = {"direction": direction}
    for k in CUTOFFS:
        row[f"r{k}"] = 100 * mean_of_folds(found[min(k, len(found) - 1)] for found in folds)
        row[f"r{k}_ci"] = 0.0
    # The mean of a rank, which is a count, is the sum of its probabilities to be above 0, 1, 2, ...
    mean_rank = mean_of_folds((1 - found).sum() for found in folds)
    row["median_rank"] = mean_of_folds(_median_by_chance(found) for found in folds)
    row["mean_rank"] = mean_rank
    row["mean_rank_low"] = mean_rank
    row["mean_rank_high"] = mean_rank
    row["queries"] = queries
    return row


def _found_by_chance(right: np.ndarray, candidates: int) -> np.ndarray:
    """Compute the probability that one of the right candidates is among the first 0, 1, 2, ...

    Args:
        right: (queries,) the number of right candidates of each query; the mean is over queries.
    """
    counts, queries = np.unique(right, return_counts=True)
    left = candidates - np.arange(candidates + 1)[:, None]  # places after the first k
    # The first k have none of c right ones if all c are after them. Placed one after another, the
    # i-th of them has left - i of candidates - i places there (a hypergeometric probability).
    none = []
    for count in counts:
        placed = np.arange(count)
        none.append(np.prod((left - placed) / (candidates - placed), axis=1))
    return 1 - queries / len(right) @ none


def _median_by_chance(found: np.ndarray) -> float:
    """Compute the median of a rank that is at most k with probability `found[k]`."""
    # If exactly half of the ranks are at most k, the median is between k and k + 1, as for data.
    sides = [np.searchsorted(found.round(DECIMALS), 0.5, side) for side in ("left", "right")]
    return float(np.mean(sides))
