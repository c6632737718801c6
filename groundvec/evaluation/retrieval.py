"""Image-caption retrieval: ranks, recall and intervals (Merkx & Frank 2019, section 4.2).

A candidate that scores the same as the right one, to a millionth of the largest score that vectors
of their length can have, ranks before it (`ranks`). So a model that maps everything to one point
gets no recall from ties, and a model that reads equal captions gets none from rounding. The median
of an even number of ranks is the mean of the two in the middle.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from groundvec.evaluation import bootstrap
from groundvec.evaluation.correlation import NORMAL
from groundvec.evaluation.ranks import DIRECTIONS, queries_in_blocks, ranks, rounding
from groundvec.results.schemas import CUTOFFS
from groundvec.runtime.errors import InputError
from groundvec.similarity import scores

SENTENCES = "caption_to_caption"  # captions of the same image


class Ranks(NamedTuple):
    """The ranks of one direction's queries."""

    direction: str
    ranks: list[np.ndarray]  # (queries,) of each fold
    image: np.ndarray  # (queries of all folds,) the row of each query's image


def rank_both_ways(
    captions: np.ndarray,
    images: np.ndarray,
    image: np.ndarray,
    folds: int = 1,
    similarity: str = "cosine",
) -> list[Ranks]:
    """Compute the `ranks` in both directions.

    With several folds the images are cut, in their order, into equal sets; InputError if they
    cannot be.
    """
    ranks_of_captions = []
    ranks_of_images = []
    image_of_queries = []
    for rows, in_fold in cut_into_folds(image, len(images), folds):
        # A single fold needs no copy of all captions, which can be gigabytes.
        fold_captions = captions if in_fold.all() else captions[in_fold]
        fold_images = images[rows[0] : rows[-1] + 1]
        of_captions, of_images = ranks(
            fold_captions, fold_images, image[in_fold] - rows[0], similarity
        )
        ranks_of_captions.append(of_captions)
        ranks_of_images.append(of_images)
        image_of_queries.append(image[in_fold])
    to_image, to_caption = DIRECTIONS
    return [
        Ranks(to_image, ranks_of_captions, np.concatenate(image_of_queries)),
        Ranks(to_caption, ranks_of_images, np.arange(len(images))),
    ]


def cut_into_folds(
    image: np.ndarray, images: int, folds: int
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the rows of each fold's images, and a mask (M,) of its captions."""
    if images % folds:
        raise InputError(
            f"{images} images cannot be cut into {folds} equal folds: give `folds` another number "
            "in the configuration"
        )
    parts = np.split(np.arange(images), folds)
    return [(rows, (image >= rows[0]) & (image <= rows[-1])) for rows in parts]


def test_set_name(images: int, folds: int = 1) -> str:
    """Name a test set as the paper does: `1k`, `5k`, or `1k-folds` for five folds of 1,000."""
    size = images // folds
    name = f"{size // 1000}k" if size % 1000 == 0 else str(size)
    return name if folds == 1 else f"{name}-folds"


def rank_sentences(
    captions: np.ndarray, image: np.ndarray, similarity: str = "cosine"
) -> list[Ranks]:
    """Rank captions by other captions of their image; an empty list if no image has several."""
    several = np.bincount(image)[image] > 1
    if not several.any():
        return []
    ranks = caption_ranks(captions, image, similarity=similarity)
    return [Ranks(SENTENCES, [ranks[several]], image[several])]


def caption_ranks(
    queries: np.ndarray,
    image: np.ndarray,
    candidates: np.ndarray | None = None,
    image_of_candidates: np.ndarray | None = None,
    similarity: str = "cosine",
) -> np.ndarray:
    """Compute the rank (M,), from 1, of the nearest caption of the same image.

    The image's other captions do not count against it.

    Args:
        queries: embedded captions (M, size).
        image: (M,) the row of each query's image.
        candidates: embedded captions (N, size) of another language; by default all other queries,
            as in Socher et al. 2014, section 6.1.
        image_of_candidates: (N,) the row of each candidate's image.
    """
    among_queries = candidates is None
    if candidates is None or image_of_candidates is None:
        candidates = queries
        image_of_candidates = image
    tolerance = rounding(queries, candidates, similarity)
    result = np.empty(len(queries), np.int64)
    for block in queries_in_blocks(len(queries), len(candidates)):
        near = scores(queries[block], candidates, similarity)
        if among_queries:  # a caption does not find itself
            rows = np.arange(len(near))
            near[rows, block.start + rows] = -np.inf
        same_image = image[block, None] == image_of_candidates
        best = np.where(same_image, near, -np.inf).max(axis=1)
        before = (near >= best[:, None] - tolerance) & ~same_image
        result[block] = 1 + np.count_nonzero(before, axis=1)
    return result


def scored(ranks_of_directions: Iterable[Ranks]) -> pd.DataFrame:
    """Score ranks: a row per direction, with R@1, R@5 and R@10 in percent.

    With several folds, numbers are means over folds, and intervals are computed from the queries of
    all folds together.
    """
    rows = []
    for direction, ranks_of_folds, image in ranks_of_directions:
        every_rank = np.concatenate(ranks_of_folds)
        row: dict[str, str | float] = {"direction": direction}
        for k in CUTOFFS:
            recall = 100 * mean_of_folds(np.mean(fold <= k) for fold in ranks_of_folds)
            row[f"r{k}"] = recall
            row[f"r{k}_ci"] = recall_interval(recall, len(every_rank))
        row["median_rank"] = mean_of_folds(np.median(fold) for fold in ranks_of_folds)
        row["mean_rank"] = mean_of_folds(np.mean(fold) for fold in ranks_of_folds)
        row["mean_rank_low"], row["mean_rank_high"] = _interval_of_mean(every_rank, image)
        row["queries"] = len(every_rank)
        rows.append(row)
    return pd.DataFrame(rows)


def listed(ranks_of_directions: Iterable[Ranks]) -> pd.DataFrame:
    """List the rank of every query: columns direction, image and rank."""
    tables = []
    for direction, ranks_of_folds, image in ranks_of_directions:
        columns = {"direction": direction, "image": image, "rank": np.concatenate(ranks_of_folds)}
        tables.append(pd.DataFrame(columns))
    return pd.concat(tables, ignore_index=True)


def mean_of_folds(values: Iterable[Any]) -> float:
    """Average a number over folds."""
    return float(np.mean(list(values)))


def recall_interval(recall: float, queries: int) -> float:
    """Compute half the 95% interval of a recall in percent: 1.96 sqrt(p (1 - p) / n)."""
    p = recall / 100
    return 100 * NORMAL * float(np.sqrt(p * (1 - p) / queries))


def _interval_of_mean(ranks: np.ndarray, image: np.ndarray) -> tuple[float, float]:
    """Compute the 95% interval of a mean rank by bootstrap over images.

    The captions of an image are drawn together: they are not independent.
    """
    image = np.unique(image, return_inverse=True)[1]
    sums = np.bincount(image, ranks)
    counts = np.bincount(image)
    [low], [high] = bootstrap.interval(
        bootstrap.mean(sums[None], counts[None], _draws_of_images(len(sums)))
    )
    return float(low), float(high)


@lru_cache(maxsize=1)  # the snapshots of a model are scored on the same images, in both directions
def _draws_of_images(images: int) -> np.ndarray:
    return bootstrap.draws(images, np.random.default_rng(0))


def with_ends(scores: pd.DataFrame, ranks_of_directions: Sequence[Ranks]) -> pd.DataFrame:
    """Return the metrics of `scored` and the ends of their intervals, such as r1_low."""
    columns: dict[str, pd.Series] = {}
    for k in CUTOFFS:
        recall = scores[f"r{k}"]
        queries = [effective_queries(ranks, k) for ranks in ranks_of_directions]
        low, high = _wilson(recall, pd.Series(queries))
        columns[f"r{k}"] = recall
        columns[f"r{k}_low"] = low
        columns[f"r{k}_high"] = high
    ranks = ["median_rank", "mean_rank", "mean_rank_low", "mean_rank_high"]
    return pd.DataFrame(columns).join(scores[ranks])


def effective_queries(ranks: Ranks, k: int) -> float:
    """Compute the number of independent queries whose recall at k would vary as much.

    The captions of an image resemble each other, so that they are fewer than their number. With
    h_i hits among the c_i queries of image i, recall p of all n queries has the variance
    sum((h_i - p c_i)^2) / n^2 (Cochran 1977, "Sampling techniques", section 3.12). Independent
    queries would have p (1 - p) / n.
    """
    hits = np.concatenate(ranks.ranks) <= k
    p = hits.mean()
    if p in (0, 1):
        return float(len(hits))
    hits_of_image = np.bincount(ranks.image, hits)
    queries_of_image = np.bincount(ranks.image)
    variance = np.sum((hits_of_image - p * queries_of_image) ** 2) / len(hits) ** 2
    return float(p * (1 - p) / variance) if variance > 0 else float(len(hits))


def _wilson(recall: pd.Series, queries: pd.Series) -> tuple[pd.Series, pd.Series]:
    """Compute the ends of the 95% interval of a recall in percent over independent queries.

    Wilson (1927, "Probable inference, the law of succession, and statistical inference"): the
    proportions whose own standard error, times z, reaches p, so that the ends stay within 0 and 1:

        (p + z^2 / 2n +- z sqrt(p (1 - p) / n + z^2 / 4n^2)) / (1 + z^2 / n)
    """
    p = recall / 100
    n = queries
    z = NORMAL
    middle = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    return 100 * (middle - half).clip(0), 100 * (middle + half).clip(upper=1)
