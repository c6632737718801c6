"""The panel where readers try an encoder, in a real browser (Chromium) without a network."""

import re

import numpy as np
import pytest
import torch

from groundvec import SentenceEncoder
from groundvec.model.network import Model
from groundvec.text.encoded import cleaned
from groundvec.text.ngrams import Text
from groundvec.text.punctuation import detach_punctuation
from reproduction.page.try_it import first, is_runnable, panel
from reproduction.reporting.embedded import Embedded
from tests.support.examples import description
from tests.support.models import BAG

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
    "No full stop",
    "  much \t white\u00a0\u2003space \x1c\x85\n inside ",
    "\ufeffa mark that is no white space\ufeff",
    "unseen: Ω ж 語 🦆 \u0300",
    "long " * 210,  # 1,050 characters
    "🐕" * 999 + "  .",  # a thousand, of two units each in JavaScript
    "A DOG_2 RUNS, isn't it? don\u2019t-stop!! x--y 'z' ½ Ⅷ İstanbul ΣΑΣ",
    '\u201cStop,\u201d (he) said: "1,000 at 10:30..."',
]
# Options of the encoder, and the number of snapshots.
MODELS = {"mean": ({}, 1), "idf": ({"idf": True}, 2), "state": ({"idf": True, "state": True}, 1)}
# The page has a thumbnail of one image.
PAGE = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>A page</title><script>
const PICTURE = "data:image/gif;base64,R0lGODlhAQABAAAAACw=";
window.groundvec = {
  thumbnail: (id, dataset) =>
    id === "two.jpg" && dataset === "scenes" ? PICTURE : undefined,
};
</script></head>
<body><main><h1>A page</h1><h2>Try it</h2>PANEL</main></body>
</html>
"""


def encoder(name):
    """An untrained encoder, whose n-grams have different weights."""
    options, count = MODELS[name]
    text = Text(2, 5, 512)
    torch.manual_seed(5)
    networks = []
    for _ in range(count):
        network = Model(description(BAG | options, "ngrams"), {"en": text}, 6).eval()
        network.fit_idf([("en", text.encode(CAPTIONS))])
        torch.nn.init.normal_(network.captions["en"].projection.bias)
        networks.append(network)
    return SentenceEncoder(networks)


def searched(encoder):
    """A test set of three images and CAPTIONS."""
    rng = np.random.default_rng(3)
    vectors = rng.normal(size=(3, encoder.dim)).astype(np.float32)
    return Embedded(
        captions=CAPTIONS,
        image=np.array([0, 0, 1, 1, 2, 2]),
        image_ids=np.array(["one.jpg", "two.jpg", "three.jpg"]),
        caption_vectors=encoder.encode(CAPTIONS),
        image_vectors=vectors / np.linalg.norm(vectors, axis=1, keepdims=True),
        similarity="cosine",
    )


@pytest.fixture
def with_panel(opened, tmp_path):
    """Return a function that opens the panel of a model."""

    def open_panel(name):
        ours = encoder(name)
        embedded = searched(ours)
        path = tmp_path / "page.html"
        path.write_text(
            PAGE.replace("PANEL", panel(ours.models, embedded, "scenes", name)), "utf-8"
        )
        return opened(path), ours, embedded

    return open_panel


def call(page, function, sentences):
    """Call a function of the panel for each sentence."""
    # Halves of surrogate pairs do not go through UTF-8; the page makes them of their numbers.
    units = [
        np.frombuffer(sentence.encode("utf-16-le", "surrogatepass"), np.uint16).tolist()
        for sentence in sentences
    ]
    panel = 'document.getElementById("try-it")'
    script = f"(all) => all.map((one) => {panel}.{function}(String.fromCharCode(...one)))"
    return page.evaluate(script, units)


@pytest.mark.parametrize("name", MODELS)
def test_the_vectors_equal_python_s(with_panel, name):
    page, ours, _ = with_panel(name)
    # Weights have 8 bits in the page.
    expected = ours.encode(SENTENCES)
    np.testing.assert_allclose(call(page, "encode", SENTENCES), expected, rtol=0, atol=0.02)


def test_sentences_are_read_as_in_python(with_panel):
    page, ours, _ = with_panel("mean")
    rng = np.random.default_rng(0)
    alphabet = list("aB9é🐕 .,:;!?'\"()-$\u2019\u201c\u00a0\n\ud800")
    alphabet += list("e\u0301\u00b4\u00ad\u200b\u200d\u017f\ufb01\u2026\uff44\ufeff\u2028\u06cc")
    sentences = ["".join(rng.choice(alphabet, size)) for size in rng.integers(0, 30, 3000)]
    sentences += SENTENCES
    detached = detach_punctuation(sentences, ours.description["text"])
    assert call(page, "cleaned", sentences) == cleaned(detached)
    encoded = ours.models[0].texts["en"].encode(detached)
    expected = np.split(encoded.indices, encoded.starts[1:-1])
    found = call(page, "indices", sentences)
    assert [sorted(rows) for rows in found] == [rows.tolist() for rows in expected]


def test_typing_finds_images_and_captions(with_panel):
    page, ours, embedded = with_panel("idf")
    page.keyboard.press("Tab")
    page.keyboard.type("A dog runs on the beach")
    status = page.locator("#try-it-status")
    assert status.get_attribute("role") == "status"
    vector = ours.encode("A dog runs on the beach")
    nearest = np.argsort(-(embedded.caption_vectors @ vector))
    assert status.inner_text() == f"The nearest caption is: {CAPTIONS[nearest[0]]}"
    lines = page.locator("#try-it .captions li").all_inner_texts()
    # Text, and not markup: some captions have tags in them.
    assert [re.sub(r" -?\d\.\d{3}$", "", line) for line in lines] == [CAPTIONS[k] for k in nearest]
    [found] = call(page, "search", ["A dog runs on the beach"])
    scores = [item["score"] for item in sorted(found["images"], key=lambda item: item["row"])]
    np.testing.assert_allclose(scores, embedded.image_vectors @ vector, rtol=0, atol=0.02)
    # One image has a thumbnail, the others their first captions.
    assert page.locator("#try-it .pictures img").get_attribute("alt") == CAPTIONS[2]
    shown = page.locator("#try-it .pictures li").all_inner_texts()
    assert sum(line.startswith((CAPTIONS[0], CAPTIONS[4])) for line in shown) == 2
    page.fill("#try-it-sentence", "  ")
    assert page.locator("#try-it-found").is_hidden()


def test_an_example_is_tried_by_a_click_and_a_screen_reader_finds_its_way(with_panel):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page, _, _ = with_panel("state")
    examples = page.locator("#try-it .examples button")
    assert examples.all_inner_texts() == [CAPTIONS[0], CAPTIONS[2], CAPTIONS[4]]
    examples.nth(0).click()
    assert page.input_value("#try-it-sentence") == CAPTIONS[0]
    assert page.locator("#try-it .captions li").first.inner_text().startswith(CAPTIONS[0])
    found = axe.Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def test_a_large_test_set_is_searched_in_part():
    """Captions need not stand in the order of their images."""
    whole = searched(encoder("mean"))
    whole.image = np.array([2, 0, 1, 0, 2, 1])
    part = first(whole, 2)
    rows = [1, 2, 3, 5]
    assert part.captions == [CAPTIONS[row] for row in rows]
    assert part.image.tolist() == [0, 1, 0, 1] and part.image_ids.tolist() == ["one.jpg", "two.jpg"]
    assert (part.caption_vectors == whole.caption_vectors[rows]).all()
    assert (part.image_vectors == whole.image_vectors[:2]).all()


def test_bags_of_ngrams_that_compare_cosines_are_runnable():
    assert is_runnable(description(BAG, "ngrams"))
    assert not is_runnable(description(BAG, "words"))
    assert not is_runnable(description(BAG, "ngrams", parts={"similarity": "dot"}))
    assert not is_runnable(description())
