"""Models of several languages (Calixto & Liu 2017): objective, batches, encoders and training."""

import dataclasses
import itertools
import math
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file

from groundvec import SentenceEncoder
from groundvec.config import parts as parts_of
from groundvec.data.dataset import CAPTION_COLUMNS
from groundvec.data.split import (
    CAPTIONS_PER_IMAGE,
    UNENCODED,
    Captions,
    Split,
    load_more,
    load_split,
)
from groundvec.encoders import rnn
from groundvec.evaluation.retrieval import caption_ranks
from groundvec.model.network import Model, load_model
from groundvec.model.weights import save as save_weights
from groundvec.objectives import contrastive, hinge, multilingual
from groundvec.results.schemas import History
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import read_json, write_json
from groundvec.text.characters import Text
from groundvec.training import checkpoints, loop
from rules.experiment import complete
from scripts import ensemble
from tests.support.examples import description, make_split, sentences
from tests.support.result_files import filled

TEXT, ENGLISH = make_split()
ENSEMBLE = {"history": "history.csv", "model": "model.json", "output": "ensemble.json"}
BOTH = {"languages": ["en", "de"], "objective": {"name": "multilingual", "beta": 0.5}}
WORDLY = {
    "name": "rnn",
    "cell": "gru",
    "size": 6,
    "units": 4,
    "bidirectional": False,
    "pooling": "last",
    "dropout": 0.5,
    "gaussian": 0.1,
}


def two_languages():
    """A split of eleven images, the i-th with five English and i % 3 + 1 German captions."""
    counts = np.arange(11) % 3 + 1
    image = np.repeat(np.arange(11), counts)
    order = np.concatenate([np.arange(count) for count in counts])
    texts = [f"bild {i}, satz {k}" for i, k in zip(image, order, strict=True)]
    german = Captions(TEXT.encode(texts), image, order)
    captions = {**ENGLISH.captions, "de": german}
    return Split(ENGLISH.image_ids, ENGLISH.features, captions)


def embedded(seed, languages, size=5, width=3):
    """Images and captions of a batch, of any length."""
    rng = np.random.default_rng(seed)
    images, *captions = (
        torch.from_numpy(rng.normal(size=(size, width))) for _ in range(99)[: languages + 1]
    )
    return images, dict(zip(("en", "de", "fr", "cs"), captions, strict=False))


# The objective


@pytest.mark.parametrize("languages", [1, 2, 3])
def test_captions_without_pictures_stand_below_each_pair_of_captions(languages):
    """By the objective's own terms: images alone, and each pair with the further captions."""
    images, captions = embedded(1, languages)
    more = [torch.randn(4, 3, dtype=torch.float64) for _ in range(2)]
    objective = contrastive.Objective(0.5, 0.25)
    of_images = contrastive.Objective(0.5, 1)(images, captions, "dot")
    pairs = list(itertools.combinations(captions.values(), 2))
    below = [[torch.cat(both) for both in zip(pair, more, strict=True)] for pair in pairs] or [more]
    of_pairs = contrastive.Objective(0.5, 1)
    wanted = sum(of_pairs(one, {"": other}, "dot") for one, other in below)
    loss = objective(images, captions, "dot", more)
    assert float(loss) == pytest.approx(0.25 * float(of_images) + 0.75 * float(wanted))


@given(st.integers(0, 999), st.integers(1, 4), st.floats(0, 1), st.floats(0.01, 1))
def test_the_objective_is_a_sum_over_all_pairs(seed, languages, beta, margin):
    images, captions = embedded(seed, languages)
    rows, total = range(len(images)), 0.0

    def cost(a, b):
        return sum(
            max(0, margin - float(a[i] @ b[i]) + float(a[i] @ b[r]))
            + max(0, margin - float(b[i] @ a[i]) + float(b[i] @ a[r]))
            for i in rows
            for r in rows
            if r != i
        )

    names = list(captions)
    for k, one in enumerate(names):
        total += beta * cost(images, captions[one])
        for other in names[k + 1 :]:
            total += (1 - beta) * cost(captions[one], captions[other])
    loss = multilingual.Objective(margin, beta)(images, captions, "dot")
    assert loss.item() == pytest.approx(total / len(images) ** 2, abs=1e-9)


@given(st.integers(0, 999), st.sampled_from(["cosine", "dot", "euclidean"]))
def test_with_one_language_and_only_images_it_is_the_hinge(seed, similarity):
    images, captions = embedded(seed, 1)
    loss = multilingual.Objective(0.2, beta=1)(images, captions, similarity)
    assert loss.item() == pytest.approx(hinge.Objective(0.2)(images, captions, similarity).item())


@given(st.integers(0, 999), st.integers(1, 3), st.floats(0, 1), st.floats(0.05, 2))
def test_infonce_is_the_cross_entropy_of_the_right_pairs(seed, languages, beta, temperature):
    images, captions = embedded(seed, languages)

    def cost(a, b):
        total = 0.0
        for one, other in ((a, b), (b, a)):
            for i in range(len(one)):
                exponents = [float(one[i] @ each) / temperature for each in other]
                total += math.log(sum(math.exp(e - exponents[i]) for e in exponents))
        return total / (2 * len(a))

    names = list(captions)
    expected = sum(beta * cost(images, own) for own in captions.values())
    for k, one in enumerate(names):
        expected += sum((1 - beta) * cost(captions[one], captions[o]) for o in names[k + 1 :])
    loss = contrastive.Objective(temperature, beta)(images, captions, "dot")
    assert loss.item() == pytest.approx(expected, abs=1e-6)


# The batches


@given(st.integers(0, 99), st.integers(1, 9), st.integers(1, 11))
def test_the_first_language_leads_as_if_alone_and_the_others_follow(seed, epoch, size):
    split = two_languages()
    batches = list(split.epoch(size, seed, epoch))
    alone = [batch["en"] for batch in ENGLISH.epoch(size, seed, epoch)]
    assert len(batches) == split.batches(size) == len(alone)
    for batch, english in zip(batches, alone, strict=True):
        np.testing.assert_array_equal(batch["en"], english)
        images = [split.captions[language].image[rows] for language, rows in batch.items()]
        np.testing.assert_array_equal(*images)


def test_captions_of_other_languages_are_drawn_anew_each_epoch():
    split = two_languages()
    epochs = [
        np.concatenate([b["de"] for b in split.epoch(11, 0, epoch)]) for epoch in range(1, 41)
    ]
    assert len({tuple(epoch) for epoch in epochs}) == 40
    assert set(np.concatenate(epochs)) == set(range(len(split.captions["de"].image)))


def table(rows):
    columns = ["image_id", "language", "caption"]
    return pd.DataFrame(rows, columns=columns).assign(split="train")


def load(rows, languages=("en", "de")):
    texts = dict.fromkeys(languages, UNENCODED)
    return load_split(table(rows), "train", lambda ids: np.zeros((len(ids), 2)), texts)


def test_images_described_in_one_language_only_are_left_out_and_counted(caplog):
    rows = [("a", "en", "x"), ("b", "en", "y"), ("b", "de", "z"), ("c", "de", "w")]
    split = load(rows)
    assert split.image_ids.tolist() == ["b"]
    assert [own.encoded for own in split.captions.values()] == [["y"], ["z"]]
    assert "2 of 3 train images are left out" in caplog.text
    assert load(rows, ["en"]).image_ids.tolist() == ["a", "b"]


def test_a_language_without_sentences_or_images_in_common_is_one_clear_error():
    with pytest.raises(InputError, match=r"no train captions in language de: write some, or"):
        load([("a", "en", "x")])
    with pytest.raises(InputError, match=r"no train image .* captions in each of en, de: write"):
        load([("a", "en", "x"), ("b", "de", "y")])


def test_later_captions_of_an_image_are_not_used_in_any_language():
    rows = [("a", language, f"{k}") for language in ("en", "de") for k in range(7)]
    assert [len(own.encoded) for own in load(rows).captions.values()] == [CAPTIONS_PER_IMAGE] * 2


# The encoder


@pytest.mark.parametrize("cell", ["gru", "lstm"])
@pytest.mark.parametrize("bidirectional", [True, False])
def test_the_last_state_is_the_one_that_torch_s_own_layer_ends_in(cell, bidirectional):
    torch.manual_seed(0)
    encoder = rnn.Encoder(range(9), 6, cell, "last", 5, bidirectional=bidirectional)
    indices, lengths = torch.randint(2, 9, (9,)), torch.tensor([2, 4, 3])
    for vector, sentence in zip(encoder(indices, lengths), indices.split([2, 4, 3]), strict=True):
        last = encoder.rnn(encoder.embedding(sentence[None]))[1]
        last = (last[0] if cell == "lstm" else last).flatten()
        torch.testing.assert_close(vector, last, atol=1e-6, rtol=0)


def test_a_network_of_other_units_ends_in_a_layer_of_the_size():
    encoder = rnn.Encoder(range(9), 6, "gru", "max", 5, units=10)
    assert encoder.rnn.hidden_size == 5
    assert encoder.projection.weight.shape == (6, 10)
    assert encoder(torch.arange(3), torch.tensor([1, 2])).shape == (2, 6)


def test_gaussian_weights_have_the_deviation_and_recurrent_ones_are_orthogonal():
    one = Model(
        description({**WORDLY, "size": 200, "units": 100, "embedding": 90, "gaussian": 0.01}),
        {"en": TEXT},
        80,
    )
    for name, weights in one.named_parameters():
        if weights.ndim == 1:
            assert (weights == 0).all(), name
        elif "weight_hh" in name:
            for gate in weights.split(100):
                torch.testing.assert_close(gate @ gate.T, torch.eye(100), atol=1e-5, rtol=0)
        else:
            assert weights[2:].std().item() == pytest.approx(0.01, rel=0.1), name


def test_dropout_is_of_training_alone_and_of_images_too():
    one = Model(description(WORDLY), {"en": TEXT}, 6)
    batch = [
        torch.from_numpy(array) for array in ENGLISH.captions["en"].encoded.batch(np.arange(4))
    ]
    features = torch.from_numpy(ENGLISH.features)
    for embed in (lambda: one.embed_captions("en", batch), lambda: one.embed_images(features)):
        one.train()
        assert not torch.equal(embed(), embed())
        one.eval()
        assert torch.equal(embed(), embed())


# Training


def train(work, described, score=lambda model: {"dev_recall": 0.0}):
    """Train on two languages; `score` stands for the recall on development images."""
    split = two_languages()
    with patch.object(loop, "development_recall", lambda model, dev: score(model)):
        texts = dict.fromkeys(split.captions, TEXT)
        return loop.train(described, texts, split, split, 3, "cpu", work)


class Killed(BaseException):
    pass


@pytest.mark.parametrize("batch", [1, 4, 15])
def test_a_killed_training_with_all_that_is_random_ends_in_the_same_weights(
    tmp_path, monkeypatch, batch
):
    parts = {**BOTH, "objective": {"name": "multilingual", "beta": 0.5}}
    described = description(WORDLY, parts=parts, epochs=2, cycle=1, batch_size=4)
    train(tmp_path / "whole", described)
    monkeypatch.setattr(checkpoints, "MIN_INTERVAL", -1)
    monkeypatch.setattr(checkpoints, "MAX_SHARE", math.inf)
    monkeypatch.setattr(loop, "BATCHES_BETWEEN_CHECKS", 3)
    loss, calls = multilingual.Objective.forward, []

    def killed_once(*args, **options):
        calls.append(1)
        if len(calls) == batch:
            raise Killed
        return loss(*args, **options)

    monkeypatch.setattr(multilingual.Objective, "forward", killed_once)
    with pytest.raises(Killed):
        train(tmp_path / "killed", described)
    torch.rand(batch)  # another process's generator stands elsewhere
    train(tmp_path / "killed", described)
    for epoch in range(3):
        one, other = (
            load_file(tmp_path / name / "snapshots" / f"epoch-{epoch:03}.safetensors")
            for name in ("whole", "killed")
        )
        assert one.keys() == other.keys()
        assert all(torch.equal(one[key], other[key]) for key in one)


@pytest.mark.parametrize("shared", [False, True])
def test_two_languages_are_learned_and_each_finds_the_other(tmp_path, shared):
    encoder = {"name": "rnn", "cell": "gru", "size": 16}
    described = description(
        encoder,
        parts={**BOTH, "shared": shared},
        epochs=30,
        cycle=30,
        batch_size=4,
        learning_rate_max=2e-2,
    )
    own = two_languages().captions

    def score(model):
        english, german = (model.encode_captions(own[name].encoded, name) for name in own)
        found = caption_ranks(english, own["en"].image, german, own["de"].image)
        return {"dev_recall": float((found <= 3).mean())}

    history = train(tmp_path, described, score=score)
    assert history[-1]["loss"] < 0.3 * history[1]["loss"]
    assert history[-1]["dev_recall"] > 0.8 > history[0]["dev_recall"]


@pytest.mark.parametrize(("beta", "chosen"), [(0, [2, 3]), (0.5, [1, 2])])
def test_with_beta_0_no_image_is_learned_and_the_last_snapshots_are_used(tmp_path, beta, chosen):
    parts = {**BOTH, "objective": {"name": "multilingual", "beta": beta}}
    described = description("gru-8-max", parts=parts, epochs=3, cycle=1, batch_size=4)
    recalls = iter([0.0, 3.0, 2.0, 1.0])
    history = train(tmp_path, described, score=lambda model: {"dev_recall": next(recalls)})
    first, last = (
        load_file(tmp_path / f"snapshots/epoch-00{epoch}.safetensors") for epoch in (0, 3)
    )
    learned = {name.partition(".")[0] for name in first if not first[name].equal(last[name])}
    assert learned == ({"captions"} if beta == 0 else {"captions", "image"})
    filled(pd.DataFrame(history), History).to_csv(tmp_path / "history.csv", index=False)
    write_json(tmp_path / "model.json", {"description": described, "snapshots": [1, 2, 3]})
    paths = [f"--{key}={tmp_path / name}" for key, name in ENSEMBLE.items()]
    ensemble.main(ensemble.parser.parse_args(paths))
    assert read_json(tmp_path / "ensemble.json")["epochs"] == chosen


# A model of several languages on disk


def saved_model(folder, shared):
    texts = [["a dog", "ein Hund"]] * 2 if shared else [["a dog"], ["ein Hund"]]
    texts = {language: Text.build(own) for language, own in zip(("en", "de"), texts, strict=True)}
    torch.manual_seed(0)
    one = Model(description(parts={**BOTH, "shared": shared}), texts, 12).eval()
    save_weights(one, folder / "snapshots" / "epoch-004.safetensors")
    content = {
        "dataset": "scenes",
        "model": "both",
        "description": one.description,
        "texts": {language: text.as_dict() for language, text in texts.items()},
        "width": 12,
        "seed": 0,
        "snapshots": [4],
        "saved": [4],
        "key": "0" * 16,
    }
    write_json(folder / "model.json", content)
    return one


@pytest.mark.parametrize("shared", [False, True])
def test_a_saved_model_embeds_each_language_as_before(tmp_path, shared):
    one = saved_model(tmp_path, shared)
    again, encoder = load_model(tmp_path, 4), SentenceEncoder(tmp_path, epochs=[4])
    for language in ("en", "de"):
        expected = one.encode_sentences(["a dog", "ein Hund"], language)
        np.testing.assert_array_equal(
            again.encode_sentences(["a dog", "ein Hund"], language), expected
        )
        found = encoder.encode(["a dog", "ein Hund"], language=language)
        np.testing.assert_allclose(found, expected, atol=1e-6)
    english, german = (encoder.encode("ein Hund", language=name) for name in ("en", "de"))
    assert np.array_equal(english, german) == shared
    np.testing.assert_array_equal(encoder.encode("ein Hund"), english)
    names = {
        name.split(".")[1] for name, _ in one.named_parameters() if name.startswith("captions")
    }
    assert names == ({"shared"} if shared else {"en", "de"})
    with pytest.raises(InputError, match="has no language 'fr': choose one of en, de"):
        encoder.encode("un chien", language="fr")


# The configuration


def configuration(model, source="scenes", **dataset):
    of_source = {"count": 40} if source == "scenes" else {}
    return {
        "experiment": "x",
        "models": {"m": {"encoder": {"name": "bag", "size": 4}, **model}},
        "datasets": {"d": {"source": source, "models": ["m"], **of_source, **dataset}},
    }


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            configuration({"languages": ["en", "fr"]}),
            "models.m.languages: the data set of datasets.d has no captions in 'fr'; it has: en",
        ),
        (configuration({"languages": ["en", "en"]}), "has non-unique elements"),
        (
            configuration({"languages": ["en", "de"], "objective": {"name": "cca"}}),
            "models.m: the objective cca needs one language",
        ),
        (
            configuration({"objective": {"name": "multilingual", "beta": 2}}),
            "models.m.objective.beta: 2 is greater than the maximum of 1",
        ),
        (
            configuration({"objective": {"name": "multilingual", "beta": 0}}),
            r"models.m.objective.beta: with 0 there is no loss of images, and with one language no",
        ),
        (configuration({}, source="multi30k"), r"give one of `images` \(.*\) and `pictures` \("),
        (
            configuration({}, source="multi30k", images="here", pictures="flickr8k"),
            r"give one of `images` \(.*\) and `pictures` \(",
        ),
    ],
)
def test_what_several_languages_get_wrong_is_one_line_that_names_the_key(given, message):
    with pytest.raises(InputError, match=message) as error:
        complete(given)
    assert "\n" not in str(error.value)


# Captions without pictures

MORE = ["Ein Hund .", "A dog .", "Zwei Katzen .", "Eine Kuh .", "Drei rote Vögel ."]


def with_more(**training):
    """What `loop.train` reads: two languages that share an encoder, one with captions alone."""
    parts = BOTH | {"shared": True, "text": {"name": "ngrams", "buckets": 50}}
    encoder = {"name": "bag", "size": 4, "embedding": 4, "idf": True}
    settings = {"epochs": 2, "cycle": 2, "batch_size": 4, "more_captions": 3, "paraphrases": True}
    settings |= training
    about = description(encoder, parts=parts, **settings)
    text = parts_of.find("text", "ngrams").build([], **parts_of.options(about["text"]))
    image = np.array([0, 0, 1, 2, 3])
    more = Captions(text.encode(MORE), image, np.array([0, 1, 0, 0, 0]))
    english = ENGLISH.captions["en"]
    captions = {"en": dataclasses.replace(english, encoded=text.encode(sentences()))}
    split = Split(ENGLISH.image_ids, ENGLISH.features, captions, more)
    return about, {"en": text, "de": text}, split


def test_captions_without_pictures_bring_languages_together(tmp_path):
    about, texts, split = with_more(epochs=40, cycle=40)
    loop.train(about, texts, split, split, 0, "cpu", tmp_path)
    model = Model(about, texts, 6).eval()
    model.load_state_dict(load_file(tmp_path / "snapshots/epoch-040.safetensors"))
    german, english, *others = model.encode_sentences(["Ein Hund", "A dog", "Eine Kuh", "Vögel"])
    assert german @ english > max(german @ other for other in others)
    one = model.captions["shared"]
    text = model.texts["de"].encode([*sentences(), *MORE])
    alone = type(one)(model.texts["de"], 4, 4, idf=True)
    alone.fit_idf([text])
    assert torch.equal(one.idf, alone.idf)  # of both languages


def test_fewer_captions_without_pictures_than_a_step_needs_are_refused(tmp_path):
    about, texts, split = with_more(more_captions=5)
    with pytest.raises(InputError, match="more_captions 5: the data set has captions of 4 other"):
        loop.train(about, texts, split, split, 0, "cpu", tmp_path)
    for none in (None, load_more(pd.DataFrame(columns=CAPTION_COLUMNS), texts)):
        split.more = none
        with pytest.raises(
            InputError, match="more_captions 5: the data set has captions of 0 other"
        ):
            loop.train(about, texts, split, split, 0, "cpu", tmp_path)
