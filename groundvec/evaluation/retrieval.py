"""Image-caption retrieval: ranks, recall and intervals (Merkx & Frank 2019, section 4.2).

Conventions, for every number of this project: a candidate that scores the same as the right one, to
a millionth of what vectors of their length can score, ranks before it (so a model that maps
everything to one point gets no recall out of ties, nor one that meets equal captions out of
rounding), and the median of an even number of ranks is the mean of the two in the middle.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from groundvec.data.split import Split
from groundvec.errors import InputError
from groundvec.similarity import join, scores

if TYPE_CHECKING:
    from groundvec.model import Model

QUERIES_PER_BLOCK = 1000  # captions; bounds the memory: 20 MB of scores with 5,000 images
SAME = 1e-6  # scores of unit vectors that differ by less do so by float32's rounding
DECIMALS = 9  # scores are compared to so many: beyond is rounding, which differs by processor
CUTOFFS = (1, 5, 10)
DIRECTIONS = ("caption_to_image", "image_to_caption")


def ranks(
    captions: np.ndarray, images: np.ndarray, image: np.ndarray, similarity: str = "cosine"
) -> tuple[np.ndarray, np.ndarray]:
    """The ranks, from 1, in both directions, for which captions and images are multiplied once.

    Args:
        captions: embedded captions (M, size).
        images: embedded images (N, size).
        image: (M,) the row of each caption's image.
        similarity: how they are compared (`groundvec.similarity`).

    Returns:
        (M,) the rank of each caption's own image among all images, and (N,) the rank of the best of
        each image's own captions among all captions; its others do not count against it.
    """
    same = rounding(captions, images)
    blocks = [
        slice(start, start + QUERIES_PER_BLOCK)
        for start in range(0, len(captions), QUERIES_PER_BLOCK)
    ]
    own = np.concatenate(
        [_scores_of_pairs(captions[rows], images[image[rows]], similarity) for rows in blocks]
    )
    best = np.full(len(images), -np.inf, own.dtype)
    np.maximum.at(best, image, own)
    of_captions, of_images = np.empty(len(captions), np.int64), np.ones(len(images), np.int64)
    for rows in blocks:
        near = scores(captions[rows], images, similarity)
        of_captions[rows] = np.count_nonzero(near >= own[rows, None] - same, axis=1)
        before = near >= best - same
        before[np.arange(len(before)), image[rows]] = False
        of_images += np.count_nonzero(before, axis=0)
    return of_captions, of_images


def _scores_of_pairs(a: np.ndarray, b: np.ndarray, similarity: str) -> np.ndarray:
    """The diagonal (N,) of `scores` of two matrices (N, size), and nothing beside it."""
    products = np.vecdot(a, b)
    if similarity == "euclidean":
        return 2 * products - np.vecdot(a, a) - np.vecdot(b, b)
    return products


def rounding(captions: np.ndarray, images: np.ndarray) -> float:
    """The difference of scores that is rounding: a millionth of the largest that can be.

    Args:
        captions, images: embedded, (M, size) and (N, size).
    """
    longest = [np.sqrt(np.vecdot(vectors, vectors).max()) for vectors in (captions, images)]
    return SAME * float(longest[0] * longest[1])


def recall_interval(recall: float, queries: int) -> float:
    """Half the width of the 95% interval of a recall in percent: 1.96 sqrt(p (1 - p) / n)."""
    p = recall / 100
    return 196 * float(np.sqrt(p * (1 - p) / queries))


def evaluate(
    captions: np.ndarray,
    images: np.ndarray,
    image: np.ndarray,
    folds: int = 1,
    similarity: str = "cosine",
) -> pd.DataFrame:
    """Score both directions: a row each, with recalls in percent and their intervals.

    With several folds the images are cut, in their order, into as many equal sets, each with its
    own captions; recalls, median and mean ranks are the means over the folds, intervals are those
    of all queries together, as in the paper's Table 2.

    Raises:
        InputError: there are more folds than images.
    """
    found: dict[str, list[np.ndarray]] = {direction: [] for direction in DIRECTIONS}
    for rows, own in _folds(image, len(images), folds):
        own_captions = captions if own.all() else captions[own]  # without a copy of them all
        of_fold = ranks(own_captions, images[rows], image[own] - rows[0], similarity)
        for direction, each in zip(DIRECTIONS, of_fold, strict=True):
            found[direction].append(each)
    table = []
    for direction, of_folds in found.items():
        queries = sum(map(len, of_folds))
        row: dict[str, Any] = {"direction": direction}
        for k in CUTOFFS:
            recall = 100 * float(np.mean([np.mean(r <= k) for r in of_folds]))
            row |= {f"r{k}": recall, f"r{k}_ci": recall_interval(recall, queries)}
        row["median_rank"] = float(np.mean([np.median(r) for r in of_folds]))
        row["mean_rank"] = float(np.mean([np.mean(r) for r in of_folds]))
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
        left = captions - np.arange(captions + 1)[:, None]  # beyond place k
        beyond = []
        for c in counts:
            drawn = np.arange(c)  # all of them from what is left, one after another
            beyond.append(np.prod((left - drawn) / (captions - drawn), axis=1))
        found["image_to_caption"].append(1 - shares / len(rows) @ beyond)
    queries = dict(zip(DIRECTIONS, (len(image), images), strict=True))
    table = []
    for direction, of_folds in found.items():
        row: dict[str, Any] = {"direction": direction}
        for k in CUTOFFS:
            recalls = [p[min(k, len(p) - 1)] for p in of_folds]
            row |= {f"r{k}": 100 * float(np.mean(recalls)), f"r{k}_ci": 0.0}
        row["median_rank"] = float(np.mean([_median_rank(p) for p in of_folds]))
        # The mean of a rank is the sum of the probabilities that it is above 0, 1, 2, and so on.
        row["mean_rank"] = float(np.mean([(1 - p).sum() for p in of_folds]))
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


def development_recall(model: "Model", dev: Split) -> dict[str, float]:
    """What a training records of its model after every epoch: the recalls, and their mean.

    Of several languages they are means.
    """
    images = model.encode_images(dev.features)
    tables = [
        evaluate(
            model.encode_captions(captions.encoded, language),
            images,
            captions.image,
            similarity=model.similarity,
        )
        for language, captions in dev.captions.items()
    ]
    recalls = {
        f"{direction}_r{k}": float(np.mean([table[f"r{k}"][row] for table in tables]))
        for row, direction in enumerate(DIRECTIONS)
        for k in CUTOFFS
    }
    return recalls | {"dev_recall": float(np.mean([mean_recall(table) for table in tables]))}


def score_model(
    load: Callable[[int], "Model"],
    epochs: Iterable[int],
    together: Sequence[int],
    split: Split,
    similarity: str,
    folds: int = 1,
) -> pd.DataFrame:
    """Score chance, each of a model's snapshots, and its ensemble, on one split.

    Args:
        load: an epoch in, the model's snapshot out.
        epochs: of the snapshots to score, those of the ensemble among them.
        together: the epochs of the ensemble.
        similarity: of the model.
        folds: also the mean over so many parts of the split, if they are more than one.

    Returns:
        The columns of `evaluate`, and before them language, kind (chance, snapshot or ensemble),
        epochs and test_set.
    """
    tables = []

    def add(
        kind: str, epochs: Sequence[int], language: str, of_folds: Callable[[int], pd.DataFrame]
    ) -> None:
        for cut in sorted({1, folds}):
            table = of_folds(cut)
            labels = {
                "language": language,
                "kind": kind,
                "epochs": "+".join(map(str, epochs)),
                "test_set": test_set_name(len(split.features), cut),
            }
            tables.append(pd.DataFrame(labels, table.index).join(table))

    def add_scores(
        kind: str, epochs: Sequence[int], images: np.ndarray, captions: dict[str, np.ndarray]
    ) -> None:
        for language, own in captions.items():
            image = split.captions[language].image
            scored = partial(evaluate, own, images, image, similarity=similarity)
            add(kind, epochs, language, scored)

    for language, own in split.captions.items():
        add("chance", [], language, partial(chance, own.image))
    parts = []
    for epoch in epochs:
        model = load(epoch)
        images = model.encode_images(split.features)
        captions = {
            language: model.encode_captions(own.encoded, language)
            for language, own in split.captions.items()
        }
        add_scores("snapshot", [epoch], images, captions)
        if epoch in together:  # only these are kept: those of MSCOCO's test set take 0.2 GB each
            parts.append((images, captions))
    images = join([images for images, _ in parts], similarity)
    captions = {
        language: join([captions[language] for _, captions in parts], similarity)
        for language in split.captions
    }
    add_scores("ensemble", together, images, captions)
    return pd.concat(tables, ignore_index=True)
