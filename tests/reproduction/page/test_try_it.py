"""The panel where readers try an encoder, in a real browser (Chromium) without a network."""

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
import torch
import yaml

from groundvec import SentenceEncoder
from groundvec.export.onnx import export
from groundvec.model.network import Model
from groundvec.runtime.errors import InputError
from groundvec.text.characters import Text as Characters
from groundvec.text.encoded import cleaned
from groundvec.text.punctuation import detach_punctuation
from groundvec.text.words import Text as Words
from reproduction.page.try_it import first, obstacle, panel, precision, runtime_files
from reproduction.reporting.embedded import Embedded
from tests.conftest import program
from tests.support.examples import description
from tests.support.small_data import run_script

ROOT = Path(__file__).parents[3]
PINNED = yaml.safe_load((ROOT / "resources" / "onnxruntime_web.yaml").read_text("utf-8"))
CAPTIONS = [
    "A dog runs on the beach.",
    "Two kids play <b>football</b> & laugh",
    "Ein Hündchen läuft, 3 Vögel fliegen.",
    "a man's dog-sled; it's </script> cold!",
    "Women in 日本 ride bikes 🚲 .",
    "The sea.",
]
SENTENCES = [
    *CAPTIONS,
    "",
    "   ",
    ".",
    "No full stop",
    "  much \t white\u00a0\u2003space \x1c\x85\n inside ",
    "\ufeffa mark that is no white space\ufeff",
    "unseen: Ω ж 語 🦆 \u0300",
    "half a pair \ud800 of surrogates \udc00.",
    "long " * 210,  # 1,050 characters
    "🐕" * 999 + "  .",  # a thousand, of two units each in JavaScript
    "A DOG_2 RUNS, isn't it? don\u2019t-stop!! x--y 'z' ½ Ⅷ İstanbul ΣΑΣ",
    '\u201cStop,\u201d (he) said: "1,000 at 10:30..."',
]
BAG = {"name": "bag", "size": 16, "embedding": 8}
WITH_CASE = {"text": {"name": "words", "lowercase": False}}
MODELS = {
    "characters": ({"encoder": "gru-16-attention"}, Characters),
    "ensemble": ({"encoder": "lstm-16-max", "parts": {"similarity": "euclidean"}}, Characters),
    "words": ({"encoder": BAG, "text": "words"}, Words),
    "case": ({"encoder": BAG, "parts": WITH_CASE | {"similarity": "dot"}}, Words),
}


@pytest.fixture(scope="session")
def archive(tmp_path_factory):
    """Return the files of ONNX Runtime Web, of an earlier report or from npm."""
    ours = ROOT / "data" / "onnxruntime_web" / PINNED["archive"]
    if ours.exists():
        return ours
    folder = tmp_path_factory.mktemp("npm")
    command = [program("npm"), "pack", PINNED["package"], "--ignore-scripts"]
    command += ["--pack-destination", folder]
    subprocess.run(command, check=True, capture_output=True, cwd=folder)
    return folder / PINNED["archive"]


def encoder(name):
    """An untrained encoder."""
    options, text = MODELS[name]
    known = text.build(2 * CAPTIONS)  # rarer words are unknown
    if name == "case":
        known = Words(known.words, lowercase=False)
    torch.manual_seed(5)
    count = 2 if name == "ensemble" else 1
    networks = [Model(description(**options), {"en": known}, 6).eval() for _ in range(count)]
    return SentenceEncoder(networks)


def searched(encoder):
    """A test set of three pictures and CAPTIONS."""
    rng = np.random.default_rng(3)
    vectors = rng.normal(size=(3, encoder.dim)).astype(np.float32)
    return Embedded(
        captions=CAPTIONS,
        image=np.array([0, 0, 1, 1, 2, 2]),
        image_ids=np.array(["one.jpg", "two.jpg", "three.jpg"]),
        caption_vectors=encoder.encode(CAPTIONS),
        image_vectors=vectors / np.linalg.norm(vectors, axis=1, keepdims=True),
        similarity=encoder.models[0].similarity,
    )


@pytest.fixture(scope="session")
def panels(archive, tmp_path_factory):
    """Return a function that writes a page with a model's panel, encoder and test set."""
    folder, known = tmp_path_factory.mktemp("panels"), {}
    runtime = runtime_files(archive, PINNED["sha512"])

    def make(name):
        if name not in known:
            ours = encoder(name)
            embedded = searched(ours)
            export(ours.models, folder / "model.onnx", precision=precision(ours.models, CAPTIONS))
            text = panel(folder / "model.onnx", embedded, "scenes", name, runtime)
            path = folder / f"{name}.html"
            path.write_text(PAGE.format(text), "utf-8")
            known[name] = (path, ours, embedded)
        return known[name]

    return make


PAGE = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>A page</title></head>
<body><main><h1>A page</h1><h2>Try it</h2>{}</main></body>
</html>
"""
# Counts what the panel starts, and has a thumbnail of one picture.
WATCH = """
window.started = 0;
const instantiate = WebAssembly.instantiate;
WebAssembly.instantiate = (...given) => { window.started++; return instantiate(...given); };
window.groundvec = {
  thumbnail: (id, dataset) =>
    id === "two.jpg" && dataset === "scenes" ? PICTURE : undefined,
};
const PICTURE = "data:image/gif;base64,R0lGODlhAQABAAAAACw=";
"""


@pytest.fixture(scope="module")
def window(browser):
    """A browser's window, its tabs by model, and what went wrong: errors and network requests."""
    context = browser.new_context()
    context.add_init_script(WATCH)
    problems = []

    def of_request(request):
        if not request.url.startswith(("file:", "blob:", "data:")):
            problems.append(request.url)

    def of_message(message):
        if message.type == "error":
            problems.append(message.text)

    context.on("request", of_request)
    context.on("console", of_message)
    context.on("weberror", lambda error: problems.append(str(error.error)))
    yield context, {}, problems
    context.close()


@pytest.fixture
def opened(window, panels):
    """Return a function that opens a panel from its file, or its tab again, without a sentence."""
    context, tabs, problems = window

    def open_(name="characters", fresh=False):
        path, ours, embedded = panels(name)
        if not fresh and name in tabs:
            page = tabs[name]
            page.fill("#try-it-sentence", "")
            page.wait_for_selector("#try-it-found", state="hidden")
        else:
            page = context.new_page()
            page.goto(path.as_uri())
        if not fresh:
            tabs[name] = page
        return page, ours, embedded

    yield open_
    assert not problems


def encoded(page, sentences):
    call = "async (all) => { const out = []; for (const one of all) "
    call += 'out.push([...await document.getElementById("try-it").encode(one)]); return out; }'
    # Halves of surrogate pairs do not go through UTF-8; the page makes them of their numbers.
    whole = "(all) => (" + call + ")(all.map((one) => String.fromCharCode(...one)))"
    return np.array(page.evaluate(whole, [units(sentence) for sentence in sentences]), np.float32)


def units(sentence):
    return np.frombuffer(sentence.encode("utf-16-le", "surrogatepass"), np.uint16).tolist()


@pytest.mark.parametrize("name", MODELS)
def test_the_vectors_are_those_of_python(opened, name):
    page, ours, _ = opened(name)
    np.testing.assert_allclose(encoded(page, SENTENCES), ours.encode(SENTENCES), rtol=0, atol=1e-4)


def test_punctuation_is_detached_as_in_python(opened):
    page, ours, _ = opened()
    rng = np.random.default_rng(0)
    alphabet = list("aB9é🐕 .,:;!?'\"()-$\u2019\u201c\u00a0\n\ud800")
    alphabet += list("e\u0301\u00b4\u00ad\u200b\u200d\u017f\ufb01\u2026\uff44\ufeff\u2028\u06cc")
    sentences = ["".join(rng.choice(alphabet, size)) for size in rng.integers(0, 30, 3000)]
    expected = cleaned(detach_punctuation(sentences, ours.description["text"]))
    call = "(all) => all.map((one) => String.fromCharCode(...one))"
    call += '.map(document.getElementById("try-it").cleaned)'
    assert page.evaluate(call, [units(sentence) for sentence in sentences]) == expected


@pytest.mark.parametrize("name", ["characters", "ensemble", "case"])
def test_the_nearest_are_those_of_numpy_by_cosine_distance_or_dot_product(opened, name):
    page, ours, embedded = opened(name)
    euclidean = embedded.similarity == "euclidean"
    sentence = "A dog is on the beach"
    call = '(one) => document.getElementById("try-it").search(one)'
    found = page.evaluate(call, sentence)
    vector = ours.encode(sentence)
    for kind, vectors in (
        ("pictures", embedded.image_vectors),
        ("captions", embedded.caption_vectors),
    ):
        if euclidean:
            scores = -((vectors - vector) ** 2).sum(axis=1) + (vector**2).sum()
        else:
            scores = vectors @ vector
        assert [item["row"] for item in found[kind]] == np.argsort(-scores).tolist()
        in_order = sorted(found[kind], key=lambda item: item["row"])
        # Eight bits a number: half a step of each, times the size, is the most that it can be off.
        step = np.abs(vectors).max(axis=1) / 127
        worst = step * np.abs(vector).sum() / 2 * (3 if euclidean else 1)
        assert (np.abs([item["score"] for item in in_order] - scores) <= worst + 1e-4).all()


def test_nothing_is_unpacked_before_somebody_comes_to_the_input(opened):
    page, _, _ = opened(fresh=True)
    assert page.evaluate("window.started") == 0 and not page.inner_text("#try-it-status")
    page.focus("#try-it-sentence")
    page.wait_for_function("document.getElementById('try-it-status').textContent === 'Ready.'")
    assert page.evaluate("window.started") == 1


def test_typing_finds_pictures_and_captions_by_the_keyboard_alone(opened):
    page, ours, embedded = opened(fresh=True)
    page.keyboard.press("Tab")
    page.keyboard.type("A dog runs on the beach")
    page.keyboard.press("Enter")
    page.wait_for_selector("#try-it-found:not([hidden])", timeout=60_000)
    status = page.locator("#try-it-status")
    assert status.get_attribute("role") == "status"
    nearest = np.argsort(-(embedded.caption_vectors @ ours.encode("A dog runs on the beach")))
    first = f"Found. The nearest caption is: {CAPTIONS[nearest[0]]}"
    assert status.inner_text().startswith(first)
    lines = page.locator("#try-it .captions li").all_inner_texts()
    # Text, and not markup: some captions have tags in them.
    assert [re.sub(r" -?\d\.\d{3}$", "", line) for line in lines] == [CAPTIONS[k] for k in nearest]
    pictures = page.locator("#try-it .pictures li")
    assert pictures.count() == 3
    # One has a thumbnail, the others their first captions.
    assert page.locator("#try-it .pictures img").get_attribute("alt") == CAPTIONS[2]
    shown = pictures.all_inner_texts()
    assert sum(line.startswith((CAPTIONS[0], CAPTIONS[4])) for line in shown) == 2
    page.fill("#try-it-sentence", "  ")
    page.wait_for_selector("#try-it-found", state="hidden")
    assert status.inner_text() == ""


def test_an_example_is_tried_by_a_click(opened):
    page, _, _ = opened()
    examples = page.locator("#try-it .examples button")
    assert examples.all_inner_texts() == [CAPTIONS[1], CAPTIONS[3], CAPTIONS[5]]
    examples.nth(2).click()
    page.wait_for_selector("#try-it-found:not([hidden])", timeout=60_000)
    assert page.input_value("#try-it-sentence") == "The sea."
    assert page.locator("#try-it .captions li").first.inner_text().startswith("The sea. ")


@pytest.mark.parametrize("name", ["characters", "words"])
def test_what_the_encoder_was_not_made_for_is_said(opened, name):
    page, _, _ = opened(name)
    page.fill("#try-it-sentence", "The sea.")
    page.wait_for_selector("#try-it-found:not([hidden])", timeout=60_000)
    assert "are not in the" not in page.inner_text("#try-it-status")
    page.fill("#try-it-sentence", "The xylophone Ω Ω ж.")
    status = "document.getElementById('try-it-status').textContent"
    page.wait_for_function(f"{status}.includes('are not in the')", timeout=60_000)
    of_words = "These words are not in the vocabulary: xylophone ω ж."
    of_characters = "These characters are not in the training captions: x Ω ж."
    expected = of_words if name == "words" else of_characters
    assert expected in page.inner_text("#try-it-status")


def test_what_is_typed_on_is_what_is_found(opened):
    page, _, _ = opened("words")
    page.locator("#try-it-sentence").press_sequentially("The sea.", delay=5)
    first = "document.querySelector('#try-it .captions li')?.textContent.startsWith('The sea. ')"
    page.wait_for_function(first, timeout=60_000)
    page.wait_for_timeout(500)  # no result of an earlier text may follow
    assert page.evaluate(first)


def test_a_browser_that_cannot_run_it_says_so(opened):
    page, _, _ = opened(fresh=True)
    page.evaluate("delete window.DecompressionStream")
    page.fill("#try-it-sentence", "A dog")
    page.wait_for_function(
        "document.getElementById('try-it-status').textContent.includes('cannot')"
    )
    assert "This browser cannot run the encoder (" in page.locator("#try-it-status").inner_text()


def test_a_screen_reader_finds_its_way(opened):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page, _, _ = opened()
    page.fill("#try-it-sentence", "A dog")
    page.wait_for_selector("#try-it-found:not([hidden])", timeout=60_000)
    found = axe.Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


# Without a browser


def test_a_large_test_set_is_searched_in_part():
    """Captions need not stand in the order of their pictures."""
    whole = searched(encoder("characters"))
    whole.image = np.array([2, 0, 1, 0, 2, 1])
    part = first(whole, 2)
    rows = [1, 2, 3, 5]
    assert part.captions == [CAPTIONS[row] for row in rows]
    assert part.image.tolist() == [0, 1, 0, 1] and part.image_ids.tolist() == ["one.jpg", "two.jpg"]
    assert (part.caption_vectors == whole.caption_vectors[rows]).all()
    assert (part.image_vectors == whole.image_vectors[:2]).all()


def test_half_precision_is_for_encoders_that_stay_as_they_are():
    models = encoder("characters").models
    assert precision(models, CAPTIONS) == "float32"
    assert precision([model.half().float() for model in models], CAPTIONS) == "float16"


def test_what_a_page_cannot_read_gets_no_panel(tmp_path):
    moses = description(parts={"text": {"name": "words", "tokenizer": "moses"}})
    assert "tokenizer" in obstacle(moses)
    bag = description({"name": "bag", "size": 4, "embedding": 4}, "ngrams")
    assert obstacle(bag).startswith("reads ngrams")
    assert obstacle(description()) == obstacle(description(text="words")) == ""
    text = Words.build(2 * CAPTIONS, tokenizer="moses")
    ours = SentenceEncoder([Model(moses, {"en": text}, 6).eval()])
    export(ours.models, tmp_path / "model.onnx")
    with pytest.raises(InputError, match=r"reads words of a tokenizer.*: take another model"):
        panel(tmp_path / "model.onnx", searched(ours), "scenes", "moses", {})


def test_another_runtime_is_refused(tmp_path):
    (tmp_path / PINNED["archive"]).write_bytes(b"something else")
    with pytest.raises(InputError, match="is damaged or another version"):
        runtime_files(tmp_path / PINNED["archive"], PINNED["sha512"])


def test_where_npm_got_nothing_a_line_says_how_to_get_it(tmp_path):
    words = ["--models", "m", "--retrieval", "r", "--captions", "c", "--features", "f"]
    words += ["--runtime", tmp_path, "--output", tmp_path / "try_it.html"]
    run_script("try_it", *words, "--pinned", ROOT / "resources" / "onnxruntime_web.yaml")
    text = (tmp_path / "try_it.html").read_text()
    assert text.count("\n") == 1 and "install npm, delete" in text
