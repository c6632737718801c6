"""An experiment asks for the tables and figures that its papers and models have."""

import json
import re
from pathlib import Path

import pytest
import yaml

from rules.experiment import complete
from rules.plan import Plan
from tests.support.workflow import NO_NETWORK, ROOT, snakemake

SOURCES = yaml.safe_load((ROOT / "resources/sources.yaml").read_text())
MARGIN = {"similarity": "dot", "objective": {"name": "hinge", "margin": 3, "reduction": "sum"}}
TREES = {"text": {"name": "trees", "dimension": 8}, **MARGIN}
WORDS = {"text": {"name": "words"}, "encoder": {"name": "bag", "size": 8}}
SEVERAL = {"languages": ["en", "de"], "objective": {"name": "multilingual", "beta": 0.5}}
MODELS = {
    "DT-RNN": {**TREES, "encoder": {"name": "trees", "size": 8, "compose": "position"}},
    "SDT-RNN": {**TREES, "encoder": {"name": "trees", "size": 8, "compose": "relation"}},
    "BoW": {**TREES, "encoder": {"name": "mean", "size": 8}},
    "words": WORDS,
    "german": {**WORDS, "languages": ["de"]},
    "both": {**WORDS, **SEVERAL},
    "both-rnn": {"encoder": {"name": "rnn", "cell": "gru", "size": 8}, **SEVERAL},
}
MODELS["squared"] = MODELS["DT-RNN"] | {
    "objective": {"name": "squared_error"},
    "similarity": "euclidean",
}
SCENES = {"source": "scenes", "count": 50, "backbone": "efficientnet_lite0"}
TRANSLATION = {"dataset": "pairs", "source": "en", "target": "de", "systems": {"a": {}}}


def experiment(datasets, **more):
    """Describe an experiment: the keys of each data set; all share the first one's images."""
    first, *others = datasets
    described = {first: SCENES | datasets[first]}
    described |= {name: {"of": first, **datasets[name]} for name in others}
    return {"experiment": "x", "models": MODELS, "datasets": described, **more}


def planned(folder, config):
    """Plan an experiment: the output of a dry run, and each paper's tables and figures."""
    (folder / "x.json").write_text(json.dumps(config))
    options = ("-n", "--directory", folder, "--configfile", folder / "x.json")
    output = snakemake(ROOT, *options, **NO_NETWORK)
    files = re.search(r"rule all:\n    input: (.*)", output)[1].split(", ")
    made = {}
    for _, _, paper, kind, name in (path.split("/") for path in files if path.count("/") == 4):
        if kind in ("tables", "figures"):
            made.setdefault(paper, set()).add(Path(name).stem)
    return output, made


OF_MERKX = {"table2", "snapshots", "figure4"}
OF_DT_RNN = {"table1", "table3", "active_passive-trees"}


@pytest.mark.parametrize(
    "models, expected",
    [
        (  # no model of one language reads as the other does
            {"merkx": ["gru-8-attention"], "trees": ["DT-RNN"], "pairs": ["words", "both-rnn"]},
            {"merkx": OF_MERKX | {"figure1"}, "trees": OF_DT_RNN, "pairs": {"table1"}},
        ),
        (
            {
                "merkx": ["gru-8-max", "DT-RNN"],
                "trees": ["DT-RNN", "squared"],
                "pairs": ["words", "both"],
            },
            {
                "merkx": OF_MERKX | {"figure2"},
                "trees": OF_DT_RNN | {"table2"},
                "pairs": {"table1", "claims"},
            },
        ),
        (
            {"merkx": ["gru-8-max"], "trees": ["DT-RNN", "BoW", "words"], "pairs": ["german"]},
            {"merkx": OF_MERKX, "trees": OF_DT_RNN | {"claims"}, "pairs": {"table1"}},
        ),
    ],
)
def test_an_experiment_has_the_tables_and_figures_that_its_models_have(tmp_path, models, expected):
    papers = {"merkx": "merkx_frank_2019", "trees": "socher_2014", "pairs": "calixto_liu_2017"}
    datasets = {name: {"papers": [papers[name]], "models": names} for name, names in models.items()}
    _, made = planned(tmp_path, experiment(datasets))
    assert {name: made[paper] for name, paper in papers.items()} == expected


def test_german_models_have_no_ratings_and_an_sdt_rnn_needs_no_other_model(tmp_path):
    """Ratings and a translation without re-rankers make no table of their own, either."""
    german = {"models": ["gru-8-max"], "papers": ["merkx_frank_2019", "calixto_liu_2017"]}
    trees = {"models": ["DT-RNN", "SDT-RNN", "BoW"], "papers": ["socher_2014"]}
    datasets = {"pairs": {"language": "de", **german}, "trees": {**trees, "language": "en"}}
    ratings = {"source": "scenes"}
    config = experiment(datasets, ratings=ratings, translation=TRANSLATION)
    output, made = planned(tmp_path, config)
    assert made["merkx_frank_2019"] == OF_MERKX and made["calixto_liu_2017"] == {"table1"}
    of_sdt_rnn = {"section_6_6-trees", "section_6_6-trees-shares", "samples-trees"}
    of_sdt_rnn |= {"figure3-trees", "section_6_7", "section_6_7-counts"}
    assert made["socher_2014"] == OF_DT_RNN | {"claims"} | of_sdt_rnn
    inputs = re.search(r"rule socher_2014_trees:\n    input: (.*)", output)[1]
    assert re.findall("models/trees/([^/]+)/seed1/model.json", inputs) == ["SDT-RNN"]


@pytest.mark.parametrize(
    "papers, few, rated",
    [
        (["socher_2014"], {}, {"scenes", "few"}),
        (["socher_2014"], {"draw": [20, 8, 8]}, {"scenes"}),
        (["merkx_frank_2019"], {"draw": [20, 8, 8], "papers": ["socher_2014"]}, {"scenes", "few"}),
    ],
)
def test_a_draw_is_rated_only_where_its_paper_has_nothing_else(papers, few, rated):
    datasets = {
        "scenes": {"papers": papers, "models": ["BoW"]},
        "few": {"papers": papers, "models": ["DT-RNN"], **few},
    }
    config = experiment(datasets, ratings={"source": "scenes"})
    assert set(Plan(complete(config), "", SOURCES).rated_in("summary")) == rated
