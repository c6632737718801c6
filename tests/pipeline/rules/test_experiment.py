import copy
import re
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from groundvec.config import parts
from groundvec.config.schema import configuration_schema
from groundvec.runtime.errors import InputError
from reproduction.reading import read_yaml
from rules.experiment import complete
from rules.named_files import check_files
from tests.support import ROOT
from tests.support.refusals import refused

SMALL = {
    "experiment": "small",
    "datasets": {"one": {"source": "scenes", "count": 40, "models": ["gru-8-max"]}},
}


def changed(**changes):
    """The small configuration with keys of its data set changed."""
    return {**SMALL, "datasets": {"one": {**SMALL["datasets"]["one"], **changes}}}


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


@pytest.mark.parametrize("path", [ROOT / "config.yaml", *sorted((ROOT / "config").glob("*.yaml"))])
def test_every_experiment_of_the_project_is_valid(path):
    complete(yaml.safe_load(path.read_text()))


def test_the_defaults_are_the_paper_s():
    completed = complete(SMALL)["datasets"]["one"]
    expected = """
        languages: [en]
        text: {name: characters}
        encoder: {name: rnn, cell: gru, size: 8, pooling: max, embedding: 20}
        similarity: cosine
        objective: {name: hinge, margin: 0.2}
        training:
          epochs: 32
          cycle: 4
          batch_size: 32
          optimizer: {name: adam, learning_rate_max: 0.001, learning_rate_min: 0.000001}
          precision: float32
          clip_image: 0.0025
          clip_caption: 0.05
    """
    assert completed["models"]["gru-8-max"] == yaml.safe_load(expected)
    assert completed["backbone"] == [{"name": "resnet152"}] and completed["crops"] == 10
    assert completed["language"] == "en" and completed["seeds"] == [1]


def tuned(
    network="efficientnet_lite0_stages",
    before="efficientnet_lite0_stages",
    seeds=(1,),
    **settings,
):
    """Two data sets of the same pictures: the second one's network is tuned after the first."""
    settings = {"dataset": "one", "model": "gru-8-max", **settings}
    backbone = {"name": network, "tuned": settings}
    config = with_second(of="one", backbone=backbone, seeds=list(seeds))
    config["datasets"]["one"] = {**config["datasets"]["one"], "backbone": before}
    return config


def test_a_tuned_network_s_key_depends_on_its_settings():
    config = tuned(passes=4)
    [network] = complete(config)["datasets"]["two"]["backbone"]
    assert network["name"] == "efficientnet_lite0_stages"
    assert network["tuned"] == {"dataset": "one", "model": "gru-8-max", "stage": 5, "passes": 4}
    [other] = complete(tuned())["datasets"]["two"]["backbone"]
    assert other["key"] != network["key"] and len(network["key"]) == 8
    # It may be one of several networks.
    dataset = config["datasets"]["two"]
    dataset["backbone"] = ["resnet152", dataset["backbone"]]
    assert complete(config)["datasets"]["two"]["backbone"] == [{"name": "resnet152"}, network]


def test_defaults_of_ratings_and_translations_are_the_papers():
    ratings = complete({**SMALL, "ratings": {"source": "sts"}})["ratings"]
    assert (ratings["tokenizer"], ratings["lowercase"]) == ("moses", ["STS", "STS-B"])
    assert ratings["baselines"] == {"trigrams": {"encoder": "trigrams"}}
    translation = complete(translated())["translation"]
    assert translation["n_best"] == [20, 50]
    expected = {"size": 1024, "embedding": 620, "batch_size": 40, "dropout": 0, "l2": 0}
    assert translation["systems"]["weak"].items() >= expected.items()
    assert not {"ratings", "translation"} & complete(SMALL).keys()


def test_every_key_of_the_schema_is_described():
    definitions = configuration_schema()["$defs"]
    sections = ("dataset", "training", "ratings", "model", "translation", "translator")
    schemas = [definitions[section] for section in sections]
    for kind in parts.CLASSES:
        options = [parts.options_schema(kind, name) for name in parts.names(kind)]
        assert all(schema["description"] for schema in options)
        schemas += options
    obvious = {"cell", "epochs", "batch_size", "nonlinearity"}
    obvious |= {"learning_rate", "learning_rate_max", "learning_rate_min"}
    for schema in schemas:
        for key, value in schema["properties"].items():
            assert key in obvious or "description" in value or "$ref" in value, key


# Mistakes in a data set, a model, the translation and so on, each above its message.
OF_A_DATASET = """
bacbone: x
  datasets.one: unknown key 'bacbone': did you mean 'backbone'?

source: scene
  did you mean 'scenes'?

models: [gru-7-max]
  models.gru-7-max.encoder.size: 7 is not a multiple of 2

models: [GRU-8-max]
  datasets.one.models: unknown model 'GRU-8-max': describe

more_captions: {source: scenes}
  one.more_captions.source: 'scenes' is not one of ['flickr8k', 'karpathy', 'multi30k'

more_captions: {source: table, images: photos}
  datasets.one.more_captions: unknown key 'images': known are

backbone: precomputed
  datasets.one: 'features' is a required property

training: {epochs: 6}
  gru-8-max: epochs 6 is not a multiple of cycle 4

training: {epochs: 12, alternate: 8}
  gru-8-max: with `alternate` 8, 12 epochs do not train both networks: make epochs 16

language: fr
  language: the data set has no captions in 'fr'; it has: en, de

backbone: resnet153
  unknown backbone 'resnet153': did you mean 'resnet152'?

backbone: [resnet18, resnet18]
  backbone: ['resnet18', 'resnet18'] has non-

backbone: [resnet18, precomputed], features: f.npz
  one.backbone: precomputed features stand alone: leave the other names out, or put all

features: f.npz
  one.features: this file is read only with `backbone: precomp

backbone: [resnet50, resnet18], weights: IMAGENET1K_V2
  one.weights: resnet18 has no weights 'IMAGENET1K_V2': did you mean 'IMAGENET1K_V1'?

training: {epochs: true}
  epochs: True is not of type 'integer'

training: {clip_image: .nan}
  clip_image: nan is not of type 'number', 'null'

seeds: [100000000000000000000000]
  seeds.0: 100000000000000000000000 is greater than the maximum

papers: [socher_2013]
  papers.0: unknown paper 'socher_2013': did you mean
"""
OF_A_MODEL = """
encoder: {name: trees, size: 4, compose: position}
  models.mine: the encoder trees needs trees, which the text trees provides:

text: {name: trees}, encoder: {name: mean, size: 4}
  mine: a mean of vectors of 50 dimensions cannot have 4: set `size` to the text's

training: {optimizer: {name: adam, learning_rate_min: 0.01}}
  mine.training.optimizer: learning_rate_min 0.01 is above learning_rate_max 0.001:

encoder: {name: rnn, cell: gru, size: 8}, objective: {name: cca}
  models.mine: the objective cca needs a linear layer, which the encoder bag or

text: {name: trees}, encoder: {name: mean, size: 50}, training: {alternate: 2}
  models.mine: `alternate` needs weights to train, which another encoder provides

text: {name: ngrams, shortest: 3, longest: 2}
  models.mine.text: shortest 3 is above longest 2: swap them

text: {name: words}, encoder: {name: bag, size: 4, state: true}, similarity: dot
  models.mine: `state` needs cosines, which `similarity: cosine`

training: {more_captions: 5}, objective: {name: multilingual}, languages: [en, de]
  models.mine: `more_captions` needs one encoder, which a single entry in `languages`,

training: {more_captions: 5, paraphrases: true}, objective: {name: multilingual}
  datasets.one.more_captions: mine wants captions without pictures: name a source of

training: {more_captions: 5}
  models.mine: `more_captions` needs pairs of captions, which the objective contrastive

text: {name: word-ngrams}
  the text word-ngrams needs a GRU over words of n-grams, which the encoder ngram-rnn
"""
OF_A_TRANSLATION = """
dataset: 'on'
  translation.dataset: there is no data set 'on': did you mean

target: en
  translation.target: it is the source too

source: fr
  translation.source: one has no sentences in 'fr'; it has: en, de

rerank_by: [gru-9-max]
  rerank_by: one has no model 'gru-9-max': did you

rerank_by: [gru-8-max]
  rerank_by: gru-8-max reads en, not de

systems: {weak: {}, strong: {dropout: 0.0}}
  translation.systems: weak and strong have the same settings: remove one
"""
OF_A_TUNED_NETWORK = """
network: resnet152
  two.backbone.name: resnet152 cannot be tuned: name one with _stages

dataset: 'on'
  backbone.tuned.dataset: there is no data set 'on': did you mean

model: gru-8
  backbone.tuned.model: one has no model 'gru-8': did you mean

before: resnet152
  the backbone of one must be efficientnet_lite0_stages alone

pases: 2
  two.backbone.tuned: unknown key 'pases': did you mean 'passes'?

seeds: [1, 2]
  two.seeds: one lacks the seed 2: add it there, or remove it here
"""
OF_A_SECOND_DATASET = """
of: one, count: 50
  datasets.two.count: it must be as in one: remove `count`, or set it th

of: two
  datasets.two.of: it names itself: name another

of: [one]
  two.of: there is no data set ['one'] with pictures of its own
"""
OF_THE_WHOLE = """
experiment: 2024
  2024 is not of type 'string': if it is meant as text

datasets: {2024: {}}
  datasets: YAML reads a name here as 2024: put it in

datasets: {one: {of: two}, two: {of: one}}
  datasets.one.of: there is no data set 'two' with pictures of its own: describe one by

datasets: {one: {source: multi30k, images: x, pictures: flickr8k, models: [gru-8-max]}}
  datasets.one: give one of `images` (The folder

select: gru-9-max
  select: datasets.one has no model 'gru-9-max': did you

select: ratings
  select: there are no `ratings` to select by: add them

select: gru-9-max, datasets: {one: {source: scenes, count: 40, models: [gru-8-max],
papers: [ablation]}}
  select: no data set's `papers` show a selected model, as merkx_frank_2019

ratings: {source: scenes, tokenizer: none}
  ratings.tokenizer: sentences of scenes are read as they are: remove `tokenizer`

ratings: {source: scenes, lowercase: [STS]}
  ratings.lowercase: sentences of scenes are

select: ratings, datasets: {one: {source: scenes, count: 40, language: de, models: [gru-8-max]}}
  select: gru-8-max of datasets.one does not read English, which the

datasets: {one: {source: scenes, count: 40, models: [mine], bank: 60}},
models: {mine: {encoder: {name: bag, size: 4}, similarity: dot}}
  datasets.one.bank: a bank normalizes cosines, and mine has dot: remove `bank`

datasets: {one: {source: pascal1k, models: [gru-8-max]}}, translation: {dataset: one,
systems: {weak: {}}}
  translation.dataset: one is from pascal1k, which has no translations: take one from

datasets: {one: {source: scenes, count: 40, models: [oracle]}},
models: {oracle: {languages: [de], encoder: {name: bag, size: 8}}}, translation: {dataset: one,
rerank_by: [oracle], systems: {weak: {}}}
  rerank_by: 'oracle' has a row of its own in the tables: give the model another name

ratings: {source: scenes, baselines: {x: {encoder: trigrams, captions: scene}}}
  ratings.baselines.x.captions: there is no data set 'scene' with captions of its own: known are one
"""


def wrong(text, make):
    """Read the configurations with these mistakes, each with its message."""
    cases = []
    for block in text.strip().split("\n\n"):
        *keys, message = block.splitlines()
        changes = yaml.safe_load(f"{{{' '.join(keys)}}}")
        cases.append((make(**changes), message.strip()))
    return cases


LONG = "configuration, experiment: a name of 300 characters is too long: 100 are the most"


@pytest.mark.parametrize(
    "config, message",
    [
        *wrong(OF_A_DATASET, changed),
        *wrong(OF_A_SECOND_DATASET, with_second),
        *wrong(OF_A_TUNED_NETWORK, tuned),
        *wrong(OF_A_MODEL, described),
        *wrong(OF_A_TRANSLATION, translated),
        *wrong(OF_THE_WHOLE, lambda **changes: SMALL | changes),
        ({"experiment": "x"}, "the top level: 'datasets' is a required property"),
        (SMALL | {"experiment": "x" * 300}, LONG),
    ],
)
def test_a_wrong_configuration_gets_one_line_that_names_the_key(config, message):
    with refused(re.escape(message)):
        complete(config)


def test_data_sets_of_the_same_pictures_may_have_computed_and_precomputed_features():
    """Both read the keys of the data set that has the images."""
    config = with_second(of="one", backbone="precomputed")
    config["datasets"]["one"] = {**config["datasets"]["one"], "features": "f.npz", "crops": 2}
    datasets = complete(config)["datasets"]
    assert datasets["two"]["features"] == "f.npz"
    assert datasets["one"]["backbone"] == [{"name": "resnet152"}]


def test_numbers_that_come_as_text_are_read_and_whole_ones_may_be_floats():
    """YAML takes 1e-3 for text, and Snakemake everything within a value given with --config."""
    adam = {"name": "adam", "learning_rate_max": "1e-3"}
    text = {"optimizer": adam, "epochs": "8", "cycle": 2.0, "clip_image": "null"}
    completed = complete(changed(training=text, seeds=["1", 3.0]))["datasets"]["one"]
    training = completed["training"]
    assert training["optimizer"]["learning_rate_max"] == 1e-3
    assert (training["epochs"], training["cycle"], training["clip_image"]) == (8, 2, None)
    assert isinstance(training["cycle"], int)
    assert completed["seeds"] == [1, 3]


def test_a_configuration_that_contains_itself_or_grows_without_end_is_refused_at_once():
    """Each line of the second names the one below nine times: 9^9 values in ten lines."""
    itself = copy.deepcopy(SMALL)
    itself["datasets"]["one"]["models"] = itself["datasets"]
    with refused("configuration, datasets: it contains itself"):
        complete(itself)
    lines = ["experiment: x", "a0: &a0 [1,1,1,1,1,1,1,1,1]"]
    for k in range(1, 9):
        lines.append(f"a{k}: &a{k} [{','.join([f'*a{k - 1}'] * 9)}]")
    with refused("it contains itself, or too many values"):
        complete(yaml.safe_load("\n".join(lines)))


@pytest.mark.parametrize(
    "text, error",
    [
        ("a: 1\nb: {c: 1, d: 2, c: 3}\n", "line 2: the key c occurs twice"),
        ("- {x: 1}\n- {x: 1, x: 2}\n", "line 2: the key x occurs twice"),
        ("a: " + "[" * 10_000, "has too many levels: correct it"),
        ("a: 2026-99-99", "is not YAML: month must be in"),
        ("a: *b", "is not YAML: found undefined alias"),
    ],
)
def test_malformed_yaml_is_one_line(text, error):
    with refused(f"^c.yaml {error}"):
        read_yaml(text, "c.yaml")


def test_keys_may_be_the_same_in_different_places():
    given = read_yaml("a: &x {b: 1, c: {b: 2}}\nd: *x\nb: [{b: 1}, {b: 2}]\n", "c.yaml")
    assert given["d"] == {"b": 1, "c": {"b": 2}}
    read_yaml("a: &x\n  b: *x\n", "itself.yaml")


def test_a_data_set_of_another_one_has_its_pictures_and_captions():
    config = with_second(of="one", models=["lstm-8-max"])
    config["datasets"]["one"] = {**config["datasets"]["one"], "folds": 3}
    two = complete(config)["datasets"]["two"]
    assert (two["source"], two["count"], two["folds"]) == ("scenes", 40, 1)
    assert list(two["models"]) == ["lstm-8-max"]


def test_a_model_is_selected_only_where_a_paper_shows_one_alone():
    config = with_second(of="one", models=["lstm-8-max"], papers=["ablation"])
    assert complete(config | {"select": "gru-8-max"})["select"] == "gru-8-max"


# Every text of a configuration may be anything

WHOLE = yaml.safe_load("""
experiment: small
mirror: m
select: recall
datasets:
  one:
    {source: table, table: t.csv, images: i, language: en, backbone: precomputed,
     features: f.npz, models: [gru-8-max]}
  two: {of: one, models: [gru-8-max], papers: [socher_2014]}
  three: {source: scenes, count: 20, backbone: [resnet18], models: [mine]}
models:
  mine:
    text: {name: trees, form: binary, parser: p, vectors: v}
    encoder: {name: rnn, cell: gru, size: 2, pooling: max}
    objective: {name: hinge, reduction: sum}
    training: {optimizer: {name: adam, schedule: cyclic}}
    languages: [en]
ratings:
  source: scenes
  tokenizer: moses
  lowercase: [STS]
  baselines: {x: {encoder: infersent, vectors: v, state: s, version: 1}}
translation: {dataset: three, source: de, target: en, rerank_by: [mine], systems: {weak: {}}}
""")
PATHS = {"mirror", "table", "images", "features", "vectors", "state", "parser"}
HOSTILE = ["$(touch ran)", "`touch ran`", "; touch ran", "'", '"', "a b", "a\0b", "{x}"]
NO_PATH = set("\r\n\0{}<>\t\ud800")


def texts(value, place=()):
    """Yield the keys that lead to each text."""
    if isinstance(value, str):
        yield place
    elif isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from texts(inner, (*place, key))


def test_every_text_of_the_schema_has_a_pattern_or_a_list_of_values():
    schema = configuration_schema()
    for part in (schema, *schema["$defs"].values()):
        for key, value in part.get("properties", {}).items():
            for text in (value, value.get("items", {})):
                is_text = "string" in text.get("type", ())
                assert not is_text or "pattern" in text or "enum" in text, key


@given(st.sampled_from(list(texts(WHOLE))), st.sampled_from(HOSTILE) | st.text())
@example(("experiment",), "nl\n")
@example(("experiment",), "a/b")
@example(("mirror",), "\ud800")
@example(("datasets", "one", "features"), "<experiment>/f.h5")
def test_any_text_is_refused_in_one_line_or_is_a_path(place, text):
    """An accepted path may hold anything that paths can hold: commands quote it."""
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
        harmless = text.replace("_", "a").replace("-", "a").isalnum() and text.isascii()
        assert (place[-1] in PATHS and not NO_PATH & set(text)) or harmless, (place, text)


# Named files exist


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


PUBLIC = ["all.zip", "glove/glove.6B.zip"]
# Keys of a data set, but for `vectors` of a model and a baseline, each above its message or none.
NAMED = """
vectors: my/vectors.txt
  none

vectors: captions
  none

vectors: glove/glove.6B.zip/glove.6B.100d.txt
  none

vectors: my/vector.txt
  models.mine.text.vectors: there is no file my/vect

baseline: glove/glove.6B.zip/glove.6B.100d.txt
  none

baseline: glove/glove.6b.zip
  did you mean glove/glove.6B.zip?

table: my/caption.csv
  one.table: there is no file my/caption.csv; did you

images: my/photo
  images: there is no folder my/photo; did you mean my/pho

images: mmy/photos
  there is no folder mmy/photos; did you mean my?

images: my/captions.csv
  there is no folder my/captions.csv; correct

language: de
  language: the data set has no captions in 'de'; it has: en

backbone: precomputed, features: my/f.npz
  one.features: there is no file my/f.npz; correct the path, or name a network

more_captions: {source: table, table: my/more.csv}
  one.more_captions.table: there is no file my/more.csv; correct the path

source: karpathy, json: all.zip/dataset_flickr30k.json
  none

source: karpathy, json: my/dataset.json
  did you mean my/dataset_coco.json?
"""


@pytest.mark.parametrize("keys, error", wrong(NAMED, dict))
def test_the_files_that_a_configuration_names_exist_or_are_public(named, keys, error):
    Path("my/dataset_coco.json").touch()
    vectors = keys.pop("vectors", "captions")
    if "baseline" in keys:
        bag = {"encoder": "bag-of-words", "vectors": keys.pop("baseline")}
        named["ratings"] = {"source": "scenes", "baselines": {"bag": bag}}
    if "source" in keys:
        del named["datasets"]["one"]["table"]
    named["datasets"]["one"] |= keys | {"models": ["mine"]}
    trees = {"name": "trees", "vectors": vectors, "dimension": 5}
    named["models"] = {"mine": {"text": trees, "encoder": {"name": "mean", "size": 5}}}
    config = complete(named)
    if error == "none":
        check_files(config, "", PUBLIC)
        return
    with refused(re.escape(error)) as caught:
        check_files(config, "", PUBLIC)
    assert str(caught.value).startswith("configuration, ")


def test_a_mirror_must_be_there_and_may_have_the_features(named, tmp_path):
    named["datasets"]["one"] |= {"backbone": "precomputed", "features": "f/a.npz"}
    with refused("mirror: there is no folder nowhere"):
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
        with refused(f"the name '{name}' is taken"):
            complete({**SMALL, "experiment": name})


# Descriptions of models


def test_a_configuration_describes_models_by_named_parts():
    """What a model does not say is as its data set says, and else the default."""
    config = described(text={"name": "ngrams", "longest": 4}, training={"epochs": 8})
    config["datasets"]["one"] |= {"language": "de", "training": {"epochs": 12, "cycle": 2}}
    model = complete(config)["datasets"]["one"]["models"]["mine"]
    assert model["text"] == {"name": "ngrams", "shortest": 2, "longest": 4, "buckets": 16384}
    assert model["languages"] == ["de"]
    expected = {"epochs": 8, "cycle": 2, "batch_size": 32}
    assert model["training"].items() >= expected.items()
