"""Image-caption retrieval: ranks, recall and intervals (Merkx & Frank 2019, section 4.2).

Conventions, for every number of this project: a candidate that scores the same as the right one, to
a millionth, ranks before it (so a model that maps everything to one point gets no recall out of
ties, nor one that meets equal captions out of rounding), and the median of an even number of ranks
is the mean of the two in the middle.
"""

from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from groundvec.errors import InputError

QUERIES_PER_BLOCK = 1000  # bounds the memory: 100 MB of scores with 25,000 candidates
SAME = 1e-6  # cosines that differ by less do so by float32's rounding
DECIMALS = 9  # what further ones say is rounding, and differs between processors
CUTOFFS = (1, 5, 10)
DIRECTIONS = ("caption_to_image", "image_to_caption")


def caption_to_image_ranks(
    captions: np.ndarray, images: np.ndarray, image: np.ndarray
) -> np.ndarray:
    """The rank, from 1, of each caption's own image among all images.

    Args:
        captions: unit vectors (M, size).
        images: unit vectors (N, size).
        image: (M,) the row of each caption's image.
    """
    ranks = np.empty(len(captions), np.int64)
    for start in range(0, len(captions), QUERIES_PER_BLOCK):
        block = slice(start, start + QUERIES_PER_BLOCK)
        scores = captions[block] @ images.T
        own = np.take_along_axis(scores, image[block, None], axis=1)
        ranks[block] = (scores >= own - SAME).sum(axis=1)
    return ranks


def image_to_caption_ranks(
    captions: np.ndarray, images: np.ndarray, image: np.ndarray
) -> np.ndarray:
    """The rank, from 1, of the best of each image's own captions among all captions.

    The image's other captions do not count against it. Arguments as above.
    """
    ranks = np.empty(len(images), np.int64)
    for start in range(0, len(images), QUERIES_PER_BLOCK):
        rows = np.arange(start, min(start + QUERIES_PER_BLOCK, len(images)))
        scores = images[rows] @ captions.T
        own = image == rows[:, None]
        best = np.where(own, scores, -np.inf).max(axis=1, keepdims=True)
        ranks[rows] = 1 + ((scores >= best - SAME) & ~own).sum(axis=1)
    return ranks


def recall_interval(recall: float, queries: int) -> float:
    """Half the width of the 95% interval of a recall in percent: 1.96 sqrt(p (1 - p) / n)."""
    p = recall / 100
    return 196 * float(np.sqrt(p * (1 - p) / queries))


def evaluate(
    captions: np.ndarray, images: np.ndarray, image: np.ndarray, folds: int = 1
) -> pd.DataFrame:
    """Score both directions: a row each, with recalls in percent and their intervals.

    With several folds the images are cut, in their order, into as many equal sets, each with its
    own captions; recalls and median ranks are the means over the folds, intervals are those of
    all queries together, as in the paper's Table 2.

    Raises:
        InputError: there are more folds than images.
    """
    ranks: dict[str, list[np.ndarray]] = {direction: [] for direction in DIRECTIONS}
    for rows, own in _folds(image, len(images), folds):
        fold = captions[own], images[rows], image[own] - rows[0]
        ranks["caption_to_image"].append(caption_to_image_ranks(*fold))
        ranks["image_to_caption"].append(image_to_caption_ranks(*fold))
    table = []
    for direction, of_folds in ranks.items():
        queries = sum(map(len, of_folds))
        row: dict[str, Any] = {"direction": direction}
        for k in CUTOFFS:
            recall = 100 * float(np.mean([np.mean(r <= k) for r in of_folds]))
            row |= {f"r{k}": recall, f"r{k}_ci": recall_interval(recall, queries)}
        row["median_rank"] = float(np.mean([np.median(r) for r in of_folds]))
        table.append(row | {"queries": queries})
    return pd.DataFrame(table)


def chance(image: np.ndarray, folds: int = 1) -> pd.DataFrame:
    """What `evaluate` is expected to give for a model that ranks at random.

    Recalls are exact, so that their intervals are 0. Median ranks are those of the distribution
    of a random rank.

    Args:
        image: (M,) the row of each caption's image; every image has a caption.

    Raises:
        InputError: there are more folds than images.
    """
    # For each fold the probability that the rank is at most 0, 1, 2, and so on.
    found: dict[str, list[np.ndarray]] = {direction: [] for direction in DIRECTIONS}
    images = image.max() + 1
    for rows, own in _folds(image, images, folds):
        found["caption_to_image"].append(np.linspace(0, 1, len(rows) + 1))
        # The best of an image's c captions is beyond place k if none of the first k is its own.
        captions = own.sum()
        counts, shares = np.unique(np.bincount(image[own] - rows[0]), return_counts=True)
        places = np.arange(captions + 1)
        beyond = [stats.hypergeom.pmf(0, captions, c, places) for c in counts]
        found["image_to_caption"].append(1 - shares / len(rows) @ beyond)
    queries = dict(zip(DIRECTIONS, (len(image), images), strict=True))
    table = []
    for direction, of_folds in found.items():
        row: dict[str, Any] = {"direction": direction}
        for k in CUTOFFS:
            recalls = [p[min(k, len(p) - 1)] for p in of_folds]
            row |= {f"r{k}": 100 * float(np.mean(recalls)), f"r{k}_ci": 0.0}
        row["median_rank"] = float(np.mean([_median_rank(p) for p in of_folds]))
        table.append(row | {"queries": queries[direction]})
    return pd.DataFrame(table)


def _median_rank(found: np.ndarray) -> float:
    """The median of a rank that is at most k with probability `found[k]`."""
    # Where half of the ranks are at most k exactly, it lies between k and the next.
    sides = [np.searchsorted(found.round(DECIMALS), 0.5, side) for side in ("left", "right")]
    return float(np.mean(sides))


def _folds(image: np.ndarray, images: int, folds: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """For each fold the rows of its images, and a mask (M,) of its captions."""
    if folds > images:
        raise InputError(
            f"{images} images cannot be cut into {folds} folds: make `folds` smaller in the "
            "configuration"
        )
    parts = np.array_split(np.arange(images), folds)
    return [(rows, (image >= rows[0]) & (image <= rows[-1])) for rows in parts]


def mean_recall(table: pd.DataFrame) -> float:
    """R@10 in percent, the mean of both directions: what models are selected by."""
    return float(table["r10"].mean())


def test_set_name(images: int, folds: int = 1) -> str:
    """What the paper calls a test set: `1k`, `5k`, or `1k-folds` for five folds of 1,000."""
    size = images // folds
    name = f"{size // 1000}k" if size % 1000 == 0 else str(size)
    return name if folds == 1 else f"{name}-folds"


def best_snapshots(dev_recall: pd.Series, count: int = 2) -> list[int]:
    """The epochs of the `count` snapshots with the best development recall, in their order.

    Of equals (to DECIMALS) the later one is taken.

    Args:
        dev_recall: indexed by epoch.
    """
    return sorted(dev_recall.round(DECIMALS).iloc[::-1].nlargest(count).index.tolist())
