"""The scores of a model's snapshots and of their ensemble."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from groundvec import evaluate
from groundvec.data.split import Captions, Split
from groundvec.evaluation import model_retrieval, retrieval
from groundvec.evaluation.ranks import development_recall
from groundvec.similarity import unit
from tests.support.result_files import read_table


def evaluated(*arguments):
    return retrieval.scored(retrieval.rank_both_ways(*arguments))


class Fixed:
    """A model whose vectors are given."""

    similarity = "cosine"

    def __init__(self, images, captions):
        self.images = images
        self.captions = captions

    def encode_images(self, features):
        return self.images

    def encode_captions(self, encoded, language):
        return self.captions[language]


# A model for which features and encoded captions are vectors already.
IDENTITY = SimpleNamespace(
    similarity="cosine",
    encode_images=lambda features: features,
    encode_captions=lambda encoded, language: encoded,
)
LANGUAGES = ("en", "de")
ENSEMBLE = {"epochs": [1, 2], "best": 2}


@pytest.fixture
def scored():
    """Three snapshots, with captions in two languages; German has fewer."""
    rng = np.random.default_rng(0)

    def vectors(rows):
        return unit(rng.normal(size=(rows, 4)))

    image = {"en": np.repeat(np.arange(6), 2), "de": np.arange(6)}
    models = {
        epoch: Fixed(vectors(6), {language: vectors(len(own)) for language, own in image.items()})
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
        if kind not in ("snapshot", "ensemble") or "-" in language:
            continue
        chosen = [models[int(epoch)] for epoch in epochs.split("+")]
        sums = [
            sum(model.captions[language] for model in chosen),
            sum(model.images for model in chosen),
        ]
        of_captions, of_images = map(unit, sums)
        expected = evaluated(of_captions, of_images, image[language], folds)
        if language == "en" and folds == 1 and epochs in ("2", "1+2"):
            of_sentences = retrieval.scored(retrieval.rank_sentences(of_captions, image[language]))
            expected = pd.concat([expected, of_sentences], ignore_index=True)
        columns = list(expected)
        pd.testing.assert_frame_equal(rows[columns].reset_index(drop=True), expected)
        if folds == 1 and (kind == "ensemble" or epochs == "0"):
            system = ranks.set_index(["language", "kind", "epochs"]).loc[(language, kind, epochs)]
            of_ways = system.groupby("direction", sort=False)["rank"]
            assert of_ways.mean().tolist() == expected["mean_rank"].tolist()
    # Languages, directions, test sets, systems; sentences in English, as German has one per image;
    # and sentences in the other language.
    assert len(table) == 2 * 2 * 2 * (1 + 3 + 1) + 3 + 2 * 3
    of_sentences = table[table["direction"] == "caption_to_caption"]
    assert set(of_sentences["language"]) == {"en", "en-de", "de-en"}
    assert set(zip(ranks["kind"], ranks["epochs"], strict=True)) == {
        *(("snapshot", "0"), ("ensemble", "1+2"))
    }
    captions = ranks[ranks["language"].eq("en") & ranks["direction"].eq("caption_to_image")]
    assert captions["image"].tolist() == image["en"].tolist() * 2


@pytest.mark.parametrize("one, other", [("en", "de"), ("de", "en")])
def test_captions_find_captions_in_the_other_language(scored, one, other):
    models, split, image = scored
    table, _ = model_retrieval.score_model(models.get, models, ENSEMBLE, {}, split, "cosine")
    table = table[table["language"] == f"{one}-{other}"].set_index("kind")
    assert table.index.tolist() == ["chance", "snapshot", "ensemble"]
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


def test_development_recall_is_the_mean_of_directions_and_languages(scored):
    models, split, image = scored
    found = development_recall(models[1], split)
    tables = [
        evaluated(models[1].captions[language], models[1].images, image[language])
        for language in image
    ]
    assert found["dev_recall"] == pytest.approx(np.mean([table["r10"].mean() for table in tables]))
    assert found["image_to_caption_r1"] == pytest.approx(
        np.mean([table["r1"][1] for table in tables])
    )


def test_a_bank_is_scored_at_the_inverse_temperature_that_is_best_in_development():
    rng = np.random.default_rng(1)
    hub = rng.normal(size=8)

    def split(images):
        """Captions near their images, and all near a hub."""
        features = rng.normal(size=(images, 8)) + rng.exponential(size=(images, 1)) * hub
        captions = {}
        for language, count in (("en", 2), ("de", 1)):
            image = np.repeat(np.arange(images), count)
            vectors = features[image] + 2 * rng.normal(size=(len(image), 8)) + hub
            order = np.zeros(len(image), int)
            captions[language] = Captions(unit(vectors), image, order)
        return Split(np.arange(images).astype(str), unit(features), captions)

    training = split(50)
    dev = split(40)
    test = split(40)

    def expected(split, language, b):
        """The ranks by direction; test_evaluate compares them with Smith et al.'s formula."""
        captions = split.captions[language]
        bank = training.captions[language].encoded, training.features
        items = evaluate.retrieval(
            captions.encoded, split.features, captions.image, bank=bank, inverse_temperature=b
        ).items
        return items.groupby("direction", sort=False)["rank"]

    recalls = [
        np.mean(
            [expected(dev, language, b).agg(lambda r: (r <= 10).mean()) for language in LANGUAGES]
        )
        for b in model_retrieval.INVERSE_TEMPERATURES
    ]
    best = model_retrieval.INVERSE_TEMPERATURES[np.argmax(recalls)]
    assert recalls.count(max(recalls)) == 1  # or the test decides nothing
    scores, ranks = model_retrieval.score_with_bank({3: IDENTITY}, training, dev, test, folds=2)
    assert set(scores["inverse_temperature"]) == {best}
    assert set(scores["bank"]) == {50} and set(scores["kind"] + scores["epochs"]) == {"querybank3"}
    assert set(scores["test_set"]) == {"40", "20-folds"}
    for language in LANGUAGES:
        for direction, expected_ranks in expected(test, language, best):
            where = f"direction == '{direction}' and language == '{language}'"
            assert ranks.query(where)["rank"].tolist() == expected_ranks.tolist()
            row = scores.query(f"{where} and split == 'test' and test_set == '40'")
            assert row["r1"].item() == pytest.approx(100 * (expected_ranks == 1).mean())


def test_a_bank_has_one_caption_of_each_training_image_in_every_language():
    captions = read_table("""
        image_id | language | split | caption
        a        | en       | train | 1
        a        | en       | train | 2
        a        | de       | train | 3
        b        | en       | train | 4
        b        | fr       | train | 5
        c        | en       | test  | 6
        d        | en       | train | 7
    """)
    bank = model_retrieval.draw_bank(captions, 100, ["en", "de"])
    assert bank.groupby(["image_id", "language"]).size().to_dict() == {
        ("a", "en"): 1,
        ("a", "de"): 1,
        ("b", "en"): 1,
        ("d", "en"): 1,
    }
    assert model_retrieval.draw_bank(captions, 2, ["en"])["image_id"].nunique() == 2
