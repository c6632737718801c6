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
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from groundvec import similarity as similarities
from groundvec.data.cleaning import normalised
from groundvec.data.ratings import GROUPS, SICK, TASKS, read_sts
from groundvec.data.sts_archives import fetch_rated
from groundvec.evaluation import bootstrap, overlap
from groundvec.evaluation import ratings as senteval
from groundvec.evaluation import retrieval as search
from groundvec.evaluation.correlation import scaled
from groundvec.evaluation.ranks import queries_in_blocks, rounding
from groundvec.results import frames
from groundvec.results.schemas import CUTOFFS, FoundRanks, RatedPairs
from groundvec.runtime.errors import InputError, extra
from groundvec.runtime.files import check_memory, check_regular
from groundvec.runtime.vectors import as_array, finite
from groundvec.text.encoded import strings

log = logging.getLogger(__name__)

DEFINITIONS = {
    "SentEval cosine": "Cosine of the two vectors, test pairs of each subtask. The sentences are "
    f"tokenized (Moses); those of {GROUPS[0]} and {GROUPS[1]} are in lower case.",
    "SentEval classifier": "Softmax layer on [|u - v|, u * v], trained on the train pairs and "
    "stopped by the dev pairs (seed 1111); expected grade of the test pairs. Same sentences.",
    "MTEB cosine": "Cosine of the two vectors of the raw sentences, without training. All test "
    "pairs of a task together; of SICK the train and dev pairs too. MTEB's score is Spearman.",
}
MTEB_NAMES = {
    **{f"STS{year}": f"STS 20{year}" for year in range(12, 17)},
    "STSBenchmark": "STS-B",
    "SICK-R": "SICK",
}
# The scores that are quoted most: task, definition and statistic.
QUOTED = {
    ("all", "SentEval cosine", "weighted mean"): "STS of all years, cosine, mean weighted by pairs",
    ("STS-B", "SentEval classifier", "correlation"): "STS-B, classifier",
    ("SICK", "SentEval classifier", "correlation"): "SICK, classifier",
}
# The columns that say by which protocol retrieval was scored, beside similarity, test_set, folds.
PROTOCOL = {
    "ties": "rank before the right one",
    "median": "mean of the middle two",
    "of_folds": "mean over folds",
}
COUNTED = {
    "caption_to_image": "every caption is a query",
    "image_to_caption": "best of the image's captions; its others do not count",
}
INTERVALS = "Intervals: 95%; of recalls Wilson's, of mean ranks by bootstrap over images."
KINDS = [{*frames.schema_of(form).columns} for form in (RatedPairs, FoundRanks)]
SEED = 1  # of the draws of a comparison
KEYS = ["task", "subtask", "definition", "statistic", "pairs"]


class Result(NamedTuple):
    """The scores of an encoder; `print` shows them as a table."""

    scores: pd.DataFrame  # one row per score
    items: pd.DataFrame  # one row per rated pair, or per query of retrieval; for `compare`

    def __repr__(self) -> str:
        return table(self.scores)


def ratings(
    encode: Any,
    tasks: Collection[str] = TASKS,
    folders: Iterable[str | Path] = (),
    captions: Iterable[str] = (),
) -> Result:
    """Compare an encoder with people's ratings of sentence pairs: STS 2012-2016, STS-B and SICK.

    Args:
        encode: a function from a list of sentences to an array (N, size), or an object with such a
            method `encode`. It is called once, with what `sentences` returns.
        tasks: some of `TASKS`, or by the names that MTEB has for them.
        folders: of the unpacked archives; by default they are fetched (`data.sts_archives`).
        captions: that the encoder was trained on. The pairs that hold one are counted, and the
            scores are also computed without these pairs.

    Returns:
        Scores from -1 to 1: columns task, subtask, definition (one of `DEFINITIONS`), statistic
        (see `groundvec.evaluation.ratings.evaluate`), pairs, pearson, spearman, and the ends of
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
    vectors = checked(function(texts), "what the encoder returned", len(texts))
    return _rate(rated, dict(zip(texts, vectors, strict=True)), captions)


def sentences(tasks: Collection[str] = TASKS, folders: Iterable[str | Path] = ()) -> list[str]:
    """List the sentences that `ratings` has encoded, each once."""
    return _distinct(read_rated(tasks, folders))


def read_rated(tasks: Collection[str], folders: Iterable[str | Path]) -> dict[str, pd.DataFrame]:
    """Read the rated pairs in the forms of "SentEval" and "MTEB", each as `Ratings`."""
    if isinstance(tasks, str):
        raise InputError(f"give a list of tasks, such as [{tasks!r}]")
    tasks = [MTEB_NAMES.get(task, task) for task in tasks]
    if unknown := [task for task in tasks if task not in TASKS]:
        raise InputError(f"there is no task {unknown[0]!r}: choose from {str(TASKS)[1:-1]}")
    if not tasks:
        raise InputError(f"name a task at least: {', '.join(TASKS)}")
    folders = list(folders) or fetch_rated(tasks)
    prepared, _ = read_sts(folders, tasks=tasks)
    raw, _ = read_sts(folders, "none", (), tasks)
    raw = raw[(raw["split"] == "test") | (raw["task"] == SICK[0])].assign(split="test")
    return {"SentEval": prepared, "MTEB": raw.reset_index(drop=True)}


def _distinct(rated: dict[str, pd.DataFrame]) -> list[str]:
    columns = [pairs[side] for pairs in rated.values() for side in ("sentence_a", "sentence_b")]
    return pd.concat(columns).unique().tolist()


def _rate(
    rated: dict[str, pd.DataFrame], vectors: dict[str, np.ndarray], captions: Iterable[str]
) -> Result:
    """Score the rated pairs from the vector of each sentence."""
    known = {normalised(caption): {0} for caption in strings(captions)}
    known.pop("", None)  # nothing but punctuation
    predictions = {}
    scores = []
    for name, pairs in rated.items():
        predictions[name] = senteval.predict(
            pairs, lambda sentences: np.stack([vectors[sentence] for sentence in sentences])
        )
        if known:
            labels = ["system", "kind", "epochs", "seen_one_image"]
            own = predictions[name].assign(**dict.fromkeys(labels[:3], ""))
            found = overlap.score_unseen(own, overlap.seen(pairs, known)).drop(columns=labels)
        else:
            found = senteval.evaluate(predictions[name])
        if name == "MTEB":
            found = found[(found["statistic"] == "concatenated") & (found["task"] != "all")]
        scores.append(found.assign(definition=f"{name} " + found["method"]))
    together = pd.concat(scores, ignore_index=True).drop(columns="method")
    if (together["pearson_low"] <= 0).mean() > 0.5:
        log.warning(
            "most scores are no better than by chance: are the vectors in the order of the "
            "sentences?"
        )
    numbers = together.columns.drop(KEYS)
    return Result(together[[*KEYS, *numbers]], predictions["SentEval"])


def retrieval(
    captions: Any,
    images: Any,
    image_of_caption: Any = None,
    folds: int = 1,
    similarity: str = "cosine",
) -> Result:
    """Find images by captions and captions by images.

    Args:
        captions: their vectors (M, size).
        images: their vectors (N, size).
        image_of_caption: (M,) the row of each caption's image, from 0. By default each image has
            M / N captions, which follow each other in the order of the images.
        folds: cut the images, in their order, into so many equal test sets, and take the means.
        similarity: how vectors are compared: cosine, dot or euclidean.

    Returns:
        Scores, a row for each direction: columns direction, test_set (such as 1k, 5k or 1k-folds),
        images, captions_per_image, similarity, folds, `PROTOCOL` and counted (what is a query and
        what counts), queries, r1, r5 and r10 in percent, median_rank and mean_rank; and the ends
        of 95% intervals, such as r1_low. Items: test_set, direction, image and rank, from 1.

    Raises:
        InputError: arrays that are not finite numbers of these shapes; an image without a caption.
    """
    a, b, image = _checked_vectors(captions, images, image_of_caption, folds, similarity)
    a, b = _comparable(a, b, similarity)
    found = search.rank_both_ways(a, b, image, folds, similarity)
    counts = np.bincount(image)
    few = counts.min()
    many = counts.max()
    name = search.test_set_name(len(b), folds)
    about: dict[str, Any] = {
        "test_set": name,
        "images": len(b),
        "similarity": similarity,
        "folds": folds,
        "captions_per_image": str(few) if few == many else f"{few} to {many}",
        **PROTOCOL,
    }
    scores = search.scored(found).assign(**about)
    scores["counted"] = scores["direction"].map(COUNTED)
    _warn(a, b, image, similarity)
    by_chance = search.chance(image, folds)["mean_rank"][0]
    if scores["mean_rank_high"][0] >= by_chance > 1:
        log.warning(
            "captions find their images no better than by chance: is the order of both the same?"
        )
    items = [
        pd.DataFrame(
            {"test_set": name, "direction": way, "image": of, "rank": np.concatenate(parts)}
        )
        for way, parts, of in found
    ]
    columns = ["direction", *about, "counted", "queries"]
    scores = scores[columns].join(_with_ends(scores))
    return Result(scores, pd.concat(items, ignore_index=True))


def _with_ends(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the metrics and the ends of their intervals, such as r1_low."""
    found: dict[str, pd.Series] = {}
    for k in CUTOFFS:
        low, high = _wilson(scores[f"r{k}"], scores["queries"])
        found |= {f"r{k}": scores[f"r{k}"], f"r{k}_low": low, f"r{k}_high": high}
    ranks = ["median_rank", "mean_rank", "mean_rank_low", "mean_rank_high"]
    return pd.DataFrame(found).join(scores[ranks])


def _wilson(recall: pd.Series, queries: pd.Series) -> tuple[pd.Series, pd.Series]:
    """Compute the ends of the 95% interval of a recall in percent (Wilson 1927)."""
    p = recall / 100
    n = queries
    z = 1.96
    middle = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    return 100 * (middle - half).clip(0), 100 * (middle + half).clip(upper=1)


def _checked_vectors(
    captions: Any, images: Any, image_of_caption: Any, folds: int, similarity: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Check the arguments of `retrieval`; return captions, images and the image of each caption."""
    if similarity not in similarities.NAMES:
        names = ", ".join(similarities.NAMES)
        raise InputError(f"there is no similarity {similarity!r}: choose from {names}")
    a = checked(captions, "captions")
    b = checked(images, "images")
    if a.shape[1] != b.shape[1]:
        raise InputError(
            f"captions have {a.shape[1]} dimensions and images {b.shape[1]}: embed both in one "
            "space, a row for each"
        )
    if folds < 1 or len(b) % folds:
        raise InputError(f"folds is {folds}: it must divide the number of images, {len(b)}")
    image = _images_of(image_of_caption, len(a), len(b))
    repeated = Counter(row.tobytes() for row in b)
    if len(repeated) > 1 and min(repeated.values()) > 1:
        raise InputError(
            f"images have only {len(repeated):,} different rows of {len(b):,}: give each image "
            "once; if they have several captions, these follow each other, or image_of_caption has "
            "the row of each caption's image"
        )
    return a, b, image


def _comparable(
    captions: np.ndarray, images: np.ndarray, similarity: str
) -> tuple[np.ndarray, np.ndarray]:
    """Scale vectors so that their similarities order the same, and rounding loses nothing."""
    if similarity == "cosine":
        return similarities.unit(scaled(captions)), similarities.unit(scaled(images))
    if similarity == "dot":
        return scaled(captions, None), scaled(images, None)
    both = scaled(np.concatenate([captions, images]), None)
    both -= both.mean(axis=0, dtype=np.float64).astype(both.dtype)
    return both[: len(captions)], both[len(captions) :]


def _warn(captions: np.ndarray, images: np.ndarray, image: np.ndarray, similarity: str) -> None:
    """Warn of most captions' own image scoring as another does, and of vectors of zeros."""
    for name, vectors in (("captions", captions), ("images", images)):
        if zeros := len(vectors) - np.count_nonzero(vectors.any(axis=1)):
            log.warning("%d of %d %s are vectors of zeros", zeros, len(vectors), name)
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


def _images_of(image_of_caption: Any, captions: int, images: int) -> np.ndarray:
    """Check the row (M,) of each caption's image."""
    if image_of_caption is None:
        if captions % images:
            remedy = "give image_of_caption, the row of each caption's image"
            if images % captions == 0:
                remedy = "give the captions first, then the images"
            raise InputError(
                f"{captions} captions are not as many for each of {images} images: {remedy}"
            )
        return np.repeat(np.arange(images), captions // images)
    image = np.asarray(image_of_caption)
    if image.shape != (captions,) or image.dtype.kind not in "iu":
        raise InputError(
            f"image_of_caption is {image.dtype} {image.shape}: it must be integers ({captions},), "
            "the row of each caption's image, from 0"
        )
    if missing := sorted(set(range(images)) ^ set(image.tolist())):
        raise InputError(
            f"image_of_caption: image {missing[0]} has no caption, or is not among the {images} "
            "images: every image must have one, and rows count from 0"
        )
    return image.astype(np.int64)


def compare(a: Result | pd.DataFrame, b: Result | pd.DataFrame) -> pd.DataFrame:
    """Test whether two encoders differ on the same rated pairs, or on the same queries.

    Args:
        a, b: the results of one of `ratings` and `retrieval`, or their items.

    Returns:
        For ratings the rows of `groundvec.evaluation.significance.compare` (Williams' test), with
        the definition; and of the tasks without training pairs the mean, weighted by pairs (a
        paired bootstrap of each subtask's pairs). For retrieval one row per direction and metric:
        queries, a, b, their difference, the ends low and high of its 95% interval and its p by a
        paired bootstrap (10,000 draws of images). Both: test, the test's name, and p_holm, p
        adjusted for the number of rows of the test.

    Raises:
        InputError: they are not results of the same pairs or queries.
    """
    one, other = (each.items if isinstance(each, Result) else each for each in (a, b))
    kinds = [
        next((kind for kind in KINDS if kind <= {*each.columns}), None) for each in (one, other)
    ]
    if None in kinds or kinds[0] != kinds[1]:
        raise InputError(
            "they are not two results of the same kind: give the items of `ratings` twice, which "
            "--predictions writes, or those of `retrieval`, which --ranks writes"
        )
    with extra("evaluate"):
        from groundvec.evaluation import significance
    if kinds[0] == KINDS[1]:
        rows = _differences(one, other)
        return rows.assign(p_holm=significance.holm(rows["p"].to_numpy()), test="paired bootstrap")
    rows = significance.compare(one, other)
    classified = one.groupby(["task", "subtask"], sort=False)["classifier"].count().gt(0)
    names = classified.map({True: "SentEval classifier", False: "SentEval cosine"})
    named = rows.merge(names.rename("definition").reset_index(), on=["task", "subtask"])
    named.insert(2, "definition", named.pop("definition"))
    mean = _difference_of_means(one, other)
    return pd.concat([named.assign(test="Williams"), mean], ignore_index=True)


def _difference_of_means(one: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    """Compare the weighted means of the tasks by cosine: one row, or none without such tasks."""
    both = one.merge(other[["pair", "cosine"]], on="pair", suffixes=("_a", "_b"))
    both = both[both["classifier"].isna()]
    rng = np.random.default_rng(SEED)
    parts = []
    for _, own in both.groupby(["task", "subtask"], sort=False):
        predicted = own[["cosine_a", "cosine_b"]].to_numpy().T
        times = bootstrap.draws(len(own), rng)
        draws = bootstrap.correlation(predicted, own["rating"].to_numpy(), times)
        parts.append(len(own) / len(both) * draws / 100)
    if not parts:
        return pd.DataFrame()
    means = np.sum(parts, axis=0)
    p = _two_sided(means[0, 1:] - means[1, 1:])
    values = ["all", "weighted mean", "SentEval cosine", len(both), *means[:, 0], np.nan, p, p]
    names = ["task", "subtask", "definition", "n", "r_a", "r_b", "t", "p", "p_holm"]
    return pd.DataFrame([values], columns=names).assign(test="paired bootstrap")


def _two_sided(differences: np.ndarray) -> float:
    """Compute the two-sided p of differences that were drawn by a bootstrap."""
    tail = min(np.count_nonzero(differences <= 0), np.count_nonzero(differences >= 0))
    return min(1.0, 2 * (1 + tail) / (1 + len(differences)))


def _differences(one: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    """Compare ranks."""
    queries = ["test_set", "direction", "image"]
    sizes = [each.groupby(queries).size() for each in (one, other)]
    if not sizes[0].equals(sizes[1]):
        raise InputError(
            f"the ranks are not of the same queries ({len(one)} and {len(other)}): make both with "
            "the same captions, images and folds"
        )
    rows = []
    both = pd.concat([one.assign(system=0), other.assign(system=1)], ignore_index=True)
    for direction, own in both.groupby("direction", sort=False):
        by_image = [own["system"], own["image"]]
        counts = own.groupby(by_image).size().unstack().to_numpy(float)
        times = bootstrap.draws(counts.shape[1], np.random.default_rng(SEED))
        measures = {f"r{k}": 100 * (own["rank"] <= k) for k in CUTOFFS} | {"mean_rank": own["rank"]}
        for measure, values in measures.items():
            sums = values.groupby(by_image).sum().unstack().to_numpy(float)
            means = bootstrap.mean(sums, counts, times)
            differences = means[0] - means[1]
            low, high = bootstrap.interval(differences)
            found = *means[:, 0], differences[0], low, high, _two_sided(differences[1:])
            rows.append((direction, measure, len(own) // 2, *found))
    names = ["direction", "measure", "queries", "a", "b", "difference", "low", "high", "p"]
    return pd.DataFrame(rows, columns=names)


def read_array(path: str | Path) -> np.ndarray:
    """Read an array from a .npy file; nothing in it is executed.

    Raises:
        InputError: it is missing, of another form, or larger than the file or the memory.
    """
    check_regular(path)
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)  # which finds a false size
        if not isinstance(array, np.ndarray):
            raise ValueError("it is an archive")
        if not array.dtype.itemsize:
            raise ValueError(f"{array.dtype} has no bytes")
    except FileNotFoundError:
        raise InputError(
            f"{path} does not exist: name a .npy file, as numpy.save writes it"
        ) from None
    except (OSError, MemoryError):
        raise
    except Exception as error:  # which one depends on which byte of the header is wrong
        # NumPy's next sentence advises to run what a pickle holds.
        reason = " ".join(str(error).split()).partition(". ")[0][:200]
        raise InputError(
            f"{path} is not a .npy file of numbers ({reason}): write it with numpy.save"
        ) from None
    check_memory(path, array.nbytes)
    return np.array(array)


def checked(values: Any, name: str, rows: int | None = None) -> np.ndarray:
    """Return vectors (N, size), such as a list of lists, as finite floating-point numbers.

    Args:
        name: what to call them in an error.
        rows: how many there must be.

    Raises:
        InputError: they are of another shape, not numbers, or not finite.
    """
    array = as_array(values, name)
    if array.ndim != 2 or array.dtype.kind not in "fiu" or not array.size:
        raise InputError(f"{name}: {array.dtype} {array.shape}; it must be numbers (N, size)")
    if rows is not None and len(array) != rows:
        raise InputError(
            f"{name}: {len(array):,} rows for {rows:,} sentences; it must have a row for each line "
            "of what `groundvec evaluate sentences` writes of the same tasks"
        )
    return finite(array, name)


def table(scores: pd.DataFrame) -> str:
    """Print the scores of a `Result`: those that are quoted most, all, and how they were made.

    Correlations are times 100.
    """
    rated = "definition" in scores
    factor = 100 if rated else 1
    shown = KEYS if rated else ["direction", "test_set"]
    text = scores[shown].copy()
    for name in scores:
        if f"{name}_low" in scores or name == "median_rank":
            text[name] = [f"{factor * value:.1f}" for value in scores[name]]
        if f"{name}_low" in scores:
            ends = zip(scores[f"{name}_low"], scores[f"{name}_high"], strict=True)
            text[name] += [f" [{factor * low:.1f}, {factor * high:.1f}]" for low, high in ends]
        elif name in ("seen", "queries"):
            text[name] = scores[name]
    if rated:
        first = _quoted(scores)
        notes = ["Correlations times 100, with 95% intervals (Fisher's)."]
        notes += [f"{name}: {DEFINITIONS[name]}" for name in scores["definition"].unique()]
    else:
        one = scores.iloc[0]
        first = []
        notes = [f"{one['images']:,} images, captions per image: {one['captions_per_image']}."]
        notes += [f"Similarity: {one['similarity']}. Folds: {one['folds']} ({one['of_folds']})."]
        notes += [f"{row['direction']}: {row['counted']}." for row in scores.to_dict("records")]
        notes += [f"Ties: {one['ties']}. Median of an even number: {one['median']}. {INTERVALS}"]
    return "\n".join([*first, text.to_string(index=False), "", *notes])


def _quoted(scores: pd.DataFrame) -> list[str]:
    """Write the scores that are quoted most, a line each, and an empty line."""
    pearson = scores.set_index(["task", "definition", "statistic"])["pearson"]
    lines = [f"{name}: {100 * pearson[key]:.1f}" for key, name in QUOTED.items() if key in pearson]
    spearman = scores.loc[scores["definition"] == "MTEB cosine", "spearman"]
    lines.append(f"MTEB, Spearman, mean of {len(spearman)} tasks: {100 * spearman.mean():.1f}")
    return [*lines, ""]
