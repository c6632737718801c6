import math
import subprocess
import sys
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundvec.data.split import Captions, Split
from groundvec.evaluation import chance, model_retrieval, retrieval
from groundvec.evaluation.ranks import DIRECTIONS, development_recall
from groundvec.evaluation.snapshots import best_snapshots
from groundvec.runtime.errors import InputError

SCORES = {
    "cosine": lambda a, b: a @ b,
    "dot": lambda a, b: a @ b,
    "euclidean": lambda a, b: -sum((x - y) ** 2 for x, y in zip(a, b, strict=True)),
}


def evaluate(*arguments, **options):
    return retrieval.scored(retrieval.rank_both_ways(*arguments, **options))


def brute_force(captions, images, image, similarity):
    """Both directions by counting, the right candidate placed behind all that tie with it."""
    score = SCORES[similarity]
    scores = np.array([[score(caption, picture) for picture in images] for caption in captions])
    c2i = [
        1 + sum(s >= row[own] for j, s in enumerate(row) if j != own)
        for row, own in zip(scores, image, strict=True)
    ]
    i2c = []
    for i, column in enumerate(scores.T):
        best = max(s for s, own in zip(column, image, strict=True) if own == i)
        i2c.append(1 + sum(s >= best for s, own in zip(column, image, strict=True) if own != i))
    return c2i, i2c


@pytest.mark.parametrize("similarity", SCORES)
@given(st.integers(0, 10_000), st.integers(1, 9), st.integers(1, 4))
def test_ranks_equal_brute_force_ties_included(similarity, seed, n, per_image):
    rng = np.random.default_rng(seed)
    images = rng.integers(-2, 3, (n, 3)).astype(np.float32)  # small integers: exact, many ties
    image = np.sort(np.r_[np.arange(n), rng.integers(0, n, n * (per_image - 1))])
    captions = rng.integers(-2, 3, (len(image), 3)).astype(np.float32)
    c2i, i2c = brute_force(captions, images, image, similarity)
    given = captions, images, image, similarity
    assert [ranks.tolist() for ranks in retrieval.ranks(*given)] == [c2i, i2c]


@pytest.mark.parametrize("similarity", ["dot", "euclidean"])
@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_ties_are_found_at_any_length_of_the_vectors(similarity, scale):
    """The two captions of an image are equal but for rounding, and so tie with each other's."""
    rng = np.random.default_rng(0)
    images = (scale * rng.normal(size=(4, 50))).astype(np.float32)
    captions = np.repeat(images[:1], 4, axis=0)
    captions[2:] *= np.float32(1 + 1e-7)
    ranks, _ = retrieval.ranks(captions, np.repeat(images[:1], 4, axis=0), np.arange(4), similarity)
    assert ranks.tolist() == [4, 4, 4, 4]


def test_the_right_one_is_always_found():
    """Where rounding is large, since images are far longer vectors than captions."""
    rng = np.random.default_rng(0)
    captions = rng.normal(size=(300, 50)).astype(np.float32)
    images = rng.normal(0, 3000, size=(300, 50)).astype(np.float32)
    for ranks in retrieval.ranks(captions, images, np.arange(300), "euclidean"):
        assert ranks.min() >= 1 and ranks.max() <= 300


def test_blocks_do_not_change_the_ranks(monkeypatch):
    rng = np.random.default_rng(0)
    images, captions = rng.normal(size=(23, 5)), rng.normal(size=(115, 5))
    image = np.repeat(np.arange(23), 5)
    whole = evaluate(captions, images, image)
    monkeypatch.setattr("groundvec.evaluation.ranks.QUERIES_PER_BLOCK", 7)
    assert evaluate(captions, images, image).equals(whole)


def test_a_model_that_maps_everything_to_one_point_retrieves_nothing():
    ones = np.ones((20, 4))
    table = evaluate(np.repeat(ones, 5, axis=0), ones, np.repeat(np.arange(20), 5))
    assert table["r10"].tolist() == [0, 0]
    assert table["median_rank"].tolist() == [20, 96]  # 96: behind the 95 of the others


def test_equal_captions_tie_whatever_rounding_makes_of_them():
    """Two images with the same caption, whose embeddings were computed in different batches."""
    rng = np.random.default_rng(0)
    embedding = rng.normal(size=64).astype(np.float32)
    embedding /= np.linalg.norm(embedding)
    captions = np.stack([embedding, embedding * np.float32(1 - 1e-7)])
    images = captions[::-1].copy()
    for order in ([0, 1], [1, 0]):
        table = evaluate(captions[order], images, np.arange(2))
        assert table["r1"].tolist() == [0, 0]


def test_recalls_and_medians_by_hand():
    """Four captions of four images on a circle; the ranks can be read off the angles."""
    images = np.eye(4)
    captions = np.array([[4, 3, 2, 1], [4, 3, 2, 1], [4, 3, 2, 1], [1, 2, 3, 4]], float)
    c2i, i2c = evaluate(captions, images, np.arange(4)).to_dict("records")
    assert c2i["direction"] == "caption_to_image"  # ranks 1, 2, 3, 1
    assert (c2i["r1"], c2i["r5"], c2i["median_rank"], c2i["queries"]) == (50, 100, 1.5, 4)
    # image 0: own 4 ties with two others -> 3; 1: own 3 ties with two -> 3;
    # 2: own 2 against 2, 2, 3 -> 4; 3: own 4 against 1, 1, 1 -> 1
    assert (i2c["r1"], i2c["median_rank"]) == (25, 3.0)


def test_intervals_are_the_paper_s():
    """Table 2 of the paper: 27.5 +- 1.2 of 5,000 captions and 38.5 +- 3.0 of 1,000 images."""
    assert round(retrieval.recall_interval(27.5, 5000), 1) == 1.2
    assert round(retrieval.recall_interval(38.5, 1000), 1) == 3.0
    assert round(retrieval.recall_interval(41.4, 25000), 1) == 0.6  # five folds together


def test_folds_are_scored_apart_and_averaged():
    rng = np.random.default_rng(1)
    images, captions = rng.normal(size=(20, 6)), rng.normal(size=(100, 6))
    image = np.repeat(np.arange(20), 5)
    folded = evaluate(captions, images, image, folds=2)
    halves = [
        evaluate(captions[:50], images[:10], image[:50]),
        evaluate(captions[50:], images[10:], image[50:] - 10),
    ]

    def rows(table):
        return table.to_dict("records")

    for row, first, second in zip(*map(rows, [folded, *halves]), strict=True):
        assert row["r5"] == pytest.approx((first["r5"] + second["r5"]) / 2)
        for rank in ("median_rank", "mean_rank"):
            assert row[rank] == pytest.approx((first[rank] + second[rank]) / 2)
        assert row["queries"] == first["queries"] + second["queries"]


def random_ranks(counts):
    """The ranks in all orders of the candidates, by place, where image i has counts[i] captions."""
    image = np.repeat(np.arange(len(counts)), counts)
    c2i = [order.index(own) + 1 for order in permutations(range(len(counts))) for own in image]
    i2c = []
    for order in permutations(range(len(image))):
        own = image[list(order)]
        for i in range(len(counts)):
            best = own.tolist().index(i)
            i2c.append(1 + sum(own[:best] != i))
    return image, np.array(c2i), np.array(i2c)


@pytest.mark.parametrize("counts", [[1], [4], [2, 1], [4, 4], [1, 3, 2], [1] * 6, [1] * 7, [5, 2]])
def test_chance_is_what_all_orders_give_on_average(counts):
    image, *ranks = random_ranks(counts)
    table = chance.chance(image)
    vectors = np.eye(len(image))
    assert list(table) == list(evaluate(vectors, vectors[: len(counts)], image))
    assert table["direction"].tolist() == list(DIRECTIONS)
    assert table["queries"].tolist() == [len(image), len(counts)]
    for row, r in zip(table.to_dict("records"), ranks, strict=True):
        for k in (1, 5, 10):
            assert row[f"r{k}"] == pytest.approx(100 * np.mean(r <= k))
            assert row[f"r{k}_ci"] == 0
        assert row["median_rank"] == np.median(r)
        assert row["mean_rank"] == pytest.approx(np.mean(r))


def test_random_embeddings_score_by_chance():
    """In two folds, whose images have one to five captions."""
    rng = np.random.default_rng(0)
    image = np.repeat(np.arange(40), rng.integers(1, 6, 40))
    found = pd.concat(
        evaluate(rng.normal(size=(len(image), 9)), rng.normal(size=(40, 9)), image, 2)
        for _ in range(500)
    )
    mean = found.groupby("direction").mean()
    expected = chance.chance(image, folds=2).set_index("direction")
    for measure, within in (
        ("r1", 0.6),
        ("r5", 1.2),
        ("r10", 1.5),
        ("median_rank", 0.5),
        ("mean_rank", 0.5),
    ):
        np.testing.assert_allclose(mean[measure], expected[measure], atol=within)
    assert mean["queries"].to_dict() == expected["queries"].to_dict()


def test_chance_is_exact_at_the_size_of_mscoco():
    c2i, i2c = chance.chance(np.repeat(np.arange(5000), 5)).to_dict("records")
    assert (c2i["r10"], c2i["median_rank"]) == (pytest.approx(0.2), 2500.5)
    for k in (1, 5, 10):
        beyond = math.comb(24_995, k) / math.comb(25_000, k)
        assert i2c[f"r{k}"] == pytest.approx(100 * (1 - beyond))


def test_the_names_of_test_sets_are_the_paper_s():
    assert retrieval.test_set_name(1000) == "1k"
    assert retrieval.test_set_name(5000) == "5k"
    assert retrieval.test_set_name(5000, 5) == "1k-folds"
    assert retrieval.test_set_name(150) == "150"


def test_the_two_best_snapshots_are_chosen_and_of_equals_the_later():
    dev_recall = pd.Series({4: 50.0, 8: 70.0, 12: 60.0, 16: 60.0})
    assert best_snapshots(dev_recall) == [8, 16]
    assert best_snapshots(dev_recall[[4]]) == [4]
    dev_recall[12] = np.nextafter(60, 61)  # more by rounding only
    assert best_snapshots(dev_recall) == [8, 16]


@pytest.mark.parametrize("folds", [2, 5])
def test_folds_that_are_not_equal_are_refused(folds):
    with pytest.raises(InputError, match=f"3 images cannot be cut into {folds} equal folds"):
        evaluate(np.eye(3), np.eye(3), np.arange(3), folds=folds)
    with pytest.raises(InputError, match=f"3 images cannot be cut into {folds} equal folds"):
        chance.chance(np.arange(3), folds=folds)


def test_memory_stays_bounded_at_the_size_of_mscoco():
    """All scores of 5,000 images and 25,000 captions at once would take 500 MB, many times over."""
    program = (
        "import numpy as np, resource\n"
        "from groundvec.evaluation import retrieval\n"
        "rng = np.random.default_rng(0)\n"
        "captions = rng.standard_normal((25_000, 64), np.float32)\n"
        "images = rng.standard_normal((5_000, 64), np.float32)\n"
        "peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "before = peak()\n"
        "retrieval.rank_both_ways(captions, images, np.repeat(np.arange(5_000), 5))\n"
        "print(peak() - before)\n"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert int(result.stdout) < 450_000, result.stderr  # kB


# A model's snapshots, and their ensemble


class Fixed:
    """A model whose vectors are given."""

    similarity = "cosine"

    def __init__(self, images, captions):
        self.images, self.captions = images, captions

    def encode_images(self, features):
        return self.images

    def encode_captions(self, encoded, language):
        return self.captions[language]


ENSEMBLE = {"epochs": [1, 2], "best": 2}


@pytest.fixture
def scored():
    """Of three snapshots, with captions in two languages of which one has fewer."""
    rng = np.random.default_rng(0)

    def unit(rows):
        vectors = rng.normal(size=(rows, 4))
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    image = {"en": np.repeat(np.arange(6), 2), "de": np.arange(6)}
    models = {
        epoch: Fixed(unit(6), {language: unit(len(own)) for language, own in image.items()})
        for epoch in (0, 1, 2)
    }
    captions = {
        language: Captions(None, own, np.zeros(len(own), int)) for language, own in image.items()
    }
    split = Split(np.arange(6).astype(str), np.zeros((6, 3), np.float32), captions)
    return models, split, image


def test_every_snapshot_and_the_ensemble_is_scored_in_every_language(scored):
    models, split, image = scored
    table, ranks = model_retrieval.score_model(
        models.get, models, ENSEMBLE, {0}, split, "cosine", 2
    )
    for (language, kind, epochs, test_set), rows in table.groupby(
        ["language", "kind", "epochs", "test_set"]
    ):
        folds = 2 if test_set == "3-folds" else 1
        if kind == "random" or "-" in language:
            continue
        if kind == "chance":
            expected = chance.chance(image[language], folds)
            of_sentences = chance.chance_of_captions(image[language])
        else:
            chosen = [models[int(epoch)] for epoch in epochs.split("+")]
            of_captions = sum(model.captions[language] for model in chosen)
            of_images = sum(model.images for model in chosen)
            vectors = (v / np.linalg.norm(v, axis=1)[:, None] for v in (of_captions, of_images))
            of_captions, of_images = vectors
            expected = evaluate(of_captions, of_images, image[language], folds)
            of_sentences = retrieval.scored(retrieval.rank_sentences(of_captions, image[language]))
        if language == "en" and folds == 1 and (kind != "snapshot" or epochs == "2"):
            expected = pd.concat([expected, of_sentences], ignore_index=True)
        columns = list(expected)
        pd.testing.assert_frame_equal(rows[columns].reset_index(drop=True), expected)
        if folds == 1 and (kind == "ensemble" or epochs == "0"):
            system = ranks.set_index(["language", "kind", "epochs"]).loc[(language, kind, epochs)]
            of_ways = system.groupby("direction", sort=False)["rank"]
            assert of_ways.mean().tolist() == expected["mean_rank"].tolist()
            assert of_ways.count().tolist() == expected["queries"].tolist()
    # Languages, directions, test sets, systems; and sentences, of which German has one an image,
    # and each language finds the other's.
    assert len(table) == 2 * 2 * 2 * (1 + 1 + 3 + 1) + 4 + 2 * 4
    of_sentences = table[table["direction"] == "caption_to_caption"]
    assert set(of_sentences["language"]) == {"en", "en-de", "de-en"}
    assert set(zip(ranks["kind"], ranks["epochs"], strict=True)) == {
        *(("snapshot", "0"), ("ensemble", "1+2"))
    }
    captions = ranks[ranks["language"].eq("en") & ranks["direction"].eq("caption_to_image")]
    assert captions["image"].tolist() == image["en"].tolist() * 2


@pytest.mark.parametrize(("one", "other"), [("en", "de"), ("de", "en")])
def test_captions_find_those_of_the_other_language(scored, one, other):
    models, split, image = scored
    table, _ = model_retrieval.score_model(models.get, models, ENSEMBLE, {}, split, "cosine")
    table = table[table["language"] == f"{one}-{other}"].set_index("kind")
    assert table.index.tolist() == ["chance", "random", "snapshot", "ensemble"]
    assert (table["test_set"] == "6").all()
    queries, candidates = (models[2].captions[language] for language in (one, other))
    ranks = []
    for row, vector in enumerate(queries):
        scores = candidates @ vector
        own = image[other] == image[one][row]
        ranks.append(1 + (scores[~own] >= scores[own].max()).sum())
    found = table.loc["snapshot"]
    assert found["mean_rank"] == pytest.approx(np.mean(ranks))
    assert found["r1"] == pytest.approx(100 * np.mean(np.array(ranks) == 1))
    assert found["queries"] == len(ranks)
    by_chance = 1 / 6 if other == "de" else 2 / 12
    assert table.loc["chance", "r1"] == pytest.approx(100 * by_chance)


def test_equal_captions_of_another_language_rank_behind_all_others():
    image, other = np.repeat(np.arange(4), 2), np.arange(4)
    found = retrieval.caption_ranks(np.ones((8, 3)), image, np.ones((4, 3)), other)
    assert (found == 4).all()


def test_captions_of_one_image_are_ranked_among_all_others():
    rng = np.random.default_rng(3)
    image = np.array([0, 0, 1, 2, 2, 2, 0])  # the second image has one caption
    captions = rng.normal(size=(7, 4))
    [(_, [found], _)] = retrieval.rank_sentences(captions, image, "dot")
    wanted = {}
    for row in range(7):
        others = [other for other in range(7) if other != row]
        others.sort(key=lambda other: -(captions[row] @ captions[other]))
        places = [place for place, other in enumerate(others, 1) if image[other] == image[row]]
        if places:
            wanted[row] = places[0]
    assert found.tolist() == list(wanted.values())


def test_one_point_for_all_captions_finds_none_of_the_same_image():
    image = np.repeat(np.arange(4), 2)
    found = retrieval.caption_ranks(np.ones((8, 3)), image)
    assert (found == 7).all()  # six others of other images rank before


def test_chance_of_sentences_is_what_random_vectors_get():
    image = np.repeat(np.arange(100), 5)  # the size of Pascal1K's test set
    exact = chance.chance_of_captions(image)
    assert exact["mean_rank"].item() == pytest.approx(100)  # 500 / 5
    rng = np.random.default_rng(0)
    drawn = [np.mean(retrieval.caption_ranks(rng.normal(size=(500, 64)), image)) for _ in range(10)]
    assert np.mean(drawn) == pytest.approx(100, abs=3)


def test_the_interval_of_a_mean_rank_holds_images_together():
    image = np.repeat(np.arange(50), 4)
    of_images = np.random.default_rng(0).normal(100, 10, 50)
    low, high = retrieval._interval_of_mean(of_images[image], image)
    half = 1.96 * of_images.std() / np.sqrt(50)  # as if there were one query an image
    assert high - low == pytest.approx(2 * half, rel=0.1)
    assert low < of_images.mean() < high


def test_development_recall_is_the_mean_of_directions_and_languages(scored):
    models, split, image = scored
    found = development_recall(models[1], split)
    tables = [
        evaluate(models[1].captions[language], models[1].images, image[language])
        for language in image
    ]
    assert found["dev_recall"] == pytest.approx(np.mean([table["r10"].mean() for table in tables]))
    assert found["image_to_caption_r1"] == pytest.approx(
        np.mean([table["r1"][1] for table in tables])
    )
