"""The configuration of an experiment: checked as a whole, and completed with every default.

`complete` is read from top to bottom. It needs no file of the experiment, and no Snakemake; whether
the files that a configuration names exist is checked afterwards, by named_files.py.
"""

import copy
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any

from groundvec.config import parts
from groundvec.config.description import describe
from groundvec.config.schema import (
    check,
    complete_by,
    configuration_schema,
    fill,
    hint_at,
    mistake,
)
from groundvec.config.types import Description, Options
from groundvec.provenance import digest
from reproduction import papers
from reproduction.reading import check_form
from rules.configuration import Configuration, Dataset, Ratings, Translation, Tuning

BACKBONES = parts.ROOT / "groundvec/features/backbones.yaml"
# Keys that a data set does not inherit from the one that it is `of`: they are about training.
NOT_INHERITED = {"models", "seeds", "draw", "folds", "training", "papers"}
# The rows of tables of translations that are no models.
RERANKERS = ("baseline", "length", "oracle")


def complete(written: Options) -> Configuration:
    """Return the configuration with every default filled in.

    Args:
        written: the configuration, as it was read from YAML and the command line.

    Raises:
        InputError: one line that names the first wrong key, and what to write instead.
    """
    check_form(written)
    config: Any = copy.deepcopy(written)
    _inherit(config.get("datasets"))

    schema = configuration_schema()
    check(config, schema)
    # Descriptions as they are written: a data set's `language` and `training` come before the
    # schema's defaults.
    models = copy.deepcopy(config.get("models", {}))
    fill(config, schema, schema)

    datasets = config["datasets"]
    for name, dataset in datasets.items():
        place = f"datasets.{name}"
        _check_backbone(place, dataset)
        dataset["models"] = {
            model: describe(model, models, dataset, f"{place}.models")
            for model in dataset["models"]
        }
        _check_models(place, dataset)
        for number, paper in enumerate(dataset["papers"]):
            check_known(f"{place}.papers.{number}", paper, papers.named(), "unknown paper {}")
        if any(papers.known()[paper].selects for paper in dataset["papers"]):
            _check_selection(place, dataset, config)
    _complete_tunings(datasets)
    _check_unread(written, config)
    if "ratings" in config:
        _check_ratings(config["ratings"], datasets)
    if "translation" in config:
        _check_translation(config["translation"], datasets)
    if config["select"] == "ratings" and "ratings" not in config:
        raise mistake("select", "there are no `ratings` to select by: add them")
    return config


def check_known(place: str, name: str, known: Iterable[str], problem: str) -> None:
    """Raise `mistake` if a name is not a known one; in the problem `{}` stands for the name."""
    known = list(known)
    if name not in known:
        raise mistake(place, f"{problem.format(repr(name))}{hint_at(str(name), known)}")


# Data sets


def _inherit(datasets: Any) -> None:
    """Fill in the keys that a data set inherits from the one that it is `of`.

    These are all keys but `NOT_INHERITED`. The schema is not checked yet: values may have any type.

    Raises:
        InputError: there is no such data set, or a key differs from the inherited one.
    """
    if not isinstance(datasets, dict):
        return
    # A data set that is `of` another one cannot be inherited from: there are no chains.
    described = {k: v for k, v in datasets.items() if isinstance(v, dict) and "of" not in v}
    for name, dataset in datasets.items():
        if not isinstance(dataset, dict) or "of" not in dataset:
            continue
        place = f"datasets.{name}"
        origin = dataset["of"]
        if origin == name:
            raise mistake(f"{place}.of", "it names itself: name another")
        problem = "there is no data set {} with pictures of its own"
        problem += "" if described else ": describe one by its source"
        check_known(f"{place}.of", origin, described, problem)
        inherited = {k: v for k, v in described[origin].items() if k not in NOT_INHERITED}
        may_differ = NOT_INHERITED | {"of", "language", "backbone"}
        for key in sorted((dataset.keys() & _dataset_keys(inherited)) - may_differ):
            if key not in inherited or dataset[key] != inherited[key]:
                problem = f"it must be as in {origin}: remove `{key}`, or set it there"
                raise mistake(f"{place}.{key}", problem)
        for key, value in inherited.items():
            dataset.setdefault(key, copy.deepcopy(value))


def _dataset_keys(dataset: Mapping[str, Any]) -> set[str]:
    """Return the keys that a data set may have; the schema refuses all others later."""
    keys = set(configuration_schema()["$defs"]["dataset"]["properties"])
    source = dataset.get("source")
    if source in parts.names("sources"):
        keys |= parts.options_schema("sources", source)["properties"].keys()
    return keys


def _check_backbone(place: str, dataset: Any) -> None:
    """Write a data set's `backbone` as a list of networks; InputError if they fit no other key."""
    written = dataset["backbone"]
    items = written if isinstance(written, list) else [written]
    networks = [{"name": item} if isinstance(item, str) else item for item in items]
    dataset["backbone"] = networks
    if is_precomputed(dataset):
        return
    known = parts.load_yaml(BACKBONES)
    for network in networks:
        name = network["name"]
        if name == "precomputed":
            raise mistake(
                f"{place}.backbone",
                "precomputed features stand alone: leave the other names out, or put all features "
                "into one file",
            )
        check_known(f"{place}.backbone", name, [*known, "precomputed"], "unknown backbone {}")
        problem = f"{name} has no weights {{}}"
        check_known(f"{place}.weights", dataset["weights"], known[name], problem)


def is_precomputed(dataset: Dataset) -> bool:
    """Return whether a data set's features were computed elsewhere."""
    return dataset["backbone"] == [{"name": "precomputed"}]


def _complete_tunings(datasets: dict[str, Dataset]) -> None:
    """Fill in the settings of tuned networks, and add the `key` of each: a hash of its tuning.

    Raises:
        InputError: the training that a network is tuned after does not fit.
    """
    for dataset_name, dataset in datasets.items():
        for network in dataset["backbone"]:
            if "tuned" not in network:
                continue
            place = f"datasets.{dataset_name}.backbone"
            settings = complete_by(network["tuned"], "tuned", f"{place}.tuned")
            _check_tuned(place, network["name"], settings, dataset_name, datasets)
            before = datasets[settings["dataset"]]
            key = digest(
                before["models"][settings["model"]],
                before.get("draw"),
                settings["stage"],
                settings["passes"],
            )
            network["key"] = key[:8]


def _check_tuned(
    place: str,
    network: str,
    settings: Tuning,
    dataset_name: str,
    datasets: dict[str, Dataset],
) -> None:
    """Raise InputError if a network cannot be tuned, or not after the training that is named."""
    if not network.endswith("_stages"):
        raise mistake(f"{place}.name", f"{network} cannot be tuned: name one with _stages")
    before = settings["dataset"]
    check_known(f"{place}.tuned.dataset", before, datasets, "there is no data set {}")
    problem = f"{before} has no model {{}}"
    check_known(f"{place}.tuned.model", settings["model"], datasets[before]["models"], problem)
    dataset = datasets[dataset_name]
    if datasets[before].get("of", before) != dataset.get("of", dataset_name):
        problem = (
            f"{before} has other pictures: give it `of: {dataset_name}`, or both the same `of`"
        )
        raise mistake(f"{place}.tuned.dataset", problem)
    if datasets[before]["backbone"] != [{"name": network}]:
        problem = f"the backbone of {before} must be {network} alone, as it is tuned from there"
        raise mistake(f"{place}.tuned.dataset", problem)
    for seed in dataset["seeds"]:
        if seed not in datasets[before]["seeds"]:
            problem = f"{before} lacks the seed {seed}: add it there, or remove it here"
            raise mistake(f"datasets.{dataset_name}.seeds", problem)


def _check_models(place: str, dataset: Dataset) -> None:
    """Raise InputError if a model needs other captions or settings than the data set has."""
    for model, description in dataset["models"].items():
        if description["training"].get("more_captions") and "more_captions" not in dataset:
            raise mistake(
                f"{place}.more_captions",
                f"{model} wants captions without pictures: name a source of these",
            )
        if dataset["bank"] and description["similarity"] != "cosine":
            raise mistake(
                f"{place}.bank",
                f"a bank normalizes cosines, and {model} has {description['similarity']}: remove "
                "`bank`, or this model",
            )
    languages = _source_languages(dataset["source"])
    if languages:  # else nothing is known before the captions are read
        check_languages(place, dataset, languages)


def check_languages(place: str, dataset: Dataset, languages: list[str]) -> None:
    """Raise InputError if captions are not in the language of a data set or of one of its models.

    Args:
        place: the key of the data set.
        dataset: the data set, with its models described.
        languages: the languages of its captions.
    """
    needed = {f"{place}.language": ("the data set", [dataset["language"]])}
    without_pictures = []
    if "more_captions" in dataset:
        without_pictures = _source_languages(dataset["more_captions"]["source"])
    for model, description in dataset["models"].items():
        # Captions without pictures are enough for a language that shares the first one's encoder.
        exempt = without_pictures if description.get("shared") else []
        with_pictures = [code for code in description["languages"] if code not in exempt]
        needed[f"models.{model}.languages"] = (f"the data set of {place}", with_pictures)
    for key, (title, codes) in needed.items():
        for code in codes:
            if code not in languages:
                problem = f"{title} has no captions in {code!r}; it has: {', '.join(languages)}"
                raise mistake(key, problem)


def _source_languages(source: str) -> list[str]:
    """Return the languages of a source's captions; none for people's own tables."""
    languages: list[str] = parts.options_schema("sources", source).get("languages", [])
    return languages


def _check_selection(place: str, dataset: Dataset, config: Configuration) -> None:
    """Raise InputError if no model of a data set can be shown alone, as `select` asks."""
    selection = config["select"]
    models = dataset["models"]
    known = ["recall", "ratings", *models]
    check_known("select", selection, known, f"{place} has no model {{}}")
    for model, description in models.items():
        if selection == "ratings" and "en" not in description["languages"]:
            raise mistake(
                "select",
                f"{model} of {place} does not read English, which the rated sentences are in: "
                "select by recall, or one by its name",
            )


# Other sections


def _check_unread(written: Options, config: Configuration) -> None:
    """Raise InputError for a key that nothing reads because of another key's value.

    Args:
        written: the configuration without inherited keys and defaults.
        config: the completed configuration.
    """
    datasets = config["datasets"]
    for name, keys in written["datasets"].items():
        if "of" in keys:
            continue  # its keys are as in the other one
        # Data sets with the same images may have other backbones.
        related = [data for key, data in datasets.items() if data.get("of", key) == name]
        if "features" in keys and not any(map(is_precomputed, related)):
            raise mistake(
                f"datasets.{name}.features",
                "this file is read only with `backbone: precomputed`: add that, or remove "
                "`features`",
            )
    ratings = written.get("ratings", {})
    for key in configuration_schema()["$defs"]["rated"]["properties"]:
        if key in ratings and ratings["source"] != "sts":
            problem = f"sentences of {ratings['source']} are read as they are: remove `{key}`"
            raise mistake(f"ratings.{key}", problem)
    shown = {paper for data in datasets.values() for paper in data["papers"]}
    selecting = [paper for paper in papers.named() if papers.known()[paper].selects]
    if "select" in written and shown.isdisjoint(selecting):
        problem = f"no data set's `papers` show a selected model, as {' and '.join(selecting)} does"
        raise mistake("select", f"{problem}: add it there, or remove `select`")


def _check_ratings(ratings: Ratings, datasets: dict[str, Dataset]) -> None:
    """Raise InputError if a baseline names captions that no data set has."""
    with_captions = [name for name, dataset in datasets.items() if "of" not in dataset]
    for name, settings in ratings["baselines"].items():
        if "captions" in settings:
            place = f"ratings.baselines.{name}.captions"
            problem = "there is no data set {} with captions of its own"
            check_known(place, settings["captions"], with_captions, problem)


def _check_translation(translation: Translation, datasets: dict[str, Dataset]) -> None:
    """Raise InputError if the data set has no translations, or models do not fit them."""
    name = translation["dataset"]
    check_known("translation.dataset", name, datasets, "there is no data set {}")
    dataset = datasets[name]
    translated = [
        source
        for source in parts.names("sources")
        if "parallel" in parts.options_schema("sources", source).get("outputs", {})
    ]
    if dataset["source"] not in translated:
        raise mistake(
            "translation.dataset",
            f"{name} is from {dataset['source']}, which has no translations: take one from "
            f"{' or '.join(translated)}",
        )
    languages = _source_languages(dataset["source"])
    for key in ("source", "target"):
        language = translation[key]
        if language not in languages:
            problem = f"{name} has no sentences in {language!r}; it has: {', '.join(languages)}"
            raise mistake(f"translation.{key}", problem)
    if translation["target"] == translation["source"]:
        raise mistake("translation.target", "it is the source too: name another language")
    # Equal settings would train the same translator twice.
    for (system, settings), (other, same) in combinations(translation["systems"].items(), 2):
        if settings == same:
            problem = f"{system} and {other} have the same settings: remove one"
            raise mistake("translation.systems", problem)
    _check_rerankers(translation, name, dataset["models"])


def _check_rerankers(
    translation: Translation, dataset: str, models: Mapping[str, Description]
) -> None:
    """Raise InputError if a re-ranker is no model of the data set, or cannot read translations."""
    place = "translation.rerank_by"
    target = translation["target"]
    for model in translation["rerank_by"]:
        check_known(place, model, models, f"{dataset} has no model {{}}")
        if model in RERANKERS:
            problem = f"{model!r} has a row of its own in the tables: give the model another name"
            raise mistake(place, problem)
        languages = models[model]["languages"]
        if target not in languages:
            problem = f"{model} reads {', '.join(languages)}, not {target}: name a model that reads"
            raise mistake(place, f"{problem} the target language")
