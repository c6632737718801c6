"""Sentences of one image that lie far apart, and verbs (Socher et al. 2014, section 6.6).

The paper says that the SDT-RNN fails mainly where one of two sentences has no verb. So: how often
is that so among the pairs with the worst ranks, and how often among all pairs?
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from groundvec.card.text import decimals
from groundvec.evaluation import bootstrap
from groundvec.evaluation.ranks import rounding
from groundvec.evaluation.seeds import t_interval
from groundvec.similarity import scores
from groundvec.text.encoded import cleaned
from reproduction.papers.socher_2014.labels import trained_as
from reproduction.render.tables import column_with_interval, write_table
from reproduction.reporting.embedded import embed, given_treebank, of_one
from reproduction.reporting.results import Results

VERBS = {"VERB", "AUX"}  # the tags of Universal Dependencies
BOTH = "both have a verb"
ONE = "one has no verb"
NEITHER = "neither has a verb"
WORST = 0.1  # the share of pairs that are called the worst
SHOWN = 20
DRAWS = 100  # at once: those of 50,000 pairs are 40 MB
QUERIES_PER_BLOCK = 500  # bounds the memory: 20 MB of scores with 5,000 sentences, and masks

RANKS = (
    "Rank of a pair: the mean of both ways of the rank, from 1, of one sentence among the other "
    "images' sentences as seen from the other one; of the test set, by the SDT-RNN's best snapshot "
    "on the development set. The lower the nearer."
)
VERBS_NOTE = f"A sentence has a verb if the parser tags a word as {' or '.join(sorted(VERBS))}."
SHARES_NOTE = (
    f"The worst are the tenth of the pairs with the highest ranks. Intervals are of 95%: of one "
    f"seed by bootstrap over images ({bootstrap.DRAWS:,} resamples), of several seeds as in Table "
    "1. The paper calls it the main failure that one sentence has no verb, without a number."
)


def make(results: Results, stem: Path) -> None:
    """Write the worst pairs of one data set; the shares are called stem-shares."""
    models = of_one(trained_as(results.models, "SDT-RNN"))
    tables = []
    treebank = given_treebank(results)
    for _, about in models.iterrows():
        found = embed(results, about, treebank=treebank)
        trees = treebank.trees(cleaned(found.captions), about["text.parser"])
        verbs = np.array([has_verb(tree.tags) for tree in trees])
        pairs = of_one_image(found.caption_vectors, found.image, verbs, found.similarity)
        texts = np.array(found.captions, object)
        sides = {f"sentence_{side}": texts[pairs[side]] for side in "ab"}
        labels = {name: about[name] for name in ("dataset", "model", "seed")}
        images = found.image_ids[pairs["image"]]
        tables.append(pairs.assign(**labels, **sides, image_id=images))
    table = pd.concat(tables, ignore_index=True)
    title = f"{models['model'].iloc[0]} on {models['dataset'].iloc[0]}"
    write_pairs(stem, table, title)
    of_seeds = shares(table, models["test_to_train"].iloc[0])
    text = of_seeds[["measure"]].assign(value=column_with_interval(of_seeds, "value"))
    text["seeds"] = of_seeds["seeds"].astype(str)
    title = f"Pairs of sentences of one image, and verbs: {title}."
    beside = stem.with_name(f"{stem.name}-shares")
    write_table(beside, of_seeds, text, "lrr", title, [RANKS, VERBS_NOTE, SHARES_NOTE])


def has_verb(tags: Sequence[str]) -> bool:
    """Return whether a sentence whose words have these tags has a verb."""
    return not VERBS.isdisjoint(tags)


def of_one_image(
    vectors: np.ndarray, image: np.ndarray, verbs: np.ndarray, similarity: str
) -> pd.DataFrame:
    """Pair every two sentences of one image, and rank them as seen from each other.

    A sentence as near as the right one ranks before it. Ranks count from 1, among the sentences of
    other images and the right one.

    Args:
        vectors: of the sentences, embedded, (M, size).
        image: (M,) the number of each sentence's image.
        verbs: (M,) whether each sentence has a verb.
    """
    same = rounding(vectors, vectors, similarity)
    rows = pd.DataFrame({"image": image, "row": np.arange(len(image))})
    both = rows.merge(rows, on="image", suffixes=("_a", "_b")).query("row_a < row_b")
    a = both["row_a"].to_numpy()
    b = both["row_b"].to_numpy()
    query = np.concatenate([a, b])
    other = np.concatenate([b, a])
    ranks = np.empty(len(query), np.int64)
    for start in range(0, len(query), QUERIES_PER_BLOCK):
        block = slice(start, start + QUERIES_PER_BLOCK)
        near = scores(vectors[query[block]], vectors, similarity)
        own = near[np.arange(len(near)), other[block]]
        foreign = image[query[block], None] != image
        ranks[block] = 1 + np.count_nonzero((near >= own[:, None] - same) & foreign, axis=1)
    of_b, of_a = np.split(ranks, 2)
    return pd.DataFrame(
        {
            **{"image": image[a], "a": a, "b": b, "rank_of_b": of_b, "rank_of_a": of_a},
            "rank": (of_a + of_b) / 2,
            "verbs": np.array([NEITHER, ONE, BOTH], object)[verbs[a].astype(int) + verbs[b]],
        }
    )


def measures(pairs: pd.DataFrame, times: np.ndarray | None = None) -> pd.DataFrame:
    """Measure the shares of pairs of which one has no verb, in percent, and the mean ranks.

    Args:
        pairs: the result of `of_one_image`.
        times: (draws, pairs) how often each counts; by default once.

    Returns:
        One row per draw.
    """
    ranks = pairs["rank"].to_numpy()
    verbs = pairs["verbs"].to_numpy()
    times = np.ones((1, len(pairs))) if times is None else times.astype(float)
    order = np.argsort(-ranks, kind="stable")
    ranks = ranks[order]
    verbs = verbs[order]
    times = times[:, order]
    before = times.cumsum(axis=1) - times
    # How much of each is among the worst.
    worst = np.clip(WORST * times.sum(axis=1, keepdims=True) - before, 0, times)
    everywhere, among_worst = (100 * (w @ (verbs == ONE)) / w.sum(axis=1) for w in (times, worst))
    found = {
        "one has no verb, of all pairs (%)": everywhere,
        "one has no verb, of the worst tenth (%)": among_worst,
        "difference (points)": among_worst - everywhere,
    }
    for name in (BOTH, ONE, NEITHER):
        chosen = verbs == name
        with np.errstate(invalid="ignore"):  # NaN where no pair is chosen
            found[f"mean rank where {name}"] = times @ (chosen * ranks) / (times @ chosen)
    return pd.DataFrame(found)


def shares(pairs: pd.DataFrame, test_to_train: float = 0.0) -> pd.DataFrame:
    """Compute the `measures` with their intervals, over the seeds or a bootstrap over images."""
    of_seeds = [rows for _, rows in pairs.groupby("seed", sort=False)]
    values = pd.concat([measures(rows) for rows in of_seeds])
    if len(of_seeds) > 1:
        of_measure = partial(t_interval, test_to_train=test_to_train)
        intervals = [of_measure(values[name].dropna()) for name in values]
    else:
        [rows] = of_seeds
        number = np.unique(rows["image"], return_inverse=True)[1]
        drawn = bootstrap.draws(number.max() + 1, np.random.default_rng(0))[1:]
        batches = (drawn[start : start + DRAWS] for start in range(0, len(drawn), DRAWS))
        again = pd.concat([measures(rows, times[:, number]) for times in batches])
        low, high = (again.quantile(end) for end in (0.025, 0.975))
        intervals = list(zip(low, high, strict=True))
    table = pd.DataFrame({"measure": list(values), "value": values.mean().to_numpy()})
    table[["value_low", "value_high"]] = intervals
    return table.assign(seeds=len(of_seeds))


def write_pairs(stem: Path, table: pd.DataFrame, model: str) -> None:
    """Write the worst pairs of a model; of several seeds each pair once."""
    table = table.sort_values("rank", ascending=False, kind="stable")
    worst = table.drop_duplicates(["image_id", "sentence_a", "sentence_b"]).head(SHOWN)
    text = worst[["rank", "verbs", "sentence_a", "sentence_b"]].assign(rank=decimals(worst["rank"]))
    text.columns = text.columns.str.replace("_", " ")
    sentence = r"p{0.35\linewidth}"
    title = f"Sentences of one image with the worst ranks: {model}."
    notes = [RANKS, VERBS_NOTE, f"The worst {SHOWN}; the CSV file has all pairs of every seed."]
    raw = table.drop(columns=["image", "a", "b"])
    write_table(stem, raw, text, ["r", "l", sentence, sentence], title, notes)
