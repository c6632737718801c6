"""The page of a report, as readers see it: in a browser, from small results."""

import importlib
import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
import yaml
from matplotlib.figure import Figure
from PIL import Image

from groundvec.card.text import MINUS, MISSING
from groundvec.data import dataset
from groundvec.evaluation.ranks import DIRECTIONS
from groundvec.features import store
from groundvec.model.network import Model
from groundvec.results import schemas
from groundvec.results.schemas import CUTOFFS
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import write_json
from groundvec.text.characters import Text
from reproduction.page import claims, gallery
from reproduction.page.build import breakable
from reproduction.page.items import caption
from reproduction.papers import items
from reproduction.render import style
from reproduction.render.tables import write_table
from reproduction.render.vector import svg
from reproduction.reporting import reported_vs_measured
from reproduction.reporting.embedded import Embedded
from tests.support.examples import description, save_model
from tests.support.result_files import filled

ROOT = Path(__file__).parents[3]
TRAINED = ["gru-8-attention", "gru-8-max"]
ODD = '</script><b>"{{ 7 * 7 }}" & $5'  # must stay text in captions and names


# Table 1 of Calixto & Liu (2017) without a row; other tests read its content.
WIDE = pd.DataFrame(columns=["name", "dataset", "language", "source"])


def script(name, *arguments):
    """Run a script as on the command line."""
    module = importlib.import_module(f"scripts.{name}")
    module.main(module.parser.parse_args([str(word) for word in arguments]))


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """An untrained network as a training's only snapshot, its data and its scores."""
    folder = tmp_path_factory.mktemp("trained")
    names, splits = [f"i{k}" for k in range(36)], ["dev"] * 6 + ["test"] * 30
    for k, name in enumerate(names):
        Image.new("RGB", (60, 40), (7 * k, 250 - 7 * k, 120)).save(folder / f"{name}.png")
    paths = [str(folder / f"{name}.png") for name in names]
    captions = pd.DataFrame(
        [
            (name, "en", split, f"Picture {name}, told {k} times {ODD}")
            for name, split in zip(names, splits, strict=True)
            for k in range(5)
        ],
        columns=dataset.CAPTION_COLUMNS,
    )
    images = pd.DataFrame({"image_id": names, "split": splits, "path": paths})
    dataset.write(folder, captions, images)
    features = np.random.default_rng(0).normal(size=(36, 12)).astype(np.float32)
    store.write(folder / "features.h5", features, names, {})
    text = Text.build(captions["caption"])
    for seed, name in enumerate(TRAINED):
        torch.manual_seed(seed)
        model = folder / "models" / name / "seed1"
        save_model(model, Model(description(name), {"en": text}, 12), model=name)
        data = ("--captions", folder / "captions.csv", "--features", folder / "features.h5")
        output = ("--threads", 1, "--output", folder / name)
        script("retrieval", "--model", model, *data, *output)
        history = {"dataset": "scenes", "model": name, "seed": 1, "epoch": [0, 1, 2]}
        history |= {"loss": [np.nan, 0.5, 0.25], "dev_recall": [8.0, 40.0, 61.5]}
        history |= {"seconds": [0.0, 30.0, 61.0]}
        filled(pd.DataFrame(history), schemas.History).to_csv(model / "history.csv", index=False)
    return folder


def find(trained, output, names=TRAINED, **other):
    models = [trained / "models" / name / "seed1/model.json" for name in names]
    files = {
        "captions": trained / "captions.csv",
        "images": trained / "images.csv",
        "features": trained / "features.h5",
    }
    given = [word for name, path in {**files, **other}.items() for word in (f"--{name}", path)]
    retrieval = [trained / f"{name}.csv" for name in names]
    script("gallery", "--models", *models, "--retrieval", *retrieval, *given, "--output", output)


@pytest.fixture(scope="module")
def results(trained, tmp_path_factory):
    """Write the results of a run: tables of two papers, figures, training curves and a gallery."""
    folder = tmp_path_factory.mktemp("results")
    merkx, calixto = folder / "merkx_frank_2019", folder / "calixto_liu_2017"
    for paper in (merkx, calixto):
        for kind in ("tables", "figures"):
            (paper / kind).mkdir(parents=True)
    recalls = {
        f"{way}_r{k}{end}": [value, reported]
        for way in ("caption_to_image", "image_to_caption")
        for k, value in ((1, 20.0), (5, 50.0), (10, 70.0))
        for end, value, reported in (("", value, value + k), ("_ci", 3.0, np.nan))
    }
    table = pd.DataFrame(
        {"dataset": "flickr8k", "test_set": "1k", "source": ["measured", "reported"]}
    )
    table = table.assign(model=["gru-8-max", "char-GRU"], selected=[True, None], **recalls)
    cells = pd.DataFrame(
        {"source": table["source"], "model": [ODD, "char-GRU"], "R@1": ["20", "21"]}
    )
    write_table(merkx / "tables/table2", table, cells, "llr", "Retrieval.", ["A note."], ["a", "a"])
    pairs = pd.DataFrame(
        {
            "name": "gru-8-max",
            "task": "STS",
            "subtask": ["images", "news"],
            "agreement": "lowest",
            "contribution": [-1.0, -2.0],
            "rating": [1.0, 4.5],
            "prediction": [0.9, 0.125],
            "classifier": [np.nan, 0.125],
            "sentence_a": ["A dog runs.", ODD],
            "sentence_b": ["A dog sleeps.", "A cat."],
        }
    )
    write_table(merkx / "tables/table3", pairs, pairs[["task"]], "l", "Pairs.", ["A note."])
    wide = pd.DataFrame({f"column {k}": ["-1234.5 ± 1234.5", ODD] for k in range(30)})
    spans = {"many of them": 20}
    write_table(calixto / "tables/table1", WIDE, wide, "r" * 30, "Wide.", ["A note."], "ab", spans)
    held = pd.DataFrame(
        {
            "paper": "calixto_liu_2017",
            "claim": "Several languages help",
            "dataset": "flickr8k",
            "condition": ["en", "de", "fr"],
            "measure": "R@10",
            "worse": "VSE",
            "better": "MLMME",
            "seeds": 1,
            "reported": [2.0, 9.0, np.nan],
            "difference": [3.0, -4.0, 0.5],
            "low": [1.0, -6.0, np.nan],
            "high": [5.0, -2.0, np.nan],
            "p": [np.nan, np.nan, 0.25],
            "verdict": ["holds", "does not hold", "not decided"],
        }
    )
    held = filled(held, schemas.Claims)
    cells = held[["condition", "verdict"]]
    write_table(calixto / "tables/claims", held, cells, "ll", "Claims.", ["A note."])
    figure = Figure((5, 3))
    panel = figure.subplots()
    panel.errorbar([1, 2], [30, 40], yerr=[[2, 3], [2, 3]], fmt="o", label="GRU")
    panel.set_ylabel("R@10 (%)")
    style.save(figure, merkx / "figures/figure2")
    figure = Figure((4, 4))
    figure.subplots().imshow(np.zeros((20, 20, 3)))
    style.save(figure, merkx / "figures/samples-scenes")
    find(trained, folder / "scenes.json")
    return folder


def build(results, trained, output, *more, **other):
    files = {
        "experiment": [ODD],
        "tables": sorted(results.glob("*/tables/*.csv")),
        "figures": sorted(results.glob("*/figures/*.svg")),
        "histories": sorted(trained.glob("models/*/*/history.csv")),
        "retrieval": [trained / f"{name}.csv" for name in TRAINED],
        "galleries": [results / "scenes.json"],
    }
    given = [word for name, paths in {**files, **other}.items() for word in (f"--{name}", *paths)]
    script("page", *given, *more, "--output", output)
    return output


@pytest.fixture(scope="module")
def made(results, trained):
    panel = results / "panel.html"
    panel.write_text('<p id="try-it">A panel.</p><script>window.tried = true</script>')
    return build(results, trained, results / "index.html", "--try-it", panel)


@pytest.fixture
def opened(browser):
    """Return a function that opens a page; errors of the page and requests to a network fail."""
    windows, problems = [], []

    def visit(path, width=1200, **options):
        # A page that still scrolls smoothly moves away from under a click.
        options = {"reduced_motion": "reduce", **options}
        window = browser.new_context(viewport={"width": width, "height": 900}, **options)
        windows.append(window)
        page = window.new_page()
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("request", lambda request: asked(request.url))
        page.goto(path.as_uri())
        return page

    def asked(address):
        if not address.startswith(("file:", "data:")):
            problems.append(address)

    yield visit
    for window in windows:
        window.close()
    assert not problems


def choose(page, selector):
    """Check a box by the keyboard: a click misses a box that moves while the page is laid out."""
    page.press(selector, "Space")
    assert page.is_checked(selector)


def unfold(page):
    page.eval_on_selector_all("details", "all => all.forEach(one => { one.open = true })")


def visible(page, selector=".query"):
    return page.query_selector_all(f":is({selector}):visible")


def test_everything_is_on_the_page_without_javascript(made, opened):
    page = opened(made, java_script_enabled=False)
    headings = [heading.inner_text() for heading in page.query_selector_all("h1, h2, h3, h4")]
    assert headings[0] == "scenes: 2 models"
    assert page.inner_text("header .kind") == f"Report of the experiment {ODD}"
    for heading in ("Summary", "Try it", "Gallery", "Training", "Provenance"):
        assert heading in headings
    assert "Merkx & Frank (2019)" in headings and "Calixto & Liu (2017)" in headings
    text = page.inner_text("body")
    assert "Where model and ratings disagree most" in text
    assert text.index("A cat.") < text.index("A dog sleeps.")  # the pair with -2 is first
    said = [number.inner_text() for number in page.query_selector_all("#disagreements dd")]
    # The first model's number is by a classifier, which gives a rating.
    assert said == ["4.5 of 5", "0.12 of 5", "1.0 of 5", "0.90 cosine"]
    titles = page.eval_on_selector_all(
        "#merkx_frank_2019-figure2 title", "titles => titles.map(title => title.textContent)"
    )
    assert titles == [
        "GRU\n1\nR@10: 30\n95% interval: 28 to 32",
        "GRU\n2\nR@10: 40\n95% interval: 37 to 43",
    ]
    figure = page.query_selector("#merkx_frank_2019-samples-scenes img")
    assert figure.get_attribute("alt") == "Samples, scenes: described below"
    for name in ("commit", "versions", "machine"):
        assert page.get_by_role("columnheader", name=name, exact=True).count() == 1


def test_the_papers_come_before_the_gallery_in_the_order_of_their_tables(made, opened):
    page = opened(made)
    sections = [
        section.get_attribute("id") for section in page.query_selector_all("main > section")
    ]
    papers = ["calixto_liu_2017", "merkx_frank_2019"]
    others = ["disagreements", "training", "gallery", "provenance"]
    assert sections == ["overview", "try", *papers, *others]
    links = [link.get_attribute("href") for link in page.query_selector_all(".contents a")]
    assert links == [f"#{section}" for section in sections]


def test_a_card_says_what_chance_gives_and_of_how_many(made, opened):
    card = opened(made).query_selector("article.card")
    assert "30 pictures, 150 captions in the test set" in card.inner_text()
    rows = [row.inner_text().split("\t") for row in card.query_selector_all("tbody tr")]
    # One of 30 pictures is right; of 150 captions five are: 1 - (145/150)(144/149)... for R@10.
    assert rows[1] == ["by chance", "3.3", "16.7", "33.3"]
    missed = np.prod([(145 - k) / (150 - k) for k in range(10)])
    assert rows[3][0] == "by chance" and rows[3][1] == "3.3"
    assert rows[3][3] == f"{100 * (1 - missed):.1f}"


def test_six_queries_are_shown_and_more_if_asked_for(made, opened):
    for scripts in (False, True):
        page = opened(made, java_script_enabled=scripts)
        shown = visible(page)
        first = page.query_selector_all(".query.m0.to_images")[:6]
        assert [one.inner_text() for one in shown] == [one.inner_text() for one in first]
        choose(page, "[value=miss]")
        assert len(visible(page)) == min(6, len(page.query_selector_all(".m0.to_images.miss")))
        choose(page, "[value=all]")
        choose(page, ".more input")
        assert len(visible(page)) == 24


def test_the_filters_need_no_javascript(made, opened):
    page = opened(made, java_script_enabled=False)
    choose(page, ".more input")
    everything = visible(page)
    assert len(everything) == 24 and all(page.query_selector_all(".query.m1.to_captions"))
    choose(page, "[value=miss]")
    misses = visible(page)
    choose(page, "[value=hit]")
    hits = visible(page)
    assert misses and hits and len(misses) + len(hits) == 24
    for query in hits:
        ranks = [int(li.get_attribute("value")) for li in query.query_selector_all("li.right")]
        assert min(ranks) <= 5
    choose(page, "[value=all]")
    choose(page, "[value=m1]")
    choose(page, "[value=to_captions]")
    assert {query.get_attribute("class").split()[1] for query in visible(page)} == {"to_captions"}
    assert {query.get_attribute("class").split()[2] for query in visible(page)} == {"m1"}


def test_the_page_says_how_many_queries_the_filters_leave(made, opened):
    page = opened(made)
    hits = len(page.query_selector_all(".query.m0.to_images.hit"))
    assert page.inner_text(".shown").startswith(f"24 queries, {hits} of them")
    assert page.inner_text(".shown").endswith("; the first 6 are shown.")
    choose(page, ".more input")
    assert "the first" not in page.inner_text(".shown")
    choose(page, "[value=miss]")
    assert page.inner_text(".shown") == f"{len(visible(page))} queries, 0 of them hits."
    assert len(visible(page)) == 24 - hits


def test_reported_numbers_tell_where_they_lie_in_words(made, opened):
    page = opened(made)
    unfold(page)
    rows = [
        row.inner_text()
        for row in page.query_selector_all("#merkx_frank_2019-table2-compared tbody tr")
    ]
    assert len(rows) == 6
    # Reported are 21 ± of 20, 55 of 50 and 80 of 70, each with an interval of 3 to both sides.
    places = [row.split("\t")[0] for row in rows]
    assert places == ["✓ in the interval", "▲ above it", "▲ above it"] * 2
    assert rows[0].split("\t")[4:] == ["21.0", "20.0", "17.0 to 23.0", f"{MINUS}1.0"]
    claim = page.query_selector(".claim")
    assert [badge.inner_text() for badge in claim.query_selector_all("summary .badge")] == [
        "✓ holds in 1",
        "✗ does not hold in 1",
        "? not decided in 1",
    ]
    holds, fails, open_ = (
        row.inner_text().split("\t") for row in claim.query_selector_all("tbody tr")
    )
    assert holds[:4] == ["✓ holds", "MLMME against VSE", "R@10, en", "1"]
    assert holds[4:6] == ["3.0", "1.0 to 5.0"]
    assert "in the interval" in holds[7] and "above it" in fails[7]
    assert open_[5] == "p = 0.250" and open_[7] == MISSING
    drawn = [len(row.query_selector_all("svg")) for row in claim.query_selector_all("tbody tr")]
    assert drawn == [1, 1, 0]  # of a p alone there is no interval to draw


def test_a_pointer_shows_values(made, opened):
    page = opened(made)
    page.hover("#merkx_frank_2019-figure2 svg")  # waits until it no longer moves
    box = page.locator("#merkx_frank_2019-figure2 g[id*=values] use").nth(1).bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2 + 3, box["y"] + box["height"] / 2)
    assert page.inner_text("#tip") == "GRU\n2\nR@10: 40\n95% interval: 37 to 43"
    page.mouse.move(5, 5)
    assert not page.is_visible("#tip")


def test_everything_can_be_done_with_a_keyboard(made, opened):
    page = opened(made)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.focus("[value=to_images]")
    page.keyboard.press("ArrowRight")
    assert page.is_checked("[value=to_captions]")
    page.focus("#merkx_frank_2019-figure2 .plot")
    for key, value in (("n", "30"), ("n", "40"), ("n", "30"), ("p", "40")):
        page.keyboard.press(key)
        assert f"R@10: {value}\n" in page.inner_text("#tip")
    page.focus("#merkx_frank_2019-figure2 .enlarge")
    page.keyboard.press("Enter")
    assert page.is_visible("dialog svg")
    before = page.locator("dialog svg").bounding_box()["width"]
    page.keyboard.press("+")
    assert page.locator("dialog svg").bounding_box()["width"] == pytest.approx(
        1.5 * before, rel=0.05
    )
    page.keyboard.press("n")
    assert "R@10: 30" in page.inner_text("#tip")
    page.keyboard.press("0")
    assert page.locator("dialog svg").bounding_box()["width"] == pytest.approx(before, rel=0.05)
    page.keyboard.press("Escape")
    # A closed dialog says so a moment later; then its figure goes back to its place.
    page.wait_for_selector("#merkx_frank_2019-figure2 .plot svg")
    assert page.evaluate("document.activeElement.className") == "enlarge"


def test_a_wheel_zooms_where_the_pointer_is(made, opened):
    page = opened(made)
    page.click("#merkx_frank_2019-figure2 .enlarge")
    mark = page.locator("dialog g[id*=values] use").nth(0)
    before = mark.bounding_box()
    page.mouse.move(before["x"] + 4, before["y"] + 4)
    page.mouse.wheel(0, -400)
    page.wait_for_function("document.querySelector('.view').scrollWidth > 2000")
    after = mark.bounding_box()
    assert after["width"] > 1.5 * before["width"]
    assert abs(after["x"] - before["x"]) < 40 and abs(after["y"] - before["y"]) < 40
    page.click("text=Close")
    assert not page.is_visible("dialog")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_stands_in_the_way_of_a_screen_reader(made, opened, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page = opened(made, color_scheme=scheme)
    unfold(page)
    found = axe.Axe().run(page).response
    assert [
        (wrong["id"], [n["html"] for n in wrong["nodes"]]) for wrong in found["violations"]
    ] == []
    page.click("#merkx_frank_2019-figure2 .enlarge")
    found = axe.Axe().run(page).response
    assert [
        (wrong["id"], [n["html"] for n in wrong["nodes"]]) for wrong in found["violations"]
    ] == []


@pytest.mark.parametrize("width", [320, 360, 768, 1200])
def test_the_page_is_never_wider_than_the_window(made, opened, width):
    page = opened(made, width)
    unfold(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [375, 1280])
def test_a_table_that_does_not_fit_says_so(made, opened, width):
    page = opened(made, width)
    unfold(page)
    page.wait_for_selector("#calixto_liu_2017-table1 .wider")
    told = """all => all.map((box) => [
        box.scrollWidth > box.clientWidth, getComputedStyle(box, "::before").content !== "none"])"""
    tables = page.eval_on_selector_all(".wide", told)
    assert all(wider == says for wider, says in tables)
    assert 0 < sum(wider for wider, _ in tables) < len(tables)


def test_a_number_is_broken_before_its_interval_only():
    assert breakable("27.5 ± 1.2") == "27.5 ±\u00a01.2"
    assert breakable(f"{MINUS}1,234.5 [1.0, 2.0]") == f"{MINUS}1,234.5 [1.0,\u00a02.0]"
    assert breakable("< 0.001") == "<\u00a00.001" and breakable(MISSING) == MISSING


def test_verdicts_and_a_table_of_each_paper_are_open_and_the_rest_is_folded(made, opened):
    page = opened(made)
    assert page.is_visible(".claim summary .badge") and not page.is_visible(".claim table")
    for table in ("merkx_frank_2019-table2", "calixto_liu_2017-table1"):
        assert page.is_visible(f"#{table} table")
    for folded in ("#merkx_frank_2019-table3 table", "#merkx_frank_2019-table2-compared table"):
        assert page.query_selector(folded) and not page.is_visible(folded)
    assert not page.query_selector(
        "#calixto_liu_2017-claims table"
    )  # the page shows its claims instead


def test_on_paper_is_what_is_open_but_not_what_is_to_be_used(made, opened):
    page = opened(made, color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.is_visible("#merkx_frank_2019-table2 table") and page.is_visible(".claim .badge")
    assert not visible(page, ".claim table, #merkx_frank_2019-table3 table")
    unfold(page)
    rows = page.query_selector_all("#merkx_frank_2019 tr, #calixto_liu_2017 tr, #training tr")
    assert len(rows) > 20 and all(row.bounding_box()["height"] > 0 for row in rows)
    assert not visible(page, "#gallery, #try, .contents, .enlarge, .skip")
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(29, 33, 38)"
    boxes = "all => all.every((box) => getComputedStyle(box).overflowX === 'visible')"
    assert page.eval_on_selector_all(".wide", boxes)


def test_of_a_single_model_no_claim_of_a_paper_is_shown(results, trained, opened, tmp_path):
    one = TRAINED[:1]
    find(trained, tmp_path / "scenes.json", one)
    others = {"galleries": [tmp_path / "scenes.json"], "retrieval": [trained / f"{one[0]}.csv"]}
    page = opened(build(results, trained, tmp_path / "index.html", **others))
    assert page.inner_text("h1") == "scenes: gru-8-attention"
    text = page.inner_text("body").lower()
    assert "claim" not in text and "verdict" not in text and "beside the papers" not in text
    assert not page.query_selector_all(".badge:not(.query .badge, .compared .badge), .claim")
    assert page.query_selector("#merkx_frank_2019-table2")  # the measured table remains


def test_a_page_of_own_data_speaks_of_them_and_of_chance(results, trained, opened, tmp_path):
    content = json.loads((results / "scenes.json").read_text())
    assert content["own"] is False
    write_json(tmp_path / "scenes.json", content | {"own": True, "images": 20})
    others = {"galleries": [tmp_path / "scenes.json"]}
    page = opened(build(results, trained, tmp_path / "index.html", **others))
    assert page.inner_text("h1") == "scenes: 2 models"
    headings = [heading.inner_text() for heading in page.query_selector_all("h1, h2, nav a")]
    assert "Scores" in headings
    assert not any(name in text for text in headings for name in ("Merkx", "Calixto", "Table"))
    card = page.inner_text(".card")
    assert "By chance among 20 pictures: 33.3" in card  # R@10 among all 30 pictures
    assert "With 20, the 95% interval of a recall is up to ± 21.9" in card  # 1.96 sqrt(.25 / 20)
    write_json(tmp_path / "scenes.json", content | {"own": True, "images": 100})
    page = opened(build(results, trained, tmp_path / "more.html", **others))
    assert "Few test pictures" not in page.inner_text(".card")


def test_ratings_of_drawn_scenes_are_called_so(results, trained, opened, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(results, copy)
    scores = pd.DataFrame({"dataset": "scenes", "model": TRAINED, "seed": 1, "kind": "ensemble"})
    scores = scores.assign(measure="semantic score", pearson=0.5, task="Scenes-R")
    stem = copy / "merkx_frank_2019/tables/table_s1-models"
    write_table(stem, scores, scores[["model"]], "l", "Scores.", [])
    page = opened(build(copy, trained, tmp_path / "index.html"))
    assert "computed ratings of sentences about drawn scenes: 50.0" in page.inner_text(".card")
    assert "No person gave these ratings" in page.inner_text("#disagreements")
    write_table(stem, scores.assign(task="SICK"), scores[["model"]], "l", "Scores.", [])
    page = opened(build(copy, trained, tmp_path / "people.html"))
    assert "ratings of sentence pairs: 50.0" in page.inner_text(".card")


def test_emphasis_and_literals_in_captions_are_html_over_the_ends_of_lines_too():
    text = "a *b\n  c* ``d *`` **e** 2 * 3 * 4 <x> *g*, *h i*."
    assert caption(text) == (
        "a <em>b c</em> <code>d *</code> <strong>e</strong> 2 * 3 * 4 &lt;x&gt; <em>g</em>, "
        "<em>h i</em>."
    )
    texts = [caption(item.text) for _, _, item in items()]
    assert not [text for text in texts if "*" in text or "``" in text]


def test_each_table_and_figure_has_links_to_its_files(results, trained, opened, tmp_path):
    copy = tmp_path / "a b"
    shutil.copytree(results, copy)
    page = opened(build(copy, trained, copy / "report/index.html"))
    unfold(page)
    for name, suffixes in [
        ("merkx_frank_2019/tables/table2", [".csv", ".tex", ".md"]),
        ("merkx_frank_2019/figures/figure2", [".svg", ".pdf", ".png"]),
    ]:
        links = page.query_selector_all(".files a")
        addresses = [link.get_attribute("href") for link in links]
        assert [a for a in addresses if name in a] == [f"../{name}{suffix}" for suffix in suffixes]
        assert all((copy / "report" / address).is_file() for address in addresses)


def test_a_table_and_the_reference_of_its_paper_can_be_copied(made, opened):
    page = opened(made, permissions=["clipboard-read", "clipboard-write"])
    unfold(page)
    files = "#merkx_frank_2019-table2 .files"
    for form, start in {"LaTeX": r"\begin", "Markdown": "| ", "CSV": "dataset,"}.items():
        page.click(f"{files} >> text=Copy {form}")
        page.wait_for_selector(f"{files} >> text=Copied {form}")
        copied = page.evaluate("navigator.clipboard.readText()")
        suffix = {"LaTeX": ".tex", "Markdown": ".md", "CSV": ".csv"}[form]
        path = made.parent / f"merkx_frank_2019/tables/table2{suffix}"
        assert start in copied and copied == path.read_text("utf-8")
    page.click(f"{files} >> text=Copy BibTeX")
    page.wait_for_selector(f"{files} >> text=Copied BibTeX")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.text_content("#merkx_frank_2019-bibtex")
    assert copied.startswith("@article{merkx2019,\n  author = {Merkx, Danny and Frank, Stefan L.},")
    for line in ("number = {4}", "pages = {451--466}", "doi = {10.1017/S1351324919000196}"):
        assert f"  {line},\n" in copied


def test_the_head_says_that_scenes_are_drawn(results, trained, made, opened, tmp_path):
    assert "The pictures of scenes are no photographs" in opened(made).inner_text("header")
    content = json.loads((results / "scenes.json").read_text())
    write_json(tmp_path / "scenes.json", content | {"drawn": False})
    others = {"galleries": [tmp_path / "scenes.json"]}
    page = opened(build(results, trained, tmp_path / "index.html", **others))
    assert "photographs" not in page.inner_text("header")


def test_a_panel_is_put_in_and_finds_the_thumbnails(made, opened):
    page = opened(made)
    assert page.inner_text("#try #try-it") == "A panel." and page.evaluate("window.tried")
    size = page.evaluate(
        """async () => {
        const image = new Image();
        image.src = groundvec.thumbnail("i20", "scenes");
        await image.decode();
        return [image.naturalWidth, image.naturalHeight];
    }"""
    )
    assert size == [60, 40]
    assert page.evaluate("groundvec.thumbnail('i20') === groundvec.thumbnail('i20', 'scenes')")
    assert page.evaluate("groundvec.thumbnail('nobody') === undefined")


def test_a_thousand_pictures_are_there_in_two_seconds(results, trained, browser, tmp_path):
    """Test with as many images as Flickr8k's test set, each of about 3 kB."""
    content = json.loads((results / "scenes.json").read_text())
    rng = np.random.default_rng(0)
    for k in range(1000):
        noise = rng.integers(0, 256, (16, 16, 3), dtype=np.uint8)
        Image.fromarray(noise).resize((144, 108)).save(tmp_path / "noise.png")
        about = gallery.small_picture(tmp_path / "noise.png", (144, 144))
        content["thumbnails"][f"other{k}"] = about | {"caption": f"Picture {k}"}
    write_json(tmp_path / "scenes.json", content)
    galleries = [tmp_path / "scenes.json"]
    path = build(results, trained, tmp_path / "index.html", galleries=galleries)
    assert 2e6 < path.stat().st_size < 12e6
    page = browser.new_page()
    session = page.context.new_cdp_session(page)
    # Processor time does not depend on other programs of the machine.
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.goto(path.as_uri())
    metrics = {
        row["name"]: row["value"] for row in session.send("Performance.getMetrics")["metrics"]
    }
    page.close()
    assert metrics["TaskDuration"] < 2


# Content of the page


def circle(count):
    angles = np.linspace(0, 1.5, count)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def test_queries_find_the_nearest_and_tell_which_are_right():
    """Seven images on a circle; captions 2k and 2k + 1 are of image k, and lie where 6 - k does."""
    images = circle(7)
    captions = np.repeat(images[::-1], 2, axis=0)
    texts = [f"caption {k}" for k in range(14)]
    ids = np.array([f"i{k}" for k in range(7)])
    embedded = Embedded(texts, np.repeat(np.arange(7), 2), ids, captions, images, "cosine")
    found = gallery.queries(embedded)
    assert {task: len(asked) for task, asked in found.items()} == {
        "to_images": 7,
        "to_captions": 7,
        "to_sentences": 7,
    }
    [query] = [query for query in found["to_images"] if query["image"] == "i0"]
    assert query["caption"] == "caption 0"  # the first of the image, where image 6 lies
    shown = [(item["rank"], item["image"], item["right"]) for item in query["found"]]
    assert shown == [
        *((k + 1, f"i{6 - k}", False) for k in range(5)),
        (7, "i0", True),
    ]
    [query] = [query for query in found["to_captions"] if query["image"] == "i3"]
    assert {item["caption"] for item in query["found"] if item["right"]} == {
        "caption 6",
        "caption 7",
    }
    [query] = [query for query in found["to_sentences"] if query["image"] == "i2"]
    best = query["found"][0]
    assert (best["caption"], best["right"], best["score"]) == ("caption 5", True, 1.0)
    assert "caption 4" not in {item["caption"] for item in query["found"]}  # it is the query


def test_the_best_models_come_first_each_once(trained):
    from groundvec.evaluation.files import read_retrieval

    table = read_retrieval([trained / f"{name}.csv" for name in TRAINED])
    dev = table[(table["split"] == "dev") & (table["kind"] == "ensemble")]
    means = dev.groupby("model")["r10"].mean().sort_values(ascending=False)
    assert gallery.best(table)["model"].tolist() == list(means.index)
    again = pd.concat([table, table.assign(seed=2)])
    assert gallery.best(again)["seed"].tolist() == [1, 1]
    again.loc[(again["seed"] == 2) & (again["model"] == means.index[-1]), "r10"] = 1000
    assert gallery.best(again)["model"].tolist() == list(means.index[::-1])


def test_a_reported_number_lies_in_the_interval_or_above_or_below_it():
    table = pd.DataFrame({"reported": [1, 2, 3, 4, 5, np.nan], "low": 2.0, "high": 4.0})
    inside = ["below it", *["in the interval"] * 3, "above it", ""]
    assert reported_vs_measured.place_in_interval(table).tolist() == inside


def test_a_reported_number_stands_beside_each_seed():
    recalls = {f"{d}_r{k}": [70.0, 60.0, 80.0] for d in DIRECTIONS for k in CUTOFFS}
    halves = {f"{d}_r{k}_ci": [np.nan, 2.0, 2.0] for d in DIRECTIONS for k in CUTOFFS}
    table = pd.DataFrame({"seed": [np.nan, 1, 2], "name": "VSE", "dataset": "one", **recalls})
    table = table.assign(source=["reported", "measured", "measured"], language="en", **halves)
    found = reported_vs_measured.compare("calixto_liu_2017", "table1", table)
    assert len(found) == 2 * 2 * 3
    assert found["system"].unique().tolist() == ["VSE, seed 1", "VSE, seed 2"]
    assert found["verdict"].tolist() == ["above it", "below it"] * 6


def test_of_socher_s_systems_those_of_the_same_objective_are_compared():
    numbers = {
        f"{task}_mean_rank{end}": value
        for task in ("caption_to_caption", "caption_to_image", "image_to_caption")
        for end, value in (
            ("", [10.0, 11.0, 30.0]),
            ("_low", [np.nan, 9.0, 20.0]),
            ("_high", [np.nan, 12.0, 40.0]),
        )
    }
    table = pd.DataFrame(
        {"dataset": "pascal1k", "test_set": "100", "source": ["reported", "measured", "measured"]}
    )
    table = table.assign(
        system="DT-RNN",
        name=["DT-RNN", "DT-RNN", "DT-RNN (other)"],
        objective=["max margin, inner product", "max margin, inner product", "mean hinge, cosine"],
        **numbers,
    )
    found = reported_vs_measured.compare("socher_2014", "table1", table)
    assert found["measure"].tolist() == [
        "sentence similarity, mean rank",
        "image search, mean rank",
        "describing images, mean rank",
    ]
    assert set(found["system"]) == {"DT-RNN, max margin, inner product"}
    assert set(found["verdict"]) == {"in the interval"} and set(found["reported"]) == {10.0}


def test_a_baseline_is_recognised_by_its_encoder_and_not_by_its_name():
    table = pd.DataFrame(
        {
            "source": ["reported", *["measured"] * 3],
            "name": ["BOW (reported)", "my vectors", "BOW", "gru-8-max Flickr8k"],
            "system": ["BOW", "my vectors", "BOW", "flickr8k/gru-8-max/seed1"],
            "encoder": [None, "bag-of-words", "sentence-transformers", None],
            "kind": [None, "baseline", "baseline", "ensemble"],
            "dataset": [None, "", "", "flickr8k"],
        }
    )
    table = table.assign(task="SICK", subtask="all", statistic="mean", method="cosine")
    table = table.assign(pearson=0.5, pearson_low=0.4, pearson_high=0.6)
    found = reported_vs_measured.compare("merkx_frank_2019", "table_s1", table)
    assert found["system"].tolist() == ["my vectors"] and found["reported"].tolist() == [50]


def test_a_claim_is_drawn_around_zero():
    table = pd.DataFrame(
        {
            **{"claim": "A", "dataset": "flickr8k", "worse": "a", "better": "b", "seeds": 1},
            **{"condition": "", "measure": "R@10", "reported": [4.0], "difference": 0.0},
            **{"low": -2.0, "high": 2.0, "p": np.nan, "verdict": "holds"},
        }
    )
    [claim] = claims.claims(table)
    [row] = claim["rows"]
    middle = claims.WIDTH / 2
    assert row["x"]["difference"] == middle
    assert row["x"]["high"] - middle == pytest.approx(middle - row["x"]["low"])
    assert row["x"]["reported"] - middle == pytest.approx(2 * (row["x"]["high"] - middle), abs=0.1)
    assert row["x"]["low"] > 0 and row["x"]["reported"] < claims.WIDTH
    [claim] = claims.claims(table.assign(reported=np.nan))  # where the paper prints no number
    [row] = claim["rows"]
    assert "reported" not in row["x"] and row["x"]["difference"] == middle
    tested = pd.concat([table, table.assign(difference=90.0, low=np.nan, high=np.nan, p=0.2)])
    [claim] = claims.claims(
        tested
    )  # a test without an interval is not drawn and does not scale the axis
    assert [row["x"] == {} for row in claim["rows"]] == [False, True] and claim["scale"] < 5
    [claim] = claims.claims(tested[1:])
    assert claim["scale"] == 0
    assert (row["systems"], row["measure"], row["seeds"]) == ("b against a", "R@10", 1)


def test_points_of_figures_are_called_by_their_ticks_where_these_have_names():
    figure = Figure()
    left, right = figure.subplots(1, 2, sharey=True)
    left.plot([0, 1], [2.5, np.nan], "o", label="a & b")
    left.set_xticks([0, 1], ["32", "max\n(64)"])
    left.set_xlabel("size (units)")
    left.set_ylabel("r")
    right.scatter([1, 2], [3, 4])
    right.plot([1, 2], [3, 4])  # a line without markers needs no label
    text = svg(figure)
    assert text.count("<title>") == 3
    for title in ("a &amp; b\nsize: 32\nr: 2.5", "1\nr: 3", "2\nr: 4"):
        assert f"<title>{title}</title>" in text
    assert svg(figure) == text


# Bad input


@pytest.mark.parametrize(
    ("kind", "name", "how", "said"),
    [
        ("tables", "merkx_frank_2019/tables/table2.csv", b"", "table2.csv is not a whole CSV file"),
        ("tables", "merkx_frank_2019/tables/table2.json", None, "table2.json does not exist"),
        ("tables", "merkx_frank_2019/tables/table2.json", b"{}", "table2.json is not a table"),
        ("figures", "merkx_frank_2019/figures/figure2.svg", None, "figure2.svg does not exist"),
        (
            "figures",
            "merkx_frank_2019/figures/figure2.svg",
            b"no",
            "figure2.svg is not an SVG file",
        ),
        ("figures", "merkx_frank_2019/figures/figure2.svg", b"\xff", "figure2.svg is not text"),
        ("figures", "merkx_frank_2019/figures/samples-scenes.png", b"no", "is not a picture"),
        (
            "galleries",
            "scenes.json",
            b'{"dataset": "x"}',
            "scenes.json does not describe a gallery",
        ),
        (
            "tables",
            "merkx_frank_2019/tables/table2.csv",
            b"dataset\nscenes\n",
            "table2.csv has another shape than expected (KeyError: '",
        ),
        (
            "tables",
            "merkx_frank_2019/tables/table2.json",
            b'{"title": "", "headings": ["a"], "align": ["l"], "spans": {}, "groups": {"": [1]}, '
            b'"notes": []}',
            "table2.json is not a table",
        ),
    ],
)
def test_what_is_missing_or_damaged_is_named_in_one_line(
    results, trained, tmp_path, kind, name, how, said
):
    copy = tmp_path / "copy"
    shutil.copytree(results, copy)
    (copy / name).unlink()
    given = {
        "tables": sorted(results.glob("*/tables/*.csv")),
        "figures": sorted(results.glob("*/figures/*.svg")),
        "galleries": [results / "scenes.json"],
    }[kind]
    if how is not None:
        (copy / name).write_bytes(how)
    moved = [copy / path.relative_to(results) for path in given]
    with pytest.raises(InputError) as error:
        build(copy, trained, tmp_path / "index.html", **{kind: moved})
    assert said in str(error.value) and "\n" not in str(error.value)
    assert not (tmp_path / "index.html").exists()


def test_a_table_outside_a_paper_s_folder_is_refused(results, trained, tmp_path):
    with pytest.raises(InputError, match=r"a\.csv is not in a paper\'s folder"):
        build(results, trained, tmp_path / "i.html", tables=[tmp_path / "x/tables/a.csv"])


def test_a_gallery_names_an_image_without_a_row(trained, tmp_path):
    pd.read_csv(trained / "images.csv")[:30].to_csv(tmp_path / "images.csv", index=False)
    with pytest.raises(InputError, match=r"images\.csv lacks the image i30 \(6 are missing"):
        find(trained, tmp_path / "scenes.json", images=tmp_path / "images.csv")


def none(*reasons):
    named = "; ".join(map(" ".join, zip(TRAINED, reasons, strict=True)))
    return f"<p>No model can be tried in this page: {named}.</p>\n"


LARGE = "has 0.0 MB of weights, more than 0"


@pytest.mark.parametrize(
    ("best", "readable", "largest", "shown"),
    [
        (0, TRAINED, 1e9, f"scenes: {TRAINED[0]}, seed 1"),
        (1, TRAINED, 1e9, f"scenes: {TRAINED[1]}, seed 1"),
        (0, TRAINED[1:], 1e9, f"scenes: {TRAINED[1]}, seed 1"),
        (0, (), 1e9, none("reads &lt;b&gt;", "reads &lt;b&gt;")),
        (0, TRAINED, 0, none(LARGE, LARGE)),
    ],
)
def test_the_panel_is_of_the_best_model_that_a_page_can_run(
    trained, tmp_path, monkeypatch, best, readable, largest, shown
):
    """The best model is selected by the development set alone."""
    page = "reproduction.page.try_it"
    monkeypatch.setattr("scripts.try_it.LARGEST", largest)
    monkeypatch.setattr(f"{page}.runtime_files", lambda *_: {})
    monkeypatch.setattr(f"{page}.panel", lambda *given: f"{given[2]}: {given[3]}")
    can = {json.dumps(description(name), sort_keys=True) for name in readable}
    why = lambda about: "" if json.dumps(about, sort_keys=True) in can else "reads <b>"  # noqa: E731
    monkeypatch.setattr(f"{page}.obstacle", why)
    pinned = ROOT / "resources" / "onnxruntime_web.yaml"
    (tmp_path / yaml.safe_load(pinned.read_text())["archive"]).touch()
    for number, name in enumerate(TRAINED):
        table = pd.read_csv(trained / f"{name}.csv")
        of_dev = table["split"].eq("dev")
        table["r10"] = np.where(of_dev == (number == best), 90.0, 10.0)
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    models = [trained / "models" / name / "seed1/model.json" for name in TRAINED]
    retrieval = [tmp_path / f"{name}.csv" for name in TRAINED]
    data = ("--captions", trained / "captions.csv", "--features", trained / "features.h5")
    runtime = ("--runtime", tmp_path, "--pinned", pinned)
    given = ("--models", *models, "--retrieval", *retrieval, *data, *runtime)
    script("try_it", *given, "--output", tmp_path / "try_it.html")
    assert (tmp_path / "try_it.html").read_text() == shown
