"""The workflow in another folder than its own: with --directory, and as a module of others."""

import json
import re

import pandas as pd
import pytest
import yaml

from tests.support.workflow import ROOT, snakemake

SNAKEFILE = """\
module groundvec:
    snakefile: "the clone/Snakefile"
    config: config["groundvec"]


use rule * from groundvec as groundvec_*


rule count:
    default_target: True
    input:
        "results/datasets/scenes/captions.csv",
        "results/mine/ratings/baselines/trigrams.csv",
        "results/mine/ratings/scenes.tasks.csv",
    output:
        "counts.txt",
    shell:
        "python scripts/report.py && wc -l {input} > {output}"
"""
SCENES = {"source": "scenes", "count": 20, "backbone": "efficientnet_lite0"}
EXPERIMENT = {
    "experiment": "mine",
    "datasets": {"scenes": {**SCENES, "models": ["gru-8-max"]}},
    "ratings": {"source": "scenes"},
}


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    """A folder with a workflow that has a script of the same name as one of ours."""
    folder = tmp_path_factory.mktemp("some body's")
    (folder / "the clone").symlink_to(ROOT)
    (folder / "Snakefile").write_text(SNAKEFILE)
    (folder / "scripts").mkdir()
    (folder / "scripts/report.py").write_text("print('their own')\n")
    (folder / "theirs.json").write_text(json.dumps({"groundvec": EXPERIMENT}))
    return folder


def test_another_directory_s_configuration_comes_before_the_demo_s(tmp_path):
    captions = "results/datasets/scenes/captions.csv"
    command = ("-n", "-p", "--directory", tmp_path, captions)
    assert '"count": 700' in snakemake(ROOT, *command)
    (tmp_path / "config.yaml").write_text(json.dumps(EXPERIMENT))
    assert '"count": 20' in snakemake(ROOT, *command)


def test_every_rule_finds_its_files_from_another_folder(other):
    targets = ("groundvec_all", "data/flickr8k/Flickr8k_text.zip")
    output = snakemake(other, "-n", *targets, "--configfile", "theirs.json")
    for rule in ("train", "card", "download"):
        assert re.search(rf"^groundvec_{rule} +1$", output, re.MULTILINE)
    assert "the clone/reproduction/sources/scenes.yaml" in output


def test_a_module_s_results_are_in_the_folder_that_it_is_used_from(other):
    assert "their own" in snakemake(other, "--configfile", "theirs.json")
    assert len(pd.read_csv(other / "results/datasets/scenes/images.csv")) == 20
    assert (other / "counts.txt").read_text().count("results/") == 3
    assert "Nothing to be done" in snakemake(other, "--configfile", "theirs.json")


def test_the_workflow_catalog_s_file_and_the_page_of_settings_exist():
    usage = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text())["usage"]
    assert usage["software-stack-deployment"]["conda"] is True
    assert "use rule * from groundvec as groundvec_*" in (ROOT / "config/README.md").read_text()
