"""Parsed sentences: what spaCy says, and what a file of them holds."""

import gzip
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundvec.runtime.errors import InputError
from reproduction.text import treebank
from reproduction.text.treebank import Tree, Treebank
from tests.support.treebanks import ENGLISH, drawn_trees


@pytest.fixture
def path(tmp_path):
    return tmp_path / "trees.conllu.gz"


@given(trees=st.lists(drawn_trees(), min_size=1, max_size=5))
def test_what_is_written_is_read_again(tmp_path_factory, trees):
    path = tmp_path_factory.mktemp("drawn") / "trees.conllu.gz"
    treebank.write(path, "a parser", trees)
    assert treebank.read(path) == ("a parser", trees)
    first = path.read_bytes()
    treebank.write(path, "a parser", trees)
    assert path.read_bytes() == first


SENTENCES = ["A man's dog isn't running.", "Two red balls", "Dogs run . Cats sleep ."]


def test_other_tools_read_it(path):
    from spacy.training.converters import conllu_to_docs

    trees = treebank.parse(SENTENCES, ENGLISH)
    treebank.write(path, ENGLISH, trees)
    text = gzip.decompress(path.read_bytes()).decode()
    docs = list(conllu_to_docs(text, n_sents=1, no_print=True))
    assert [[token.text for token in doc] for doc in docs] == [tree.words for tree in trees]
    for doc, tree in zip(docs, trees, strict=True):
        heads = [token.head.i if token.head.i != token.i else -1 for token in doc]
        assert heads == tree.heads
        assert [token.pos_ for token in doc] == tree.tags
        assert [token.dep_.lower() for token in doc] == tree.relations
    assert "\tman\t_\tNOUN\t_\t_\t4\tposs\t_\tSpaceAfter=No\n" in text


def test_spacy_parses_and_a_second_root_joins_the_first():
    men, balls, two = treebank.parse(SENTENCES, ENGLISH)
    assert men.words == ["A", "man", "'s", "dog", "is", "n't", "running", "."]
    assert men.heads == [1, 3, 1, 6, 6, 6, -1, 6]
    assert men.relations == ["det", "poss", "case", "nsubj", "aux", "neg", "root", "punct"]
    assert men.tags[:4] == ["DET", "NOUN", "PART", "NOUN"]
    assert balls.heads == [2, 2, -1]
    assert (two.words[1], two.relations[1], two.heads[1]) == ("run", "root", -1)
    assert (two.words[4], two.relations[4], two.heads[4]) == ("sleep", "parataxis", 1)
    assert treebank.parse([""], ENGLISH) == [Tree([], [], [], [], "")]


def test_known_sentences_are_not_parsed(path):
    tree = Tree(["Dogs", "run"], [-1, 0], ["root", "dep"], ["X", "X"], "Dogs run")
    treebank.write(path, "nobody's parser", [tree])
    bank = Treebank([path])
    assert bank.trees(["Dogs run"] * 2, "nobody's parser") == [tree, tree]
    with pytest.raises(InputError, match='the parser "nobody\'s parser" is not installed'):
        bank.trees(["Dogs run", "Cats run"], "nobody's parser")
    assert bank.trees(["Dogs run"], ENGLISH)[0].heads == [1, -1]  # that parser's own


def test_what_several_models_read_is_parsed_once(monkeypatch):
    parsed = []
    parse = treebank.parse
    monkeypatch.setattr(treebank, "parse", lambda new, name: parsed.extend(new) or parse(new, name))
    sentences = ["A horse jumps over a bar", "A horse jumps"]
    first = Treebank().trees([*sentences, sentences[0]], ENGLISH)
    assert parsed == sentences and first[0] == first[2]
    assert Treebank().trees(sentences, ENGLISH) == first[:2]
    assert parsed == sentences


GOOD = """\
# parser = p
# text = Dogs run.
1\tDogs\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_
2\trun\t_\tVERB\t_\t_\t0\tROOT\t_\tSpaceAfter=No
3\t.\t_\tPUNCT\t_\t_\t2\tpunct\t_\t_

"""


def test_relations_are_in_small_letters_and_lines_may_end_as_on_windows(path):
    path.write_bytes(gzip.compress(GOOD.replace("\n", "\r\n").encode()))
    parser, [tree] = treebank.read(path)
    assert (parser, tree.relations) == ("p", ["nsubj", "root", "punct"])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("_\t2\tnsubj", "_\t0\tnsubj", r"gz line 3: the parse of 'Dogs run\.' .* has 2 roots$"),
        ("_\t2\tnsubj", "_\t1\tnsubj", r"line 3: .* is no tree, it has a cycle through word 1$"),
        ("text = Dogs", "text = Cats", r"line 3: the words 'Dogs run \.' are not those of the tex"),
        ("2\trun\t_", "2\trun", r"line 4 has not ten fields"),
        ("2\trun", "2-3\trun", r"line 4 is word 2-3, but should be word 2: words are numbered"),
        ("_\t0\tROOT", "_\t²\tROOT", r"line 4: the head '²' is not a word's number"),
        ("# parser = p\n", "", r"gz has no `# parser = NAME`: it is no treebank"),
        ("punct\t_\t_\n\n", "punct\t_\t_\n", r"gz ends within a sentence, 'Dogs run\.': make it"),
    ],
)
def test_a_bad_treebank_is_refused_in_one_line(path, old, new, message):
    assert old in GOOD
    path.write_bytes(gzip.compress(GOOD.replace(old, new).encode()))
    with pytest.raises(InputError, match=message) as error:
        treebank.read(path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "data",
    [
        GOOD.encode(),
        gzip.compress(GOOD.encode() * 50, mtime=0)[:-9],
        gzip.compress(GOOD.replace("Dogs", "D\xf6gs").encode("latin-1"), mtime=0),
    ],
)
def test_a_damaged_treebank_is_refused(path, data):
    path.write_bytes(data)
    with pytest.raises(
        InputError, match=r"trees\.conllu\.gz (is no whole gzipped text|line 2 is not UTF-8)"
    ):
        treebank.read(path)


def test_a_missing_or_empty_treebank_is_refused(path):
    with pytest.raises(InputError, match=r"does not exist: make it with scripts/trees\.py"):
        Treebank([path])
    path.write_bytes(gzip.compress(b""))
    with pytest.raises(InputError, match="it is no treebank"):
        treebank.read(path)


@given(drawn_trees(), st.data())
def test_a_cycle_is_seen_wherever_it_is(tree, data):
    assert not treebank.problem(tree.heads)
    word = data.draw(st.integers(0, len(tree.heads) - 1))
    below = [word]
    for each in below:
        below += [child for child, head in enumerate(tree.heads) if head == each]
    heads = list(tree.heads)
    heads[word] = data.draw(st.sampled_from(below))
    assert "cycle" in treebank.problem(heads) or "no roots" in treebank.problem(heads)


@pytest.mark.parametrize("parser", ["xx_none", "wave", "/dev/zero", "blank"])
def test_a_parser_is_a_pipeline_that_is_installed(tmp_path, monkeypatch, parser):
    """No other package is imported, and no file opened: the name may come from anybody."""
    import spacy

    spacy.blank("en").to_disk(tmp_path / "blank")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=rf"'{parser}' is not installed: .* download {parser}"):
        treebank.parse(["A dog"], parser)
    assert "wave" not in sys.modules


def test_a_parser_that_does_not_parse_is_named(tmp_path, monkeypatch):
    import spacy

    spacy.blank("en").to_disk(tmp_path / "blank")
    monkeypatch.setattr(spacy.util, "get_installed_models", lambda: [str(tmp_path / "blank")])
    with pytest.raises(InputError, match="blank' does not parse: name a spaCy pipeline that does"):
        treebank.parse(["A dog"], str(tmp_path / "blank"))
    config = tmp_path / "blank" / "config.cfg"
    config.write_text(config.read_text().replace('lang = "en"', 'lang = "qq"'))
    treebank._pipeline.cache_clear()
    with pytest.raises(InputError, match="blank' cannot be loaded") as error:
        treebank.parse(["A dog"], str(tmp_path / "blank"))
    assert "\n" not in str(error.value)
