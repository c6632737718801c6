"""N-best lists of translations: reading, tuning of weights, re-ranking and scores."""

import gzip
import os
import re
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from reproduction.translation import mira, nbest, scores
from reproduction.translation.nbest import Lists
from reproduction.translation.rerank import (
    BASELINE,
    LENGTH,
    ORACLE,
    judged,
    rerank,
    similarities,
)
from tests.support.refusals import refused

GOOD = """0 ||| Ein Hund . ||| LM= -2 TM= -1 -3 ||| -4.5
1 |||  ||| LM= -1 TM= 0 0 ||| -1
0 ||| Eine Katze . ||| LM= -2.5 TM= -1 -3 ||| -5 ||| 0-0 1-1
"""


def written(tmp_path, text):
    path = tmp_path / "lists.txt"
    path.write_text(text, encoding="utf-8")
    return path


def test_lists_of_moses_are_read(tmp_path):
    lists = nbest.read(written(tmp_path, GOOD), 2)
    assert lists.hypotheses == ["Ein Hund .", "Eine Katze .", ""]
    assert np.diff(lists.starts).tolist() == [2, 1]
    assert lists.sentence.tolist() == [0, 0, 1]
    assert list(lists.features) == ["LM", "TM", "TM#2", "score"]
    assert lists.features.loc[1].tolist() == [-2.5, -1, -3, -5]


def test_a_feature_that_is_the_score_again_is_left_out(tmp_path):
    lists = nbest.read(written(tmp_path, "0 ||| Ja ||| F0= -1.5 ||| -1.5\n"), 1)
    assert list(lists.features) == ["score"]


def test_written_lists_are_read_again(tmp_path):
    values = pd.DataFrame({"lm": [-1.25, -3, 0.5], "score": [-2.5, -4, 7]})
    lists = Lists(["Ein ||| Hund", "ä €", ""], np.array([0, 2, 3]), values)
    path = tmp_path / "lists.gz"
    nbest.write(path, lists)
    again = nbest.read(path, 2)
    assert again.hypotheses == ["Ein Hund", "ä €", ""]
    pd.testing.assert_frame_equal(again.features, values)
    first = path.read_bytes()
    nbest.write(path, lists)
    assert path.read_bytes() == first


@pytest.mark.parametrize(
    "text, said",
    [
        ("0 ||| Ja ||| ||| 1\n", "no hypothesis for sentence 1"),
        ("0 ||| Ja\n", "line 1: '0 ||| Ja' is not"),
        ("0 ||| Ja ||| ||| 1\n2 ||| a ||| ||| 1\n", "line 2: no sentence has the id '2'"),
        ("0 ||| Ja ||| ||| nan\n", "line 1: 'nan' is no finite number"),
        ("0 ||| Ja ||| lm= so ||| 1\n", "'so' is no finite number"),
        ("0 ||| Ja ||| a= 1 ||| 1\n1 ||| a ||| b= 1 ||| 1\n", "line 2: its features are b"),
    ],
)
def test_broken_lists_are_refused_in_one_line(tmp_path, text, said):
    with refused(rf"lists\.txt.*{re.escape(said)}"):
        nbest.read(written(tmp_path, text), 2)


def test_a_damaged_file_is_refused(tmp_path):
    (tmp_path / "cut.gz").write_bytes(gzip.compress(GOOD.encode())[:-12])
    with refused("damaged"):
        nbest.read(tmp_path / "cut.gz", 2)


WORDS = np.array(["rot", "blau", "der", "ein", "Hund", "Mann", "geht", "sieht", "auf", "Haus"])


def drawn_lists(seed, sentences=40, n=12):
    """Hypotheses with a known best one: the feature `clue` is their BLEU, `score` is noise."""
    rng = np.random.default_rng(seed)
    references = [" ".join(rng.choice(WORDS, 9)) for _ in range(sentences)]
    texts = []
    for reference in references:
        for _ in range(n):
            words = np.array(reference.split())
            wrong = rng.integers(9, size=rng.integers(1, 7))
            words[wrong] = rng.choice(WORDS, len(wrong))
            texts.append(" ".join(words))
    scores = pd.DataFrame({"score": rng.normal(0, 5, len(texts))})
    lists = Lists(texts, np.arange(0, len(texts) + 1, n), scores)
    return judged(lists, pd.DataFrame({"target": references}))


def test_statistics_add_up_to_corpus_bleu():
    from sacrebleu.metrics import BLEU

    found = drawn_lists(1)
    texts = [found.lists.hypotheses[row] for row in found.lists.starts[:-1]]
    sums = found.statistics[found.lists.starts[:-1]].sum(axis=0)
    expected = BLEU().corpus_score(texts, [found.references]).score
    assert mira.corpus_bleu(sums) * 100 == pytest.approx(expected)
    assert mira.corpus_bleu(np.array([3, 5, 0, 0, 0, 0, 3, 2, 1, 0])) == 0


def test_one_step_of_mira_follows_the_paper(monkeypatch):
    """Two hypotheses: the weights move just until hope is ahead by its margin, or by C.

    They are of features divided by their spread, so that the scale of a feature does not matter.
    """
    monkeypatch.setattr(mira, "EPOCHS", 1)
    statistics = np.array([[4, 4, 4, 3, 2, 1, 4, 3, 2, 1], [4, 4, 2, 1, 0, 0, 4, 3, 2, 1]])
    values = pd.DataFrame({"score": [0.0, 1.0], "clue": [1.0, 0.0]})
    lists = Lists(["a", "b"], np.array([0, 2]), values)
    spread = mira.scale(lists)
    assert spread.tolist() == [0.5, 0.5]
    background = statistics + 1
    bleu = [
        np.exp(np.mean(np.log(row[2:6] / row[6:]))) * 5 for row in background
    ]  # no penalty: the lengths agree
    assert bleu[0] == 5.0
    # score's weight is 1 at first, so fear is the second: ahead by (-2, 2).
    loss = bleu[0] - bleu[1] + 2
    step = min(mira.AGGRESSIVENESS, loss / 8)
    expected = np.array([1 - 2 * step, 2 * step]) / spread
    assert mira.weights(lists, statistics) == pytest.approx(expected)


def test_lists_that_are_all_alike_keep_their_order():
    lists = Lists(["a b", "a b"], np.array([0, 2]), pd.DataFrame({"score": [1.0, 1.0]}))
    found = judged(lists, pd.DataFrame({"target": ["a c"]}))
    assert np.isfinite(mira.weights(lists, found.statistics)).all()
    assert lists.chosen(np.zeros(2)).tolist() == [0]


def test_rerankers_lie_between_the_baseline_and_the_oracle():
    dev = drawn_lists(1)
    test = drawn_lists(2)
    clues = tuple(pd.DataFrame({"clue": split.bleu}) for split in (dev, test))
    result = rerank(dev, test, {"m": clues})
    assert list(result) == [BASELINE, LENGTH, "m", ORACLE]
    means = {name: test.bleu[found.rows].mean() for name, found in result.items()}
    assert means[BASELINE] < means["m"] <= means[ORACLE]
    assert (test.bleu[result[ORACLE].rows] >= test.bleu[result[BASELINE].rows]).all()
    assert list(result["m"].weights) == ["score", "clue"]


def test_a_re_ranker_by_length_alone_finds_that_longer_translations_are_better():
    """Test a score that is a sum of log-probabilities, which prefers short translations."""
    texts = ["ein Hund geht", "ein Hund geht auf das Haus"]
    best = "ein Hund geht auf das Haus"
    lists = Lists(texts * 9, np.arange(0, 19, 2), pd.DataFrame({"score": [-1.0, -2.0] * 9}))
    found = judged(lists, pd.DataFrame({"target": [best] * 9}))
    result = rerank(found, found, {})[LENGTH]
    assert result.weights["target-length"] > 0
    assert {lists.hypotheses[row] for row in result.rows} == {best}


def test_distances_are_compared_with_the_own_sentence_and_picture(caplog):
    lists = Lists(["a", "b", "a"], np.array([0, 1, 3]), pd.DataFrame({"score": [0.0] * 3}))
    table = pd.DataFrame({"image_id": ["i", ""], "source": ["x", "y"], "target": ["", ""]})
    vectors = {"a": 1.0, "b": 2.0, "x": 10.0, "y": 100.0, "i": 1000.0}

    def encode(texts, *_, **__):
        return np.array([[vectors[text]] for text in texts])

    model = SimpleNamespace(similarity="dot", encode_sentences=encode, encode_images=lambda x: x)

    def found(images, languages, table=table):
        return similarities(lists, table, [model], images, languages).to_dict("list")

    from_source = {"target-source": [10, 200, 100]}
    from_image = {"target-image": [1000, 0, 0]}
    assert found(encode, ("en", "de")) == from_source | from_image
    assert found(encode, (None, "de")) == from_image
    assert found(None, ("en", "de")) == from_source
    assert not caplog.records
    no_images = table.assign(image_id="")
    assert found(encode, (None, "de"), no_images) == {"target-image": [0, 0, 0]}
    assert "no sentence of this split has an image" in caplog.text


def test_judgements_agree_with_sacrebleu(monkeypatch):
    """Systems that say the same have a p-value of 1."""
    from sacrebleu.metrics import BLEU, TER

    monkeypatch.setattr(scores, "TRIALS", 200)
    monkeypatch.setattr(scores, "meteor_jar", lambda: "java is missing")
    test = drawn_lists(2)
    hypotheses = test.lists.hypotheses
    first = [hypotheses[row] for row in test.lists.starts[:-1]]
    best = [hypotheses[row] for row in test.lists.chosen(test.bleu)]
    systems = {"baseline": first, "same": first, "oracle": best}
    bleu, meteor, ter = scores.judge(systems, ["baseline"], test.references, "de")
    for judgement, metric in ((bleu, BLEU()), (ter, TER())):
        expected = metric.corpus_score(best, [test.references]).score
        assert judgement.scores["oracle"] == pytest.approx(expected)
        assert judgement.p["oracle", "baseline"] < 0.05
        assert judgement.p["same", "baseline"] == 1
    assert "version:" in bleu.signature and "|ar:200|" in f"{ter.signature}|"
    assert meteor.scores == {} and meteor.signature == "missing: java is missing"


JAVA = """#!{python}
import sys
for line in sys.stdin:
    kind, *given = line.rstrip("\\n").split(" ||| ")
    if kind == "SCORE":  # a reference, and the translation
        print(float(given[0] == given[1]), 1)
    else:  # the statistics of each translation, and of all
        scores = [float(each.split()[0]) / float(each.split()[1]) for each in given]
        print(*scores, scores[0], sep="\\n")
    sys.stdout.flush()
"""


def test_meteor_is_asked_by_its_protocol(tmp_path, monkeypatch):
    """A stand-in for Java takes the lines that METEOR's jar takes."""
    java = tmp_path / "java"
    java.write_text(JAVA.format(python=sys.executable))
    java.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(scores, "meteor_jar", lambda: tmp_path / "meteor.jar")
    texts = {"a": ["x | y", "z"], "b": ["q", "r"]}
    found = scores._by_meteor(texts, ["a"], ["x y", "z"], "de")
    assert found.scores == {"a": 100, "b": 0} and 0 < found.p["b", "a"] <= 1
    unknown = scores._by_meteor(texts, ["a"], ["x y", "z"], "xx")
    assert unknown.scores == {} and "does not know the language" in unknown.signature
    java.write_text("#!/bin/sh\necho broken >&2\nexit 1\n")
    with refused(r"does not run \(broken"):
        scores._by_meteor(texts, ["a"], ["x y", "z"], "de")


def test_meteor_s_jar_scores_translations():
    jar = scores.meteor_jar()
    if isinstance(jar, str):
        pytest.skip(jar)
    meteor = scores.Meteor(jar, "de")
    statistics = meteor.statistics(
        ["Ein Mann | schläft .", "Zwei Hunde"], ["Ein Mann schläft .", "x"]
    )
    perfect, nothing = meteor.score(statistics)
    assert perfect == 100 and nothing == 0
    [both] = meteor.score(statistics.sum(axis=0)[None])
    assert 0 < both < 100
