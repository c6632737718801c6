"""Ranks of captions and images, and the recalls that training records after every epoch.

This file is apart from the tables of `groundvec.evaluation.retrieval`, whose conventions it shares,
so that a change there does not repeat trainings.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from groundvec.data.split import Split
from groundvec.results.schemas import CUTOFFS
from groundvec.similarity import of_pairs, scores

if TYPE_CHECKING:
    from groundvec.model.network import Model

QUERIES_PER_BLOCK = 1000  # captions; their scores with 5,000 images take 20 MB
SCORES_PER_BLOCK = 2**26  # fewer queries if there are more candidates: at most 256 MB of float32
SAME = 1e-6  # scores of unit vectors that differ by less differ by float32's rounding
DIRECTIONS = ("caption_to_image", "image_to_caption")


def ranks(
    captions: np.ndarray, images: np.ndarray, image: np.ndarray, similarity: str = "cosine"
) -> tuple[np.ndarray, np.ndarray]:
    """Compute the ranks, from 1, in both directions.

    The rank of the right candidate, whose score is s, is

        1 + the number of other candidates with a score of at least s - t

    where t is the rounding error of a score. Ties, up to this error, rank before the right one:
    otherwise a model that gives all captions one vector would find every image first. And equal
    captions get slightly different vectors in batches of different lengths, so that without t, the
    order of the processor's sums would decide which of them ranks first.

    Args:
        captions: embedded captions (M, size).
        images: embedded images (N, size).
        image: (M,) the row of each caption's image.

    Returns:
        (M,) the rank of each caption's image among all images, and (N,) the rank of each image's
        best caption among all captions; the image's other captions do not count against it.
    """
    tolerance = rounding(captions, images, similarity)
    blocks = queries_in_blocks(len(captions), len(images))
    # s: the score of each caption with its image, and for each image the best of its captions.
    right_scores = np.concatenate(
        [of_pairs(captions[rows], images[image[rows]], similarity) for rows in blocks]
    )
    best_scores = np.full(len(images), -np.inf, right_scores.dtype)
    np.maximum.at(best_scores, image, right_scores)

    ranks_of_captions = np.empty(len(captions), np.int64)
    ranks_of_images = np.ones(len(images), np.int64)
    for rows in blocks:
        near = scores(captions[rows], images, similarity)
        right = np.arange(len(near)), image[rows]
        # Along a row, the images that rank before the caption's own one, and this one itself. It is
        # counted by hand, because a matrix product may round differently than `of_pairs`.
        before = near >= right_scores[rows, None] - tolerance
        before[right] = True
        ranks_of_captions[rows] = np.count_nonzero(before, axis=1)
        # Along a column, the captions of other images that rank before the image's best caption.
        before = near >= best_scores - tolerance
        before[right] = False
        ranks_of_images += np.count_nonzero(before, axis=0)
    return ranks_of_captions, ranks_of_images


def queries_in_blocks(queries: int, candidates: int) -> list[slice]:
    """Cut queries into blocks whose scores with all candidates fit in memory."""
    step = max(1, min(QUERIES_PER_BLOCK, SCORES_PER_BLOCK // max(1, candidates)))
    return [slice(start, start + step) for start in range(0, queries, step)]


def rounding(captions: np.ndarray, images: np.ndarray, similarity: str) -> float:
    """Compute the rounding error of a score: a millionth of the largest possible score.

    With the largest lengths a and b of the vectors, an inner product is at most ab, and a squared
    distance at most (a + b)^2.
    """
    a = float(np.sqrt(np.vecdot(captions, captions).max()))
    b = float(np.sqrt(np.vecdot(images, images).max()))
    return SAME * ((a + b) ** 2 if similarity == "euclidean" else a * b)


def development_recall(model: "Model", dev: Split) -> dict[str, float]:
    """Compute the recalls that training records after an epoch, in percent, and `dev_recall`.

    Recalls are means over languages. Snapshots are chosen by `dev_recall`, the mean R@10 of both
    directions.
    """
    images = model.encode_images(dev.features)
    ranks_of_languages = []
    for language, captions in dev.captions.items():
        vectors = model.encode_captions(captions.encoded, language)
        ranks_of_languages.append(ranks(vectors, images, captions.image, model.similarity))
    recalls = {}
    for column, direction in enumerate(DIRECTIONS):
        for k in CUTOFFS:
            hits = [np.mean(both[column] <= k) for both in ranks_of_languages]
            recalls[f"{direction}_r{k}"] = 100 * float(np.mean(hits))
    dev_recall = float(np.mean([recalls[f"{direction}_r10"] for direction in DIRECTIONS]))
    return recalls | {"dev_recall": dev_recall}


def recall_sum(scores: Mapping[str, float]) -> float:
    """Sum R@1, R@5 and R@10 of both directions (rsum; Faghri et al. 2018, "VSE++").

    Among few images R@10 alone is soon 100 and chooses nothing.

    Args:
        scores: of `development_recall`.
    """
    recalls = [scores[f"{direction}_r{k}"] for direction in DIRECTIONS for k in CUTOFFS]
    return round(sum(recalls), 9)  # beyond that, processors differ
