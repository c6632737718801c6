"""Read from a configuration the paths and options of rules, without Snakemake."""

import re
from pathlib import Path
from types import SimpleNamespace

import yaml

from groundvec.data.sts_archives import PUBLIC, chosen
from rules.experiment import complete
from rules.plan import Plan, any_of, stage_settings, text_name
from tests.support import ROOT

SOURCES = yaml.safe_load((ROOT / "resources/sources.yaml").read_text())
SCENES = {"source": "scenes", "count": 40, "backbone": "efficientnet_lite0"}
MODELS = yaml.safe_load("""
trees: {text: {name: trees}, encoder: {name: mean, size: 50}}
words: &words {text: {name: words}, encoder: {name: bag, size: 8}}
german: {<<: *words, languages: [de]}
both: &both {<<: *words, languages: [en, de], objective: {name: multilingual, beta: 0.5}}
shared: {<<: *both, shared: true}
""")


def planned(*, mirror="", ratings=None, **datasets):
    datasets = datasets or {"scenes": {**SCENES, "models": list(MODELS), "seeds": [1, 2]}}
    config = {"experiment": "x", "models": MODELS, "datasets": datasets}
    if ratings:
        config["ratings"] = ratings
    return Plan(complete(config), mirror, SOURCES)


def of(**wildcards):
    return SimpleNamespace(**wildcards)


def test_a_pattern_of_no_names_matches_nothing():
    assert re.fullmatch(any_of(["a", "b"]), "b")
    assert not re.fullmatch(any_of([]), "")


def test_texts_of_other_options_have_other_names():
    assert text_name({"name": "characters"}) == "characters"
    first, second = ({"name": "words", "lowercase": lowercase} for lowercase in (True, False))
    assert text_name(first) != text_name(second)
    assert text_name(first).startswith("words-")


def test_a_model_reads_a_text_for_each_language_or_one_for_all_of_them():
    plan = planned()
    name = text_name(plan.datasets["scenes"]["models"]["both"]["text"])
    stem = f"results/text/scenes/{name}"
    files = plan.text_files(of(dataset="scenes", model="both"))
    assert files == [f"{stem}.en.json", f"{stem}.de.json"]
    shared = plan.text_files(of(dataset="scenes", model="shared"))
    assert shared == 2 * [f"{stem}.en+de.json"]


def test_only_models_of_trees_need_a_treebank():
    plan = planned(ratings={"source": "scenes"})
    [file] = plan.treebanks(of(dataset="scenes", model="trees"))
    assert plan.treebanks(of(dataset="scenes", model="words")) == []
    assert plan.treebanks(of(dataset="scenes")) == [file]
    text = text_name(plan.datasets["scenes"]["models"]["trees"]["text"])
    assert plan.treebanks(of(dataset="scenes", text=text, language="en")) == [file]
    [name] = plan.parsers
    assert file == f"results/text/scenes/{name}.en.conllu.gz"
    of_ratings = plan.treebank_of_ratings(of(dataset="scenes", model="trees"))
    assert of_ratings == [f"<experiment>/ratings/{name}.conllu.gz"]


LITE = "efficientnet_lite0_stages"


def tuned(name, count=40):
    """A data set, and one of the same pictures whose network is tuned after a training of it."""
    frozen = {**SCENES, "count": count, "backbone": LITE, "models": ["words"], "seeds": [1, 2]}
    backbone = {"name": LITE, "tuned": {"dataset": name, "model": "words", "passes": 2}}
    return {name: frozen, f"{name}-tuned": {**frozen, "of": name, "backbone": backbone}}


def test_features_of_a_tuned_network_are_of_a_seed_and_come_after_a_training():
    plan = planned(**tuned("scenes"))
    (parent, _), (_, second) = plan.tuned
    assert parent == "scenes"
    files = [f"results/features/scenes/{name}.h5" for _, name in plan.tuned]
    assert plan.features_file(of(dataset="scenes-tuned", model="words", seed="2")) == files[1]
    # An item that shows all seeds gets the features of each; networks that are not tuned have one.
    assert plan.features_of_seeds(of(dataset="scenes-tuned")) == files
    assert plan.features_of_seeds(of(dataset="scenes")) == [f"results/features/scenes/{LITE}.h5"]
    of_features = of(dataset="scenes", backbone=second)
    assert plan.network(of_features) == LITE
    assert plan.network(of(dataset="scenes", backbone=LITE)) == LITE
    [weights] = plan.backbone_weights(of_features)
    assert weights == f"results/tuned/scenes/{second}/tuned.pth"
    folder = "<experiment>/models/scenes/words/seed2"
    assert plan.trained_before(of_features) == [f"{folder}/model.json", f"{folder}/snapshots"]
    assert stage_settings("tuning", plan.tuning(of_features)) == {"passes": 2, "stage": 5}


def test_networks_of_one_name_are_tuned_after_the_training_on_their_own_pictures():
    plan = planned(**tuned("a"), **tuned("b", 50))
    networks = [network for _, network in plan.tuned]
    assert networks[:2] == networks[2:]
    for name in ("a", "b"):
        [trained, _] = plan.trained_before(of(dataset=name, backbone=networks[1]))
        assert trained == f"<experiment>/models/{name}/words/seed2/model.json"


def test_public_files_come_from_the_mirror_where_it_has_them(tmp_path):
    [name, *_] = SOURCES
    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / name).touch()
    wildcards = of(file=name)
    assert planned(mirror=str(tmp_path)).origin(wildcards).startswith("the mirror")
    assert SOURCES[name]["urls"][0] in planned().origin(wildcards)
    found = planned().public({"one": name, "other": "my/file.csv"})
    assert found == {"one": f"data/{name}", "other": "my/file.csv"}


TWO = ["STS", "SICK"]
NINE = list(PUBLIC)


def test_ratings_come_from_a_mirror_s_two_archives_if_it_has_both(tmp_path, monkeypatch):
    """Unless others are unpacked already: those stay in use if a mirror is named later."""
    monkeypatch.chdir(tmp_path)
    folder = Path("data/sts")
    Path("mirror/sts").mkdir(parents=True)
    for name, expected in (("other", NINE), ("STS", NINE), ("SICK", TWO)):
        Path("mirror/sts", f"{name}.zip").touch()
        assert list(chosen(folder, "mirror")) == expected
    assert list(chosen(folder, "")) == NINE
    for name in NINE:
        Path(folder, name).mkdir(parents=True)
    assert list(chosen(folder, "mirror")) == NINE
    Path(folder, NINE[0]).rmdir()
    assert list(chosen(folder, "mirror")) == TWO


def test_models_without_english_are_not_rated():
    scenes = {**SCENES, "models": ["german", "words"]}
    plan = planned(scenes=scenes, ratings={"source": "scenes"})
    for paper in plan.papers:
        files = plan.ratings_files(".csv", paper)
        assert "<experiment>/ratings/models/scenes/words/seed1.csv" in files
        assert "<experiment>/ratings/baselines/trigrams.csv" in files
        assert not any("german" in file for file in files)
    assert plan.scores_shown(of(dataset="scenes", model="german", seed="1")) == []
