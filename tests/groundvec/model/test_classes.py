"""Classifiers and a lexicon in a model's folder: evidence by hand, and files that anybody made."""

import numpy as np
import pytest
from safetensors.numpy import load_file, save, save_file

from groundvec.model import classes, folder, lexicon
from groundvec.runtime.files import sha256
from tests.support.examples import change_model
from tests.support.lexicons import add_classes, array, arrays, text
from tests.support.limits import takes_less_than
from tests.support.models import saved_model
from tests.support.refusals import refused
from tests.support.tables import cells


def read(path):
    return classes.read(folder.ModelFolder(path))


@pytest.fixture
def trained(tmp_path):
    saved_model(tmp_path)
    assert read(tmp_path) is None
    # Each of the first four features stands for a class.
    add_classes(tmp_path, weights=100 * np.eye(4, 8, dtype=np.float32))
    return tmp_path


@pytest.fixture
def pictures():
    """The features of a tiger, and of a picture that is as likely a cup as an espresso."""
    return np.array([[1, 0, 0, 0, *[9] * 8], [0, 1, 1, 0, *[9] * 8]], np.float32)


@pytest.mark.parametrize(
    "sentence, language, share, gates, picture, _reason",
    cells("""
    A tiger.          | en  | 1    | 1   | tiger | its only word
    TIGERS' tiger     | en  | 1    | 2   | tiger | two written forms, one of them a plural
    tiger tiger       | en  | 0.5  | 1   | tiger | each form once; half of the words
    a blue cup sits   | en  | 0.17 | 0.5 | cup   | one word in three with a gate of 0.5
    a coffee cup sits | en  | 0.67 | 1   | cup   | a form of two words
    Kaffeetassen      | de  | 1    | 1   | cup   | a compound
    Kaffeetassen      | en  | 0    | 0   | cup   | no compound in English
    eine blaue Tasse  | any | 0.27 | 0.8 | cup   | one word in three with a gate of 0.8
    doges and the     | en  | 0    | 0   | cup   | known to captions: not the plural of "dog"
    A tiger.          | fr  | 0    | 0   | cup   | nothing is known of this language
    """),
)
def test_evidence_follows_the_formula(
    trained, pictures, sentence, language, share, gates, picture, _reason
):
    """The share is of the words that captions do not know."""
    model_classes = read(trained)
    language = None if language == "any" else language
    found = model_classes.evidence(sentence, model_classes.levels(pictures), language)
    # The second picture is of a cup by 0.5 + 0.25 of its posteriors.
    seen = {"tiger": [1, 0], "cup": [0, np.log(751) / np.log(1001)]}[picture]
    weight = 0.4 * (1 + 12 * float(share) ** 2) * float(gates)
    np.testing.assert_allclose(found, weight * np.array(seen), atol=0.03)


def test_words_are_explained_in_their_language(trained, pictures):
    model_classes = read(trained)
    levels = model_classes.levels(pictures)
    [(word, weight, seen)] = model_classes.explain("Eine blaue Tasse", levels[1], None)
    assert (word, seen) == ("Tasse", pytest.approx({"Tasse": 0.5, "Espresso": 0.5}, abs=0.02))
    assert weight == pytest.approx(model_classes.evidence("Eine blaue Tasse", levels, None)[1])
    # Case folding makes "ß" longer.
    [evidence] = model_classes.explain("Große TASSE", levels[1], "de")
    assert evidence.word == "tasse"
    [likeliest] = model_classes.largest(levels[0], 1)
    assert likeliest == ("tiger", pytest.approx(1))


@pytest.mark.parametrize(
    "sentence, language, expected, _reason",
    cells("""
    tiger                         | en  | known   | stands for a class
    Tasse                         | any | known   | in one of the languages
    Tasse                         | en  | unknown | in the other language
    Bob Marley tiger              | any | known   | two names
    un tigre bob tiger            | any | unknown | in another language, with a word by chance
    bob, ann, eve: blue tiger dog | any | known   | half of the words
    Tassenrand                    | de  | known   | a compound of "tasse"
    Tassenrand                    | en  | unknown | English has no compounds
    bluest                        | any | known   | another form of "blue"
    cups 7                        | de  | unknown | in the other language
    xyzzy                         | fr  | known   | nothing is known of this language
    xyzzy                         | any | unknown | in no language
    a xyzzy                       | any | unknown | the only long word
    a TV                          | any | known   | too short to judge
    !?                            | any | unknown | no words
    7                             | any | unknown | no words
    """),
)
def test_sentences_of_too_few_known_words_are_recognized(
    trained, sentence, language, expected, _reason
):
    unknown = read(trained).lexicon.is_unknown(sentence, None if language == "any" else language)
    assert unknown == (expected == "unknown")


@pytest.mark.parametrize("sentence", ["tiger " * 10_000, "x" * 10**6, "дог tiger 虎 " * 500])
def test_huge_sentences_take_a_moment(trained, pictures, sentence):
    model_classes = read(trained)
    with takes_less_than(1):
        model_classes.evidence(sentence, model_classes.levels(pictures), None)
        model_classes.lexicon.is_unknown(sentence, None)


def test_a_copy_has_classifiers_and_lexicon(trained, tmp_path):
    folder.ModelFolder(trained).copy(tmp_path / "copy")
    assert read(tmp_path / "copy").count == 4


def test_further_captions_change_the_lexicon(trained):
    captions = ["A cup, and a cup of xyzzys", *["Cups of coffee"] * 10, *["The cup"] * 99]
    for language in ("fr", "en"):  # it has no French
        assert read(trained).lexicon.is_unknown("xyzzys", "en")
        classes.add_captions(trained, captions, language)
    words = read(trained).lexicon
    # 100 captions have the cup, which counted half: 1 / (1 + 1 + 1).
    assert words.languages["en"].gates.tolist() == [100, 33, 100, 2]
    assert words.languages["de"].gates.tolist() == [100, 80]
    assert not words.is_unknown("xyzzys", "en") and words.is_unknown("xyzzys", "de")
    assert words.languages["en"].form("cups") == "cup"


def change_classes(path, **changes):
    """Change what a model's description says of its classes."""
    about = folder.ModelFolder(path).metadata["classes"]
    change_model(path, classes=about | changes)


def replace_lexicon(path, data):
    """Replace the lexicon of a model by these bytes."""
    (path / folder.LEXICON).write_bytes(data)
    change_classes(path, lexicon=sha256(path / folder.LEXICON))


@pytest.mark.parametrize(
    "change, error",
    [
        ({"sha256": "0" * 64}, "is damaged, its checksum is not"),
        ({"lexicon": "0" * 64}, "is damaged, its checksum is not"),
        ({"count": 2**20}, "does not describe a model"),
        ({"count": 5}, "other names or shapes"),
        ({"networks": []}, "does not describe a model"),
        ({"networks": [{"start": 5, "width": 8}]}, "it reads 13 features, and the model has 12"),
    ],
)
def test_a_description_that_does_not_fit_the_files_is_refused(trained, change, error):
    change_classes(trained, **change)
    with refused(error):
        read(trained)


def test_more_arrays_than_the_classifiers_are_refused(trained):
    more = {"1.bias": np.zeros(4, np.float32)}
    save_file(load_file(trained / folder.CLASSES) | more, trained / folder.CLASSES)
    change_classes(trained, sha256=sha256(trained / folder.CLASSES))
    with refused("1.bias is none of them"):
        read(trained)


@pytest.mark.parametrize(
    "name, number, values, error",
    cells("""
    more     | text    | a             | other names
    starts   | int32   | 0, 3, 1, 4    | sets that overlap
    starts   | int32   | 0, 4, 5       | sets that overlap
    starts   | int64   | 0, 1, 3, 4    | starts has another type or shape
    classes  | int16   | 0, 1, 2, 4    | a class beyond the model's 4
    classes  | int16   | 0, 1, 2, -1   | a class beyond the model's 4
    weights  | uint8   | 101, 101, 1, 1 | a weight above 100%
    weights  | float32 | nan, 1, 1, 1  | weights has another type
    en.forms | text    | a, b, b, c    | en has other numbers of classes, forms
    en.forms | uint8   | 255, 255, 255 | en has text that is not UTF-8
    de.names | text    | Tiger         | de has other numbers
    de.gates | uint8   | 100, 101      | a gate above 100%
    de.sets  | int32   | 0, 3          | a set that does not exist
    de.sets  | int32   | 0, -1         | a set that does not exist
    """),
)
def test_a_lexicon_of_other_arrays_is_refused(trained, name, number, values, error):
    replace_lexicon(trained, save(arrays() | {name: array(number, values)}))
    with refused(error):
        read(trained)


@pytest.mark.parametrize(
    "data, error",
    [
        (b'{"a":' * 10_000, "does not hold the lexicon of this model"),
        (save({"starts": np.zeros(2**24, np.uint8)}), "more than 16 MiB"),
        (save(arrays() | {"starts": np.array([], np.int32)}), "sets that overlap"),
        (save(arrays() | {"starts": np.array([[0, 4]], np.int32)}), "starts has another type or"),
        (save(arrays() | {"en.forms": text("x" * 10**6)}), "en has other numbers"),
    ],
)
def test_a_lexicon_of_another_form_is_refused(trained, data, error):
    replace_lexicon(trained, data)
    with refused(error):
        read(trained)


def test_a_million_sets_are_read_in_a_moment(trained):
    sets = arrays() | {"starts": np.r_[0, np.full(10**6, 4)].astype(np.int32)}
    save_file(sets, trained / "large")
    with takes_less_than(1):
        lexicon.read(trained / "large", sha256(trained / "large"), 4)
