"""Every table is written as CSV with its origin, and as pages equal to the Markdown."""

import re
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from groundvec.provenance import provenance
from reproduction.render.tables import write_table
from tests.support.result_files import (
    REPORTED,
    TASKS,
    TRAININGS,
    baseline,
    overlapping,
    predictions,
    rows,
    run,
    sts_rows,
    trained,
    write,
)

SNAPSHOTS = [("snapshot", "0"), ("snapshot", "4"), ("snapshot", "8"), ("ensemble", "4")]


def of_queries(folder, trainings):
    """The option for the ranks of two images' queries."""
    columns = ["dataset", "model", "seed", "kind", "epochs", "direction", "image"]
    ways = ("caption_to_image", "image_to_caption")
    rows = [
        (*training, *of, direction, image)
        for training in trainings
        for of in SNAPSHOTS
        for direction in ways
        for image in (0, 1)
    ]
    table = pd.DataFrame(rows, columns=columns).assign(language="en", rank=3)
    table.to_csv(folder / "ranks.csv", index=False)
    return ["--query-ranks", folder / "ranks.csv"]


def of_pairs(folder, systems):
    """The option for predictions of a few pairs."""
    paths = []
    for number, system in enumerate(systems):
        cosines = np.random.default_rng(number).random(6)
        tables = [
            predictions(system, epochs, kind, cosines, [3.5, 3.1, 3.0])
            for kind, epochs in SNAPSHOTS
        ]
        paths.append(folder / f"pairs-{number}.csv")
        pd.concat(tables).to_csv(paths[-1], index=False)
    return ["--predictions", *paths]


@pytest.fixture
def every_table(files, retrieval, tmp_path):
    """The folder with all tables."""
    folder = tmp_path / "tables"
    (tmp_path / "tasks.csv").write_text(TASKS)
    systems = [f"flickr8k/{model}/seed{seed}" for model, seed, _ in TRAININGS]
    tables = [trained(system, make=sts_rows) for system in systems]
    scores = ("--scores", *write(tmp_path, *tables, baseline(make=sts_rows)))
    seen = map(overlapping, tables)
    overlap = ("--overlap", *write(tmp_path, *seen, name="overlap"))
    predicted = ("--predictions", *files)
    trainings = [("flickr8k", model, seed) for model, seed, _ in TRAININGS]
    claimed = (*of_queries(tmp_path, trainings), *of_pairs(tmp_path, systems))
    reported = {
        name: ("--reported", REPORTED / f"{name}.csv")
        for name in ("table2", "table_s1", "section_4_3_4")
    }
    commands = {
        "table1": ("--tasks", tmp_path / "tasks.csv"),
        "table2": (*retrieval, *reported["table2"]),
        "table3": (*retrieval, *predicted, "--ratings", tmp_path / "ratings.csv"),
        "table_s1": (*retrieval, *scores, *overlap, *reported["table_s1"]),
        "section_4_3": (*retrieval, *predicted, *reported["table_s1"]),
        "section_4_3_4": (*retrieval, *scores, *reported["section_4_3_4"]),
        "snapshots": retrieval,
        "claims": (*retrieval, *claimed),
    }
    for item, arguments in commands.items():
        run(item, *arguments, "--output", folder / item)
    return folder


TABLES = {
    "table1",
    "table2",
    "table3",
    "table_s1",
    "table_s1-spearman",
    "table_s1-models",
    "section_4_3",
    "section_4_3_4",
    "snapshots",
    "claims",
}
BY_THIS_RUN = {"table1", "table3", "section_4_3", "section_4_3-tests", "section_4_3_4", "claims"}


def test_every_csv_says_where_its_numbers_are_from(every_table):
    paths = sorted(every_table.glob("*.csv"))
    assert {path.stem for path in paths} == TABLES | {"section_4_3-tests"}
    by_this_run = set()
    for path in paths:
        table = pd.read_csv(path, dtype={"commit": str})  # 92e616859035 is no number
        source = table[["commit", "versions", "machine"]]
        assert "slurm_job" in table
        reported = table.get("source", pd.Series("", table.index)).eq("reported")
        assert source[~reported].notna().all(axis=None) and source[reported].isna().all(axis=None)
        if source["commit"][~reported].eq(provenance()["commit"]).all():
            by_this_run.add(path.stem)
    assert by_this_run == BY_THIS_RUN


def test_every_table_is_a_page_that_says_what_its_markdown_says(every_table):
    """Read back as XML: whatever the text holds, each cell is one cell."""
    paths = sorted(every_table.glob("*.html"))
    assert {path.stem for path in paths} == TABLES
    for path in paths:
        page = ElementTree.parse(path)
        found = [
            ["".join(cell.itertext()) for cell in row]
            for row in page.iterfind(".//tbody/tr")
            if len(row) > 1
        ]
        markdown = rows(path.with_suffix(".md").read_text("utf-8"))
        cells = [row for part in markdown.values() for row in part[1:]]
        assert found == [[re.sub(r"\\(.)", r"\1", cell) for cell in row] for row in cells]
        headings = [row[0].text for row in page.iterfind(".//tbody/tr") if len(row) == 1]
        assert headings == [name for name, part in markdown.items() if part]
        title = path.with_suffix(".md").read_text("utf-8").splitlines()[0].strip("*")
        assert page.findtext(".//h1") == page.findtext(".//title") == title
        assert page.find(".//script") is None
        widths = {
            sum(int(cell.get("colspan", 1)) for cell in row) for row in page.iterfind(".//tr")
        }
        assert len(widths) == 1
    numbers = [cell.get("class") for cell in ElementTree.parse(paths[-3]).findall(".//td")]
    assert "number" in numbers


def test_text_of_a_table_is_never_html(tmp_path):
    evil = """<script>alert("1")</script> & 'b'</td>"""
    text = pd.DataFrame({evil: [evil, "2"], "n": ["1", "2"]})
    write_table(tmp_path / "t", text, text, "lr", evil, [evil], [evil, "b"], {evil: 1})
    content = (tmp_path / "t.html").read_text("utf-8")
    assert "<script" not in content
    page = ElementTree.fromstring(content)
    for place in (".//title", ".//h1", ".//li", ".//thead/tr[2]/th", ".//tbody/tr/th"):
        assert page.findtext(place) == evil
    assert [cell.text for cell in page.iterfind(".//td")] == [evil, "1", "2", "2"]
    assert [cell.get("class") for cell in page.iterfind(".//td")][:2] == ["label", "number"]


def test_latex_of_every_table_is_well_formed(every_table):
    for path in every_table.glob("*.tex"):
        latex = path.read_text("utf-8")
        latex.encode("ascii")  # old LaTeX engines read only ASCII
        align = re.search(r"\{@\{\}(.+)@\{\}\}", latex)[1]
        columns = len(re.sub(r"p\{[^}]*\}", "p", align))
        rows = [row for row in latex.splitlines() if row.endswith(r"\\") and "multic" not in row]
        assert {len(re.findall(r"(?<!\\)&", row)) for row in rows if "&" in row} == {columns - 1}
        bare = re.sub(r"\\[&%$#_{}\\]", "", latex)
        depths = np.cumsum([{"{": 1, "}": -1}.get(letter, 0) for letter in bare])
        assert depths.min() >= 0 and depths[-1] == 0
        assert bare.count("$") % 2 == 0
        begun = re.findall(r"\\begin\{(\w+)\}", latex)
        assert sorted(begun) == sorted(re.findall(r"\\end\{(\w+)\}", latex))
        for rule in ("toprule", "midrule", "bottomrule"):
            assert f"\\{rule}" in latex
    latex = (every_table / "table_s1.tex").read_text()
    assert r"\shortstack{BOW \\ (reported)}" in latex and r"& 49.1$^{+5.2}_{-5.6}$ &" in latex
    assert r"char-GRU & 27.5 $\pm$ 1.2 &" in (every_table / "table2.tex").read_text()


def test_text_of_a_table_is_escaped_in_latex(tmp_path):
    text = pd.DataFrame({"name": [r"A_B & C {100%} #1 $x^2$ \o~ | <b>", "gru†"]})
    write_table(tmp_path / "t", text, text, "l", "A title.", [])
    latex = (tmp_path / "t.tex").read_text()
    assert r"A\_B \& C \{100\%\} \#1 \$x\textasciicircum{}2\$ \textbackslash{}o" in latex
    assert r"\textasciitilde{} \textbar{} \textless{}b\textgreater{} \\" in latex
    assert r"gru\dag{} \\" in latex
