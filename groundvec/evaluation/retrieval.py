"""Image-caption retrieval: ranks, recall and intervals (Merkx & Frank 2019, section 4.2).

Conventions, for every number of this project: a candidate that scores the same as the right one, to
a millionth of what vectors of their length can score, ranks before it (so a model that maps
everything to one point gets no recall out of ties, nor one that meets equal captions out of
rounding), and the median of an even number of ranks is the mean of the two in the middle.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import permutations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from groundvec.cutoffs import CUTOFFS
from groundvec.data.split import Split
from groundvec.evaluation import paired
from groundvec.evaluation.ranks import DIRECTIONS, queries_in_blocks, ranks, rounding
from groundvec.evaluation.snapshots import DECIMALS
from groundvec.runtime import arrays
from groundvec.runtime.errors import InputError
from groundvec.similarity import join, scores

if TYPE_CHECKING:
    from groundvec.model.network import Model

SENTENCES = "caption_to_caption"  # of the same image
RANDOM = 64  # the size of random vectors


def sentence_ranks(
    captions: np.ndarray, image: np.ndarray, similarity: str = "cosine"
) -> tuple[np.ndarray, np.ndarray]:
    """The ranks, from 1, of the nearest other caption of the same image among all other captions.

    As in Socher et al. 2014, section 6.1.

    Args:
        captions: embedded captions (M, size).
        image: (M,) the row of each caption's image.
        similarity: how they are compared.

    Returns:
        (Q,) the rows of the captions whose image has another one, and (Q,) their ranks.
    """
    same = rounding(captions, captions, similarity)
    queries = np.flatnonzero(np.bincount(image)[image] > 1)
    found = np.empty(len(queries), np.int64)
    for block in queries_in_blocks(len(queries), len(captions)):
        rows = queries[block]
        near = scores(captions[rows], captions, similarity)
        near[np.arange(len(rows)), rows] = -np.inf
        found[block] = _ranks_of_best(near, image[rows, None] == image, same)
    return queries, found


def translation_ranks(
    queries: np.ndarray,
    image: np.ndarray,
    candidates: np.ndarray,
    image_of_candidates: np.ndarray,
    similarity: str = "cosine",
) -> np.ndarray:
    """The ranks, from 1, of the nearest caption of the same image in another language.

    As in `ranks`, the others of the same image do not count against it.

    Args:
        queries: embedded captions (M, size) of one language.
        image: (M,) the row of each one's image, which has captions in both.
        candidates: embedded captions (N, size) of the other language.
        image_of_candidates: (N,) the row of each one's image.
        similarity: how they are compared.
    """
    same = rounding(queries, candidates, similarity)
    found = np.empty(len(queries), np.int64)
    for block in queries_in_blocks(len(queries), len(candidates)):
        near = scores(queries[block], candidates, similarity)
        found[block] = _ranks_of_best(near, image[block, None] == image_of_candidates, same)
    return found


def _ranks_of_best(near: np.ndarray, own: np.ndarray, same: float) -> np.ndarray:
    """The rank (Q,) of each query's best own candidate, from scores (Q, N) and whose they are."""
    best = np.where(own, near, -np.inf).max(axis=1)
    ahead: np.ndarray = np.count_nonzero((near >= best[:, None] - same) & ~own, axis=1)
    return ahead + 1


def recall_interval(recall: float, queries: int) -> float:
    """Half the width of the 95% interval of a recall in percent: 1.96 sqrt(p (1 - p) / n)."""
    p = recall / 100
    return 196 * float(np.sqrt(p * (1 - p) / queries))


class Ranks(NamedTuple):
    """The ranks of one direction's queries."""

    direction: str
    ranks: list[np.ndarray]  # (queries,) of each fold
    image: np.ndarray  # (queries of all folds,) the row of each one's image


def find(
    captions: np.ndarray,
    images: np.ndarray,
    image: np.ndarray,
    folds: int = 1,
    similarity: str = "cosine",
) -> list[Ranks]:
    """The `ranks` in both directions.

    With several folds the images are cut, in their order, into as many equal sets, each with its
    own captions.

    Raises:
        InputError: the images cannot be cut into so many equal folds.
    """
    parts = _folds(image, len(images), folds)
    of_folds = [
        ranks(
            captions if own.all() else captions[own],  # without a copy of them all
            images[rows[0] : rows[-1] + 1],
            image[own] - rows[0],
            similarity,
        )
        for rows, own in parts
    ]
    queries = ([image[own] for _, own in parts], [rows for rows, _ in parts])
    return [
        Ranks(direction, list(found), np.concatenate(of_queries))
        for direction, found, of_queries in zip(
            DIRECTIONS, zip(*of_folds, strict=True), queries, strict=True
        )
    ]


def find_sentences(
    captions: np.ndarray, image: np.ndarray, similarity: str = "cosine"
) -> list[Ranks]:
    """The `sentence_ranks`; an empty list where no image has several captions."""
    queries, found = sentence_ranks(captions, image, similarity)
    return [Ranks(SENTENCES, [found], image[queries])] if len(queries) else []


def evaluate(
    captions: np.ndarray,
    images: np.ndarray,
    image: np.ndarray,
    folds: int = 1,
    similarity: str = "cosine",
) -> pd.DataFrame:
    """Score what `find` finds: a row for each direction, see `scored`."""
    return scored(find(captions, images, image, folds, similarity))


def scored(found: Iterable[Ranks]) -> pd.DataFrame:
    """Score ranks: a row for each direction, with recalls in percent and their intervals.

    Of several folds recalls, median and mean ranks are the means over them; intervals are those of
    all queries together, as in the paper's Table 2.
    """
    return pd.DataFrame([_row(*each) for each in found])


def _row(direction: str, of_folds: list[np.ndarray], image: np.ndarray) -> dict[str, Any]:
    """A row of scores, of what `Ranks` has."""
    queries = sum(map(len, of_folds))
    row: dict[str, Any] = {"direction": direction}
    for k in CUTOFFS:
        recall = 100 * float(np.mean([np.mean(r <= k) for r in of_folds]))
        row |= {f"r{k}": recall, f"r{k}_ci": recall_interval(recall, queries)}
    row["median_rank"] = float(np.mean([np.median(r) for r in of_folds]))
    row["mean_rank"] = float(np.mean([np.mean(r) for r in of_folds]))
    low, high = _interval_of_mean(np.concatenate(of_folds), image)
    return row | {"mean_rank_low": low, "mean_rank_high": high, "queries": queries}


def _interval_of_mean(of_queries: np.ndarray, image: np.ndarray) -> tuple[float, float]:
    """The 95% interval of a mean rank, by bootstrap over images, whose queries belong together.

    Args:
        of_queries: (queries,) the ranks.
        image: (queries,) the image of each.
    """
    image = np.unique(image, return_inverse=True)[1]
    sums, counts = np.bincount(image, of_queries), np.bincount(image)
    times = paired.draws(len(sums), np.random.default_rng(0))
    [low], [high] = paired.interval(paired.mean(sums[None], counts[None], times))
    return float(low), float(high)


def chance(image: np.ndarray, folds: int = 1) -> pd.DataFrame:
    """What `evaluate` is expected to give for a model that ranks at random.

    Recalls and mean ranks are exact, so that their intervals are 0. Median ranks are those of the
    distribution of a random rank.

    Args:
        image: (M,) the row of each caption's image; every image has a caption.

    Raises:
        InputError: the images cannot be cut into so many equal folds.
    """
    images = image.max() + 1
    # For each fold the probability that the rank is at most 0, 1, 2, and so on.
    found: dict[str, list[np.ndarray]] = {direction: [] for direction in DIRECTIONS}
    for rows, own in _folds(image, images, folds):
        of_images = np.bincount(image[own] - rows[0])
        found["caption_to_image"].append(_found_by_chance(np.ones(1, int), len(rows)))
        found["image_to_caption"].append(_found_by_chance(of_images, own.sum()))
    queries = dict(zip(DIRECTIONS, (len(image), images), strict=True))
    return pd.DataFrame([_chance_row(name, found[name], queries[name]) for name in DIRECTIONS])


def chance_of_sentences(image: np.ndarray) -> pd.DataFrame:
    """What `find_sentences` is expected to give for a model that ranks at random, `scored`."""
    others = np.bincount(image)[image] - 1
    others = others[others > 0]
    if not len(others):
        return pd.DataFrame()
    found = _found_by_chance(others, len(image) - 1)
    return pd.DataFrame([_chance_row(SENTENCES, [found], len(others))])


def chance_of_translations(image: np.ndarray, image_of_candidates: np.ndarray) -> pd.DataFrame:
    """What `translation_ranks` are expected to be of a model that ranks at random, `scored`."""
    own = np.bincount(image_of_candidates)[image]
    found = _found_by_chance(own, len(image_of_candidates))
    return pd.DataFrame([_chance_row(SENTENCES, [found], len(image))])


def _chance_row(direction: str, of_folds: list[np.ndarray], queries: int) -> dict[str, Any]:
    """A row of scores, of each fold from the probabilities that a rank is at most 0, 1, 2, ..."""
    row: dict[str, Any] = {"direction": direction}
    for k in CUTOFFS:
        recalls = [p[min(k, len(p) - 1)] for p in of_folds]
        row |= {f"r{k}": 100 * float(np.mean(recalls)), f"r{k}_ci": 0.0}
    row["median_rank"] = float(np.mean([_median_rank(p) for p in of_folds]))
    # The mean of a rank is the sum of the probabilities that it is above 0, 1, 2, and so on.
    row["mean_rank"] = float(np.mean([(1 - p).sum() for p in of_folds]))
    row |= {"mean_rank_low": row["mean_rank"], "mean_rank_high": row["mean_rank"]}
    return row | {"queries": queries}


def _found_by_chance(own: np.ndarray, candidates: int) -> np.ndarray:
    """The probability (candidates + 1,) that one of a query's own is among the first 0, 1, 2, ...

    Args:
        own: (queries,) how many of the candidates are each query's own; the mean is over queries.
    """
    counts, times = np.unique(own, return_counts=True)
    left = candidates - np.arange(candidates + 1)[:, None]  # beyond place k
    # That the first k have none: all its own are drawn from what is left, one after another.
    none = [np.prod((left - np.arange(c)) / (candidates - np.arange(c)), axis=1) for c in counts]
    found: np.ndarray = 1 - times / len(own) @ none
    return found


def _median_rank(found: np.ndarray) -> float:
    """The median of a rank that is at most k with probability `found[k]`."""
    # Where half of the ranks are at most k exactly, it lies between k and the next.
    sides = [np.searchsorted(found.round(DECIMALS), 0.5, side) for side in ("left", "right")]
    return float(np.mean(sides))


def _folds(image: np.ndarray, images: int, folds: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """For each fold the rows of its images, and a mask (M,) of its captions."""
    if images % folds:
        raise InputError(
            f"{images} images cannot be cut into {folds} equal folds: give `folds` another number "
            "in the configuration"
        )
    parts = np.split(np.arange(images), folds)
    return [(rows, (image >= rows[0]) & (image <= rows[-1])) for rows in parts]


def test_set_name(images: int, folds: int = 1) -> str:
    """What the paper calls a test set: `1k`, `5k`, or `1k-folds` for five folds of 1,000."""
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

    How near captions of one image are to each other, also across languages, is scored for the best
    snapshot and for the ensemble: with many captions it takes long. Chance is there twice, by
    calculation (`chance`), and by vectors drawn at random (`random`).

    Args:
        load: an epoch in, the model's snapshot out.
        epochs: of the snapshots to score, those of the ensemble among them.
        ensemble: its `epochs`, and that of the `best` single snapshot.
        compared: the epochs of the snapshots whose ranks are given, beside the ensemble's.
        similarity: of the model.
        folds: also the mean over so many parts of the split, if they are more than one.

    Returns:
        Scores: the columns of `scored`, and before them language, kind (chance, random, snapshot or
        ensemble), epochs and test_set. Where captions find captions of another language, the
        language is of queries and candidates, such as en-de. And the rank of each query in the
        whole split: columns language, kind, epochs, direction, image (its row) and rank.
    """
    tables: list[pd.DataFrame] = []
    of_queries: list[pd.DataFrame] = []
    pairs = list(permutations(split.captions, 2))

    def add(
        table: pd.DataFrame, language: str, kind: str, epochs: Sequence[int], cut: int = 1
    ) -> None:
        labels = {
            "language": language,
            "kind": kind,
            "epochs": "+".join(map(str, epochs)),
            "test_set": test_set_name(len(split.features), cut),
        }
        if len(table):
            tables.append(pd.DataFrame(labels, table.index).join(table))

    def add_found(found: list[Ranks], language: str, kind: str, epochs: Sequence[int]) -> None:
        add(scored(found), language, kind, epochs)
        if kind == "ensemble" or (kind == "snapshot" and epochs[0] in compared):
            labels = {"language": language, "kind": kind, "epochs": "+".join(map(str, epochs))}
            for direction, [of_all], image in found:
                columns = {"direction": direction, "image": image, "rank": of_all}
                of_queries.append(pd.DataFrame(labels | columns))

    def add_model(
        kind: str, epochs: Sequence[int], images: np.ndarray, captions: dict[str, np.ndarray]
    ) -> None:
        every_way = kind != "snapshot" or epochs == [ensemble["best"]]
        for language, own in captions.items():
            image = split.captions[language].image
            found = find(own, images, image, similarity=similarity)
            found += find_sentences(own, image, similarity) if every_way else []
            add_found(found, language, kind, epochs)
            if folds > 1:
                of_folds = evaluate(own, images, image, folds, similarity)
                add(of_folds, language, kind, epochs, folds)
        for one, other in pairs if every_way else []:
            first, second = split.captions[one].image, split.captions[other].image
            found_by = translation_ranks(captions[one], first, captions[other], second, similarity)
            add_found([Ranks(SENTENCES, [found_by], first)], f"{one}-{other}", kind, epochs)

    rng = np.random.default_rng(0)
    at_random = {
        language: rng.standard_normal(out=arrays.empty((len(own.image), RANDOM), np.float64))
        for language, own in split.captions.items()
    }
    for language, own in split.captions.items():
        for cut in sorted({1, folds}):
            add(chance(own.image, cut), language, "chance", [], cut)
        add(chance_of_sentences(own.image), language, "chance", [])
    for one, other in pairs:
        by_chance = chance_of_translations(split.captions[one].image, split.captions[other].image)
        add(by_chance, f"{one}-{other}", "chance", [])
    of_images = rng.standard_normal(out=arrays.empty((len(split.features), RANDOM), np.float64))
    add_model("random", [], of_images, at_random)
    parts = []
    for epoch in epochs:
        model = load(epoch)
        images = model.encode_images(split.features)
        captions = {
            language: model.encode_captions(own.encoded, language)
            for language, own in split.captions.items()
        }
        add_model("snapshot", [epoch], images, captions)
        if epoch in ensemble["epochs"]:  # no others: each of MSCOCO's test set takes 0.2 GB
            parts.append((images, captions))
    images = join([images for images, _ in parts], similarity)
    captions = {
        language: join([captions[language] for _, captions in parts], similarity)
        for language in split.captions
    }
    add_model("ensemble", ensemble["epochs"], images, captions)
    return pd.concat(tables, ignore_index=True), pd.concat(of_queries, ignore_index=True)
