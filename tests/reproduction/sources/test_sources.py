"""Where captioned pictures come from: each source is a module and the YAML file of its options."""

from inspect import signature

import pandas as pd
import pytest
import yaml
from PIL import Image

from groundvec.config import parts
from reproduction import sources
from scripts import dataset
from tests.support import ROOT
from tests.support.examples import add_recipe
from tests.support.refusals import refused
from tests.support.tables import cells
from tests.support.workflow import copy_project, snakemake

EXPERIMENT = """
experiment: added
datasets:
  mine: {source: sidecars, images: photos, backbone: efficientnet_lite0, models: [gru-8-max]}
"""


def test_a_source_is_added_by_two_files_as_the_recipe_has_them(tmp_path):
    project = copy_project(tmp_path)
    add_recipe(project, "Add a data set")
    (project / "photos").mkdir()
    for k in range(12):
        Image.new("RGB", (8, 8)).save(project / f"photos/{k}.jpg")
        (project / f"photos/{k}.txt").write_text(f"A dog.\nDog number {k}.\n")
    (project / "added.yaml").write_text(EXPERIMENT)
    table = "results/datasets/mine/captions.csv"
    snakemake(project, "--configfile", "added.yaml", "--", table)
    captions = pd.read_csv(project / table)
    assert len(captions) == 24 and set(captions["split"]) == {"train", "dev", "test"}
    plan = snakemake(project, "-n", "--configfile", "added.yaml")
    assert "rule dataset_sidecars:" not in plan  # it is made
    card = plan[plan.index("rule card:") :].partition("output:")[0]
    assert "reproduction/sources/sidecars.yaml" in card
    (project / "added.yaml").write_text(EXPERIMENT.replace("images: photos", "images: photo"))
    output = snakemake(project, "-n", "--configfile", "added.yaml", fails=True)
    error = "datasets.mine.images: there is no folder photo; did you mean photos?"
    assert f"error: configuration, {error}" in output


@pytest.mark.parametrize("source", parts.names("sources"))
def test_the_yaml_file_of_a_source_lists_its_reader_s_parameters(source):
    said = parts.options_schema("sources", source)
    everything = {"source": source} | dict.fromkeys(said["properties"], True)
    files = [
        name for _, stated in parts.keyword_values(said, everything, "files") for name in stated
    ]
    taken = {*sources.arguments(everything), *files}
    assert taken | ({"folder"} if "outputs" in said else set()) == {
        *signature(sources.reader(source)).parameters
    }
    assert set(said.get("required", [])) <= set(said["properties"])
    assert "languages" in said or said["early"]
    public = yaml.safe_load((ROOT / "resources" / "sources.yaml").read_text("utf-8"))
    assert set(said.get("unpacked", {}).values()) <= public.keys()


@pytest.mark.parametrize(
    "described, error",
    cells("""
    {}                                         | source is None: choose one of flickr8k,
    {source: ../x}                             | source is '../x': choose
    {source: multi30k}                         | multi30k: missing a required argument: 'archive'
    {source: multi30k, archive: a, x: 1}       | multi30k: .* unexpected .* argument 'x'
    {source: karpathy, json: a, captions: 0}   | karpathy.captions: 0 is less than
    {source: table, table: 5}                  | table.table: 5 is not of type 'string'
    """),
)
def test_descriptions_that_no_source_reads_are_refused(described, error):
    with refused(error):
        dataset.described(yaml.safe_load(described), later="images")
