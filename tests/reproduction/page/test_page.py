"""The page of a report, as readers see it: in a browser, from small results."""

import re
import shutil

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from groundvec.card.text import MINUS
from groundvec.features import store
from groundvec.runtime.files import read_json, write_json
from reproduction.page import gallery
from reproduction.page.items import caption
from reproduction.papers import captions, known
from reproduction.render import style
from reproduction.render.tables import write_table
from reproduction.reporting.embedded import Embedded
from reproduction.schemas import Claims
from tests.support.examples import save_model
from tests.support.models import model
from tests.support.refusals import refused
from tests.support.result_files import REPORTED, filled, read_table, run
from tests.support.retrieval_scores import results_of, training
from tests.support.small_data import data_options, run_script, write_data

TRAINED = ["gru-8-attention", "gru-8-max"]
ODD = '</script><b>"{{ 7 * 7 }}" & $5'  # must stay text in captions and names


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """Two untrained networks as the only snapshots of their trainings, with data and scores."""
    folder = tmp_path_factory.mktemp("trained")
    captions = [
        [f"Picture i{image}, told {k} times {ODD}" for k in range(5)] for image in range(18)
    ]
    write_data(folder, ["dev"] * 6 + ["test"] * 12, captions)
    for seed, name in enumerate(TRAINED):
        training_folder = folder / "models" / name / "seed1"
        features = store.attributes(folder / "features.h5")
        save_model(training_folder, model(name, seed), model=name, features=features)
        data = data_options(folder, "captions", "features")
        output = ("--threads", 1, "--output", folder / name)
        run_script("retrieval", "--model", training_folder, *data, *output)
    return folder


def results_options(trained, names=TRAINED):
    """The options of a program for the models and their scores."""
    models = [trained / "models" / name / "seed1/model.json" for name in names]
    return ["--models", *models, "--retrieval", *(trained / f"{name}.csv" for name in names)]


def make_gallery(trained, output, names=TRAINED):
    data = data_options(trained, "captions", "images", "features")
    run_script("gallery", *results_options(trained, names), *data, "--output", output)


CLAIMED = """
condition | worse | better | reported | difference | low | high | p    | verdict
en        | VSE   | MLMME  | 2        | 3          | 1   | 5    |      | holds
de        | VSE   | MLMME  | 9        | -4         | -6  | -2   |      | does not hold
fr        | VSE   | MLMME  |          | 0.5        |     |      | 0.25 | not decided
"""


@pytest.fixture(scope="module")
def results(trained, tmp_path_factory):
    """Write the results of a run: tables of two papers, figures and a gallery."""
    folder = tmp_path_factory.mktemp("results")
    merkx = folder / "merkx_frank_2019"
    calixto = folder / "calixto_liu_2017"
    socher = folder / "socher_2014"
    for paper in (merkx, calixto, socher):
        for kind in ("tables", "figures"):
            (paper / kind).mkdir(parents=True)
    scores = training("flickr8k", "gru-8-max", dev=(60, 70), test_sets=["1k"])
    reported = ["--reported", REPORTED / "table2.csv", "--output", merkx / "tables/table2"]
    run(*results_of(folder, scores), *reported)
    notes = ["A note."]
    pairs = pd.DataFrame({"sentence_a": [ODD], "sentence_b": "A cat."})
    write_table(merkx / "tables/table3", pairs, pairs, "ll", "Pairs.", notes)
    wide = pd.DataFrame({f"column {k}": ["-1234.5 ± 1234.5", ODD] for k in range(30)})
    empty = pd.DataFrame(columns=["name"])
    write_table(
        calixto / "tables/table1", empty, wide, "r" * 30, "Wide.", notes, "ab", {"many": 20}
    )
    held = read_table(CLAIMED).assign(dataset="flickr8k", measure="R@10")
    held = filled(held, Claims)
    cells = held[["condition", "verdict"]].replace("does not hold", "does not hold†")
    write_table(calixto / "tables/claims", held, cells, "ll", "Claims.", notes)
    figure = Figure((5, 3))
    panel = figure.subplots()
    panel.errorbar([1, 2], [30, 40], yerr=[[2, 3], [2, 3]], fmt="o", label="GRU")
    panel.set_ylabel("R@10 (%)")
    style.save(figure, merkx / "figures/figure2")
    figure = Figure((4, 4))
    figure.subplots().imshow(np.zeros((20, 20, 3)))
    style.save(figure, socher / "figures/samples-scenes")
    make_gallery(trained, folder / "scenes.json")
    return folder


def build(results, trained, output, *more, **other):
    """Write a page of all results; named options replace their files."""
    files = {
        "experiment": [ODD],
        "tables": sorted(results.glob("*/tables/*.csv")),
        "figures": sorted(results.glob("*/figures/*.svg")),
        "retrieval": [trained / f"{name}.csv" for name in TRAINED],
        "galleries": [results / "scenes.json"],
    }
    options = [word for name, paths in (files | other).items() for word in (f"--{name}", *paths)]
    run_script("page", *options, *more, "--output", output)
    return output


def changed_gallery(results, path, **changes):
    """Write the gallery with some keys changed; returns the option of `build`."""
    write_json(path, read_json(results / "scenes.json") | changes)
    return {"galleries": [path]}


@pytest.fixture(scope="module")
def made(results, trained):
    panel = results / "panel.html"
    panel.write_text('<p id="try-it">A panel.</p><script>window.tried = true</script>')
    return build(results, trained, results / "a report" / "index.html", "--try-it", panel)


@pytest.fixture(scope="module")
def page(browser, made):
    """The page, for tests that only read it."""
    size = {"width": 1200, "height": 900}
    window = browser.new_page(viewport=size, reduced_motion="reduce")
    window.goto(made.as_uri())
    yield window
    window.close()


def choose(page, selector):
    """Check a box by the keyboard: a click misses a box that moves while the page is laid out."""
    page.press(selector, "Space")
    assert page.is_checked(selector)


def unfold(page):
    page.eval_on_selector_all("details", "all => all.forEach(one => { one.open = true })")


def visible(page):
    return page.query_selector_all(".query:visible")


def test_everything_is_on_the_page_without_javascript(made, opened):
    page = opened(made, java_script_enabled=False)
    headings = [heading.inner_text() for heading in page.query_selector_all("h1, h2, h3, h4")]
    assert headings[0] == "Sentence embeddings from captioned pictures: 2 models on scenes"
    assert page.inner_text("header .kind") == f"Report of the experiment {ODD}"
    papers = {"Merkx & Frank (2019)", "Calixto & Liu (2017)"}
    assert {"Summary", "Try it", "Gallery", "Provenance"} | papers <= set(headings)
    links = [link.get_attribute("href") for link in page.query_selector_all(".contents a")]
    assert len(links) == 8 and all(page.query_selector(f"section{link}") for link in links)
    assert page.inner_text("#references").count("@") == 3
    unfold(page)
    figures = {
        "merkx_frank_2019-figure2": "Figure 2",
        "socher_2014-samples-scenes": "Samples, scenes",
    }
    for name, label in figures.items():
        figure = page.query_selector(f"#{name} img")
        assert figure.get_attribute("alt") == f"{label}: described below"
        figure.scroll_into_view_if_needed()
        page.wait_for_function("figure => figure.complete && figure.naturalWidth > 0", arg=figure)


def test_a_score_card_shows_chance_and_the_sizes_of_the_test_set(page):
    card = page.query_selector("article.card")
    assert "12 pictures, 60 captions in the test set" in card.inner_text()
    rows = [row.inner_text().split("\t") for row in card.query_selector_all("tbody tr")]
    # One of 12 pictures is right; of 60 captions five are: 1 - (55/60)(54/59)... for R@10.
    assert rows[1] == ["by chance", "8.3", "41.7", "83.3"]
    missed = np.prod([(55 - k) / (60 - k) for k in range(10)])
    assert rows[3][0] == "by chance" and rows[3][1] == "8.3"
    assert rows[3][3] == f"{100 * (1 - missed):.1f}"


def test_queries_are_filtered_without_javascript(made, opened):
    page = opened(made, java_script_enabled=False)
    assert len(visible(page)) == 12
    choose(page, "[value=miss]")
    misses = visible(page)
    choose(page, "[value=hit]")
    hits = visible(page)
    assert misses and hits and len(misses) + len(hits) == 12
    for query in hits:
        ranks = [int(li.get_attribute("value")) for li in query.query_selector_all("li.right")]
        assert min(ranks) <= 5
    choose(page, "[value=all]")
    choose(page, "[value=m1]")
    choose(page, "[value=to_captions]")
    kinds = {tuple(query.get_attribute("class").split()[1:3]) for query in visible(page)}
    assert kinds == {("to_captions", "m1")}


def test_the_page_counts_the_filtered_queries(made, opened):
    page = opened(made)
    hits = len(page.query_selector_all(".query.m0.to_images.hit"))
    assert page.inner_text(".shown").startswith(f"12 queries, {hits} of them")
    choose(page, "[value=miss]")
    assert page.inner_text(".shown") == f"{len(visible(page))} queries, 0 of them hits."
    assert len(visible(page)) == 12 - hits


def test_reported_numbers_tell_in_words_whether_they_differ(page):
    unfold(page)
    rows = [
        row.inner_text()
        for row in page.query_selector_all("#merkx_frank_2019-table2-compared tbody tr")
    ]
    assert len(rows) == 6
    # R@1, R@5 and R@10 are 17.5, 35 and 70, and reported as 27.5, 58.2 and 70.5.
    places = [row.split("\t")[0] for row in rows]
    assert places == ["▲ reported higher", "▲ reported higher", "= no difference shown"] * 2
    # The half-widths are 3.0 and, reported, 1.3: 3.3 together.
    difference = [f"{MINUS}0.5", f"{MINUS}3.8 to 2.8"]
    assert rows[2].split("\t")[4:] == ["70.5", "70.0", *difference]


# Contrast alone depends on the scheme: dark pages are checked for nothing else.
SCHEMES = {"light": {"resultTypes": ["violations"]}, "dark": {"runOnly": ["color-contrast"]}}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_page_has_no_accessibility_violations(made, opened, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page = opened(made, color_scheme=scheme)
    unfold(page)
    found = axe.Axe().run(page, options=SCHEMES[scheme])
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("width", [320, 1280])
def test_wide_tables_scroll_and_the_page_does_not(made, opened, width):
    page = opened(made, width)
    unfold(page)
    page.wait_for_selector("#calixto_liu_2017-table1 .wider")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_verdicts_and_a_table_of_each_paper_are_open_and_the_rest_is_folded(made, opened):
    page = opened(made)
    badges = page.query_selector_all("#calixto_liu_2017 > .badges .badge")
    counts = ["✓ holds in 1", "✗ does not hold in 1", "? not decided in 1"]
    assert [badge.inner_text() for badge in badges] == counts
    assert page.is_visible("#merkx_frank_2019-table2 table")
    assert page.query_selector("#merkx_frank_2019-table3 table")
    assert not page.is_visible("#merkx_frank_2019-table3 table")


def test_a_page_of_a_single_model_shows_no_claims(results, trained, opened, tmp_path):
    one = TRAINED[:1]
    make_gallery(trained, tmp_path / "scenes.json", one)
    others = {"galleries": [tmp_path / "scenes.json"], "retrieval": [trained / f"{one[0]}.csv"]}
    page = opened(build(results, trained, tmp_path / "index.html", **others))
    assert page.inner_text("h1").endswith(": gru-8-attention on scenes")
    assert "verdict" not in page.inner_text("body").lower()
    assert page.query_selector("#merkx_frank_2019-table2")  # the measured table remains


def test_a_page_of_own_data_speaks_of_them_and_of_chance(results, trained, opened, tmp_path):
    few = changed_gallery(results, tmp_path / "few.json", own=True, images=20)
    page = opened(build(results, trained, tmp_path / "index.html", **few))
    headings = [heading.inner_text() for heading in page.query_selector_all("h1, h2, nav a")]
    assert not any(name in text for text in headings for name in ("Merkx", "Calixto", "Table"))
    card = page.inner_text(".card")
    assert "By chance among 20 pictures: 83.3" in card  # R@10 among all 12 pictures
    assert "With 20, the 95% interval of a recall is up to ± 21.9" in card  # 1.96 sqrt(.25 / 20)


def test_drawn_scenes_and_computed_ratings_are_called_so(results, trained, opened, tmp_path):
    stem = tmp_path / "merkx_frank_2019/tables/table_s1-models"
    stem.parent.mkdir(parents=True)
    scores = pd.DataFrame({"dataset": "scenes", "model": TRAINED, "seed": 1, "kind": "ensemble"})
    scores = scores.assign(measure="semantic score", pearson=0.5)
    for drawn, task, judged in (
        (True, "Scenes-R", "sentences about drawn scenes"),
        (False, "SICK", "sentence pairs"),
    ):
        write_table(stem, scores.assign(task=task), scores[["model"]], "l", "Scores.", [])
        gallery = changed_gallery(results, tmp_path / "g.json", drawn=drawn)
        tables = [stem.with_suffix(".csv")]
        page = opened(build(results, trained, tmp_path / "p.html", tables=tables, **gallery))
        assert f"ratings of {judged}: 50.0" in page.inner_text(".card")
        assert ("A program drew the pictures" in page.inner_text("header")) == drawn


def test_emphasis_and_literals_in_captions_are_html_over_the_ends_of_lines_too():
    text = "a *b\n  c* ``d *`` **e** 2 * 3 * 4 <x> *g*, *h i*."
    assert caption(text) == (
        "a <em>b c</em> <code>d *</code> <strong>e</strong> 2 * 3 * 4 &lt;x&gt; <em>g</em>, "
        "<em>h i</em>."
    )
    files = [path for paper in known() for path in captions(paper).values()]
    texts = [caption(path.read_text("utf-8")) for path in files]
    assert texts
    assert not [text for text in texts if "*" in text or "``" in text]


def test_each_table_and_figure_has_links_to_its_files(made, page):
    links = page.query_selector_all(".files a")
    addresses = [link.get_attribute("href") for link in links]
    for name, suffixes in [
        ("merkx_frank_2019/tables/table2", [".csv", ".tex", ".md"]),
        ("merkx_frank_2019/figures/figure2", [".svg", ".pdf", ".png"]),
    ]:
        of_item = [address for address in addresses if name in address]
        assert of_item == [f"../{name}{suffix}" for suffix in suffixes]
        assert all((made.parent / address).is_file() for address in of_item)


def test_a_panel_is_put_in_and_finds_the_thumbnails(page):
    assert page.inner_text("#try #try-it") == "A panel." and page.evaluate("window.tried")
    size = """async () => {
        const image = new Image();
        image.src = groundvec.thumbnail("i10", "scenes");
        await image.decode();
        return [image.naturalWidth, image.naturalHeight];
    }"""
    assert page.evaluate(size) == [60, 40]
    assert page.evaluate("groundvec.thumbnail('i10') === groundvec.thumbnail('i10', 'scenes')")
    assert page.evaluate("groundvec.thumbnail('nobody') === undefined")


# Content of the page


def test_queries_find_the_nearest_and_tell_which_are_right():
    """Images a, b and c lie on a quarter circle, but the captions of a lie at c, and reversed."""
    images = np.array([[1, 0], [0.6, 0.8], [0, 1]])
    texts = ["a 0", "a 1", "b 0", "b 1", "c 0", "c 1"]
    captions = np.repeat(images[::-1], 2, axis=0)
    of_image = np.repeat([0, 1, 2], 2)
    embedded = Embedded(texts, of_image, np.array(["a", "b", "c"]), captions, images, "cosine")
    found = {}
    for task, queries in gallery.queries(embedded).items():
        assert len(queries) == 3
        [query] = [query for query in queries if query["image"] == "a"]
        assert query["caption"] == "a 0"
        kind = "image" if task == "to_images" else "caption"
        keys = ("rank", "score", kind, "right")
        found[task] = [tuple(hit[key] for key in keys) for hit in query["found"]]
    assert found["to_images"] == [(1, 1, "c", False), (2, 0.8, "b", False), (3, 0, "a", True)]
    assert found["to_captions"][0] == (1, 1, "c 0", False)
    assert found["to_captions"][4] == (5, 0, "a 0", True)
    # The query is not among the sentences.
    assert found["to_sentences"][:2] == [(1, 1, "a 1", True), (2, 0.8, "b 0", False)]


def test_the_best_models_come_first_each_once():
    """By the mean over their seeds."""
    recalls = [("a", 1, 30), ("a", 2, 30), ("b", 1, 20), ("b", 2, 50)]
    trainings = [training("scenes", name, seed, (r10, r10)) for name, seed, r10 in recalls]
    best = gallery.best(pd.concat(trainings))
    assert best[["model", "seed"]].values.tolist() == [["b", 1], ["a", 1]]


# Bad input

TABLE = "merkx_frank_2019/tables/table2"


@pytest.mark.parametrize(
    "name, content, message",
    [
        (f"{TABLE}.csv", b"dataset\nscenes\n", "table2.csv has another shape than expected (Key"),
        (f"{TABLE}.html", b"{}", "table2.html is not a table"),
        ("merkx_frank_2019/figures/figure2.svg", b"no", "figure2.svg is not an SVG file"),
        ("socher_2014/figures/samples-scenes.png", b"no", "is not a picture"),
        ("scenes.json", b'{"dataset": "x"}', "scenes.json does not describe a gallery"),
        ("tables/a.csv", b"", "a.csv is not in a paper's folder"),
    ],
)
def test_a_damaged_file_is_named_in_one_line(results, trained, tmp_path, name, content, message):
    copy = shutil.copytree(results, tmp_path / "copy")
    (copy / name).parent.mkdir(exist_ok=True)
    (copy / name).write_bytes(content)
    tables = sorted(copy.rglob("tables/*.csv"))
    with refused(re.escape(message)):
        build(copy, trained, tmp_path / "index.html", tables=tables)
    assert not (tmp_path / "index.html").exists()


@pytest.mark.parametrize("best", [0, 1])
def test_the_panel_is_of_the_best_model_that_a_page_can_run(trained, tmp_path, monkeypatch, best):
    """The best model is selected by the development set alone."""
    page = "reproduction.page.try_it"
    monkeypatch.setattr(f"{page}.panel", lambda *arguments: arguments[3])
    for number, name in enumerate(TRAINED):
        table = pd.read_csv(trained / f"{name}.csv")
        table["r10"] = np.where(table["split"].eq("dev") == (number == best), 90.0, 10.0)
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    models = results_options(trained)[:3]
    options = ["--retrieval", *(tmp_path / f"{name}.csv" for name in TRAINED)]
    options += data_options(trained, "captions", "features")
    output = tmp_path / "try_it.html"
    run_script("try_it", *models, *options, "--output", output)
    assert "none is a bag of n-grams" in output.read_text()
    monkeypatch.setattr(f"{page}.is_runnable", lambda description: True)
    output.unlink()
    run_script("try_it", *models, *options, "--output", output)
    assert output.read_text() == f"{TRAINED[best]}, seed 1"
