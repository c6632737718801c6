"""The lexicon's rules, on a WordNet of ten nouns."""

import numpy as np
import pytest
import yaml

from reproduction.lexicon import lexicon, wordnet
from tests.support.refusals import refused
from tests.support.result_files import read_table

NOUNS = read_table("""
    offset | words                 | hypernym | definition
    1930   | physical_entity       | 0        | an entity
    7846   | person                | 1930     | a human being
    10     | animal                | 1930     | a living thing
    11     | cat felis             | 10       | a feline
    12     | tiger Panthera_tigris | 11       | a large cat
    13     | lion                  | 11       | a large cat
    14     | lynx                  | 11       | a short-tailed cat
    20     | goodness              | 99       | moral excellence
    21     | kitten                | 7846     | a child
    31     | whole                 | 1930     | an object
    32     | young                 | 31       | a whole
    22     | kit                   | 32       | a young tiger; "the kitten and the lion"
    23     | cup                   | 1930     | a punch
    99     | abstraction           | 0        | a general concept
""")
SENSES = yaml.safe_load("""
kitten: [22, 21]
kit: [22]
tiger: [12]
cat: [11]
goodness: [20, 12]
sorcerer: [21]
""")
NAMES = yaml.safe_load("{n00000012: [tiger], n00000013: [lion], n00000023: [teacup, cup]}")


@pytest.fixture
def senses(tmp_path):
    data = ["  1 This software is licensed"]
    index = dict(SENSES)
    for offset, words, hypernym, definition in NOUNS.itertuples(index=False):
        spelled = " ".join(f"{word} 0" for word in words.split())
        pointer = f"001 @ {hypernym:08} n 0000" if hypernym else "000"
        count = len(words.split())
        data.append(f"{offset:08} 05 n {count:02x} {spelled} {pointer} | {definition}  ")
        for word in words.split():
            index.setdefault(word.lower(), [offset])
    lines = [
        f"{word} n {len(offsets)} 1 @ {len(offsets)} 0 {' '.join(f'{o:08}' for o in offsets)}  "
        for word, offsets in index.items()
    ]
    (tmp_path / "data.noun").write_text("\n".join(data))
    (tmp_path / "index.noun").write_text("\n".join(lines))
    (tmp_path / "noun.exc").write_text("lynges lynx\n")
    return lexicon.Senses(wordnet.read(tmp_path), NAMES)


CLASSES = yaml.safe_load("""
tiger: {0: 1}
cat: {0: 1, 1: 1}  # its hyponyms
lynx: {0: 0.5, 1: 0.5}  # of its hypernym, one step up
kitten: {0: 0.5}  # of the definition, without its example
cup: {2: 1}
teacup: {2: 1}  # a name that WordNet's synset lacks
goodness: {0: 0.5}  # its second sense is a class
sorcerer: {}  # people are none
abstraction: {}
""")


@pytest.mark.parametrize("word, expected", CLASSES.items())
def test_words_stand_for_classes(senses, word, expected):
    assert senses.of_word(word) == expected


def test_far_hypernyms_do_not_count(senses, monkeypatch):
    monkeypatch.setattr(lexicon, "MOST_CLASSES", 1)
    assert senses.of_word("lynx") == {}


def test_gates_fall_with_the_captions_of_a_word(senses, monkeypatch):
    names = {"en": NAMES, "de": NAMES | {"n00000011": ["Katze", "Katzen"]}}
    monkeypatch.setattr(lexicon, "read_names", names.get)
    captions = {
        "en": ["A tiger, a Tiger."] * 100 + ["Some lynges run."] * 20,
        "de": ["Eine Hauskatze."] * 100,
    }
    made = lexicon.make(senses.wordnet, captions)

    def lines(name):
        return made[name].tobytes().decode().split("\n")

    english = dict(zip(lines("en.forms"), made["en.gates"].tolist(), strict=True))
    assert english["tiger"] == 50 and english["lynges"] == 83 and english["lynx"] == 100
    assert "panthera tigris" not in english and lines("en.known") == ["a", "run", "some"]
    german = dict(zip(lines("de.forms"), made["de.gates"].tolist(), strict=True))
    assert german == {"hauskatze": 50, "katze": 100, "katzen": 100} | dict.fromkeys(
        ["tiger", "lion", "teacup", "cup"], 100
    )
    assert lines("de.names") == ["tiger", "lion", "teacup", "Katze"]
    place = lines("de.forms").index("hauskatze")
    start, end = made["starts"][made["de.sets"][place] :][:2]
    np.testing.assert_array_equal(made["classes"][start:end], [0, 1])


@pytest.mark.parametrize("content", ["00000012 05 n", "\x00", "00000012 05 n zz tiger 0 000 | a"])
def test_other_files_than_wordnets_are_refused(senses, tmp_path, content):
    (tmp_path / "data.noun").write_text(content)
    with refused(r"data.noun|is not WordNet 3.0"):
        wordnet.read(tmp_path)
    (tmp_path / "data.noun").unlink()
    with refused(r"No such file or directory; name WordNet's folder"):
        wordnet.read(tmp_path)
