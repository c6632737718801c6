"""The configuration of an experiment: checked as a whole, and completed with every default.

Like plan.py, this needs no Snakemake.
"""

import copy
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

from groundvec import features
from groundvec.config import parts
from groundvec.config.description import describe
from groundvec.config.schema import (
    check,
    check_form,
    check_known,
    configuration_schema,
    fill,
    mistake,
)
from groundvec.runtime.errors import closest
from reproduction import papers
from rules.plan import archive

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
    for name, dataset in config["datasets"].items():
        place = f"datasets.{name}"
        names = _check_backbone(place, dataset)
        dataset["backbone"] = "+".join(names)
        models = {
            model: describe(model, given, dataset, f"{place}.models") for model in dataset["models"]
        }
        shown = _showing("selected", dataset)  # others show no model alone
        if shown:
            known = ["recall", "ratings", *models]
            check_known("select", config["select"], known, f"{place} has no model {{}}")
        foreign = [name for name, model in models.items() if "en" not in model["languages"]]
        if shown and config["select"] == "ratings" and foreign:
            raise mistake(
                "select",
                f"{foreign[0]} of {place} does not read English, which the rated sentences are in: "
                "select by recall, or one by its name",
            )
        dataset["models"] = models
        _check_more(place, dataset)
        if languages := _source(dataset).get("languages"):
            _check_languages(place, dataset, languages)
    if "ratings" in config:
        _check_baselines(config["ratings"]["baselines"], config["datasets"])
    if "translation" in config:
        _check_translation(config["translation"], config["datasets"])
    if config["select"] == "ratings" and "ratings" not in config:
        raise mistake("select", "there are no `ratings` to select by: add them")
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
        place = f"datasets.{name}"
        if dataset["of"] == name:
            raise mistake(f"{place}.of", "it names itself: name another")
        problem = "there is no data set {} with pictures of its own"
        problem += "" if others else ": describe one by its source"
        check_known(f"{place}.of", dataset["of"], others, problem)
        of = others[dataset["of"]]
        known = set(configuration_schema()["$defs"]["dataset"]["properties"])
        if of.get("source") in parts.names("sources"):
            known |= {*_source(of)["properties"]}
        for key in sorted((dataset.keys() & known) - OWN - {"of", "language"}):
            if key not in of or dataset[key] != of[key]:
                problem = f"it must be that of {dataset['of']}: remove `{key}`, or set it there"
                raise mistake(f"{place}.{key}", problem)
        for key, value in of.items():
            if key not in OWN:
                dataset.setdefault(key, copy.deepcopy(value))


def _source(dataset: Mapping[str, Any]) -> dict[str, Any]:
    """Return the YAML file of a data set's source."""
    return parts.options_schema("sources", dataset["source"])


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
        if more := dataset.get("more_captions"):
            named = parts.named_files("sources", more, "source")
            _check_named(f"{place}.more_captions", named, public)
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
            _check_path(f"{place}.{key}", Path(archive(named)), also=public)


def _check_baselines(baselines: dict[str, Any], datasets: dict[str, Any]) -> None:
    """Raise InputError if a baseline names a data set that has no captions of its own."""
    known = [name for name, data in datasets.items() if "of" not in data]
    for name, settings in baselines.items():
        if "captions" in settings:
            place = f"ratings.baselines.{name}.captions"
            problem = "there is no data set {} with captions of its own"
            check_known(place, settings["captions"], known, problem)


def _showing(kind: str, dataset: dict[str, Any]) -> bool:
    """Return whether a paper of a data set has tables or figures that need such inputs."""
    return any(papers.known()[paper].reads(kind) for paper in dataset["papers"])


def _check_translation(translation: dict[str, Any], datasets: dict[str, Any]) -> None:
    """Raise InputError if the data set has no translations, or models do not fit them."""
    name = translation["dataset"]
    target = translation["target"]
    check_known("translation.dataset", name, datasets, "there is no data set {}")
    dataset = datasets[name]
    sources = {name: parts.options_schema("sources", name) for name in parts.names("sources")}
    translated = [name for name, said in sources.items() if "parallel" in said.get("outputs", {})]
    if dataset["source"] not in translated:
        raise mistake(
            "translation.dataset",
            f"{name} is from {dataset['source']}, which has no translations: take one from "
            f"{' or '.join(translated)}",
        )
    languages = _source(dataset)["languages"]
    for key in ("source", "target"):
        if (language := translation[key]) not in languages:
            problem = f"{name} has no sentences in {language!r}; it has: {', '.join(languages)}"
            raise mistake(f"translation.{key}", problem)
    if target == translation["source"]:
        raise mistake("translation.target", "it is the source too: name another language")
    for (one, settings), (other, same) in combinations(translation["systems"].items(), 2):
        if settings == same:
            problem = f"{one} and {other} have the same settings: remove one"
            raise mistake("translation.systems", problem)
    place = "translation.rerank_by"
    for model in translation["rerank_by"]:
        check_known(place, model, dataset["models"], f"{name} has no model {{}}")
        if model in ("baseline", "length", "oracle"):
            problem = f"{model!r} has a row of its own in the tables: give the model another name"
            raise mistake(place, problem)
        read = dataset["models"][model]["languages"]
        if target not in read:
            problem = f"{model} reads {', '.join(read)}, not {target}: name a model that reads the "
            raise mistake(place, f"{problem}target language")


def _check_backbone(place: str, dataset: dict[str, Any]) -> list[str]:
    """Return the names of a data set's backbones; InputError if they do not fit its other keys."""
    named = dataset["backbone"]
    weights = dataset["weights"]
    names = [named] if isinstance(named, str) else named
    if names == ["precomputed"]:
        return names
    known = parts.load_yaml(BACKBONES)
    for name in names:
        if name == "precomputed":
            raise mistake(
                f"{place}.backbone",
                "precomputed features stand alone: leave the other names out, or put all features "
                "into one file",
            )
        check_known(f"{place}.backbone", name, [*known, "precomputed"], "unknown backbone {}")
        check_known(f"{place}.weights", weights, known[name], f"{name} has no weights {{}}")
    if "features" in dataset:
        raise mistake(
            f"{place}.features",
            "this file is read only with `backbone: precomputed`: add that, or remove `features`",
        )
    return names


def _check_more(place: str, dataset: dict[str, Any]) -> None:
    """Raise InputError if models want captions without pictures, and there are none."""
    models = dataset["models"].items()
    wanting = [name for name, model in models if model["training"].get("more_captions")]
    if wanting and "more_captions" not in dataset:
        problem = f"{wanting[0]} wants captions without pictures: name a source of these"
        raise mistake(f"{place}.more_captions", problem)


def _check_languages(place: str, dataset: dict[str, Any], known: list[str]) -> None:
    """Raise InputError if the data set has not its own language, or one of its models'."""
    wanted = {f"{place}.language": [dataset["language"]]}
    more = dataset.get("more_captions")
    also = _source(more).get("languages", []) if more else []
    for model, description in dataset["models"].items():
        without = also if description.get("shared") else []
        wanted[f"models.{model}.languages"] = [
            language for language in description["languages"] if language not in without
        ]
    for key, languages in wanted.items():
        for language in languages:
            if language not in known:
                of = "the data set" if key.startswith(place) else f"the data set of {place}"
                problem = f"{of} has no captions in {language!r}; it has: {', '.join(known)}"
                raise mistake(key, problem)


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
    raise mistake(place, f"there is no {kind} {path}{hint}")
