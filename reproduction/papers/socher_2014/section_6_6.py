"""Find sentences of one image with distant vectors, and their verbs (Socher et al. 2014, sec. 6.6).

According to the paper, the SDT-RNN fails mainly if one of two sentences has no verb. The share of
such pairs is therefore compared between the pairs with the worst ranks and all pairs.
"""

from pathlib import Path

import numpy as np
import pandas as pd

from groundvec.card.text import decimals
from groundvec.evaluation import bootstrap
from groundvec.evaluation.ranks import queries_in_blocks, rounding
from groundvec.similarity import scores
from groundvec.text.encoded import cleaned
from reproduction.papers.socher_2014.labels import sdt_rnns
from reproduction.render.tables import column_with_interval, write_table
from reproduction.reporting.embedded import check_one_dataset, embed, given_treebank
from reproduction.reporting.results import Results
from reproduction.reporting.seeds import mean_of_seeds

VERBS = {"VERB", "AUX"}  # tags of Universal Dependencies
BOTH = "both have a verb"
ONE = "one has no verb"
NEITHER = "neither has a verb"
WORST = 0.1  # the share of the pairs with the highest ranks
SHOWN = 20
DRAWS = 100  # computed at once; for 50,000 pairs these take 40 MB

RANKS = (
    "Rank of a pair: each sentence is the query for the other, which is ranked (from 1) among the "
    "sentences of all other images; the mean of both ranks. Lower is nearer. Measured on the test "
    "set, for the SDT-RNN's best snapshot on the development set."
)
VERBS_NOTE = f"A sentence has a verb if the parser tags a word as {' or '.join(sorted(VERBS))}."
SHARES_NOTE = (
    "The worst pairs are the tenth with the highest ranks. Intervals are of 95%: for one seed by "
    f"bootstrap over images ({bootstrap.DRAWS:,} resamples), for several seeds as in Table 1. The "
    "paper names a missing verb as the main failure, without a number."
)


def make(results: Results, stem: Path) -> None:
    """Write the worst pairs of one data set to `stem`, and the shares to `stem`-shares."""
    models = check_one_dataset(sdt_rnns(results.models))
    tables = []
    treebank = given_treebank(results)
    for _, training in models.iterrows():
        test = embed(results, training, treebank=treebank)
        trees = treebank.trees(cleaned(test.captions), training["text.parser"])
        verbs = np.array([not VERBS.isdisjoint(tree.tags) for tree in trees])
        pairs = of_one_image(test.caption_vectors, test.image, verbs, test.similarity)
        texts = np.array(test.captions, object)
        tables.append(
            pairs.assign(
                dataset=training["dataset"],
                model=training["model"],
                seed=training["seed"],
                sentence_a=texts[pairs["a"]],
                sentence_b=texts[pairs["b"]],
                image_id=test.image_ids[pairs["image"]],
            )
        )
    table = pd.concat(tables, ignore_index=True)
    title = f"{models['model'].iloc[0]} on {models['dataset'].iloc[0]}"
    write_pairs(stem, table, title)
    of_seeds = shares(table, models["test_to_train"].iloc[0])
    text = of_seeds[["measure"]].assign(value=column_with_interval(of_seeds, "value"))
    text["seeds"] = of_seeds["seeds"].astype(str)
    title = f"Pairs of sentences of one image, and verbs: {title}."
    shares_stem = stem.with_name(f"{stem.name}-shares")
    write_table(shares_stem, of_seeds, text, "lrr", title, [RANKS, VERBS_NOTE, SHARES_NOTE])


def of_one_image(
    vectors: np.ndarray, image: np.ndarray, verbs: np.ndarray, similarity: str
) -> pd.DataFrame:
    """Pair the sentences of each image, and rank each sentence with the other one as the query.

    Ranks count from 1, among the sentences of other images and the right one. A sentence with the
    same score as the right one ranks before it.

    Args:
        vectors: (M, size) the vectors of the sentences.
        image: (M,) the number of each sentence's image.
        verbs: (M,) whether each sentence has a verb.
    """
    same = rounding(vectors, vectors, similarity)
    rows = pd.DataFrame({"image": image, "row": np.arange(len(image))})
    pairs = rows.merge(rows, on="image", suffixes=("_a", "_b")).query("row_a < row_b")
    a = pairs["row_a"].to_numpy()
    b = pairs["row_b"].to_numpy()
    query = np.concatenate([a, b])
    other = np.concatenate([b, a])
    ranks = np.empty(len(query), np.int64)
    for block in queries_in_blocks(len(query), len(vectors)):
        of_all = scores(vectors[query[block]], vectors, similarity)
        of_right = of_all[np.arange(len(of_all)), other[block]]
        of_other_image = image[query[block], None] != image
        before = (of_all >= of_right[:, None] - same) & of_other_image
        ranks[block] = 1 + np.count_nonzero(before, axis=1)
    of_b, of_a = np.split(ranks, 2)
    return pd.DataFrame(
        {
            "image": image[a],
            "a": a,
            "b": b,
            "rank_of_b": of_b,
            "rank_of_a": of_a,
            "rank": (of_a + of_b) / 2,
            "verbs": np.array([NEITHER, ONE, BOTH], object)[verbs[a].astype(int) + verbs[b]],
        }
    )


def measures(pairs: pd.DataFrame, times: np.ndarray | None = None) -> pd.DataFrame:
    """Compute the share of pairs with one verbless sentence, in percent, and the mean ranks.

    Args:
        pairs: the result of `of_one_image`.
        times: (draws, pairs) how often each pair counts; by default once.

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
    # The worst tenth may end within a pair that counts several times: its rest is left out.
    before = times.cumsum(axis=1) - times
    worst = np.clip(WORST * times.sum(axis=1, keepdims=True) - before, 0, times)
    among_all = 100 * (times @ (verbs == ONE)) / times.sum(axis=1)
    among_worst = 100 * (worst @ (verbs == ONE)) / worst.sum(axis=1)
    columns = {
        "one has no verb, of all pairs (%)": among_all,
        "one has no verb, of the worst tenth (%)": among_worst,
        "difference (points)": among_worst - among_all,
    }
    for name in (BOTH, ONE, NEITHER):
        is_kind = verbs == name
        with np.errstate(invalid="ignore"):  # NaN if a draw has no such pair
            columns[f"mean rank where {name}"] = times @ (is_kind * ranks) / (times @ is_kind)
    return pd.DataFrame(columns)


def shares(pairs: pd.DataFrame, test_to_train: float = 0.0) -> pd.DataFrame:
    """Compute the `measures` with their intervals, as Table 1 does.

    Args:
        pairs: the results of `of_one_image` for each seed, with the column seed.
        test_to_train: test/train images of a draw, for which each seed has its own test images.
    """
    of_seeds = [in_draws(rows) for _, rows in pairs.groupby("seed", sort=False)]
    rows = [
        (name, *mean_of_seeds([draws[name].to_numpy() for draws in of_seeds], test_to_train))
        for name in of_seeds[0]
    ]
    table = pd.DataFrame(rows, columns=["measure", "value", "value_low", "value_high"])
    return table.assign(seeds=len(of_seeds))


def in_draws(pairs: pd.DataFrame) -> pd.DataFrame:
    """Compute the `measures` of one seed, of its pairs themselves and in each draw of images."""
    image = np.unique(pairs["image"], return_inverse=True)[1]
    # All seeds get the same draws.
    times = bootstrap.draws(image.max() + 1, np.random.default_rng(0))
    batches = (times[start : start + DRAWS] for start in range(0, len(times), DRAWS))
    return pd.concat([measures(pairs, batch[:, image]) for batch in batches], ignore_index=True)


def write_pairs(stem: Path, table: pd.DataFrame, model: str) -> None:
    """Write the worst pairs of a model, each pair once for all seeds."""
    table = table.sort_values("rank", ascending=False, kind="stable")
    worst = table.drop_duplicates(["image_id", "sentence_a", "sentence_b"]).head(SHOWN)
    text = worst[["rank", "verbs", "sentence_a", "sentence_b"]].assign(rank=decimals(worst["rank"]))
    text.columns = text.columns.str.replace("_", " ")
    sentence = r"p{0.35\linewidth}"
    title = f"Sentences of one image with the worst ranks: {model}."
    notes = [RANKS, VERBS_NOTE, f"The worst {SHOWN}; the CSV file has all pairs of every seed."]
    raw = table.drop(columns=["image", "a", "b"])
    write_table(stem, raw, text, ["r", "l", sentence, sentence], title, notes)
