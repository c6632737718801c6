"""The text that reads sentences as trees; its batches are tested with the encoder."""

import json
import logging

import numpy as np
import pytest

from reproduction.text import treebank, trees, vectors
from reproduction.text.treebank import Tree, Treebank
from reproduction.text.trees import Text
from tests.support.refusals import refused
from tests.support.treebanks import parsed


def make(words=("dog", "runs"), **more):
    return Text(words, ["nsubj", "prep"], [9, 3], ["l1", "r1"], 2, "drawn", "collapsed", **more)


def write(folder, *given):
    """Write trees to a file; the sentences, and the file as a treebank."""
    treebank.write(folder / "t.conllu.gz", "drawn", given)
    return [tree.text for tree in given], Treebank([folder / "t.conllu.gz"])


def test_a_very_deep_tree_is_measured(tmp_path):
    relations = ["dep"] * 499 + ["root"]
    chain = Tree(["x"] * 500, [*range(1, 500), -1], relations, ["X"] * 500, "x" * 500)
    sentences, bank = write(tmp_path, chain)
    *_, heights, sizes = make(treebank=bank).encode(sentences).batch(np.array([0]))
    assert heights.tolist() == [*range(500)]
    assert sizes.tolist() == [*range(1, 501)]


def test_unknown_words_are_counted_in_one_line(tmp_path, caplog):
    sentences, bank = write(
        tmp_path,
        parsed("a 2 det\ndog 0 root"),
        parsed("the 2 det\ncat 0 root"),
        parsed("a 2 det\ncow 0 root"),
    )
    with caplog.at_level(logging.INFO):
        make(treebank=bank).encode([*sentences, sentences[0]])
    assert [record.getMessage() for record in caplog.records] == [
        "6 of the 8 words of 4 sentences have no vector",
        "2 of 4 sentences have no word with a vector; the first is 'the cat'",
    ]
    caplog.clear()
    make(words=["a", "dog"], treebank=bank).encode(sentences[:1])
    assert not caplog.records


def test_sentences_are_cleaned_before_they_are_looked_up(tmp_path):
    _, bank = write(tmp_path, parsed("dog 2 nsubj\nruns 0 root"))
    assert make(treebank=bank).encode([" dog\t \nruns "]).nodes[0].tolist() == [2, 3]
    assert len(make().encode([])) == 0


def test_a_text_learns_words_relations_and_places(tmp_path):
    captions, bank = write(
        tmp_path,
        parsed("Dogs 2 nsubj\nrun 0 root\nin 2 prep ADP\nmud 3 pobj\n. 2 punct"),
        parsed("old 3 amod\nred 3 amod\nDogs 4 nsubj\nrun 0 root"),
    )
    text = Text.build(captions, "drawn", "collapsed", "captions", 2, treebank=bank)
    assert text.words == ["dogs", "run", "in", "mud", "old", "red"]
    assert text.relations == ["amod", "nsubj", "prep_in"]
    assert text.counts == [2, 2, 1]
    assert text.places == ["l1", "l2", "r1"]
    assert len(text) == 8 and text.vectors.shape == (8, 2)
    assert not text.vectors[:2].any() and text.vectors[2:].any(axis=1).all()
    assert text.vectors.dtype == np.float32
    chain, binary = (
        Text.build(captions, "drawn", form, "captions", 2, treebank=bank)
        for form in ("chain", "binary")
    )
    assert chain.places == ["l1"] and binary.relations == ["left", "right"]


def test_a_text_is_the_same_after_saving_and_loading(tmp_path):
    captions, bank = write(tmp_path, parsed("Dogs 2 nsubj\nrun 0 root\nfast 2 advmod"))
    text = Text.build(captions, "drawn", "binary", "captions", 2, treebank=bank)
    again = Text(treebank=bank, **json.loads(json.dumps(text.packed())))
    np.testing.assert_array_equal(again.vectors, text.vectors)
    without = Text(treebank=bank, **json.loads(json.dumps(text.as_dict())))
    assert without.vectors is None and len(without) == len(text)
    for other in (again, without):
        assert other.as_dict() == text.as_dict()
        np.testing.assert_array_equal(other.encode(captions).nodes, text.encode(captions).nodes)


GLOVE = "the 0 0 1 0\ndog 1 0 1 0\nCat 5 5 5 5\nrun 0 2 0 0\nbike 3 0 3 0\ncar 0 1 0 0\n"


@pytest.fixture
def glove(tmp_path):
    (tmp_path / "glove.txt").write_text(GLOVE)
    return str(tmp_path / "glove.txt")


def test_vectors_of_a_file_are_of_the_captions_words_first(tmp_path, glove, monkeypatch):
    captions, bank = write(tmp_path, parsed("Zebras 2 nsubj\nrun 0 root\nthe 4 det\ndog 2 dobj"))
    text = Text.build(captions, "drawn", "collapsed", glove, 4, treebank=bank)
    assert text.words == ["dog", "run", "the", "bike", "car"]
    assert text.vectors[2:4].tolist() == [[1, 0, 1, 0], [0, 2, 0, 0]]
    monkeypatch.setattr(trees, "MAX_INDICES", 7)  # five words: the captions' four may be among them
    text = Text.build(captions, "drawn", "collapsed", glove, 4, treebank=bank)
    assert text.words == ["dog", "run", "the", "bike"]


def test_longer_vectors_are_reduced(tmp_path, glove):
    """These have rank 3 (the, dog and bike share two directions), so nothing is lost."""
    captions, bank = write(tmp_path, parsed("dog 2 nsubj\nrun 0 root\nthe 2 det"))
    whole = Text.build(captions, "drawn", "chain", glove, 4, treebank=bank).vectors
    less = Text.build(captions, "drawn", "chain", glove, 3, treebank=bank).vectors
    assert less.shape == (7, 3)
    np.testing.assert_allclose(less @ less.T, whole @ whole.T, atol=1e-5)


@pytest.mark.parametrize(
    "tree, file, dimension, message",
    [
        ("zebras 0 root", "glove.txt", 2, r"no word of the captions has a vector in .*: is it of"),
        ("dog 0 root", "glove.txt", 5, r"glove\.txt has vectors of 4 dimensions, not 5: ask for"),
        ("dog 0 root", "captions", 1, "no neighbors to learn vectors from: name a file"),
    ],
)
def test_vectors_that_do_not_fit_the_captions_are_refused(
    tmp_path, glove, monkeypatch, tree, file, dimension, message
):
    monkeypatch.chdir(tmp_path)
    captions, bank = write(tmp_path, parsed(tree))
    with refused(message):
        Text.build(captions, "drawn", "chain", file, dimension, treebank=bank)


@pytest.mark.parametrize(
    "make_it, message",
    [
        (lambda: vectors.learn([["a", "b"]], ["a", "b"], 3), "do not make vectors of 3 dimensions"),
        (lambda: vectors.unpack("%", 1, 1), "are damaged"),
        (lambda: vectors.unpack("AAAAAA==", 1, 2), "are damaged"),
        (lambda: vectors.unpack(vectors.pack(np.array([np.inf])), 1, 1), "are not finite"),
        (lambda: make(words=["a", "a"]), "distinct words"),
    ],
)
def test_invalid_arguments_are_refused(make_it, message):
    with refused(message):
        make_it()
