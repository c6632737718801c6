"""The translator: its words, its arithmetic, its training and its lists."""

import itertools
import json
import math
import os
import re
import signal

import numpy as np
import pandas as pd
import pytest
import torch

from groundvec.features import store
from groundvec.model.network import Model
from groundvec.runtime.jobs import Stopped
from groundvec.text.words import Text
from groundvec.training.checkpoints import Checkpoints
from reproduction.translation import beam, nbest, scores, training
from reproduction.translation.model import build, load, save
from reproduction.translation.network import Translator
from reproduction.translation.vocabulary import END, Vocabulary, padded, tokenize
from tests.support.examples import description, save_model
from tests.support.refusals import refused
from tests.support.small_data import run_script

WORDS = {
    "en": ["a", "red", "blue", "dog", "cat"],
    "de": ["ein", "rot", "blau", "Hund", "Katze"],
}
SETTINGS = {"batch_size": 4, "epochs": 3, "patience": 5, "l2": 1e-8}


def translator(seed=1):
    torch.manual_seed(seed)
    model = Translator(9, 6, size=5, embedding=4, dropout=0.0)
    for weights in model.parameters():  # far from each other, so that the order is clear
        torch.nn.init.normal_(weights, std=0.7)
    model.target.weight.data[0] = 0  # padding, which is before the first word
    return model.eval()


def test_words_come_back_as_plain_text():
    texts = ["Ein Hund läuft, schnell. Wie geht's?"] * 2
    words = Vocabulary.build("de", tokenize(texts))
    encoded = words.encode(tokenize([*texts, "Ein Kater läuft."]))
    assert encoded.indices[encoded.starts[1] - 1] == END
    assert words.decode(padded(encoded, np.array([2, 0]))) == ["Ein? läuft.", texts[0]]


def test_a_rare_word_is_unknown_and_an_empty_sentence_is_an_end():
    assert Vocabulary.build("de", ["a b a", "a"]).words == ["a"]
    assert Vocabulary("de", ["a"]).encode(["", "a"]).indices.tolist() == [END, 3, END]


def test_the_loss_of_a_sentence_does_not_depend_on_its_batch():
    model = translator()
    source = torch.tensor([[3, 4, 5, 2], [6, 2, 0, 0]])
    target = torch.tensor([[3, 2, 0], [4, 5, 2]])
    alone = [model.loss(source[:1], target[:1, :2]), model.loss(source[1:, :2], target[1:])]
    assert model.loss(source, target).item() == pytest.approx(sum(alone).item() / 2, rel=1e-5)


@pytest.mark.parametrize("n", [1, 3, 200])
def test_beam_search_agrees_with_brute_force(n):
    """Translations of up to three words of a vocabulary of three: a beam of 200 has them all."""
    model = translator()
    source = torch.tensor([[3, 4, 5, 2], [6, 2, 0, 0]])
    longest = torch.tensor([4, 3])
    found, scores = beam.search(model, source, n, longest)
    words = [3, 4, 5]
    for row in range(2):
        every = [
            (*inner, END)
            for length in range(1, longest[row])
            for inner in itertools.product(words, repeat=length)
        ]
        own = source[row : row + 1][:, : (source[row] != 0).sum()]
        log_p = {text: -model.loss(own, torch.tensor([text])).item() for text in every}
        best = sorted(log_p.values(), reverse=True)
        real = scores[row].isfinite()
        assert real.sum() == min(n, len(every))
        texts = [tuple(word for word in text if word) for text in found[row][real].tolist()]
        assert len(set(texts)) == len(texts)
        for text, score in zip(texts, scores[row][real].tolist(), strict=True):
            assert score == pytest.approx(log_p[text], abs=1e-5)
        if n == 200:
            assert scores[row][real].tolist() == pytest.approx(best, abs=1e-5)


def test_a_beam_of_one_takes_the_most_probable_word_each_time():
    model = translator(seed=3)
    source = torch.tensor([[3, 4, 2]])
    found, _ = beam.search(model, source, 1, torch.tensor([9]))
    text = [word for word in found[0, 0].tolist() if word]
    for place, word in enumerate(text[:8]):
        options = range(3 if place == 0 else END, 6)  # no translation is empty
        losses = {
            option: model.loss(source, torch.tensor([[*text[:place], option]])).item()
            for option in options
        }
        assert word == min(losses, key=losses.get)


def test_a_list_does_not_depend_on_the_other_sentences(monkeypatch):
    model = translator()
    words = Vocabulary("de", ["a", "b", "c"])
    encoded = Vocabulary("en", list("uvwxyz")).encode(["u v", "w", "x y z u v", "z"])
    together = beam.translate(model, encoded, words, 3)
    monkeypatch.setattr(beam, "HYPOTHESES", 3)
    alone = beam.translate(model, encoded, words, 3)
    assert together.hypotheses == alone.hypotheses
    assert np.allclose(together.features, alone.features, atol=1e-5)
    scores = together.features["score"].to_numpy()
    for start, end in itertools.pairwise(together.starts):
        assert (np.diff(scores[start:end]) <= 0).all()


def table(count, seed):
    rng = np.random.default_rng(seed)
    picked = [rng.integers(5, size=rng.integers(2, 6)) for _ in range(count)]
    return pd.DataFrame(
        {
            "image_id": "",
            "source": [" ".join(WORDS["en"][i] for i in p) for p in picked],
            "target": [" ".join(WORDS["de"][i] for i in p) for p in picked],
        }
    )


def trained(work, settings=SETTINGS):
    source, target, pairs, dev = training.prepare(table(30, 1), table(8, 2), "en", "de")
    torch.manual_seed(1)
    model = Translator(len(source), len(target), 8, 6, dropout=0.3)
    history = training.train(model, target, pairs, dev, settings, 1, work)
    return model.state_dict(), history


def test_training_ends_in_the_same_weights_wherever_it_was_killed(tmp_path, monkeypatch):
    whole, history = trained(tmp_path / "whole")
    assert [row["epoch"] for row in history] == [1, 2, 3]
    assert sum(row["best"] for row in history) == 1
    monkeypatch.setattr(Checkpoints, "due", lambda self: True)
    save = Checkpoints.save
    calls = itertools.count(1)

    def save_and_die(self, state):
        save(self, state)
        if next(calls) in (3, 8, 12):
            raise Stopped("killed")

    monkeypatch.setattr(Checkpoints, "save", save_and_die)
    for _ in range(3):
        with pytest.raises(Stopped, match="killed"):
            trained(tmp_path / "killed")
    resumed, again = trained(tmp_path / "killed")
    assert all(torch.equal(whole[name], resumed[name]) for name in whole)
    assert [row["loss"] for row in again] == [row["loss"] for row in history]
    found, _ = trained(tmp_path / "killed")  # finished: nothing is trained
    assert all(torch.equal(whole[name], found[name]) for name in whole)


@pytest.mark.parametrize("batch", [3, 8])
def test_a_training_stopped_by_sigterm_repeats_no_batch(tmp_path, monkeypatch, batch):
    """Three epochs of eight batches; told to stop within an epoch, or at its end."""
    loss = Translator.loss
    calls = []

    def told_once(*sentences):
        calls.append(1)
        if len(calls) == batch:
            os.kill(os.getpid(), signal.SIGTERM)
        return loss(*sentences)

    monkeypatch.setattr(Translator, "loss", told_once)
    where = f"told to stop, after epoch {batch // 8}, batch {batch % 8};"
    with pytest.raises(Stopped, match=where):
        trained(tmp_path / "told")
    assert len(calls) == batch
    trained(tmp_path / "told")
    assert len(calls) == 24


def test_a_loss_that_is_not_finite_stops_the_training(tmp_path, monkeypatch):
    monkeypatch.setattr(Translator, "loss", lambda *_: torch.tensor(math.nan, requires_grad=True))
    message = "not finite by batch 8 of epoch 1: make the system's l2 smaller"
    with refused(message):
        trained(tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_damaged_checkpoint_costs_an_epoch(tmp_path, monkeypatch):
    """The snapshot before a damaged one is used, even if the damaged one was better."""
    scores = iter([1.0, 2.0, 3.0, Stopped("killed"), 3.0, 4.0])
    asked = []

    def bleu(*_):
        asked.append(next(scores))
        if isinstance(asked[-1], Stopped):
            raise asked[-1]
        return asked[-1]

    monkeypatch.setattr(training, "_bleu", bleu)
    with pytest.raises(Stopped, match="killed"):
        trained(tmp_path, SETTINGS | {"epochs": 4})
    checkpoint = tmp_path / "checkpoint.pt"  # after the third epoch
    checkpoint.write_bytes(checkpoint.read_bytes()[:-100])
    _, history = trained(tmp_path, SETTINGS | {"epochs": 4})
    assert [row["dev_bleu"] for row in history] == [1, 2, 3, 4]
    assert len(asked) == 6  # the third and the fourth epoch were trained again


def test_training_ends_early_and_keeps_the_best(tmp_path, monkeypatch):
    scores = iter([1.0, 5.0, 4.0, 3.0, 9.0])
    monkeypatch.setattr(training, "_bleu", lambda *_: next(scores))
    _, history = trained(tmp_path, SETTINGS | {"epochs": 9, "patience": 2})
    assert [row["best"] for row in history] == [False, True, False, False]


@pytest.mark.slow
def test_training_learns_to_translate_word_by_word(tmp_path):
    source, target, pairs, dev = training.prepare(table(200, 1), table(15, 2), "en", "de")
    torch.manual_seed(1)
    model = Translator(len(source), len(target), 32, 24, dropout=0.0)
    settings = SETTINGS | {"epochs": 11, "batch_size": 5, "patience": 11}
    history = training.train(model, target, pairs, dev, settings, 1, tmp_path)
    assert max(row["dev_bleu"] for row in history) > 95


def saved(folder):
    words = Vocabulary("en", ["a", "b"]), Vocabulary("de", ["c"])
    settings = {"size": 5, "embedding": 4, "dropout": 0.2}
    model = build(*words, settings).eval()
    save(folder, model, *words, {"settings": settings, "key": "x"})
    return model


def test_a_translator_is_read_as_it_was_written(tmp_path):
    model = saved(tmp_path)
    again, source, target = load(tmp_path)
    assert (source.words, target.words, target.language) == (["a", "b"], ["c"], "de")
    batch = torch.tensor([[3, 4, 2]]), torch.tensor([[3, 2]])
    assert torch.equal(model.loss(*batch), again.loss(*batch))


def test_a_translator_that_is_damaged_is_refused(tmp_path):
    saved(tmp_path)
    path = tmp_path / "model.json"
    content = json.loads(path.read_text())
    for change, said in (
        ({"settings": content["settings"] | {"size": 16000}}, "does not hold the weights"),
        ({"settings": content["settings"] | {"size": 0}}, "does not describe a translator"),
        ({"source": {"language": "en", "words": [1]}}, "does not describe a translator"),
        ({"target": {"language": "de", "words": ["a", "a"]}}, "distinct words"),
        ({"sha256": "0"}, "is damaged"),
    ):
        path.write_text(json.dumps(content | change))
        with refused(said):
            load(tmp_path)


def made_model(folder, name, languages, beta=0.5):
    """An untrained model of words in a folder, as training writes it."""
    texts = {language: Text.build([" ".join(WORDS[language])] * 2) for language in languages}
    encoder = {"name": "bag", "size": 8, "embedding": 4}
    objective = {"name": "multilingual", "margin": 0.2, "beta": beta}
    described = description(encoder, "words") | {"languages": languages, "objective": objective}
    torch.manual_seed(1)
    save_model(folder, Model(described, texts, 4), epochs=(1,), dataset="x", model=name)


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A folder with pairs of sentences, lists of two translations, features and three models."""
    folder = tmp_path_factory.mktemp("translation")
    rows = [table(8, 2).assign(split="dev"), table(7, 3).assign(split="test")]
    rows = pd.concat(rows, ignore_index=True).rename(columns={"source": "en", "target": "de"})
    rows["image_id"] = [f"i{n % 5}" for n in rows.index]
    rows[["split", "image_id", "en", "de"]].to_csv(folder / "parallel.csv", index=False)
    for split, pairs in rows.groupby("split"):
        texts = [text for target in pairs["de"] for text in (target[::-1], target)]
        starts = np.arange(0, len(texts) + 1, 2)
        lists = nbest.Lists(texts, starts, pd.DataFrame({"score": [0.0] * len(texts)}))
        nbest.write(folder / f"{split}.gz", lists)
    features = np.random.default_rng(1).normal(size=(5, 4))
    store.write(folder / "f.h5", features, [f"i{n}" for n in range(5)], {})
    made_model(folder / "vse", "VSE", ["de"])
    made_model(folder / "mlmme", "MLMME", ["en", "de"])
    made_model(folder / "text", "MLMME-0", ["en", "de"], 0)
    return folder


FILES = {
    "dev": "dev.gz",
    "test": "test.gz",
    "pairs": "parallel.csv",
    "features": "f.h5",
    "output": "r.csv",
    "output-translations": "t.csv",
    "output-weights": "w.csv",
}


def rerank(folder, *models):
    """Run scripts/rerank.py."""
    files = [word for name, file in FILES.items() for word in (f"--{name}", folder / file)]
    options = ("--system", "weak", "--source", "en", "--target", "de", *files, "--models")
    run_script("rerank", *options, *(folder / model for model in models))


def test_re_ranked_translations_are_tested_against_each_control(project, monkeypatch):
    monkeypatch.setattr(scores, "TRIALS", 50)
    rerank(project, "vse", "mlmme", "text")
    table = pd.read_csv(project / "r.csv")
    models = ("length", "VSE", "MLMME", "MLMME-0")
    names = ["baseline", *models, "oracle"]
    assert table["metric"].unique().tolist() == ["bleu", "meteor", "ter"]
    for metric, of_metric in table.groupby("metric"):
        assert of_metric["reranker"].tolist() == names
        if metric != "meteor":
            assert of_metric["score"].notna().all()
            controls = {"baseline": "baseline", "length": "length", "vse": "VSE", "text": "MLMME-0"}
            for key, other in controls.items():  # each is tested against all others
                assert names[[*of_metric[f"p_{key}"].isna()].index(True)] == other
                assert of_metric[f"p_{key}"].isna().sum() == 1
    weights = pd.read_csv(project / "w.csv").groupby("reranker")["feature"].apply(list)
    assert weights["VSE"] == ["score", "target-image"]
    assert weights["MLMME"] == ["score", "target-source", "target-image"]
    assert weights["MLMME-0"] == ["score", "target-source"]
    assert weights["length"] == ["score", "target-length"]
    translations = pd.read_csv(project / "t.csv", keep_default_na=False)
    assert len(translations) == 7 * len(names)
    columns = ["id", "image_id", "source", "reference", "reranker", "hypothesis"]
    assert translations.columns.tolist() == columns


@pytest.mark.parametrize(
    "models, error",
    [
        (["vse", "vse"], "vse: the name 'VSE' belongs to another re-ranker"),
        (["nothing"], "nothing reads no en and did not learn from images (beta"),
    ],
)
def test_models_that_cannot_re_rank_are_refused(project, models, error):
    """A re-ranker has a name of its own, and something to compare translations with."""
    made_model(project / "nothing", "x", ["de"], 0)
    with refused(re.escape(error)):
        rerank(project, *models)
