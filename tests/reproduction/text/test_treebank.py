"""Sentences parsed by spaCy, and files of parsed sentences."""

import gzip
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reproduction.text import treebank
from reproduction.text.treebank import Tree, Treebank
from tests.support.refusals import refused
from tests.support.treebanks import ENGLISH, drawn_trees


@pytest.fixture
def path(tmp_path):
    return tmp_path / "trees.conllu.gz"


@given(trees=st.lists(drawn_trees(), min_size=1, max_size=5))
def test_written_trees_are_read_again(tmp_path_factory, trees):
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
    with refused('the parser "nobody\'s parser" is not installed'):
        bank.trees(["Dogs run", "Cats run"], "nobody's parser")
    assert bank.trees(["Dogs run"], ENGLISH)[0].heads == [1, -1]  # that parser's own


def test_sentences_of_several_models_are_parsed_once(monkeypatch):
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
    path.write_bytes(gzip.compress(GOOD.rstrip().replace("\n", "\r\n").encode()))
    parser, [tree] = treebank.read(path)
    assert (parser, tree.relations) == ("p", ["nsubj", "root", "punct"])


def zipped(content):
    """The same bytes at any time, since they name the tests below."""
    return gzip.compress(content, mtime=0)


def changed(old, new):
    """The file with another text at one place."""
    assert old in GOOD
    return zipped(GOOD.replace(old, new).encode())


@pytest.mark.parametrize(
    "data, message",
    [
        (changed("2\tnsubj", "0\tnsubj"), r"line 3: the parse of 'Dogs run\.' .* has 2 roots$"),
        (changed("2\tnsubj", "1\tnsubj"), r"line 3: .* is no tree, it has a cycle through word 1$"),
        (
            changed("text = Dogs", "text = Cats"),
            r"line 3: the words 'Dogs run \.' are not those of",
        ),
        (changed("2\trun\t_", "2\trun"), "line 4 is not word 2 in CoNLL-U: it needs ten fields"),
        (changed("2\trun", "2-3\trun"), "line 4 is not word 2 in CoNLL-U: it needs"),
        (changed("_\t0\tROOT", "_\t²\tROOT"), "line 4 is not word 2 in CoNLL-U: it needs"),
        (changed("# parser = p\n", ""), "has no `# parser = NAME`: it is no treebank"),
        (zipped("\n".join(GOOD.splitlines()[:-2]).encode()), "the words 'Dogs run' are not those"),
        (GOOD.encode(), "is damaged"),
        (zipped(GOOD.encode() * 50)[:-9], "is damaged"),
        (zipped(b""), "it is no treebank"),
    ],
)
def test_a_bad_treebank_is_refused_in_one_line(path, data, message):
    path.write_bytes(data)
    with refused(rf"trees\.conllu\.gz .*{message}"):
        treebank.read(path)


def test_a_missing_treebank_is_refused(path):
    with refused(r"does not exist: make it with scripts/trees\.py"):
        Treebank([path])


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
    with refused(rf"'{parser}' is not installed: .* download {parser}"):
        treebank.parse(["A dog"], parser)
    assert "wave" not in sys.modules


def test_a_parser_that_does_not_parse_is_named(tmp_path, monkeypatch):
    import spacy

    spacy.blank("en").to_disk(tmp_path / "blank")
    monkeypatch.setattr(spacy.util, "get_installed_models", lambda: [str(tmp_path / "blank")])
    with refused("blank' does not parse: name a spaCy pipeline that does"):
        treebank.parse(["A dog"], str(tmp_path / "blank"))
    config = tmp_path / "blank" / "config.cfg"
    config.write_text(config.read_text().replace('lang = "en"', 'lang = "qq"'))
    treebank._pipeline.cache_clear()
    with refused("blank' cannot be loaded"):
        treebank.parse(["A dog"], str(tmp_path / "blank"))
