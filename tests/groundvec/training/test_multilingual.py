"""Models of several languages (Calixto & Liu 2017)."""

import dataclasses
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
import torch

from groundvec import SentenceEncoder
from groundvec.config import parts as parts_of
from groundvec.config.description import complete_description
from groundvec.data.dataset import CAPTION_COLUMNS
from groundvec.data.split import Captions, Split, load_text_only
from groundvec.evaluation.retrieval import caption_ranks
from groundvec.model.folder import ModelFolder
from groundvec.model.network import Model, load_model
from groundvec.results.schemas import History
from groundvec.runtime.files import read_json
from groundvec.text.characters import Text
from groundvec.training import loop
from tests.support.examples import description, save_model, sentences
from tests.support.refusals import refused
from tests.support.result_files import filled, write_models
from tests.support.small_data import run_script
from tests.support.trainings import BOTH, SPLIT, recalls, train, two_languages, weights


def test_two_languages_are_learned_and_each_finds_the_other(tmp_path):
    settings = {"epochs": 15, "cycle": 15, "batch_size": 4, "learning_rate_max": 2e-2}
    described = description("gru-16-attention", parts=BOTH, **settings)
    own = two_languages().captions

    def score(model, dev):
        english, german = (model.encode_captions(own[name].encoded, name) for name in own)
        found = caption_ranks(english, own["en"].image, german, own["de"].image)
        return recalls(float((found <= 3).mean()))

    history = train(tmp_path, two_languages(), described, evaluate=score)
    assert history[-1]["loss"] < 0.3 * history[1]["loss"]
    assert history[-1]["dev_recall"] > 0.8 > history[0]["dev_recall"]


@pytest.mark.parametrize("beta, chosen", [(0, [2, 3]), (0.5, [1, 2])])
def test_with_beta_0_no_image_is_learned_and_the_last_snapshots_are_used(tmp_path, beta, chosen):
    parts = {**BOTH, "objective": {"name": "multilingual", "beta": beta}}
    described = description("gru-8-max", parts=parts, epochs=3, cycle=1, batch_size=4)
    evaluate = Mock(side_effect=map(recalls, [0.0, 3.0, 2.0, 1.0]))
    history = train(tmp_path, two_languages(), described, evaluate=evaluate)
    first, last = (weights(tmp_path, epoch) for epoch in (0, 3))
    learned = {name.partition(".")[0] for name in first if not first[name].equal(last[name])}
    assert learned == ({"captions"} if beta == 0 else {"captions", "image"})
    filled(pd.DataFrame(history), History).to_csv(tmp_path / "history.csv", index=False)
    [path] = write_models(tmp_path, ("x", "one"), snapshots=(1, 2, 3), one=described)
    options = ["--history", tmp_path / "history.csv", "--model", path]
    run_script("ensemble", *options, "--output", tmp_path / "ensemble.json")
    assert read_json(tmp_path / "ensemble.json")["epochs"] == chosen


@pytest.mark.parametrize("shared", [False, True])
def test_a_saved_model_embeds_each_language_as_before(tmp_path, shared):
    captions = ["a dog", "ein Hund"]
    english, german = (Text.build(captions if shared else [caption]) for caption in captions)
    torch.manual_seed(0)
    described = description(parts={**BOTH, "shared": shared})
    one = Model(described, {"en": english, "de": german}, 12).eval()
    save_model(tmp_path, one)
    again = load_model(ModelFolder(tmp_path), 4)
    encoder = SentenceEncoder(tmp_path, epochs=[4])
    for language in ("en", "de"):
        expected = one.encode_sentences(captions, language)
        np.testing.assert_array_equal(again.encode_sentences(captions, language), expected)
        found = encoder.encode(captions, language=language)
        np.testing.assert_allclose(found, expected, atol=1e-6)
    english, german = (encoder.encode("ein Hund", language=name) for name in ("en", "de"))
    assert np.array_equal(english, german) == shared
    np.testing.assert_array_equal(encoder.encode("ein Hund"), english)


@pytest.mark.parametrize(
    "languages, objective, message",
    [
        (["en", "en"], {}, "languages: .* has non-unique elements"),
        (["en", "de"], {"name": "cca"}, "the objective cca needs one language"),
        (["en"], {"name": "multilingual", "beta": 0}, "beta: with 0 there is no loss of images"),
    ],
)
def test_mistakes_with_several_languages_are_one_line_that_names_the_key(
    languages, objective, message
):
    described = {"languages": languages, "encoder": {"name": "bag", "size": 4}}
    with refused(message):
        complete_description(described | ({"objective": objective} if objective else {}))


MORE = ["Ein Hund .", "A dog .", "Zwei Katzen .", "Eine Kuh .", "Drei rote Vögel ."]


def with_more(**training):
    """Make inputs of `loop.train`: two languages share an encoder, one has captions alone."""
    parts = BOTH | {"shared": True, "text": {"name": "ngrams", "buckets": 50}}
    encoder = {"name": "bag", "size": 4, "embedding": 4, "idf": True}
    settings = {"epochs": 2, "cycle": 2, "batch_size": 4, "more_captions": 3, "paraphrases": True}
    settings |= training
    about = description(encoder, parts=parts, **settings)
    text = parts_of.find("text", "ngrams").build([], **parts_of.options(about["text"]))
    image = np.array([0, 0, 1, 2, 3])
    more = Captions(text.encode(MORE), image, np.array([0, 1, 0, 0, 0]))
    english = SPLIT.captions["en"]
    captions = {"en": dataclasses.replace(english, encoded=text.encode(sentences()))}
    split = Split(SPLIT.image_ids, SPLIT.features, captions, more)
    return about, {"en": text, "de": text}, split


def test_captions_without_pictures_bring_languages_together(tmp_path):
    about, texts, split = with_more(epochs=20, cycle=20)
    loop.train(about, texts, split, split, 0, "cpu", tmp_path)
    model = Model(about, texts, 6).eval()
    model.load_state_dict(weights(tmp_path, 20))
    german, english, *others = model.encode_sentences(["Ein Hund", "A dog", "Eine Kuh", "Vögel"])
    assert german @ english > max(german @ other for other in others)
    one = model.captions["shared"]
    text = model.texts["de"].encode([*sentences(), *MORE])
    alone = type(one)(model.texts["de"], 4, 4, idf=True)
    alone.fit_idf([text])
    assert torch.equal(one.idf, alone.idf)  # of both languages


def test_fewer_captions_without_pictures_than_a_step_needs_are_refused(tmp_path):
    about, texts, split = with_more(more_captions=5)
    with refused("more_captions 5: the data set has captions of 4 other"):
        loop.train(about, texts, split, split, 0, "cpu", tmp_path)
    for none in (None, load_text_only(pd.DataFrame(columns=CAPTION_COLUMNS), texts)):
        split.text_only_captions = none
        with refused("5: the data set has captions of 0 other"):
            loop.train(about, texts, split, split, 0, "cpu", tmp_path)
