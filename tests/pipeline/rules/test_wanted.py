"""An experiment asks for what its papers and models have."""

import re

import pytest
import yaml

from groundvec.runtime.errors import InputError
from rules.experiment import complete
from tests.support.workflow import copy_project, snakemake

EXPERIMENT = """
experiment: tries
models:
  first: &margin
    text: {{name: trees, dimension: 8}}
    encoder: {{name: trees, size: 8, compose: position}}
    similarity: dot
    objective: {{name: hinge, margin: 3, reduction: sum}}
  second: {{<<: *margin, encoder: {{name: trees, size: 8, compose: relation}}}}
  third: {{<<: *margin, encoder: {{name: mean, size: 8}}}}
  fourth: {{<<: *margin, objective: {{name: squared_error}}, similarity: euclidean}}
datasets:
  scenes: &scenes
    source: scenes
    count: 50
    backbone: efficientnet_lite0
    models: [third]
    papers: [{papers}]
  few: {{<<: *scenes, of: scenes, models: [{models}]}}
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return copy_project(tmp_path_factory.mktemp("project"))


@pytest.mark.parametrize(
    ("papers", "models", "wanted"),
    [
        ("socher_2014", "first", "table1 table3 active_passive"),
        ("socher_2014", "first, fourth", "table1 table2 table3 active_passive"),
        ("socher_2014", "first, third, gru-8-max", "table1 table3 claims active_passive"),
        (
            "socher_2014",
            "first, second, third",
            "table1 table3 claims active_passive section_6_6 section_6_7 samples figure3",
        ),
        ("merkx_frank_2019", "first", ""),
        ("merkx_frank_2019", "gru-8-attention", ""),
        ("merkx_frank_2019, socher_2014", "first", "table1 table3 active_passive"),
    ],
)
def test_an_experiment_asks_for_what_its_papers_and_models_have(project, papers, models, wanted):
    (project / "tries.yaml").write_text(EXPERIMENT.format(papers=papers, models=models))
    plan = snakemake(project, "-n", "--configfile", "tries.yaml")
    asked = {rule for rule in re.findall(r"rule (\w+):", plan) if "_20" in rule}
    of_merkx = {f"merkx_frank_2019_{item}" for item in ("table2", "samples", "snapshots")}
    of_merkx |= {"merkx_frank_2019_figure4"}
    of_merkx |= {"merkx_frank_2019_figure1"} if "attention" in models else set()
    expected = {f"socher_2014_{item}" for item in wanted.split()}
    assert asked == expected | (of_merkx if "merkx" in papers else set())
    if "second" in models:
        # What is of an SDT-RNN needs no other model's files, and of each data set that has one.
        part = plan[plan.index("rule socher_2014_section_6_6:") :].partition("output:")
        assert "models/few/second/seed1/model.json" in part[0]
        assert "models/few/first" not in part[0] and "models/scenes" not in part[0]
        assert "results/datasets/scenes/captions.csv" in part[0]
        assert "section_6_6-few-shares.md" in part[2] and "section_6_6-scenes" not in plan


@pytest.mark.parametrize(
    ("papers", "of_few", "rated"),
    [
        ("socher_2014", "", ["scenes", "few"]),
        ("socher_2014", "draw: [20, 8, 8],", ["scenes"]),
        ("merkx_frank_2019", "papers: [socher_2014], draw: [20, 8, 8],", ["scenes", "few"]),
    ],
)
def test_a_draw_is_rated_only_where_its_paper_has_nothing_else(project, papers, of_few, rated):
    text = EXPERIMENT.format(papers=papers, models="first")
    text = text.replace("of: scenes,", f"of: scenes, {of_few}") + "ratings: {source: scenes}\n"
    (project / "rated.yaml").write_text(text)
    plan = snakemake(project, "-n", "--configfile", "rated.yaml")
    assert "rule summary_summary:" in plan
    found = re.findall(r"^    output: \S+/ratings/models/(\w+)/\S+/seed\d\.csv", plan, flags=re.M)
    assert sorted(found) == sorted(rated)


def test_a_paper_that_nobody_reports_is_named():
    config = yaml.safe_load(EXPERIMENT.format(papers="socher_2013", models="first"))
    with pytest.raises(InputError, match=r"papers\.0: unknown paper 'socher_2013': did you mean"):
        complete(config)
    config["datasets"]["few"]["papers"] = []
    config["datasets"]["scenes"]["papers"] = ["socher_2014"]
    with pytest.raises(InputError, match=r"configuration, datasets\.few\.papers: "):
        complete(config)
