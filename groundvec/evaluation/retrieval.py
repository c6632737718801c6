"""Image-caption retrieval: ranks, recall and intervals (Merkx & Frank 2019, section 4.2).

A candidate that scores the same as the right one, to a millionth of what vectors of their length
can score, ranks before it: a model that maps everything to one point gets no recall out of ties,
nor one that meets equal captions out of rounding. The median of an even number of ranks is the mean
of the two in the middle.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import permutations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from groundvec.data.split import Split
from groundvec.evaluation import bootstrap
from groundvec.evaluation.ranks import DIRECTIONS, queries_in_blocks, ranks, rounding
from groundvec.evaluation.snapshots import DECIMALS
from groundvec.results.schemas import CUTOFFS
from groundvec.runtime import arrays
from groundvec.runtime.errors import InputError
from groundvec.similarity import join, scores

if TYPE_CHECKING:
    from groundvec.model.network import Model

SENTENCES = "caption_to_caption"  # of the same image
RANDOM = 64  # the size of random vectors


def caption_ranks(
    queries: np.ndarray,
    image: np.ndarray,
    candidates: np.ndarray | None = None,
    image_of_candidates: np.ndarray | None = None,
    similarity: str = "cosine",
) -> np.ndarray:
    """Rank (M,) the nearest caption of the same image, from 1; its others do not count against it.

    Args:
        queries: embedded captions (M, size).
        image: (M,) the row of each one's image.
        candidates: embedded captions (N, size) of another language; by default all other queries,
            as in Socher et al. 2014, section 6.1.
        image_of_candidates: (N,) the row of each one's image.
    """
    others = candidates is None
    if candidates is None or image_of_candidates is None:
        candidates = queries
        image_of_candidates = image
    same = rounding(queries, candidates, similarity)
    found = np.empty(len(queries), np.int64)
    for block in queries_in_blocks(len(queries), len(candidates)):
        near = scores(queries[block], candidates, similarity)
        if others:
            rows = np.arange(len(near))
            near[rows, block.start + rows] = -np.inf
        own = image[block, None] == image_of_candidates
        best = np.where(own, near, -np.inf).max(axis=1)
        found[block] = 1 + np.count_nonzero((near >= best[:, None] - same) & ~own, axis=1)
    return found


def recall_interval(recall: float, queries: int) -> float:
    """Compute half the 95% interval of a recall in percent: 1.96 sqrt(p (1 - p) / n)."""
    p = recall / 100
    return 196 * float(np.sqrt(p * (1 - p) / queries))


def _interval_of_mean(ranks: np.ndarray, image: np.ndarray) -> tuple[float, float]:
    """Compute the 95% interval of a mean rank by bootstrap over images."""
    image = np.unique(image, return_inverse=True)[1]
    sums = np.bincount(image, ranks)
    counts = np.bincount(image)
    times = bootstrap.draws(len(sums), np.random.default_rng(0))
    [low], [high] = bootstrap.interval(bootstrap.mean(sums[None], counts[None], times))
    return float(low), float(high)


def _median_by_chance(found: np.ndarray) -> float:
    """Compute the median of a rank that is at most k with probability `found[k]`."""
    # Where half of the ranks are at most k exactly, it lies between k and the next.
    sides = [np.searchsorted(found.round(DECIMALS), 0.5, side) for side in ("left", "right")]
    return float(np.mean(sides))


class Ranks(NamedTuple):
    """The ranks of one direction's queries."""

    direction: str
    ranks: list[np.ndarray]  # (queries,) of each fold
    image: np.ndarray  # (queries of all folds,) the row of each one's image


def rank_both_ways(
    captions: np.ndarray,
    images: np.ndarray,
    image: np.ndarray,
    folds: int = 1,
    similarity: str = "cosine",
) -> list[Ranks]:
    """Compute the `ranks` in both directions.

    With several folds the images are cut, in their order, into as many equal sets; InputError if
    they cannot be.
    """
    found = []
    own_image = []
    for rows, own in _folds(image, len(images), folds):
        of_fold = captions if own.all() else captions[own]  # without a copy of them all
        own_image.append(image[own])
        shown = images[rows[0] : rows[-1] + 1]
        found.append(ranks(of_fold, shown, image[own] - rows[0], similarity))
    of_queries = np.concatenate(own_image), np.arange(len(images))
    ways = zip(DIRECTIONS, zip(*found, strict=True), of_queries, strict=True)
    return [Ranks(direction, list(of_folds), own) for direction, of_folds, own in ways]


def rank_sentences(
    captions: np.ndarray, image: np.ndarray, similarity: str = "cosine"
) -> list[Ranks]:
    """Compute the `caption_ranks` among others; an empty list if no image has several captions."""
    several = np.bincount(image)[image] > 1
    if not several.any():
        return []
    ranks = caption_ranks(captions, image, similarity=similarity)
    return [Ranks(SENTENCES, [ranks[several]], image[several])]


def scored(found: Iterable[Ranks]) -> pd.DataFrame:
    """Score ranks: a row per direction, with recalls in percent.

    Of several folds numbers are means, and intervals are those of all queries together.
    """
    rows = []
    for direction, of_folds, image in found:
        ranks = np.concatenate(of_folds)
        row: dict[str, Any] = {"direction": direction}
        for k in CUTOFFS:
            recall = 100 * _mean(np.mean(fold <= k) for fold in of_folds)
            row |= {f"r{k}": recall, f"r{k}_ci": recall_interval(recall, len(ranks))}
        row["median_rank"] = _mean(map(np.median, of_folds))
        row["mean_rank"] = _mean(map(np.mean, of_folds))
        row["mean_rank_low"], row["mean_rank_high"] = _interval_of_mean(ranks, image)
        rows.append(row | {"queries": len(ranks)})
    return pd.DataFrame(rows)


def _mean(of_folds: Iterable[Any]) -> float:
    return float(np.mean(list(of_folds)))


def chance(image: np.ndarray, folds: int = 1) -> pd.DataFrame:
    """Compute the expected scores of a model that ranks at random.

    Recalls and mean ranks are exact, so that their intervals have no width.

    Args:
        image: (M,) the row of each caption's image; every image has a caption.
    """
    images = image.max() + 1
    parts = _folds(image, images, folds)
    to_image = [_found_by_chance(np.ones(1, int), len(rows)) for rows, _ in parts]
    to_caption = [
        _found_by_chance(np.bincount(image[own] - rows[0]), own.sum()) for rows, own in parts
    ]
    ways = zip(DIRECTIONS, (to_image, to_caption), (len(image), images), strict=True)
    return pd.DataFrame([_chance_row(*way) for way in ways])


def chance_of_captions(
    image: np.ndarray, image_of_candidates: np.ndarray | None = None
) -> pd.DataFrame:
    """Compute the expected scores of `caption_ranks` for a model that ranks at random.

    Without candidates there are none if no image has several captions.
    """
    candidates, itself = (image, 1) if image_of_candidates is None else (image_of_candidates, 0)
    own = np.bincount(candidates)[image] - itself
    own = own[own > 0]
    if not len(own):
        return pd.DataFrame()
    found = _found_by_chance(own, len(candidates) - itself)
    return pd.DataFrame([_chance_row(SENTENCES, [found], len(own))])


def _chance_row(direction: str, of_folds: list[np.ndarray], queries: int) -> dict[str, Any]:
    """Make a row of scores from the `_found_by_chance` of each fold."""
    row: dict[str, Any] = {"direction": direction}
    for k in CUTOFFS:
        recall = 100 * _mean(found[min(k, len(found) - 1)] for found in of_folds)
        row |= {f"r{k}": recall, f"r{k}_ci": 0.0}
    # The sum of the probabilities that the rank is above 0, 1, 2, ...
    mean_rank = _mean((1 - found).sum() for found in of_folds)
    return row | {
        "median_rank": _mean(map(_median_by_chance, of_folds)),
        **dict.fromkeys(("mean_rank", "mean_rank_low", "mean_rank_high"), mean_rank),
        "queries": queries,
    }


def _found_by_chance(own: np.ndarray, candidates: int) -> np.ndarray:
    """Compute the probability that one of a query's own is among the first 0, 1, 2, ...

    Args:
        own: (queries,) how many of the candidates are each query's own; the mean is over queries.
    """
    counts, times = np.unique(own, return_counts=True)
    left = candidates - np.arange(candidates + 1)[:, None]  # beyond place k
    # That the first k have none: all its own are drawn from what is left, one after another.
    none = [np.prod((left - np.arange(c)) / (candidates - np.arange(c)), axis=1) for c in counts]
    return 1 - times / len(own) @ none


def _folds(image: np.ndarray, images: int, folds: int) -> list[tuple[np.ndarray, np.ndarray]]:
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


def score_model(
    load: Callable[[int], "Model"],
    epochs: Iterable[int],
    ensemble: Mapping[str, Any],
    compared: Collection[int],
    split: Split,
    similarity: str,
    folds: int = 1,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Score chance, each of a model's snapshots, and its ensemble, on one split.

    Captions of one image, also of two languages, are compared for the best snapshot and for the
    ensemble only, because it takes long. Chance is there twice, by calculation (`chance`) and by
    random vectors (`random`).

    Args:
        load: returns the model's snapshot of an epoch.
        epochs: of the snapshots to score, those of the ensemble among them.
        ensemble: its `epochs`, and that of the `best` single snapshot.
        compared: the epochs of the snapshots whose ranks are returned, beside the ensemble's.
        folds: if more than one, also score the mean over so many parts of the split.

    Returns:
        Scores: the columns of `scored`, and language, kind (chance, random, snapshot or ensemble),
        epochs and test_set. If captions find captions of another language, the language is of
        queries and candidates, such as en-de. And the rank of each query in the whole split:
        columns language, kind, epochs, direction, image (its row) and rank.
    """
    images = len(split.features)
    test_sets = {cut: test_set_name(images, cut) for cut in (1, folds)}
    tables = [
        table.assign(language=language, kind="chance", epochs="", test_set=test_sets[cut])
        for language, cut, table in _chances(split, folds)
        if len(table)
    ]
    of_queries = []
    for kind, of, vectors in _systems(load, epochs, ensemble["epochs"], split, similarity):
        labels = {"kind": kind, "epochs": "+".join(map(str, of))}
        every_way = kind != "snapshot" or of == [ensemble["best"]]
        for language, cut, found in _rank_all(split, *vectors, similarity, folds, every_way):
            labels["language"] = language
            tables.append(scored(found).assign(**labels, test_set=test_sets[cut]))
            if cut == 1 and (kind == "ensemble" or (kind == "snapshot" and of[0] in compared)):
                for direction, [ranks], image in found:
                    table = pd.DataFrame({"direction": direction, "image": image, "rank": ranks})
                    of_queries.append(table.assign(**labels))
    return pd.concat(tables, ignore_index=True), pd.concat(of_queries, ignore_index=True)


def _chances(split: Split, folds: int) -> Iterator[tuple[str, int, pd.DataFrame]]:
    """Compute the scores of chance: the language, the number of folds, and the table."""
    image = {language: own.image for language, own in split.captions.items()}
    for language, own in image.items():
        for cut in sorted({1, folds}):
            yield language, cut, chance(own, cut)
        yield language, 1, chance_of_captions(own)
    for one, other in permutations(image, 2):
        yield f"{one}-{other}", 1, chance_of_captions(image[one], image[other])


def _systems(
    load: Callable[[int], "Model"],
    epochs: Iterable[int],
    ensemble: Sequence[int],
    split: Split,
    similarity: str,
) -> Iterator[tuple[str, Sequence[int], tuple[np.ndarray, dict[str, np.ndarray]]]]:
    """Embed a split by each system: its kind, its epochs, and vectors of images and captions."""
    rng = np.random.default_rng(0)
    parts = []

    def at_random(count: int) -> np.ndarray:
        return rng.standard_normal(out=arrays.empty((count, RANDOM), np.float64))

    captions = {language: at_random(len(own.image)) for language, own in split.captions.items()}
    yield "random", [], (at_random(len(split.features)), captions)
    for epoch in epochs:
        model = load(epoch)
        images = model.encode_images(split.features)
        captions = {
            language: model.encode_captions(own.encoded, language)
            for language, own in split.captions.items()
        }
        yield "snapshot", [epoch], (images, captions)
        if epoch in ensemble:  # no others: each of MSCOCO's test set takes 0.2 GB
            parts.append((images, captions))
    images = join([images for images, _ in parts], similarity)
    captions = {
        language: join([captions[language] for _, captions in parts], similarity)
        for language in split.captions
    }
    yield "ensemble", ensemble, (images, captions)


def _rank_all(
    split: Split,
    images: np.ndarray,
    captions: dict[str, np.ndarray],
    similarity: str,
    folds: int,
    every_way: bool,
) -> Iterator[tuple[str, int, list[Ranks]]]:
    """Rank a split's vectors, in `every_way` also among captions: language, folds and ranks."""
    image = {language: own.image for language, own in split.captions.items()}
    for language, own in captions.items():
        found = rank_both_ways(own, images, image[language], similarity=similarity)
        found += rank_sentences(own, image[language], similarity) if every_way else []
        yield language, 1, found
        if folds > 1:
            yield language, folds, rank_both_ways(own, images, image[language], folds, similarity)
    for one, other in permutations(captions, 2) if every_way else []:
        ranks = caption_ranks(captions[one], image[one], captions[other], image[other], similarity)
        yield f"{one}-{other}", 1, [Ranks(SENTENCES, [ranks], image[one])]
