"""The configuration of an experiment: checked as a whole, and completed with every default.

Like plan.py, this needs no Snakemake.
"""

import copy
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import yaml

from groundvec import features, papers
from groundvec.config import parts
from groundvec.config.description import describe
from groundvec.config.schema import check, check_form, configuration_schema, fill, hint_at
from groundvec.runtime.errors import InputError, closest

BACKBONES = Path(features.__file__).with_name("backbones.yaml")
# What no data set has from another one that it is of.
OWN = {"models", "seeds", "draw", "folds", "training", "papers"}


def complete(config: dict[str, Any]) -> dict[str, Any]:
    """Return the configuration with every default filled in.

    Raises:
        InputError: one line that names the first wrong key, and what to write instead.
    """
    check_form(config)
    config = copy.deepcopy(config)
    _inherit(config.get("datasets"))
    check(config, _schema())
    given = copy.deepcopy(config.get("models", {}))
    fill(config, _schema(), _schema())
    if "ratings" in config:
        _check_subtask(config["ratings"])
    for name, dataset in config["datasets"].items():
        place = f"datasets.{name}"
        names = _check_backbone(place, dataset)
        dataset["backbone"] = "+".join(names)
        models = {
            model: describe(model, given, dataset, f"{place}.models") for model in dataset["models"]
        }
        shown = _showing("selected", dataset)  # others show no model alone
        if shown and config["select"] not in {"recall", "ratings", *models}:
            hint = hint_at(config["select"], ["recall", "ratings", *models])
            raise InputError(
                f"configuration, select: {place} has no model {config['select']!r}{hint}"
            )
        foreign = [name for name, model in models.items() if "en" not in model["languages"]]
        if shown and config["select"] == "ratings" and foreign:
            raise InputError(
                f"configuration, select: {foreign[0]} of {place} does not read English, which the "
                "rated sentences are in: select by recall, or one by its name"
            )
        dataset["models"] = models
        if languages := _source(dataset).get("languages"):
            _check_languages(place, dataset, languages)
    if "ratings" in config:
        _check_robustness(config["ratings"], config["datasets"])
    if "translation" in config:
        _check_translation(config["translation"], config["datasets"])
    if config["select"] == "ratings" and "ratings" not in config:
        raise InputError("configuration, select: there are no `ratings` to select by: add them")
    return config


@cache
def _schema() -> dict[str, Any]:
    """Return the schema of a configuration, which names the papers that there are."""
    schema = copy.deepcopy(configuration_schema())
    schema["$defs"]["dataset"]["properties"]["papers"]["items"] = {"enum": papers.named()}
    return schema


def _inherit(datasets: Any) -> None:
    """Fill in the keys that a data set `of` another one inherits: all but those of training.

    Raises:
        InputError: there is no such data set, or something is said that is the other one's to say.
    """
    for name, dataset in datasets.items() if isinstance(datasets, dict) else []:
        if not isinstance(dataset, dict) or "of" not in dataset:
            continue
        others = {k: v for k, v in datasets.items() if isinstance(v, dict) and "of" not in v}
        if dataset["of"] == name:
            raise InputError(f"configuration, datasets.{name}.of: it names itself: name another")
        if dataset["of"] not in list(others):
            hint = hint_at(str(dataset["of"]), others) if others else ": describe one by its source"
            raise InputError(
                f"configuration, datasets.{name}.of: there is no data set {dataset['of']!r} with "
                f"pictures of its own{hint}"
            )
        of = others[dataset["of"]]
        known = configuration_schema()["$defs"]["dataset"]["properties"].keys() | _source_options(
            of
        )
        for key in sorted((dataset.keys() & known) - OWN - {"of", "language"}):
            if key not in of or dataset[key] != of[key]:
                raise InputError(
                    f"configuration, datasets.{name}.{key}: it must be that of "
                    f"{dataset['of']}: remove `{key}`, or set it there"
                )
        for key, value in of.items():
            if key not in OWN:
                dataset.setdefault(key, copy.deepcopy(value))


def _source(dataset: Mapping[str, Any]) -> dict[str, Any]:
    """Return the YAML file of a data set's source."""
    return parts.options_schema("sources", dataset["source"])


def _source_options(dataset: Mapping[str, Any]) -> set[str]:
    """Return the options of a data set's source; none of an unknown one."""
    known = dataset.get("source") in parts.names("sources")
    return set(_source(dataset)["properties"]) if known else set()


def check_files(config: dict[str, Any], mirror: str, public: Iterable[str]) -> None:
    """Raise InputError if a file that a completed configuration names is missing or differs.

    Snakemake alone would not say so where results exist: it would keep them.

    Args:
        mirror: the folder of the mirror, or nothing.
        public: the files that can be downloaded, by their paths in data/.
    """
    public = tuple(public)
    if mirror:
        _check_path("mirror", Path(mirror), folder=True)
    for name, dataset in config["datasets"].items():
        place = f"datasets.{name}"
        features = dataset["features"] if dataset["backbone"] == "precomputed" else None
        if features and not (mirror and Path(mirror, features).is_file()):
            remedy = "correct the path, or name a network as `backbone`, which computes them"
            _check_path(f"{place}.features", Path(features), remedy=remedy)
        _check_named(place, parts.named_files("sources", dataset, "source"), public)
        folders = parts.named_files("sources", dataset, "source", named="folder")
        for option, folder in folders.items():
            _check_path(f"{place}.{option}", Path(folder), folder=True)
        if _source(dataset).get("early"):
            from groundvec import sources
            from groundvec.data.dataset import check_files

            captions, images = sources.reader(dataset["source"])(**sources.arguments(dataset))
            check_files(images)
            _check_languages(place, dataset, captions.language.unique().tolist())
        for model, description in dataset["models"].items():
            for kind, part in parts.chosen(description).items():
                place = f"models.{model}.{parts.CLASSES[kind].lower()}"
                _check_named(place, parts.named_files(kind, part), public)
    for name, baseline in config.get("ratings", {}).get("baselines", {}).items():
        named = parts.named_files("baselines", baseline, "encoder")
        _check_named(f"ratings.baselines.{name}", named, public)


def _check_named(place: str, files: dict[str, str], public: tuple[str, ...]) -> None:
    """Raise InputError if a file that options name is neither a public one nor there."""
    for key, named in files.items():
        if not parts.is_public(named, public):
            path = Path(re.sub(r"\.zip/.*", ".zip", named))
            _check_path(f"{place}.{key}", path, also=public)


def _check_subtask(ratings: dict[str, Any]) -> None:
    if "subtask" not in ratings:
        return
    if ratings["source"] == "sts":
        from groundvec.data.ratings import SICK, STS, STSB

        known = [(task, subtask) for task, subtasks in STS.items() for subtask, *_ in subtasks]
        known += [STSB[:2], SICK[:2]]
    else:
        from groundvec.scenes.ratings import SOURCES

        known = list(SOURCES)
    names = ["/".join(pair) for pair in known]
    if ratings["subtask"] not in names:
        name = ratings["subtask"]
        raise InputError(
            f"configuration, ratings.subtask: unknown subtask {name!r}{hint_at(name, names)}"
        )


def _check_robustness(ratings: dict[str, Any], datasets: dict[str, Any]) -> None:
    shown = [data["models"] for data in datasets.values() if _showing("robustness", data)]
    known = [*ratings["baselines"]]
    known += [name for models in shown for name in models if "en" in models[name]["languages"]]
    for name in ratings["robustness"]:
        if name not in known:
            papers_of = [key for key, paper in papers.known().items() if paper.reads("robustness")]
            raise InputError(
                f"configuration, ratings.robustness: there is no baseline {name!r}, nor a model of "
                f"English of a data set with {' or '.join(papers_of)} among its papers"
                f"{hint_at(name, known)}"
            )


def _showing(kind: str, dataset: dict[str, Any]) -> bool:
    """Return whether a paper of a data set has tables or figures that need such inputs."""
    return any(papers.known()[paper].reads(kind) for paper in dataset["papers"])


def _check_translation(translation: dict[str, Any], datasets: dict[str, Any]) -> None:
    """Raise InputError if the data set has no translations, or models do not fit them."""
    place = "configuration, translation"
    name, target = translation["dataset"], translation["target"]
    if name not in datasets:
        raise InputError(f"{place}.dataset: there is no data set {name!r}{hint_at(name, datasets)}")
    dataset = datasets[name]
    sources = {name: parts.options_schema("sources", name) for name in parts.names("sources")}
    translated = [name for name, said in sources.items() if "parallel" in said.get("outputs", {})]
    if dataset["source"] not in translated:
        raise InputError(
            f"{place}.dataset: {name} is from {dataset['source']}, which has no translations: take "
            f"one from {' or '.join(translated)}"
        )
    for key in ("source", "target"):
        languages = _source(dataset)["languages"]
        if translation[key] not in languages:
            raise InputError(
                f"{place}.{key}: {name} has no sentences in {translation[key]!r}; it has: "
                f"{', '.join(languages)}"
            )
    if target == translation["source"]:
        raise InputError(f"{place}.target: it is the source too: name another language")
    for (one, settings), (other, same) in combinations(translation["systems"].items(), 2):
        if settings == same:
            raise InputError(
                f"{place}.systems: {one} and {other} have the same settings: remove one"
            )
    for model in translation["rerank_by"]:
        if model not in dataset["models"]:
            hint = hint_at(model, dataset["models"])
            raise InputError(f"{place}.rerank_by: {name} has no model {model!r}{hint}")
        if model in ("baseline", "length", "oracle"):
            raise InputError(
                f"{place}.rerank_by: {model!r} has a row of its own in the tables: give the model "
                "another name"
            )
        languages = dataset["models"][model]["languages"]
        if target not in languages:
            raise InputError(
                f"{place}.rerank_by: {model} reads {', '.join(languages)}, not {target}: name a "
                "model that reads the target language"
            )


def _check_backbone(place: str, dataset: dict[str, Any]) -> list[str]:
    """Return the names of a data set's backbones; InputError if they do not fit its other keys."""
    named, weights = dataset["backbone"], dataset["weights"]
    names = [named] if isinstance(named, str) else named
    if names == ["precomputed"]:
        return names
    known = yaml.safe_load(BACKBONES.read_text())
    for name in names:
        if name == "precomputed":
            raise InputError(
                f"configuration, {place}.backbone: precomputed features stand alone: leave the "
                "other names out, or put all features into one file"
            )
        if name not in known:
            hint = hint_at(name, [*known, "precomputed"])
            raise InputError(f"configuration, {place}.backbone: unknown backbone {name!r}{hint}")
        if weights not in known[name]:
            hint = hint_at(weights, known[name])
            raise InputError(
                f"configuration, {place}.weights: {name} has no weights {weights!r}{hint}"
            )
    if "features" in dataset:
        raise InputError(
            f"configuration, {place}.features: this file is read only with `backbone: "
            "precomputed`: add that, or remove `features`"
        )
    return names


def _check_languages(place: str, dataset: dict[str, Any], known: list[str]) -> None:
    """Raise InputError if the data set has not its own language, or one of its models'."""
    wanted = {f"{place}.language": [dataset["language"]]}
    for model, description in dataset["models"].items():
        wanted[f"models.{model}.languages"] = description["languages"]
    for key, languages in wanted.items():
        for language in languages:
            if language not in known:
                of = "the data set" if key.startswith(place) else f"the data set of {place}"
                raise InputError(
                    f"configuration, {key}: {of} has no captions in {language!r}; it has: "
                    f"{', '.join(known)}"
                )


def _check_path(
    place: str,
    path: Path,
    folder: bool = False,
    also: Iterable[str] = (),
    remedy: str = "correct the path",
) -> None:
    """Raise InputError if there is no such file, or folder, with the name that was meant."""
    if path.is_dir() if folder else path.is_file():
        return
    meant = closest(str(path), also)
    above = next((parent for parent in path.parents if parent.is_dir()), None)
    with suppress(OSError):
        if above and not path.exists():
            names = [child.name for child in above.iterdir()]
            close = closest(path.relative_to(above).parts[0], names)
            meant = meant or (close and str(above / close))
    hint = f"; did you mean {meant}?" if meant else f"; {remedy}"
    kind = "folder" if folder else "file"
    raise InputError(f"configuration, {place}: there is no {kind} {path}{hint}")
