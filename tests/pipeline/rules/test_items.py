"""An experiment asks for the tables and figures that its papers and models have."""

from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from reproduction.papers import known
from rules.experiment import complete
from rules.items import Items, ensembles
from rules.plan import Plan

ROOT = Path(__file__).parents[3]
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


def items_of(config):
    return Items(Plan(complete(config), "", SOURCES), lambda name: f"clone/{name}")


def experiment(papers, models, few=None, **more):
    """A data set with one model, and one of its pictures with the models to test."""
    scenes = {**SCENES, "papers": papers, "models": ["BoW"]}
    few = {"of": "scenes", "papers": papers, "models": models, **(few or {})}
    return {
        "experiment": "x",
        "models": MODELS,
        "datasets": {"scenes": scenes, "few": few},
        **more,
    }


def wanted(items, paper):
    return {item for (of, item), names in items.names.items() if of == paper and names}


OF_MERKX = {"table2", "snapshots", "figure4"}
OF_DT_RNN = {"table1", "table3", "active_passive"}
OF_SDT_RNN = {"section_6_6", "section_6_7", "samples", "figure3"}


@pytest.mark.parametrize(
    ("paper", "models", "expected"),
    [
        ("socher_2014", ["DT-RNN"], OF_DT_RNN),
        ("socher_2014", ["DT-RNN", "squared"], OF_DT_RNN | {"table2"}),
        ("socher_2014", ["DT-RNN", "BoW", "gru-8-max"], OF_DT_RNN | {"claims"}),
        ("socher_2014", ["DT-RNN", "SDT-RNN", "BoW"], OF_DT_RNN | {"claims"} | OF_SDT_RNN),
        ("merkx_frank_2019", ["DT-RNN"], OF_MERKX),
        ("merkx_frank_2019", ["gru-8-attention"], OF_MERKX | {"figure1"}),
    ],
)
def test_a_paper_is_asked_for_what_its_models_have(paper, models, expected):
    assert wanted(items_of(experiment([paper], models)), paper) == expected


@pytest.mark.parametrize(
    ("models", "expected"),
    [
        (["words", "both-rnn"], {"table1"}),  # no model of one language reads as the other does
        (["words", "both"], {"table1", "claims"}),
        (["german"], {"table1"}),
    ],
)
def test_multilingual_models_are_compared_with_monolingual_models_of_the_same_text(
    models, expected
):
    data = {**SCENES, "papers": ["calixto_liu_2017"], "models": models}
    config = {"experiment": "x", "models": MODELS, "datasets": {"scenes": data}}
    assert wanted(items_of(config), "calixto_liu_2017") == expected


def test_re_ranking_by_no_model_and_ratings_of_german_models_have_no_table():
    german = {**SCENES, "language": "de", "papers": ["merkx_frank_2019", "calixto_liu_2017"]}
    config = {
        "experiment": "x",
        "datasets": {"scenes": {**german, "models": ["gru-8-max"]}},
        "ratings": {"source": "scenes"},
        "translation": {"dataset": "scenes", "source": "en", "target": "de", "systems": {"a": {}}},
    }
    items = items_of(config)
    assert "table2" in wanted(items, "merkx_frank_2019")
    assert not wanted(items, "merkx_frank_2019") & {"table3", "table_s1", "figure3"}
    assert "table3" not in wanted(items, "calixto_liu_2017")


def test_an_item_of_an_sdt_rnn_needs_no_other_model_s_files():
    items = items_of(experiment(["socher_2014"], ["DT-RNN", "SDT-RNN", "BoW"]))
    assert items.names["socher_2014", "section_6_6"] == ["section_6_6-few"]
    inputs = items.inputs("socher_2014", "section_6_6")
    wildcards = SimpleNamespace(dataset="few")
    models = inputs["models"](wildcards)
    assert models == ["<experiment>/models/few/SDT-RNN/seed1/model.json"]
    assert inputs["captions"](wildcards) == "results/datasets/scenes/captions.csv"
    folder = "<experiment>/socher_2014/tables"
    files = {f"{folder}/section_6_6-few.md", f"{folder}/section_6_6-few-shares.md"}
    assert files < set(items.files("tables"))
    patterns = items.outputs("socher_2014", "section_6_6")
    assert files < {pattern.format(dataset="few") for pattern in patterns}


@pytest.mark.parametrize(
    ("papers", "few", "rated"),
    [
        (["socher_2014"], {}, {"scenes", "few"}),
        (["socher_2014"], {"draw": [20, 8, 8]}, {"scenes"}),
        (["merkx_frank_2019"], {"draw": [20, 8, 8], "papers": ["socher_2014"]}, {"scenes", "few"}),
    ],
)
def test_a_draw_is_rated_only_where_its_paper_has_nothing_else(papers, few, rated):
    config = experiment(papers, ["DT-RNN"], few, ratings={"source": "scenes"})
    plan = items_of(config).plan
    assert set(plan.rated_in("summary")) == rated


@pytest.fixture(scope="module")
def demo():
    return items_of(yaml.safe_load((ROOT / "config.yaml").read_text()))


def test_the_demo_has_something_of_every_paper_that_it_shows(demo):
    for paper in demo.plan.papers:
        assert wanted(demo, paper)
        for kind in ("tables", "figures"):
            folder = f"<experiment>/{paper}/{kind}/"
            stems = {Path(file).stem for file in demo.files(kind) if file.startswith(folder)}
            for item in wanted(demo, paper) & getattr(known()[paper], kind).keys():
                assert set(demo.names[paper, item]) <= stems


def test_an_item_s_inputs_are_those_that_its_paper_names(demo):
    inputs = demo.inputs("merkx_frank_2019", "table2")
    assert inputs["reported"] == "clone/reproduction/papers/merkx_frank_2019/reported/table2.csv"
    models = inputs["models"](SimpleNamespace())
    assert len(models) == 7 and all("/models/scenes/" in path for path in models)
    ensemble_files = ensembles(models)(SimpleNamespace())
    assert ensemble_files[0] == models[0].replace("model.json", "ensemble.json")
    wildcards = SimpleNamespace(dataset="few-scenes")
    own = demo.inputs("socher_2014", "samples")["models"](wildcards)
    assert len(own) == 2 and all("/models/few-scenes/" in path for path in own)
