"""A paper is one folder: promises to a contributor who adds one."""

import re
from textwrap import indent

import pytest

from reproduction import papers
from tests.support import ROOT, forks
from tests.support.examples import recipe
from tests.support.result_files import write_models
from tests.support.workflow import copy_project, snakemake

EXPERIMENT = """
experiment: added
datasets:
  scenes:
    source: scenes
    count: 40
    backbone: efficientnet_lite0
    models: [gru-8-max, gru-8-attention]
    papers: [frege_1892]
"""
PAGE = """
import sys
from pathlib import Path
from reproduction.papers import known
from reproduction.page import build, items
path = Path(sys.argv[1])
print(build._papers([items.table(path, path.parent)], []))
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """Copy the project, and add the paper of tests/recipes.md."""
    folder = copy_project(tmp_path_factory.mktemp("papers"))
    files = recipe("Add a paper")
    with (folder / "CITATION.cff").open("a", encoding="utf-8") as citations:
        citations.write(indent(files.pop("CITATION.cff"), "  "))
    for name, code in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(code, "utf-8")
    (folder / "added.yaml").write_text(EXPERIMENT)
    return folder


def test_the_table_of_an_added_paper_is_made_by_all(project):
    plan = snakemake(project, "-n", "--configfile", "added.yaml")
    part = plan[plan.index("rule frege_1892:") :].partition("log:")[0]
    assert "results/added/models/scenes/gru-8-max/seed1/model.json" in part
    assert "results/added/frege_1892/tables/table1.html" in part
    # The summary's own reading: a corrected number makes it again.
    part = plan[plan.index("rule summary:") :].partition("output:")[0]
    assert "reproduction/papers/merkx_frank_2019/reported/table_s1.csv" in part
    everything = plan[plan.index("rule all:") :]
    assert "results/added/frege_1892/tables/table1.md" in everything
    assert "rule merkx_frank_2019" not in plan


def test_the_table_of_an_added_paper_is_on_the_page(project):
    trained = [("scenes", "gru-8-max"), ("scenes", "gru-8-attention")]
    write_models(project / "results/added/models", *trained)
    stem = "results/added/frege_1892/tables/table1"
    arguments = [f"{stem}.html", "--configfile", "added.yaml"]
    arguments += ["--allowed-rules", "frege_1892"]  # models exist; nothing is trained
    snakemake(project, *arguments)
    (project / "show.py").write_text(PAGE)
    shown = forks.run("show.py", f"{stem}.csv", cwd=project, env={"PYTHONPATH": "."}).stdout
    assert "name='Frege (1892)'" in shown and "Über Sinn und Bedeutung" in shown
    assert "and their <em>seeds</em>." in shown and "gru-8-attention" in shown


# Modules that the items of a paper share.
SHARED = {"__init__", "conditions", "labels", "reported_vs_measured", "retrieval"}


def test_every_table_and_figure_has_its_caption_and_is_an_output_of_the_paper_s_rule():
    for name, paper in papers.known().items():
        folder = papers.FOLDER / name
        modules = {path.stem for path in papers.modules(name)} - SHARED
        captions = papers.captions(name)
        assert modules | {path.stem for path in folder.glob("*.svg")} == captions.keys(), name
        assert set(paper.verdicts) <= modules
        rules = (ROOT / f"rules/papers/{name}.smk").read_text()
        reported = {path.stem for path in folder.glob("reported/*.csv")}
        assert all(re.search(rf'"{item}["-]', rules) for item in captions.keys() | reported)
        for path in captions.values():
            assert path.read_text("utf-8").strip()
        assert not paper.follows or paper.follows in papers.known()
