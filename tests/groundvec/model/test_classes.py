"""Classifiers and a lexicon in a model's folder: evidence by hand, and files that anybody made."""

import json
import time

import numpy as np
import pytest
from safetensors.numpy import load_file, save, save_file

from groundvec.model import classes, folder, lexicon
from groundvec.runtime.files import sha256, write_json
from tests.support.lexicons import add_classes, arrays, text
from tests.support.models import saved_model
from tests.support.refusals import refused


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
    ("sentence", "language", "expected"),
    [
        ("A tiger.", "en", [5.2, 0]),  # 0.4 x (1 + 12)
        ("TIGERS' tiger", "en", [5.2 + 5.2, 0]),  # two written forms, one of them a plural
        ("tiger tiger", "en", [0.4 * (1 + 12 / 4), 0]),  # each form once; half of the words
        # One word in three with a gate of 0.5: u = 1/6. 0.5 + 0.25 of the posteriors.
        ("a blue cup sits", "en", [0, 0.2 * (1 + 12 / 36) * np.log(751) / np.log(1001)]),
        ("a coffee cup sits", "en", [0, 0.4 * (1 + 12 * 4 / 9) * np.log(751) / np.log(1001)]),
        ("Kaffeetassen", "de", [0, 5.2 * np.log(751) / np.log(1001)]),
        ("Kaffeetassen", "en", [0, 0]),
        ("eine blaue Tasse", None, [0, 0.32 * (1 + 12 * 0.64 / 9) * np.log(751) / np.log(1001)]),
        ("doges and the", "en", [0, 0]),  # known to captions: not the plural of "dog"
        ("A tiger.", "fr", [0, 0]),
    ],
)
def test_evidence_follows_the_formula(trained, pictures, sentence, language, expected):
    model_classes = read(trained)
    found = model_classes.evidence(sentence, model_classes.levels(pictures), language)
    np.testing.assert_allclose(found, expected, atol=0.02)


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
    ("sentence", "language", "unknown"),
    [
        ("tiger", "en", False),
        ("Tasse", None, False),
        ("Tasse", "en", True),
        ("Bob Marley tiger", None, False),
        ("un tigre bob tiger", None, True),  # in another language, with a word by chance
        ("bob, ann, eve: blue tiger dog", None, False),  # half of the words
        ("Tassenrand", "de", False),  # a compound of "tasse"
        ("Tassenrand", "en", True),
        ("bluest", None, False),  # another form of "blue"
        ("cups 7", "de", True),
        ("xyzzy", "fr", False),  # nothing is known of this language
        ("xyzzy", None, True),
        ("a xyzzy", None, True),
        ("a TV", None, False),  # too short to judge
        ("!?", None, True),
        ("\u0000 7", None, True),
    ],
)
def test_sentences_of_too_few_known_words_are_recognized(trained, sentence, language, unknown):
    assert read(trained).lexicon.is_unknown(sentence, language) == unknown


@pytest.mark.parametrize("sentence", ["tiger " * 10_000, "x" * 10**6, "дог tiger 虎 " * 500])
def test_huge_sentences_take_a_moment(trained, pictures, sentence):
    model_classes = read(trained)
    started = time.process_time()
    model_classes.evidence(sentence, model_classes.levels(pictures), None)
    model_classes.lexicon.is_unknown(sentence, None)
    assert time.process_time() - started < 1


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


def with_lexicon(**changes):
    """Change arrays of the lexicon; those that are None are left out."""

    def change(path, about):
        changed = {name.replace("_", "."): array for name, array in changes.items()}
        kept = {name: array for name, array in (arrays() | changed).items() if array is not None}
        save_file(kept, path / folder.LEXICON)
        about["lexicon"] = sha256(path / folder.LEXICON)

    return change


def with_weights(name, array):
    """Change an array of the classifiers."""

    def change(path, about):
        save_file(load_file(path / folder.CLASSES) | {name: array}, path / folder.CLASSES)
        about["sha256"] = sha256(path / folder.CLASSES)

    return change


def of_bytes(data):
    """Replace the lexicon."""

    def change(path, about):
        (path / folder.LEXICON).write_bytes(data)
        about["lexicon"] = sha256(path / folder.LEXICON)

    return change


LARGE = save({"starts": np.zeros(2**24, np.uint8)})


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda path, about: (path / folder.CLASSES).unlink(), "does not exist: copy the model"),
        (lambda path, about: (path / folder.LEXICON).unlink(), "does not exist: copy the model"),
        (lambda path, about: about.update(sha256="0" * 64), "is damaged, its checksum is not"),
        (lambda path, about: about.update(lexicon="0" * 64), "is damaged, its checksum is not"),
        (lambda path, about: about.update(count=2**20), "does not describe a model"),
        (lambda path, about: about.update(count=5), "other names or shapes"),
        (lambda path, about: about.update(networks=[]), "does not describe a model"),
        (
            lambda path, about: about["networks"][0].update(start=5),
            "it reads 13 features, and the model has 12",
        ),
        (with_weights("0.weight", np.full((4, 8), np.nan, np.float32)), "is not finite"),
        (with_weights("0.bias", np.zeros(5, np.float32)), "other names or shapes"),
        (with_weights("1.bias", np.zeros(4, np.float32)), "1.bias is none of them"),
        (of_bytes(b'{"a":' * 10_000), "does not hold the lexicon of this model"),
        (of_bytes(LARGE), "more than 16 MiB"),
        (with_lexicon(de_gates=None), "other names"),
        (with_lexicon(more=text("a")), "other names"),
        (with_lexicon(starts=np.array([0, 3, 1, 4], np.int32)), "sets that overlap"),
        (with_lexicon(starts=np.array([0, 4, 5], np.int32)), "sets that overlap"),
        (with_lexicon(starts=np.array([], np.int32)), "sets that overlap"),
        (with_lexicon(starts=np.array([[0, 4]], np.int32)), "starts has another type or shape"),
        (with_lexicon(classes=np.array([0, 1, 2, 4], np.int16)), "a class beyond the model's 4"),
        (with_lexicon(classes=np.array([0, 1, 2, -1], np.int16)), "a class beyond the model's 4"),
        (with_lexicon(weights=np.full(4, 101, np.uint8)), "weights that do not fit"),
        (with_lexicon(weights=np.full(4, np.nan, np.float32)), "weights has another type"),
        (with_lexicon(en_forms=text("a", "b", "b", "c")), "en has a written form twice"),
        (with_lexicon(en_forms=text("x" * 10**6)), "en has other numbers of forms, gates and sets"),
        (with_lexicon(en_forms=np.full(9, 255, np.uint8)), "en has text that is not UTF-8"),
        (with_lexicon(de_names=text("Tiger")), "de names 1 classes, not 4"),
        (with_lexicon(de_gates=np.array([100, 101], np.uint8)), "a gate above 100%"),
        (with_lexicon(de_sets=np.array([0, 3], np.int32)), "a set that does not exist"),
        (with_lexicon(de_sets=np.array([0, -1], np.int32)), "a set that does not exist"),
    ],
)
def test_files_that_are_damaged_or_of_another_form_are_refused(trained, change, error):
    content = json.loads((trained / "model.json").read_text())
    change(trained, content["classes"])
    write_json(trained / "model.json", content)
    with refused(error):
        read(trained)


def test_a_million_sets_are_read_in_a_moment(trained):
    sets = arrays() | {"starts": np.r_[0, np.full(10**6, 4)].astype(np.int32)}
    save_file(sets, trained / "large")
    started = time.process_time()
    lexicon.read(trained / "large", sha256(trained / "large"), 4)
    assert time.process_time() - started < 1
