"""Ranks of captions and images, and what training records of them after every epoch.

It is apart from the tables of `groundvec.evaluation.retrieval`, whose conventions it shares, so
that a change there trains nothing again.
"""

from typing import TYPE_CHECKING

import numpy as np

from groundvec.data.split import Split
from groundvec.results.schemas import CUTOFFS
from groundvec.similarity import of_pairs, scores

if TYPE_CHECKING:
    from groundvec.model.network import Model

QUERIES_PER_BLOCK = 1000  # captions; 20 MB of scores with 5,000 images
SCORES_PER_BLOCK = 2**26  # fewer queries where there are more candidates; bounds the memory
SAME = 1e-6  # scores of unit vectors that differ by less do so by float32's rounding
DIRECTIONS = ("caption_to_image", "image_to_caption")


def ranks(
    captions: np.ndarray, images: np.ndarray, image: np.ndarray, similarity: str = "cosine"
) -> tuple[np.ndarray, np.ndarray]:
    """Compute the ranks, from 1, in both directions.

    Args:
        captions: embedded captions (M, size).
        images: embedded images (N, size).
        image: (M,) the row of each caption's image.

    Returns:
        (M,) the rank of each caption's image among all images, and (N,) that of the best of each
        image's captions among all captions; its others do not count against it.
    """
    same = rounding(captions, images, similarity)
    blocks = queries_in_blocks(len(captions), len(images))
    own = np.concatenate(
        [of_pairs(captions[rows], images[image[rows]], similarity) for rows in blocks]
    )
    best = np.full(len(images), -np.inf, own.dtype)
    np.maximum.at(best, image, own)
    of_captions = np.empty(len(captions), np.int64)
    of_images = np.ones(len(images), np.int64)
    for rows in blocks:
        near = scores(captions[rows], images, similarity)
        right = np.arange(len(near)), image[rows]
        before = near >= own[rows, None] - same
        before[right] = True
        of_captions[rows] = np.count_nonzero(before, axis=1)
        before = near >= best - same
        before[right] = False
        of_images += np.count_nonzero(before, axis=0)
    return of_captions, of_images


def queries_in_blocks(queries: int, candidates: int) -> list[slice]:
    """Cut queries into blocks whose scores with all candidates fit in memory."""
    step = max(1, min(QUERIES_PER_BLOCK, SCORES_PER_BLOCK // max(1, candidates)))
    return [slice(start, start + step) for start in range(0, queries, step)]


def rounding(captions: np.ndarray, images: np.ndarray, similarity: str) -> float:
    """Compute which difference of scores is rounding: a millionth of the largest possible score."""
    a, b = (float(np.sqrt(np.vecdot(each, each).max())) for each in (captions, images))
    return SAME * ((a + b) ** 2 if similarity == "euclidean" else a * b)


def development_recall(model: "Model", dev: Split) -> dict[str, float]:
    """Compute the recalls that training records after an epoch, in percent, and `dev_recall`.

    Recalls are means over languages. Snapshots are chosen by `dev_recall`, the mean R@10 of both
    directions.
    """
    images = model.encode_images(dev.features)
    found = []
    for language, captions in dev.captions.items():
        vectors = model.encode_captions(captions.encoded, language)
        found.append(ranks(vectors, images, captions.image, model.similarity))
    recalls = {
        f"{direction}_r{k}": 100 * float(np.mean([np.mean(both[row] <= k) for both in found]))
        for row, direction in enumerate(DIRECTIONS)
        for k in CUTOFFS
    }
    recall = float(np.mean([recalls[f"{d}_r10"] for d in DIRECTIONS]))
    return recalls | {"dev_recall": recall}
