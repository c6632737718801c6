import copy
import math
import re
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from groundvec.config import parts
from groundvec.config.named_files import check_files
from groundvec.config.reading import read_yaml
from groundvec.config.schema import SCHEMA
from groundvec.runtime.errors import InputError
from rules.experiment import complete

ROOT = Path(__file__).parents[3]
SMALL = {
    "experiment": "small",
    "datasets": {"one": {"source": "scenes", "count": 40, "models": ["gru-8-max"]}},
}


def changed(**changes):
    """The small configuration with keys of its data set changed."""
    return {**SMALL, "datasets": {"one": {**SMALL["datasets"]["one"], **changes}}}


def from_source(source, **options):
    """The small configuration with a data set from another source."""
    return {
        **SMALL,
        "datasets": {"one": {"source": source, "models": ["gru-8-max"], **options}},
    }


def with_second(**options):
    """The small configuration with a second data set."""
    second = {"models": ["gru-8-max"], **options}
    return {**SMALL, "datasets": {**SMALL["datasets"], "two": second}}


def described(**parts):
    """The small configuration with a model of its own."""
    model = {"encoder": {"name": "bag", "size": 8}, **parts}
    return {**changed(models=["mine"]), "models": {"mine": model}}


def translated(**changes):
    """The small configuration with translations."""
    settings = {"dataset": "one", "systems": {"weak": {}}, **changes}
    return {**SMALL, "translation": settings}


def judged(**baselines):
    """The small configuration with ratings and baselines."""
    return {**SMALL, "ratings": {"source": "scenes", "baselines": baselines}}


@pytest.mark.parametrize("path", [ROOT / "config.yaml", *sorted((ROOT / "config").glob("*.yaml"))])
def test_every_experiment_of_the_project_is_valid(path):
    complete(yaml.safe_load(path.read_text()))


def test_the_defaults_are_the_paper_s():
    completed = complete(SMALL)["datasets"]["one"]
    adam = {"name": "adam", "learning_rate_max": 1e-3, "learning_rate_min": 1e-6}
    assert completed["models"]["gru-8-max"] == {
        "languages": ["en"],
        "text": {"name": "characters"},
        "encoder": {"name": "rnn", "cell": "gru", "size": 8, "pooling": "max", "embedding": 20},
        "similarity": "cosine",
        "objective": {"name": "hinge", "margin": 0.2},
        "training": {
            **{"epochs": 32, "cycle": 4, "batch_size": 32, "optimiser": adam},
            **{"precision": "float32", "clip_image": 0.0025, "clip_caption": 0.05},
        },
    }
    assert (completed["backbone"], completed["language"], completed["seeds"]) == (
        "resnet152",
        "en",
        [1],
    )


def test_several_backbones_have_one_name():
    """Which is that of their file; a list of one network is that network."""
    listed = complete(changed(backbone=["efficientnet_lite0", "resnet152"]))["datasets"]["one"]
    assert listed["backbone"] == "efficientnet_lite0+resnet152"
    assert complete(changed(backbone=["resnet152"])) == complete(SMALL)
    assert complete(SMALL)["datasets"]["one"]["crops"] == 10
    as_text = complete(changed(crops="2"))  # as Snakemake reads --config
    assert as_text["datasets"]["one"]["crops"] == 2


def tuned(network="efficientnet_lite0_stages", before="efficientnet_lite0_stages", **settings):
    """Two data sets of the same pictures: the second one's network is tuned after the first."""
    settings = {"dataset": "one", "model": "gru-8-max", **settings}
    config = with_second(of="one", backbone={"name": network, "tuned": settings})
    config["datasets"]["one"] = {**config["datasets"]["one"], "backbone": before}
    return config


def test_a_tuned_network_is_named_by_what_it_is_tuned_with():
    completed = complete(tuned(passes=4))["datasets"]["two"]
    [(name, settings)] = completed["tuned"].items()
    assert completed["backbone"] == name and name.startswith("efficientnet_lite0_stages-tuned-")
    assert settings == {"dataset": "one", "model": "gru-8-max", "stage": 5, "passes": 4}
    assert complete(tuned())["datasets"]["two"]["backbone"] != name
    assert complete(tuned())["datasets"]["one"]["tuned"] == {}
    listed = tuned()
    backbone = listed["datasets"]["two"]["backbone"]
    listed["datasets"]["two"]["backbone"] = ["resnet152", backbone]
    names = complete(listed)["datasets"]["two"]["backbone"].split("+")
    assert names == ["resnet152", complete(tuned())["datasets"]["two"]["backbone"]]


def test_ratings_are_prepared_as_senteval_s_unless_said_otherwise():
    completed = complete({**SMALL, "ratings": {"source": "sts"}})["ratings"]
    assert (completed["tokenizer"], completed["lowercase"]) == ("moses", ["STS", "STS-B"])
    assert completed["baselines"] == {"trigrams": {"encoder": "trigrams"}}
    assert "ratings" not in complete(SMALL)


def test_the_paper_s_grid_is_the_configured_one():
    data = yaml.safe_load((ROOT / "config" / "flickr8k.yaml").read_text())["datasets"]["flickr8k"]
    grid = {f"{rnn}-{n}-attention" for rnn in ("gru", "lstm") for n in (1024, 2048, 4096)}
    assert set(data["models"]) == grid | {"gru-2048-max", "lstm-2048-max"}


def assert_described(schema):
    for key, value in schema["properties"].items():
        obvious = {"cell", "epochs", "batch_size"} | {"learning_rate", "nonlinearity"}
        obvious |= {"learning_rate_max", "learning_rate_min"}
        assert key in obvious or "description" in value or "$ref" in value, key


def test_every_key_of_the_schema_is_described():
    definitions = yaml.safe_load(SCHEMA.read_text())["$defs"]
    for part in ("dataset", "training", "ratings", "model", "translation", "translator"):
        assert_described(definitions[part])
    for kind in parts.CLASSES:
        for name in parts.names(kind):
            schema = parts.options_schema(kind, name)
            assert schema["description"]
            assert_described(schema)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (changed(bacbone="x"), "datasets.one: unknown key 'bacbone': did you mean 'backbone'?"),
        (changed(training={"lr": 1}), "datasets.one.training: unknown key 'lr': known are epochs"),
        (changed(count="many"), "datasets.one.count: 'many' is not of type 'integer'"),
        (
            changed(training={"optimiser": {"name": "adam", "learning_rate_max": "fast"}}),
            "datasets.one.training.optimiser.learning_rate_max: 'fast' is not of type 'number'",
        ),
        (changed(training={"epochs": "8.5"}), "epochs: 8.5 is not of type 'integer'"),
        (changed(source="scene"), "datasets.one.source: 'scene' is not one of"),
        (changed(source="scene"), "did you mean 'scenes'?"),
        (changed(models=["gru-7-max"]), "models.gru-7-max.encoder.size: 7 is not a multiple of 2"),
        (changed(models=["gru-8-mean"]), "gru-8-mean.encoder.pooling: 'mean' is not one of"),
        (changed(models=["rnn-8-max"]), "rnn-8-max.encoder.cell: 'rnn' is not one of"),
        (changed(models=["GRU-8-max"]), "datasets.one.models: unknown model 'GRU-8-max': describe"),
        (changed(models=["gru-8"]), "unknown model 'gru-8': describe it under `models`"),
        (changed(models=[]), "datasets.one.models"),
        (described(encoder={"name": "bagg"}), "models.mine.encoder.name: 'bagg' is not one of"),
        (described(encoder={"name": "bag", "sise": 1}), "unknown key 'sise': did you mean 'size'"),
        (described(encoder={"name": "bag"}), "models.mine.encoder: 'size' is a required property"),
        (
            described(text={"name": "words", "buckets": 3}),
            "models.mine.text: unknown key 'buckets'",
        ),
        (
            described(objective={"name": "hing"}),
            "objective.name: 'hing' is not one of ['cca', 'contrastive', "
            "'hinge', 'multilingual', 'squared_error']: did you mean 'hinge'?",
        ),
        (
            described(encoder={"name": "trees", "size": 4, "compose": "position"}),
            "models.mine: the encoder trees needs trees, which the text trees provides: ",
        ),
        (
            described(text={"name": "trees"}, encoder={"name": "mean", "size": 4}),
            "mine: a mean of vectors of 50 dimensions cannot have 4: set `size` to the text's",
        ),
        (
            described(training={"optimiser": {"name": "adam", "learning_rate_min": 0.01}}),
            "mine.training.optimiser: learning_rate_min 0.01 is above learning_rate_max 0.001: ",
        ),
        (
            described(encoder={"name": "rnn", "cell": "gru", "size": 8}, objective={"name": "cca"}),
            "models.mine: the objective cca needs a linear layer, which the encoder bag or",
        ),
        (
            {**SMALL, "experiment": "x" * 300},
            "configuration, experiment: a name of 300 characters is too long: 100 are the most",
        ),
        (
            {**SMALL, "models": {"m" * 300: {"encoder": {"name": "bag", "size": 4}}}},
            "configuration, models: a name of 300 characters is too long: 100 are the most",
        ),
        (changed(features="<experiment>/f.h5"), "one.features: '<experiment>/f.h5' does not match"),
        ({**SMALL, "mirror": "a<b"}, "configuration, mirror: 'a<b' does not match"),
        ({**SMALL, "mirror": "\ud800"}, "configuration, mirror: '\\ud800' does not match"),
        (
            described(
                text={"name": "trees"},
                encoder={"name": "mean", "size": 50},
                training={"alternate": 2},
            ),
            "models.mine: `alternate` needs weights to train, which another encoder provides",
        ),
        (
            described(text={"name": "ngrams", "shortest": 3, "longest": 2}),
            "models.mine.text: shortest 3 is above longest 2: swap them",
        ),
        (
            described(
                text={"name": "words"},
                encoder={"name": "bag", "size": 4, "state": True},
                similarity="dot",
            ),
            "models.mine: `state` needs cosines, which `similarity: cosine`",
        ),
        (
            described(
                training={"more_captions": 5},
                objective={"name": "multilingual"},
                languages=["en", "de"],
            ),
            "models.mine: `more_captions` needs one encoder, which a single entry in `languages`, ",
        ),
        (
            described(
                training={"more_captions": 5, "paraphrases": True},
                objective={"name": "multilingual"},
            ),
            "datasets.one.more_captions: mine wants captions without pictures: name a source of",
        ),
        (
            changed(more_captions={"source": "scenes"}),
            "one.more_captions.source: 'scenes' is not one of ['flickr8k', 'karpathy', 'multi30k'",
        ),
        (
            changed(more_captions={"source": "table", "images": "photos"}),
            "datasets.one.more_captions: unknown key 'images': known are",
        ),
        (
            described(training={"more_captions": 5}),
            "models.mine: `more_captions` needs pairs of captions, which the objective contrastive",
        ),
        (
            described(text={"name": "word-ngrams"}),
            "the text word-ngrams needs a GRU over words of n-grams, which the encoder ngram-rnn ",
        ),
        (
            described(
                text={"name": "ngrams"}, encoder={"name": "ngram-rnn", "size": 4, "units": 4}
            ),
            "the encoder ngram-rnn needs words of n-grams, which the text word-ngrams provides",
        ),
        (
            described(
                text={"name": "trees"},
                encoder={"name": "mean", "size": 50},
                objective={"name": "cca"},
            ),
            "models.mine: the objective cca needs a linear layer, which the encoder bag or",
        ),
        (
            {**SMALL, "select": "gru-9-max"},
            "select: datasets.one has no model 'gru-9-max': did you",
        ),
        ({**SMALL, "select": "ratings"}, "select: there are no `ratings` to select by: add them"),
        (
            {**changed(language="de"), "select": "ratings"},
            "select: gru-8-max of datasets.one does not read English, which the",
        ),
        (changed(source="table"), "datasets.one: unknown key 'count': known are table, images,"),
        (from_source("table"), "datasets.one: 'table' is a required property"),
        (from_source("multi30k"), "datasets.one: give one of `images` (The folder of Flickr30k's"),
        (
            from_source("multi30k", images="x", pictures="flickr8k"),
            "datasets.one: give one of `images` (The folder",
        ),
        (
            with_second(of="one", count=50),
            "datasets.two.count: it must be as in one: remove `count`, or set it there",
        ),
        (
            {**translated(), "datasets": from_source("pascal1k")["datasets"]},
            "translation.dataset: one is from pascal1k, which has no translations: take one from",
        ),
        # A data set that is `of` another one: its features and captions are the other one's.
        *(
            (with_second(of="one", **{key: value}), f"two.{key}: it must be as in one: remove")
            for key, value in {"precision": "float16", "seed": 7}.items()
        ),
        (with_second(of="two"), "datasets.two.of: it names itself: name another"),
        (with_second(of="won"), "two.of: there is no data set 'won' with pictures of its own: did"),
        (
            with_second(of=3),
            "datasets.two.of: there is no data set 3 with pictures of its own: kno",
        ),
        (with_second(of=["one"]), "two.of: there is no data set ['one'] with pictures of its own"),
        (
            {"experiment": "x", "datasets": {"one": {"of": "two"}, "two": {"of": "one"}}},
            "datasets.one.of: there is no data set 'two' with pictures of its own: describe one by",
        ),
        (changed(backbone="precomputed"), "datasets.one: 'features' is a required property"),
        (changed(training={"epochs": 6}), "gru-8-max: epochs 6 is not a multiple of cycle 4"),
        (
            changed(training={"epochs": 12, "alternate": 8}),
            "gru-8-max: with `alternate` 8, 12 epochs do not train both networks: make epochs 16",
        ),
        (translated(dataset="on"), "translation.dataset: there is no data set 'on': did you mean"),
        (translated(target="en"), "translation.target: it is the source too"),
        (
            translated(source="fr"),
            "translation.source: one has no sentences in 'fr'; it has: en, de",
        ),
        (
            translated(target="it"),
            "translation.target: one has no sentences in 'it'; it has: en, de",
        ),
        (translated(rerank_by=["gru-9-max"]), "rerank_by: one has no model 'gru-9-max': did you"),
        (translated(rerank_by=["gru-8-max"]), "rerank_by: gru-8-max reads en, not de"),
        (
            {
                **translated(rerank_by=["oracle"]),
                "models": {"oracle": {"languages": ["de"], "encoder": {"name": "bag", "size": 8}}},
                "datasets": {"one": {**SMALL["datasets"]["one"], "models": ["oracle"]}},
            },
            "rerank_by: 'oracle' has a row of its own in the tables: give the model another name",
        ),
        (translated(systems={}), "translation.systems"),
        (
            translated(systems={"weak": {}, "strong": {"dropout": 0.0}}),
            "translation.systems: weak and strong have the same settings: remove one",
        ),
        (translated(systems={"weak": {"dropout": 1}}), "translation.systems.weak.dropout"),
        ({**SMALL, "ratings": {"source": "stss"}}, "ratings.source: 'stss' is not one of"),
        (judged(x={"encoder": "infersent"}), "baselines.x: 'vectors' is a required property"),
        (judged(x={"encoder": "trigram"}), "did you mean 'trigrams'?"),
        (
            judged(x={"encoder": "trigrams", "captions": "scene"}),
            "ratings.baselines.x.captions: there is no data set 'scene' with captions of its own: "
            "known are one",
        ),
        (judged(x={"encoder": "trigrams", "vector": "f"}), "unknown key 'vector'"),
        ({"experiment": "x"}, "the top level: 'datasets' is a required property"),
        ({**SMALL, "experiment": "a/b"}, "experiment: 'a/b' does not match"),
        ({**SMALL, "experiment": "nl\n"}, "experiment: 'nl\\n' does not match"),
        ({**SMALL, "experiment": "datasets"}, "experiment: the name 'datasets' is taken"),
        (
            {**SMALL, "experiment": 2024},
            "2024 is not of type 'string': if it is meant as text",
        ),
        ({**SMALL, "datasets": {2024: {}}}, "datasets: YAML reads a name here as 2024: put it in"),
        ({**SMALL, "datasets": {True: {}}}, "datasets: YAML reads a name here as True: put it in"),
        (changed(language=False), "language: False is not of type 'string': if it is meant as t"),
        (changed(language="fr"), "language: the data set has no captions in 'fr'; it has: en, de"),
        (changed(language="EN"), "datasets.one.language: 'EN' does not match"),
        (changed(backbone="resnet153"), "unknown backbone 'resnet153': did you mean 'resnet152'?"),
        (changed(backbone="x"), "unknown backbone 'x': known are efficientnet_lite0, "),
        (changed(backbone=[]), "datasets.one.backbone: [] should be non-empty"),
        (changed(backbone=["resnet18", "resnet18"]), "backbone: ['resnet18', 'resnet18'] has non-"),
        (changed(backbone=["resnet18", "resnet153"]), "unknown backbone 'resnet153': did you mean"),
        (
            changed(backbone=["resnet18", "precomputed"], features="f.npz"),
            "one.backbone: precomputed features stand alone: leave the other names out, or put all",
        ),
        (changed(features="f.npz"), "one.features: this file is read only with `backbone: precomp"),
        (changed(backbone=["resnet18", 2]), "backbone.1: 2 is not of type 'string', 'object'"),
        (changed(backbone=["resnet18", "../x"]), "one.backbone.1: '../x' does not match"),
        (
            changed(backbone=["resnet50", "resnet18"], weights="IMAGENET1K_V2"),
            "one.weights: resnet18 has no weights 'IMAGENET1K_V2': did you mean 'IMAGENET1K_V1'?",
        ),
        (tuned("resnet152"), "two.backbone.name: resnet152 cannot be tuned: name one with _stages"),
        (tuned(dataset="on"), "backbone.tuned.dataset: there is no data set 'on': did you mean"),
        (tuned(model="gru-8"), "backbone.tuned.model: one has no model 'gru-8': did you mean"),
        (tuned(before="resnet152"), "the backbone of one must be efficientnet_lite0_stages alone"),
        (tuned(stage=8), "datasets.two.backbone.tuned.stage: 8 is greater than the maximum of 7"),
        (tuned(pases=2), "two.backbone.tuned: unknown key 'pases': did you mean 'passes'?"),
        (
            {
                **tuned(),
                "datasets": tuned()["datasets"]
                | {"two": {**tuned()["datasets"]["two"], "seeds": [1, 2]}},
            },
            "datasets.two.seeds: one lacks the seed 2: add it there, or remove it here",
        ),
        (changed(crops=5), "datasets.one.crops: 5 is not one of [1, 2, 10]"),
        (changed(backbone="x"), " others"),
        (changed(weights="IMAGENET1K_V3"), "resnet152 has no weights 'IMAGENET1K_V3': did you m"),
        (changed(seeds=[10**23]), "seeds.0: 100000000000000000000000 is greater than the maximum"),
        (changed(count=10**9), "count: 1000000000 is greater than the maximum"),
        (
            changed(training={"clip_image": math.nan}),
            "clip_image: nan is not of type 'number', 'null'",
        ),
        (changed(training={"clip_image": math.inf}), "clip_image: inf is not of type 'number'"),
        (changed(training={"clip_image": "NaN"}), "clip_image: nan is not of type 'number'"),
        (changed(training={"epochs": 2.5}), "epochs: 2.5 is not of type 'integer'"),
        (changed(training={"epochs": True}), "epochs: True is not of type 'integer'"),
        (changed(models=["gru-1000000-max"]), "unknown model 'gru-1000000-max'"),
        (changed(models=["lstm-16386-attention"]), "16386 is greater than the maximum of 16384"),
        (changed(folds=0), "folds: 0 is less than the minimum of 1"),
    ],
)
def test_a_wrong_configuration_gets_one_line_that_names_the_key(config, message):
    with pytest.raises(InputError) as caught:
        complete(config)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_numbers_that_come_as_text_are_read():
    """YAML takes 1e-3 for text, and Snakemake everything within a value given with --config."""
    adam = {"name": "adam", "learning_rate_max": "1e-3"}
    text = {"optimiser": adam, "epochs": "8", "clip_image": "null"}
    completed = complete(changed(training=text, seeds=["1", "2"]))["datasets"]["one"]
    training = completed["training"]
    assert training["optimiser"]["learning_rate_max"] == 1e-3
    assert (training["epochs"], training["clip_image"]) == (8, None)
    assert completed["seeds"] == [1, 2]


def test_whole_numbers_may_be_written_as_floats():
    completed = complete(changed(training={"epochs": 4.0, "cycle": "2.0"}, seeds=[3.0]))
    training = completed["datasets"]["one"]["training"]
    assert (training["epochs"], training["cycle"]) == (4, 2)
    assert isinstance(training["epochs"], int) and isinstance(training["cycle"], int)
    assert completed["datasets"]["one"]["seeds"] == [3]


def test_a_configuration_that_contains_itself_is_refused():
    for cycle in ({}, []):
        config = copy.deepcopy(SMALL)
        config["datasets"]["one"]["models"] = cycle
        cycle.append(cycle) if isinstance(cycle, list) else cycle.update(x=cycle)
        with pytest.raises(InputError, match="configuration, datasets: it contains itself"):
            complete(config)


def test_a_configuration_that_grows_without_end_is_refused_at_once():
    """Each level names the one below nine times: 9^9 values in ten lines."""
    lines = ["experiment: x", "a0: &a0 [1,1,1,1,1,1,1,1,1]"]
    for k in range(1, 9):
        lines.append(f"a{k}: &a{k} [{','.join([f'*a{k - 1}'] * 9)}]")
    with pytest.raises(InputError, match="it contains itself, or too many values"):
        complete(yaml.safe_load("\n".join(lines)))


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("a: 1\nb: {c: 1, d: 2, c: 3}\n", "line 2: the key c occurs twice"),
        ("a: 1\nb: 2\na: 1\n", "line 3: the key a occurs twice"),
        ("- {x: 1}\n- {x: 1, x: 2}\n", "line 2: the key x occurs twice"),
        ('{"a": 1, "a": 2}', "line 1: the key a occurs twice"),
        ("a: " + "[" * 10_000, "line 1 has more than 20 levels"),
        (
            "a:\n" + "".join(" " * n + "- \n" for n in range(1, 500)),
            "line 21 has more than 20 levels",
        ),
        ("a: 2026-99-99", "is not YAML: month must be in"),
        ("a: [", "is not YAML: while parsing"),
        ("a: *b", "is not YAML: found undefined alias"),
    ],
)
def test_what_is_wrong_with_yaml_is_one_line(text, error):
    with pytest.raises(InputError, match=f"^c.yaml {error}") as caught:
        read_yaml(text, "c.yaml")
    assert "\n" not in str(caught.value)


def test_keys_may_be_the_same_in_different_places():
    given = read_yaml("a: &x {b: 1, c: {b: 2}}\nd: *x\nb: [{b: 1}, {b: 2}]\n", "c.yaml")
    assert given["d"] == {"b": 1, "c": {"b": 2}}
    read_yaml("a: &x\n  b: *x\n", "itself.yaml")


def test_the_translator_is_the_paper_s_unless_said_otherwise():
    settings = complete(translated())["translation"]
    assert settings["n_best"] == [20, 50]
    weak = settings["systems"]["weak"]
    assert (weak["size"], weak["embedding"], weak["batch_size"]) == (1024, 620, 40)
    assert weak["dropout"] == weak["l2"] == 0


def test_a_data_set_of_another_one_has_its_pictures_and_captions():
    draws = {"of": "one", "draw": [8, 2, 2], "seeds": [1, 2], "models": ["lstm-8-max"]}
    one = {**SMALL["datasets"]["one"], "folds": 3}
    found = complete({**SMALL, "datasets": {"draws": draws, "one": one}})["datasets"]
    assert found["draws"]["source"] == one["source"]
    assert found["draws"]["count"] == one["count"]
    assert (found["draws"]["folds"], list(found["draws"]["models"])) == (1, ["lstm-8-max"])


def test_a_model_is_selected_only_where_a_paper_shows_one_alone():
    ours = {"of": "one", "models": ["lstm-8-max"], "papers": ["ablation"]}
    datasets = {**SMALL["datasets"], "ours": ours}
    assert complete({**SMALL, "datasets": datasets, "select": "gru-8-max"})["select"] == "gru-8-max"


# Every text of a configuration may be anything

TEXTS = [
    ("experiment",),
    ("mirror",),
    *(("datasets", "one", key) for key in ("source", "table", "images", "language", "backbone")),
    ("datasets", "two", "of"),
    ("datasets", "two", "papers", 0),
    ("datasets", "two", "pictures"),
    *(("datasets", "one", key) for key in ("weights", "features", "interpolation", "precision")),
    ("datasets", "one", "json"),
    ("datasets", "one", "models", 0),
    ("select",),
    *(("models", "mine", part, "name") for part in ("text", "encoder", "objective")),
    *(("models", "mine", "text", key) for key in ("parser", "form", "vectors", "tokenizer")),
    *(("models", "mine", "encoder", key) for key in ("cell", "pooling", "compose", "nonlinearity")),
    ("models", "mine", "objective", "reduction"),
    ("models", "mine", "training", "optimiser", "schedule"),
    ("models", "mine", "similarity"),
    ("models", "mine", "languages", 0),
    *(("ratings", key) for key in ("source", "tokenizer")),
    ("ratings", "lowercase", 0),
    *(("ratings", "baselines", "x", key) for key in ("encoder", "vectors", "state", "model")),
    *(("translation", key) for key in ("dataset", "source", "target")),
    ("translation", "rerank_by", 0),
]
WHOLE = {
    "experiment": "small",
    "datasets": {
        "one": {"source": "table", "table": "t.csv", "images": "i", "models": ["gru-8-max"]},
        "two": {"of": "one", "models": ["gru-8-max"], "papers": ["socher_2014"]},
        "three": {"source": "scenes", "count": 20, "models": ["mine"]},
    },
    "models": {
        "mine": {
            "text": {"name": "trees", "form": "binary"},
            "objective": {},
            "languages": ["en"],
            "encoder": {"name": "rnn", "cell": "gru", "size": 2, "pooling": "max"},
            "training": {"optimiser": {"name": "adam"}},
        }
    },
    "ratings": {
        "source": "scenes",
        "lowercase": ["STS"],
        "baselines": {"x": {"encoder": "infersent", "vectors": "v", "state": "s", "version": 1}},
    },
    "translation": {
        **{"dataset": "three", "source": "de", "target": "en"},
        **{"rerank_by": ["mine"], "systems": {"weak": {}}},
    },
}
HOSTILE = [
    "$(touch ran)",
    "`touch ran`",
    "; touch ran",
    "'",
    '"',
    "a b",
    "nl\n",
    "\r",
    "a\0b",
    "{x}",
]
NO_PATH = set("\r\n\0{}<>\t\ud800")


def test_every_text_of_the_schema_is_tried():
    schema = yaml.safe_load(SCHEMA.read_text())
    names = {place[-2] if place[-1] == 0 else place[-1] for place in TEXTS}
    for part in (schema, *schema["$defs"].values()):
        for key, value in part.get("properties", {}).items():
            of_list = value.get("items", {})
            for each in (value, of_list):
                if "string" in each.get("type", ()) or {type(v) for v in each.get("enum", [])} == {
                    str
                }:
                    assert key in names, key
                    assert "pattern" in each or "enum" in each, key


@given(st.sampled_from(TEXTS), st.sampled_from(HOSTILE) | st.text())
@example(("experiment",), "nl\n")
def test_any_text_is_refused_in_one_line_or_is_a_path(place, text):
    """What is let through may hold anything that a path can hold: commands quote it."""
    config = copy.deepcopy(WHOLE)
    inner = config
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = text
    try:
        complete(config)
    except InputError as error:
        assert len(str(error).splitlines()) == 1
    else:
        paths = {"mirror", "table", "images", "features", "vectors", "state", "model"}
        paths |= {"parser", "json"}
        harmless = text.replace("_", "a").replace("-", "a").isalnum() and text.isascii()
        assert (place[-1] in paths and not NO_PATH & set(text)) or harmless, (place, text)


# What is named must be there


@pytest.fixture
def named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my/photos").mkdir(parents=True)
    for name in "abc":
        (tmp_path / "my/photos" / f"{name}.jpg").write_text(name)
    (tmp_path / "my/captions.csv").write_text(
        "image,caption,split\na.jpg,A,train\nb.jpg,B,dev\nc.jpg,C,test\n"
    )
    (tmp_path / "my/vectors.txt").touch()
    data = {"source": "table", "table": "my/captions.csv", "images": "my/photos"}
    return {"experiment": "x", "datasets": {"one": {**data, "models": ["gru-8-max"]}}}


KARPATHY = {"source": "karpathy", "json": "my/dataset_coco.json", "images": "my/photos"}
TREES = {"name": "trees", "vectors": "my/vectors.txt", "dimension": 5}
BAG = {"encoder": "bag-of-words", "vectors": "my/vectors.txt"}
PUBLIC = ["all.zip", "glove/glove.6B.zip"]


@pytest.mark.parametrize(
    ("dataset", "text", "baseline", "error"),
    [
        ({}, {}, {}, None),
        (
            {"table": "my/caption.csv"},
            {},
            {},
            "one.table: there is no file my/caption.csv; did you",
        ),
        (
            {"images": "my/photo"},
            {},
            {},
            "images: there is no folder my/photo; did you mean my/pho",
        ),
        ({"images": "mmy/photos"}, {}, {}, "there is no folder mmy/photos; did you mean my?"),
        ({"images": "my/captions.csv"}, {}, {}, "there is no folder my/captions.csv; correct"),
        ({"language": "de"}, {}, {}, "language: the data set has no captions in 'de'; it has: en"),
        (
            {"backbone": "precomputed", "features": "my/f.npz"},
            {},
            {},
            "datasets.one.features: there is no file my/f.npz; correct the path, or name a network",
        ),
        (
            {"more_captions": {"source": "table", "table": "my/more.csv"}},
            {},
            {},
            "datasets.one.more_captions.table: there is no file my/more.csv; correct the path",
        ),
        (KARPATHY, {}, {}, None),
        (KARPATHY | {"json": "all.zip/dataset_flickr30k.json"}, {}, {}, None),  # a public file
        (KARPATHY | {"json": "my/dataset.json"}, {}, {}, "did you mean my/dataset_coco.json?"),
        (KARPATHY | {"images": "my/photo"}, {}, {}, "one.images: there is no folder my/photo; did"),
        ({}, {"vectors": "captions"}, {}, None),
        (
            {},
            {"vectors": "my/vector.txt"},
            {},
            "models.mine.text.vectors: there is no file my/vect",
        ),
        ({}, {}, {"vectors": "glove/glove.6B.zip/glove.6B.100d.txt"}, None),
        ({}, {}, {"vectors": "my/vector.txt"}, "bow.vectors: there is no file my/vector.txt; did"),
        ({}, {}, {"vectors": "glove/glove.6b.zip"}, "did you mean glove/glove.6B.zip?"),
    ],
)
def test_the_files_that_a_configuration_names_exist_or_are_public(
    named, dataset, text, baseline, error
):
    Path("my/dataset_coco.json").touch()
    if "source" in dataset:
        del named["datasets"]["one"]["table"]
    named["datasets"]["one"] |= dataset | {"models": ["mine"]}
    named["models"] = {"mine": {"text": TREES | text, "encoder": {"name": "mean", "size": 5}}}
    named["ratings"] = {"source": "scenes", "baselines": {"bow": BAG | baseline}}
    config = complete(named)
    if error is None:
        check_files(config, "", PUBLIC)
        return
    with pytest.raises(InputError, match=re.escape(error)) as caught:
        check_files(config, "", PUBLIC)
    assert str(caught.value).startswith("configuration, ")


def test_a_mirror_must_be_there_and_may_have_the_features(named, tmp_path):
    named["datasets"]["one"] |= {"backbone": "precomputed", "features": "f/a.npz"}
    with pytest.raises(InputError, match="mirror: there is no folder nowhere"):
        check_files(complete(named), "nowhere", [])
    (tmp_path / "mirror/f").mkdir(parents=True)
    (tmp_path / "mirror/f/a.npz").touch()
    check_files(complete(named), "mirror", [])


def test_no_experiment_takes_a_shared_folder():
    """Those that the rules write to for all experiments."""
    text = "".join(path.read_text() for path in (ROOT / "rules").glob("*.smk"))
    shared = set(re.findall(r"results/([a-z]+)/", text))
    assert shared > {"datasets", "checkpoints"}
    for name in shared:
        with pytest.raises(InputError, match=f"the name '{name}' is taken"):
            complete({**SMALL, "experiment": name})


# What a model is


def test_a_model_of_one_s_own_is_a_description_of_named_parts():
    text = """
        experiment: x
        models:
          bag: {text: {name: ngrams, longest: 4}, encoder: {name: bag, size: 64}, similarity: dot}
          slow: {encoder: {name: rnn, cell: lstm, size: 8}, training: {epochs: 8, batch_size: 3}}
        datasets:
          one:
            {source: scenes, count: 40, language: de, models: [bag, slow], training: {cycle: 2}}
    """
    models = complete(yaml.safe_load(text))["datasets"]["one"]["models"]
    assert models["bag"]["text"] == {
        "name": "ngrams",
        "shortest": 2,
        "longest": 4,
        "buckets": 16384,
    }
    assert models["bag"]["similarity"] == "dot"
    assert models["bag"]["languages"] == ["de"]
    assert (models["bag"]["training"]["epochs"], models["bag"]["training"]["cycle"]) == (32, 2)
    training = models["slow"]["training"]
    assert (training["epochs"], training["cycle"], training["batch_size"]) == (8, 2, 3)


def test_only_one_place_takes_the_name_of_a_model_apart():
    for path in (ROOT / "groundvec").rglob("*.py"):
        if path.name != "parts.py":
            assert not re.search(r"(split|partition)\([\"']-[\"']", path.read_text()), path
