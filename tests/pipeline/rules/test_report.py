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
MODELS = yaml.safe_load("""
DT-RNN: &trees
  text: {name: trees, dimension: 8}
  encoder: {name: trees, size: 8, compose: position}
  similarity: dot
  objective: {name: hinge, margin: 3, reduction: sum}
SDT-RNN: {<<: *trees, encoder: {name: trees, size: 8, compose: relation}}
BoW: {<<: *trees, encoder: {name: mean, size: 8}}
squared: {<<: *trees, objective: {name: squared_error}, similarity: euclidean}
words: &words {text: {name: words}, encoder: {name: bag, size: 8}}
german: {<<: *words, languages: [de]}
both: {<<: *words, languages: [en, de], objective: {name: multilingual, beta: 0.5}}
both-rnn:
  encoder: {name: rnn, cell: gru, size: 8}
  languages: [en, de]
  objective: {name: multilingual, beta: 0.5}
""")
SCENES = yaml.safe_load("{source: scenes, count: 50, backbone: efficientnet_lite0}")
TRANSLATION = yaml.safe_load("{dataset: pairs, source: en, target: de, systems: {a: {}}}")


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


# Besides the items that each paper always has. In the first, no model of one language reads
# as the other does.
@pytest.mark.parametrize(
    "models, more",
    [
        (
            "{merkx: [gru-8-attention], trees: [DT-RNN], pairs: [words, both-rnn]}",
            "{merkx: [figure1], trees: [], pairs: []}",
        ),
        (
            "{merkx: [gru-8-max, DT-RNN], trees: [DT-RNN, squared], pairs: [words, both]}",
            "{merkx: [figure2], trees: [table2], pairs: [claims]}",
        ),
        (
            "{merkx: [gru-8-max], trees: [DT-RNN, BoW, words], pairs: [german]}",
            "{merkx: [], trees: [claims], pairs: []}",
        ),
    ],
)
def test_an_experiment_has_the_tables_and_figures_that_its_models_have(tmp_path, models, more):
    papers = {"merkx": "merkx_frank_2019", "trees": "socher_2014", "pairs": "calixto_liu_2017"}
    always = {"merkx": OF_MERKX, "trees": OF_DT_RNN, "pairs": {"table1"}}
    datasets = {
        name: {"papers": [papers[name]], "models": names}
        for name, names in yaml.safe_load(models).items()
    }
    _, made = planned(tmp_path, experiment(datasets))
    for name, items in yaml.safe_load(more).items():
        assert made[papers[name]] == always[name] | set(items)


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
    of_sdt_rnn |= {"figure3-trees", "section_6_7"}
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
