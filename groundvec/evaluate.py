"""Rate any sentence encoder by the definitions that papers quote, and compare two of them.

>>> from groundvec import evaluate
>>> result = evaluate.ratings(encoder, tasks=["STS 2012", "SICK"])
>>> print(result)  # Pearson and Spearman with their 95% intervals
>>> result.scores.to_csv("scores.csv")
>>> evaluate.retrieval(captions, images).scores
>>> evaluate.compare(result, evaluate.ratings(another, tasks=["STS 2012", "SICK"]))
"""

import logging
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from groundvec import similarity as similarities
from groundvec.data.cleaning import letters_and_digits
from groundvec.data.ratings import CLASSIFIED, SICK, TASKS, read_sts
from groundvec.data.sts_archives import fetch_rated
from groundvec.evaluation import overlap
from groundvec.evaluation import ratings as rating_scores
from groundvec.evaluation import retrieval as retrieval_scores
from groundvec.evaluation.chance import chance
from groundvec.evaluation.correlation import scaled
from groundvec.evaluation.ranks import queries_in_blocks, rounding
from groundvec.evaluation.score_table import KEYS, score_table
from groundvec.model.bank import INVERSE_TEMPERATURE
from groundvec.model.folder import MAX_INVERSE_TEMPERATURE
from groundvec.querybank import normalized
from groundvec.results import frames
from groundvec.results.schemas import FoundRanks, RatedPairs
from groundvec.runtime.arguments import typed
from groundvec.runtime.errors import InputError, extra
from groundvec.runtime.vectors import as_array, finite_floats
from groundvec.text.encoded import strings

log = logging.getLogger(__name__)

MTEB_NAMES = {
    "STS12": "STS 2012",
    "STS13": "STS 2013",
    "STS14": "STS 2014",
    "STS15": "STS 2015",
    "STS16": "STS 2016",
    "STSBenchmark": "STS-B",
    "SICK-R": "SICK",
}
LEVEL = 0.05  # significance level of the two-sided tests
# The columns of a table of several encoders: tasks, and the mean of those without training pairs.
MEAN = "STS, weighted mean"
UNSUPERVISED = [task for task in TASKS if task not in CLASSIFIED]
HEADLINES = [*UNSUPERVISED, MEAN, *(task for task in TASKS if task in CLASSIFIED)]
# The columns that describe how retrieval was scored, beyond similarity, test_set and folds.
PROTOCOL = {
    "ties": "rank before the right one",
    "median": "mean of the middle two",
    "of_folds": "mean over folds",
}
COUNTED = {
    "caption_to_image": "every caption is a query",
    "image_to_caption": "best of the image's captions; its others do not count",
}


class Result(NamedTuple):
    """The scores of an encoder; `print` shows them as a table."""

    scores: pd.DataFrame  # one row per score
    items: pd.DataFrame  # one row per rated pair, or per query of retrieval; for `compare`

    def __repr__(self) -> str:
        return score_table(self.scores)


@typed
def ratings(
    encode: Any,
    tasks: Collection[str] = TASKS,
    folders: Iterable[str | Path] = (),
    captions: Iterable[str] = (),
) -> Result:
    """Compare an encoder with people's ratings of sentence pairs: STS 2012-2016, STS-B and SICK.

    Args:
        encode: a function from a list of sentences to an array (N, size), or an object with such a
            method `encode`. It is called once, with the sentences that `sentences` returns.
        tasks: some of `TASKS`, or the names that MTEB has for them.
        folders: the unpacked archives; by default they are downloaded (`data.sts_archives`).
        captions: the encoder's training captions. The pairs that contain one are counted, and the
            scores are also computed without these pairs.

    Returns:
        Scores from -1 to 1: columns task, subtask, definition (one of
        `evaluation.score_table.DEFINITIONS`), statistic (see
        `groundvec.evaluation.ratings.evaluate`), pairs, pearson, spearman, and the ends of
        their 95% intervals, such as pearson_low. With captions also seen (pairs with one of them),
        seen_both, and unseen_pearson, ..., without the seen pairs. Items: SentEval's test pairs,
        with the cosine, and the classifier's prediction if the task has train pairs.

    Raises:
        InputError: an unknown task; files that are missing or damaged; vectors that are not finite
            numbers (N, size).
    """
    function = getattr(encode, "encode", encode)
    if isinstance(encode, str | bytes) or not callable(function):
        raise InputError(
            f"{encode!r} is no encoder: give a function from sentences to vectors, or an object "
            'with a method encode, such as SentenceEncoder("flickr8k")'
        )
    rated = read_rated(tasks, folders)
    texts = _distinct(rated)
    pairs = rated["SentEval"]
    unclassified: set[str] = set()
    if pairs["split"].eq("train").any():
        try:
            import_module("groundvec.evaluation.relatedness")
        except ModuleNotFoundError as error:
            unclassified = set(pairs.loc[pairs["split"].eq("train"), "task"])
            left_out = " and ".join(sorted(unclassified))
            log.warning("without %s, the classifier of %s is left out", error.name, left_out)
    vectors = checked_vectors(function(texts), "the encoder's result", len(texts))
    return _rate(rated, dict(zip(texts, vectors, strict=True)), captions, unclassified)


@typed
def table(results: Mapping[str, Result]) -> pd.DataFrame:
    """Put several encoders' ratings side by side, and test which is the best.

    Args:
        results: by encoder, a result of `ratings`, all for the same tasks.

    Returns:
        One row per task and encoder, by SentEval's definitions: columns task, encoder, definition,
        pearson, its interval pearson_low and pearson_high, p_holm and best. The tasks without
        training pairs have the mean of their subtasks, weighted by pairs. p_holm is of the test of
        `compare` between the two highest encoders, adjusted for the number of tasks; `best` marks
        the highest one if it is below 0.05.

    Raises:
        InputError: fewer than two results, or of other pairs.
    """
    with extra("evaluate"):
        from groundvec.evaluation import significance
    if len(results) < 2:
        raise InputError("give the results of two or more encoders")
    rows = pd.concat(
        [_headline(result.scores).assign(encoder=name) for name, result in results.items()]
    )
    place = rows["task"].map(HEADLINES.index)
    rows = rows.assign(place=place).sort_values("place", kind="stable", ignore_index=True)
    tests = []
    for task, encoders in rows.groupby("task", sort=False):
        first, second = encoders.nlargest(2, "pearson")["encoder"]
        a = _items_of_task(results[first].items, str(task))
        b = _items_of_task(results[second].items, str(task))
        # The last row is of the mean, if it is a mean of subtasks.
        tests.append((task, first, significance.compare_ratings(a, b)["p"].iloc[-1]))
    highest = pd.DataFrame(tests, columns=["task", "encoder", "p"])
    highest["p_holm"] = significance.holm(highest.pop("p").to_numpy())
    rows = rows.merge(highest, "left", on=["task", "encoder"])
    rows["best"] = rows["p_holm"] < LEVEL
    columns = ["task", "encoder", "definition", "pearson", "pearson_low", "pearson_high"]
    return rows[[*columns, "p_holm", "best"]]


def _headline(scores: pd.DataFrame) -> pd.DataFrame:
    """Select the score of each task that papers quote, by SentEval's definitions."""
    rated = scores[scores["definition"].ne("MTEB cosine")]
    mean = rated["statistic"].eq("weighted mean")
    single = rated["statistic"].eq("correlation") & rated["task"].isin(CLASSIFIED)
    # Without torch there is no classifier, and the cosine is left.
    chosen = rated[mean | single].drop_duplicates("task", keep="last")
    return chosen.replace({"task": {"all": MEAN}})


def _items_of_task(items: pd.DataFrame, task: str) -> pd.DataFrame:
    """Select the rated pairs of a task of `_headline`."""
    if task == MEAN:
        return items[~items["task"].isin(CLASSIFIED)]
    return items[items["task"] == task]


@typed
def sentences(tasks: Collection[str] = TASKS, folders: Iterable[str | Path] = ()) -> list[str]:
    """List the sentences that `ratings` has encoded, each once."""
    return _distinct(read_rated(tasks, folders))


def checked_tasks(tasks: Collection[str]) -> list[str]:
    """Return tasks by their names in `TASKS`; InputError for other names than these and MTEB's."""
    tasks = [MTEB_NAMES.get(task, task) for task in tasks]
    unknown = [task for task in tasks if task not in TASKS]
    if unknown:
        raise InputError(f"there is no task {unknown[0]!r}: choose from {str(TASKS)[1:-1]}")
    if not tasks:
        raise InputError(f"name a task at least: {', '.join(TASKS)}")
    return tasks


def read_rated(tasks: Collection[str], folders: Iterable[str | Path]) -> dict[str, pd.DataFrame]:
    """Read the rated pairs in the forms of "SentEval" and "MTEB", each as `Ratings`."""
    tasks = checked_tasks(tasks)
    folders = list(folders) or fetch_rated(tasks)
    prepared, _ = read_sts(folders, tasks=tasks)
    raw, _ = read_sts(folders, "none", (), tasks)
    # MTEB rates no classifier, so it has no use for SICK's split: all of its pairs are test pairs.
    raw = raw[(raw["split"] == "test") | (raw["task"] == SICK[0])].assign(split="test")
    return {"SentEval": prepared, "MTEB": raw.reset_index(drop=True)}


def _distinct(rated: dict[str, pd.DataFrame]) -> list[str]:
    """List the distinct sentences of rated pairs."""
    columns = [pairs[side] for pairs in rated.values() for side in ("sentence_a", "sentence_b")]
    return pd.concat(columns).unique().tolist()


def _rate(
    rated: dict[str, pd.DataFrame],
    vectors: dict[str, np.ndarray],
    captions: Iterable[str],
    unclassified: Collection[str] = (),
) -> Result:
    """Score the rated pairs from the vector of each sentence.

    Args:
        unclassified: the tasks for which SentEval has a classifier that is not computed here.
    """

    def encode(sentences: list[str]) -> np.ndarray:
        return np.stack([vectors[sentence] for sentence in sentences])

    training_captions = {letters_and_digits(caption) for caption in strings(captions)} - {""}
    predictions = {}
    scores = []
    for form, pairs in rated.items():
        predictions[form] = rating_scores.predict(pairs, encode, classify=not unclassified)
        score: Callable[[pd.DataFrame], pd.DataFrame] = rating_scores.evaluate
        if training_captions:
            score = partial(overlap.score_unseen, pairs=overlap.seen(pairs, training_captions))
        tables = []
        is_apart = predictions[form]["task"].isin(unclassified) & (form == "SentEval")
        for apart, group in predictions[form].groupby(is_apart):
            table = score(group)
            # SentEval's means are of the tasks without a classifier.
            tables.append(table[table["statistic"].eq("correlation")] if apart else table)
        table = pd.concat(tables)
        # MTEB's score of a task is the correlation over all of its pairs, whatever their subtask.
        if form == "MTEB":
            table = table[(table["statistic"] == "concatenated") & (table["task"] != "all")]
        scores.append(table.assign(definition=f"{form} " + table["method"]))
    together = pd.concat(scores, ignore_index=True).drop(columns="method")
    if (together["pearson_low"] <= 0).mean() > 0.5:
        log.warning(
            "most scores are no better than by chance: are the vectors in the order of the "
            "sentences?"
        )
    numbers = together.columns.drop(KEYS)
    return Result(together[[*KEYS, *numbers]], predictions["SentEval"])


@typed
def retrieval(
    captions: Any,
    images: Any,
    image_of_caption: Any = None,
    folds: int = 1,
    similarity: str = "cosine",
    bank: tuple[Any, Any] | None = None,
    inverse_temperature: float | None = None,
) -> Result:
    """Find images by captions and captions by images.

    Args:
        captions: their vectors (M, size).
        images: their vectors (N, size).
        image_of_caption: (M,) the row of each caption's image, from 0. By default each image has
            M / N captions, which follow each other in the order of the images.
        folds: cut the images, in their order, into this number of equal test sets, and take the
            means.
        similarity: how vectors are compared: cosine, dot or euclidean.
        bank: vectors (Q, size) of training captions and of training images, which normalize the
            cosines (`groundvec.querybank`).
        inverse_temperature: the bank's, by default 15. Choose it on development captions and
            images.

    Returns:
        Scores, a row for each direction: columns direction, test_set (such as 1k, 5k or 1k-folds),
        images, captions_per_image, similarity, bank (such as "6000 and 2000, inverse temperature
        15", or "none"), folds, `PROTOCOL` and counted (the queries, and which captions count),
        queries, r1, r5 and r10 in percent, median_rank and mean_rank; and
        the ends of 95% intervals, such as r1_low. Items: test_set, direction, image and rank,
        from 1.

    Raises:
        InputError: arrays that are not finite numbers of these shapes; an image without a caption.
    """
    captions, images, image = _checked_arguments(
        captions, images, image_of_caption, folds, similarity
    )
    captions, images = _comparable(captions, images, similarity)
    _warn_of_ties(captions, images, image, similarity)
    bank_name = "none"
    compared = similarity
    if bank is None and inverse_temperature is not None:
        raise InputError("inverse_temperature is the bank's: pass a bank too, or leave it out")
    if bank is not None:
        if inverse_temperature is None:
            inverse_temperature = INVERSE_TEMPERATURE
        bank = _checked_bank(bank, captions.shape[1], similarity, inverse_temperature)
        captions, images = normalized(captions, images, *bank, inverse_temperature)
        compared = "dot"
        bank_name = (
            f"{len(bank[0])} and {len(bank[1])}, inverse temperature {inverse_temperature:g}"
        )
    ranks = retrieval_scores.rank_both_ways(captions, images, image, folds, compared)
    counts = np.bincount(image)
    fewest = counts.min()
    most = counts.max()
    test_set = retrieval_scores.test_set_name(len(images), folds)
    protocol: dict[str, str | int] = {
        "test_set": test_set,
        "images": len(images),
        "similarity": similarity,
        "bank": bank_name,
        "folds": folds,
        "captions_per_image": str(fewest) if fewest == most else f"{fewest} to {most}",
        **PROTOCOL,
    }
    scores = retrieval_scores.scored(ranks).assign(**protocol)
    scores["counted"] = scores["direction"].map(COUNTED)
    # The first row is from caption to image.
    mean_by_chance = chance(image, folds)["mean_rank"][0]
    if scores["mean_rank_high"][0] >= mean_by_chance > 1:
        log.warning(
            "captions find their images no better than by chance: is the order of both the same?"
        )
    first = ["direction", *protocol, "counted", "queries"]
    scores = scores[first].join(retrieval_scores.with_ends(scores, ranks))
    return Result(scores, retrieval_scores.listed(ranks).assign(test_set=test_set))


def _checked_arguments(
    captions: Any, images: Any, image_of_caption: Any, folds: int, similarity: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Check the arguments of `retrieval`; return captions, images and the image of each caption."""
    if similarity not in similarities.NAMES:
        names = ", ".join(similarities.NAMES)
        raise InputError(f"there is no similarity {similarity!r}: choose from {names}")
    captions = checked_vectors(captions, "captions")
    images = checked_vectors(images, "images")
    if captions.shape[1] != images.shape[1]:
        raise InputError(
            f"captions have {captions.shape[1]} dimensions and images {images.shape[1]}: embed "
            "both in one space, a row for each"
        )
    if folds < 1 or len(images) % folds:
        raise InputError(
            f"folds is {folds!r}: it must be a whole number that divides the number of images, "
            f"{len(images)}"
        )
    image = _image_rows(image_of_caption, len(captions), len(images))
    # A frequent mistake: images are repeated for each of their captions.
    repeated = Counter(row.tobytes() for row in images)
    if len(repeated) > 1 and min(repeated.values()) > 1:
        raise InputError(
            f"images have only {len(repeated):,} different rows of {len(images):,}: give each "
            "image once; if they have several captions, these follow each other, or "
            "image_of_caption has the row of each caption's image"
        )
    return captions, images, image


def _checked_bank(
    bank: tuple[Any, Any], size: int, similarity: str, inverse_temperature: float
) -> tuple[np.ndarray, np.ndarray]:
    """Check the bank of `retrieval`; return unit vectors of its captions and of its images."""
    if similarity != "cosine":
        raise InputError(f"a bank normalizes cosines, not {similarity}: leave one of them out")
    if not 0 < inverse_temperature <= MAX_INVERSE_TEMPERATURE:
        raise InputError(
            f"inverse_temperature is {inverse_temperature}: it must be above 0 and at most "
            f"{MAX_INVERSE_TEMPERATURE:,}"
        )
    if len(bank) != 2:
        raise InputError("bank must be two arrays: the vectors of training captions, and of images")
    vectors = []
    for name, values in zip(("captions", "images"), bank, strict=True):
        array = checked_vectors(values, f"the bank's {name}")
        if array.shape[1] != size:
            raise InputError(
                f"the bank's {name} have {array.shape[1]} dimensions and the test's {size}: embed "
                "all by one model"
            )
        vectors.append(similarities.unit(scaled(array)))
    return vectors[0], vectors[1]


def _image_rows(image_of_caption: Any, captions: int, images: int) -> np.ndarray:
    """Check the row (M,) of each caption's image."""
    if image_of_caption is None:
        if captions % images:
            remedy = "give image_of_caption, the row of each caption's image"
            if images % captions == 0:
                remedy = "give the captions first, then the images"
            raise InputError(
                f"{captions} captions cannot be shared equally by {images} images: {remedy}"
            )
        return np.repeat(np.arange(images), captions // images)
    image = np.asarray(image_of_caption)
    if image.shape != (captions,) or image.dtype.kind not in "iu":
        raise InputError(
            f"image_of_caption is {image.dtype} {image.shape}: it must be integers ({captions},), "
            "the row of each caption's image, from 0"
        )
    # Rows without a caption, and rows that are no image.
    missing = sorted(set(range(images)) ^ set(image.tolist()))
    if missing:
        raise InputError(
            f"image_of_caption: image {missing[0]} has no caption, or is not among the {images} "
            "images: every image must have one, and rows count from 0"
        )
    return image.astype(np.int64)


def checked_vectors(values: Any, name: str, rows: int | None = None) -> np.ndarray:
    """Return vectors (N, size), such as a list of lists, as finite floating-point numbers.

    Args:
        name: what to call them in an error.
        rows: the number of sentences, if the vectors are of sentences.

    Raises:
        InputError: they have another shape, are not numbers, or not finite.
    """
    array = as_array(values, name)
    if array.ndim != 2 or array.dtype.kind not in "fiu" or not array.size:
        raise InputError(f"{name}: {array.dtype} {array.shape}; it must be numbers (N, size)")
    if rows is not None and len(array) != rows:
        raise InputError(
            f"{name}: {len(array):,} rows for {rows:,} sentences; it must have a row for each line "
            "that `groundvec evaluate sentences` writes for the same tasks"
        )
    return finite_floats(array, name)


def _comparable(
    captions: np.ndarray, images: np.ndarray, similarity: str
) -> tuple[np.ndarray, np.ndarray]:
    """Scale and shift vectors so that rounding loses nothing; the order of similarities stays."""
    if similarity == "cosine":
        return similarities.unit(scaled(captions)), similarities.unit(scaled(images))
    if similarity == "dot":
        return scaled(captions, None), scaled(images, None)
    # Squared distances are computed from inner products, which lose the digits of the distances if
    # all vectors are far from the origin. Distances do not depend on the origin: move it.
    together = scaled(np.concatenate([captions, images]), None)
    together -= together.mean(axis=0, dtype=np.float64).astype(together.dtype)
    return together[: len(captions)], together[len(captions) :]


def _warn_of_ties(
    captions: np.ndarray, images: np.ndarray, image: np.ndarray, similarity: str
) -> None:
    """Warn of vectors of zeros, and if most captions' image scores the same as another one."""
    for name, vectors in (("captions", captions), ("images", images)):
        zeros = len(vectors) - np.count_nonzero(vectors.any(axis=1))
        if zeros:
            log.warning("%d of %d %s are vectors of zeros", zeros, len(vectors), name)
    # Every n-th caption, where n is the number of blocks: their scores fit in memory.
    sample = slice(None, None, len(queries_in_blocks(len(captions), len(images))))
    near = similarities.scores(captions[sample], images, similarity)
    difference = np.abs(near - np.take_along_axis(near, image[sample, None], axis=1))
    tied = np.count_nonzero(difference <= rounding(captions, images, similarity), axis=1) > 1
    if tied.mean() > 0.5:
        log.warning(
            "for %.0f%% of the captions another image scores as their own does, to a millionth, "
            "and ranks before it: are many images the same, or all far from the origin?",
            100 * tied.mean(),
        )


@typed
def compare(a: Result | pd.DataFrame, b: Result | pd.DataFrame) -> pd.DataFrame:
    """Test whether two encoders differ on the same rated pairs, or on the same queries.

    Args:
        a, b: two results of `ratings`, or two of `retrieval`, or their items.

    Returns:
        For ratings the rows of `groundvec.evaluation.significance.compare_ratings` (Williams' test)
        with the definition; and for the tasks without training pairs the mean, weighted by pairs (a
        paired bootstrap of each subtask's pairs). For retrieval one row per test set, direction and
        metric: queries, a, b, their difference, the ends low and high of its 95% interval and its p
        by a paired bootstrap (10,000 draws of images). Both: test, the test's name, and p_holm, p
        adjusted for the number of rows of the test.

    Raises:
        InputError: they are not results on the same pairs or queries.
    """
    with extra("evaluate"):
        from groundvec.evaluation import significance
    items_a = a.items if isinstance(a, Result) else a
    items_b = b.items if isinstance(b, Result) else b
    comparisons = {
        RatedPairs: significance.compare_ratings,
        FoundRanks: significance.compare_ranks,
    }
    for form, comparison in comparisons.items():
        columns = {*frames.schema_of(form).columns}
        if columns <= {*items_a.columns} and columns <= {*items_b.columns}:
            return comparison(items_a, items_b)
    raise InputError(
        "they are not two results of the same kind: give the items of `ratings` twice, which "
        "--predictions writes, or the items of `retrieval`, which --ranks writes"
    )
