"""The configuration of an experiment: checked, and completed with the schema's defaults."""

import copy
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache, reduce
from itertools import combinations, pairwise
from operator import getitem
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator, ValidationError, validators

from groundvec import papers, parts
from groundvec.errors import InputError, closest
from groundvec.files import DEEPEST

FOLDER = Path(__file__).parent
SCHEMA = FOLDER / "schema.yaml"
BACKBONES = FOLDER / "features" / "backbones.yaml"

# What no data set has from another one that it is of.
OWN = {"models", "seeds", "draw", "folds", "training", "papers"}
MOST = 10_000  # values in a configuration
MOST_NAMED = 30  # valid names that an error lists


def complete(config: dict[str, Any]) -> dict[str, Any]:
    """Return the configuration with every default filled in.

    Raises:
        InputError: one line that names the first wrong key, and what to write instead.
    """
    _check_form(config)
    config = copy.deepcopy(config)
    _inherit(config.get("datasets"))
    schema = _schema()
    _check(config, schema)
    given = copy.deepcopy(config.get("models", {}))
    _fill(config, schema, schema)
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
            hint = _hint(config["select"], ["recall", "ratings", *models])
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


def describe(
    name: str,
    models: Mapping[str, dict[str, Any]],
    dataset: Mapping[str, Any],
    place: str = "models",
) -> dict[str, Any]:
    """The description that a model's name stands for, with every default filled in.

    Args:
        name: of one of `models`, or of a cell of the paper's grid, such as gru-2048-attention.
        models: descriptions by name.
        dataset: whose `language` and `training` hold where the model says nothing of its own.
        place: where the name stands, for errors.

    Raises:
        InputError: the name is neither, or the description has a mistake.
    """
    if name in models:
        given = copy.deepcopy(models[name])
    elif encoder := parts.of_grid(name):
        given = {"encoder": encoder}
    else:
        raise InputError(
            f"configuration, {place}: unknown model {name!r}: describe it under `models`, or write "
            f"RNN-SIZE-POOLING, such as gru-2048-attention{_hint(name, models) if models else ''}"
        )
    given.setdefault("languages", [dataset["language"]])
    given["training"] = copy.deepcopy({**dataset["training"], **given.get("training", {})})
    return complete_description(given, f"{place}.{name}")


def complete_description(description: dict[str, Any], place: str = "model") -> dict[str, Any]:
    """A model's description with every default filled in.

    Args:
        place: where it stands, for errors.

    Raises:
        InputError: one line that names the first wrong key, and what to write instead.
    """
    _complete(description, "model", place)
    _say_image(description)
    try:
        check_fit(description)
    except InputError as error:
        raise InputError(f"configuration, {place}: {error}") from None
    settings = description["training"]
    alone = len(description["languages"]) == 1 and not settings.get("paraphrases")
    if alone and description["objective"].get("beta") == 0:
        raise InputError(
            f"configuration, {place}.objective.beta: with 0 there is no loss of images, and with "
            "one language no other: set it above 0, or train with more languages or `paraphrases`"
        )
    if settings["epochs"] % settings["cycle"]:
        raise InputError(
            f"configuration, {place}: epochs {settings['epochs']} is not a multiple of cycle "
            f"{settings['cycle']}: snapshots are taken at the end of a cycle, so change one of "
            "the two"
        )
    if settings["epochs"] < (both := 2 * settings.get("alternate", 0)):
        raise InputError(
            f"configuration, {place}: with `alternate` {both // 2}, {settings['epochs']} epochs do "
            f"not train both networks: make epochs {both} or more"
        )
    return description


def _say_image(description: dict[str, Any]) -> None:
    """Fill in `image`, if it is missing: what the encoder's options say of its last layer too."""
    of_image = _schema()["$defs"]["model"]["properties"]["image"]["properties"]
    both = {key: value for key, value in description["encoder"].items() if key in of_image}
    if both:
        description.setdefault("image", both)


# What the model provides itself, and how it is said; the rest is provided by parts.
OWN_PROVIDED = {
    "cosines": "`similarity: cosine`",
    "one language": "a single entry in `languages`",
    "separate encoders": "`shared: false`",
    "weights to train": "another encoder",
}


def check_fit(description: dict[str, Any]) -> None:
    """Check that parts that are right by themselves fit each other (`groundvec.parts`).

    Args:
        description: of a model, with every default.

    Raises:
        InputError: one needs what none provides.
    """
    chosen, defs = parts.chosen(description), _schema()["$defs"]
    encoder, text = description["encoder"], description["text"]
    trained = parts.options_schema("encoders", encoder["name"]).get("weights")
    untrained = trained and not encoder.get(trained)
    if untrained and "dimension" in text and encoder["size"] != text["dimension"]:
        raise InputError(
            f"a {encoder['name']} of vectors of {text['dimension']} dimensions cannot have "
            f"{encoder['size']}: set `size` to the text's `dimension`, or `{trained}: true`"
        )
    own = [
        *(["cosines"] if description["similarity"] == "cosine" else []),
        *(["one language"] if len(description["languages"]) == 1 else []),
        *(["separate encoders"] if not description.get("shared") else []),
        *(["weights to train"] if not untrained else []),
    ]
    given = set(own).union(*(parts.provided(kind, part) for kind, part in chosen.items()))
    needing = [("", defs["model"], description)]
    needing += [("", defs["training"], description.get("training", {}))]
    needing += [
        (
            f"the {parts.CLASSES[kind].lower()} {part['name']}",
            parts.options_schema(kind, part["name"]),
            part,
        )
        for kind, part in chosen.items()
    ]
    for name, schema, values in needing:
        for option, needs in parts.stated(schema, values, "needs"):
            for need in needs:
                if need not in given:
                    raise InputError(
                        f"{f'`{option}`' if option else name} needs {need}, which "
                        f"{' or '.join(_providers(need))} provides: change one of the two"
                    )


def _providers(need: str) -> list[str]:
    """What provides something that a part or an option needs, in words."""
    if need in OWN_PROVIDED:
        return [OWN_PROVIDED[need]]
    found = []
    for kind in parts.CLASSES:
        for name in parts.names(kind):
            schema = parts.options_schema(kind, name)
            options = {option: True for option in schema["properties"]}
            for option, provided in parts.stated(schema, options, "provides"):
                of = f"`{option}` of " if option else ""
                part = f"{of}the {parts.CLASSES[kind].lower()} {name}"
                found += [part] if need in provided else []
    return found


def complete_text(text: dict[str, Any]) -> dict[str, Any]:
    """What a model reads, as `text` of its description, with every default filled in.

    Raises:
        InputError: one line that names the first wrong key, and what to write instead.
    """
    _complete(text, "text", "text")
    return text


def complete_baseline(baseline: dict[str, Any]) -> dict[str, Any]:
    """Likewise a baseline: its `encoder`, and the options of that."""
    _complete(baseline, "baseline", "baseline")
    return baseline


def _complete(value: dict[str, Any], kind: str, place: str) -> None:
    """Check a part of a configuration by the schema's definition of its kind, and fill it in."""
    root = _schema()
    schema = {"$ref": f"#/$defs/{kind}", "$defs": root["$defs"]}
    _check(value, schema, place)
    _fill(value, schema, root)


def _inherit(datasets: Any) -> None:
    """Fill in what a data set that is `of` another one has from it: all but what is trained.

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
            hint = _hint(str(dataset["of"]), others) if others else ": describe one by its source"
            raise InputError(
                f"configuration, datasets.{name}.of: there is no data set {dataset['of']!r} with "
                f"pictures of its own{hint}"
            )
        of = others[dataset["of"]]
        known = _schema()["$defs"]["dataset"]["properties"].keys() | _source_options(of)
        for key in sorted((dataset.keys() & known) - OWN - {"of", "language"}):
            if key not in of or dataset[key] != of[key]:
                raise InputError(
                    f"configuration, datasets.{name}.{key}: it must be that of "
                    f"{dataset['of']}: remove `{key}`, or set it there"
                )
        for key, value in of.items():
            if key not in OWN:
                dataset.setdefault(key, copy.deepcopy(value))


def problem(value: Any, schema: dict[str, Any]) -> str:
    """Say where and why a value is not as a JSON schema wants it; nothing if it is.

    The schema may refer to the definitions of schema.yaml, as `{$ref: "#/$defs/model"}`. A value
    may come from anybody: it is looked at as far as its first mistake.
    """
    validator = _validator(schema | {"$defs": _schema()["$defs"]})
    error = next(validator.iter_errors(value), None)
    if error is None:
        return ""
    return f"{'.'.join(map(str, error.absolute_path)) or 'it'}: {error.message}"


@cache
def _schema() -> dict[str, Any]:
    """The schema of a configuration: schema.yaml, and the options of every part; do not modify."""
    schema: dict[str, Any] = yaml.load(
        SCHEMA.read_text(), getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    )
    schema["$defs"]["dataset"]["properties"]["papers"]["items"] = {"enum": list(papers.known())}
    for kind, offered in parts.CLASSES.items():
        own = schema["$defs"][offered.lower()]
        [key] = own["required"]  # which says the part's name
        own["properties"] = {key: {"enum": parts.names(kind)}}
        own["allOf"] = [
            {
                "if": {"properties": {key: {"const": name}}},
                "then": _options_schema([key], parts.options_schema(kind, name)),
            }
            for name in parts.names(kind)
        ]
    dataset, sources = schema["$defs"]["dataset"], parts.names("sources")
    dataset["properties"]["source"] |= {"enum": sources}
    dataset["allOf"] += [
        {
            "if": {"properties": {"source": {"const": name}}, "required": ["source"]},
            "then": _options_schema(dataset["properties"], parts.options_schema("sources", name)),
        }
        for name in sources
    ]
    return schema


def _options_schema(keys: Iterable[str], schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a part's options, and of what else stands beside them."""
    properties = {"properties": schema["properties"] | {key: {} for key in keys}}
    return {"additionalProperties": False} | schema | properties


def _source(dataset: Mapping[str, Any]) -> dict[str, Any]:
    """What the YAML file of a data set's source says."""
    return parts.options_schema("sources", dataset["source"])


def _source_options(dataset: Mapping[str, Any]) -> set[str]:
    """The options of a data set's source; none of a source that is unknown."""
    known = dataset.get("source") in parts.names("sources")
    return set(_source(dataset)["properties"]) if known else set()


def _check(value: dict[str, Any], schema: dict[str, Any], *place: str) -> None:
    """Raise InputError for the first mistake; numbers that are written as text become numbers."""
    validator = _validator(schema)
    _read_numbers(value, validator)
    errors = sorted(validator.iter_errors(value), key=lambda error: list(map(str, error.path)))
    if errors:
        raise InputError(_explain(errors[0], place))


def read_yaml(text: str, name: str | Path) -> Any:
    """Read YAML, which may come from anybody.

    Args:
        name: where it stands, for errors.

    Raises:
        InputError: it is no YAML, has more than `DEEPEST` levels, or has a key twice, of which YAML
            takes the last.
    """
    try:
        depth = 0
        for event in yaml.parse(text, yaml.SafeLoader):
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > DEEPEST:
                line = event.start_mark.line + 1  # type: ignore[union-attr]
                raise InputError(f"{name} line {line} has more than {DEEPEST} levels: correct it")
        loader = yaml.SafeLoader(text)
        root = loader.get_single_node()
        _check_keys(root, name)
        return loader.construct_document(root) if root else None
    except (yaml.YAMLError, ValueError) as error:  # ValueError: a date that there is not
        if isinstance(error, InputError):
            raise
        raise InputError(f"{name} is not YAML: {' '.join(str(error).split())}") from None


def _check_keys(root: yaml.Node | None, name: str | Path) -> None:
    """Raise InputError if a key occurs twice in what YAML describes."""
    todo = [root]
    seen: set[int] = set()  # an alias can make a node its own child
    while todo:
        node = todo.pop()
        if id(node) in seen or not isinstance(node, yaml.CollectionNode):
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            todo += node.value
            continue
        names: set[str] = set()
        for key, value in node.value:
            if str(key.value) in names:
                line = key.start_mark.line + 1
                raise InputError(
                    f"{name} line {line}: the key {key.value} occurs twice: remove one"
                )
            names.add(str(key.value))
            todo.append(value)


def check_files(config: dict[str, Any], mirror: str, public: Iterable[str]) -> None:
    """Raise InputError if what a completed configuration names is not there, or not as it says.

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
            from groundvec.data import schema

            captions, images = sources.reader(dataset["source"])(**sources.arguments(dataset))
            schema.check_files(images)
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


def _check_form(config: dict[str, Any]) -> None:
    """Refuse what contains itself, what is far too large, and names that YAML reads as no text."""
    for number, (place, value) in enumerate(_walk(config)):
        if len(place) > DEEPEST or number > MOST:
            raise InputError(f"configuration, {place[0]}: it contains itself, or too many values")
        for key in value if isinstance(value, Mapping) else []:
            if not isinstance(key, str):
                raise InputError(
                    f"configuration, {_dotted(place)}: YAML reads a name here as {key!r}: put it "
                    "in quotation marks"
                )


def _walk(value: Any) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """All values of a configuration and where they are, level by level."""
    level: list[tuple[tuple[Any, ...], Any]] = [((), value)]
    while level:
        yield from level
        level = [
            ((*place, key), inner)
            for place, outer in level
            if isinstance(outer, Mapping | list)
            for key, inner in (outer.items() if isinstance(outer, Mapping) else enumerate(outer))
        ]


def _validator(schema: dict[str, Any]) -> Draft202012Validator:
    """A validator for which text matches a pattern as a whole, and numbers are finite.

    It also knows the keywords `ordered`, `divisible` and `either` of the parts' options
    (`groundvec.parts`).
    """

    def ordered(_: Any, keys: list[str], instance: Any, schema: Any) -> Iterator[ValidationError]:
        if not isinstance(instance, dict):
            return
        given = {key: schema["properties"][key].get("default") for key in keys} | instance
        for low, high in pairwise(key for key in keys if isinstance(given[key], int | float)):
            if given[low] > given[high]:
                yield ValidationError(
                    f"{low} {given[low]} is above {high} {given[high]}: swap them"
                )

    def divisible(_: Any, keys: Any, instance: Any, __: Any) -> Iterator[ValidationError]:
        for key, among in keys.items() if isinstance(instance, dict) else []:
            number, count = instance.get(key), instance.get(among)
            count = len(count) if isinstance(count, list) else 0
            if isinstance(number, int) and count and number % count:
                yield ValidationError(
                    f"{number} {key} cannot be shared by {count} {among}: take a multiple of "
                    f"{count}"
                )

    def either(_: Any, keys: list[str], instance: Any, schema: Any) -> Iterator[ValidationError]:
        if isinstance(instance, dict) and sum(key in instance for key in keys) != 1:
            described = (schema["properties"][key]["description"].strip() for key in keys)
            options = (
                f"`{key}` ({text.rstrip('.')})" for key, text in zip(keys, described, strict=True)
            )
            yield ValidationError(f"give one of {' and '.join(options)}")

    def pattern(_: Any, wanted: str, instance: Any, __: Any) -> Iterator[ValidationError]:
        if isinstance(instance, str) and not re.fullmatch(wanted, instance):
            yield ValidationError(f"{instance!r} does not match {wanted!r}")

    def is_integer(_: Any, value: Any) -> bool:
        return isinstance(value, int) and not isinstance(value, bool)

    def is_number(_: Any, value: Any) -> bool:
        return is_integer(_, value) or (isinstance(value, float) and math.isfinite(value))

    types = Draft202012Validator.TYPE_CHECKER.redefine_many(
        {"integer": is_integer, "number": is_number}
    )
    keywords = {"pattern": pattern, "ordered": ordered, "divisible": divisible, "either": either}
    stricter = validators.extend(Draft202012Validator, keywords, type_checker=types)
    validator: Draft202012Validator = stricter(schema)
    return validator


def _read_numbers(config: dict[str, Any], validator: Draft202012Validator) -> None:
    """Turn text into a number or null where the schema wants one, and 2.0 into 2.

    YAML takes 1e-3 for text, and Snakemake everything within a value given with --config.
    """
    for error in list(validator.iter_errors(config)):
        if error.validator != "type":
            continue
        *parents, key = error.absolute_path or [None]
        place = reduce(getitem, parents, config)
        if isinstance(error.instance, str):
            with suppress(ValueError, RecursionError):
                place[key] = json.loads(error.instance)
        value = place.get(key) if isinstance(place, dict) else place[key]
        if isinstance(value, float) and value.is_integer() and error.validator_value == "integer":
            place[key] = int(value)


def _fill(value: Any, schema: dict[str, Any], root: dict[str, Any]) -> None:
    """Fill in the defaults of a schema, which the value is valid by."""
    if "$ref" in schema:
        _fill(value, reduce(getitem, schema["$ref"].split("/")[1:], root), root)
    if not isinstance(value, dict):
        return
    properties = schema.get("properties", {})
    for key, inner in properties.items():
        if "default" in inner:
            value.setdefault(key, copy.deepcopy(inner["default"]))
    for key in value:
        inner = properties.get(key, schema.get("additionalProperties"))
        if isinstance(inner, dict):
            _fill(value[key], inner, root)
    for case in schema.get("allOf", []):
        if Draft202012Validator(case["if"]).is_valid(value):
            _fill(value, case["then"], root)


def _explain(error: ValidationError, place: Iterable[Any] = ()) -> str:
    message = error.message
    # JSON; the types also allow for errors that no schema has raised, which lack these.
    schema: Any = error.schema
    instance: Any = error.instance
    wanted: Any = error.validator_value
    if error.validator == "additionalProperties":
        known = list(schema["properties"])
        unknown = next(key for key in instance if key not in known)
        message = f"unknown key {unknown!r}{_hint(unknown, known)}"
    elif error.validator == "enum":
        close = closest(str(instance), map(str, wanted))
        message += f": did you mean {close!r}?" if close else ""
    elif error.validator == "maxLength":
        message = f"a name of {len(instance)} characters is too long: {wanted} are the most"
    elif error.validator == "not":
        message = f"the name {instance!r} is taken: choose another one"
    elif error.validator == "type" and "string" in wanted:
        message += ": if it is meant as text, put it in quotation marks"
    return f"configuration, {_dotted([*place, *error.path])}: {message}"


def _dotted(place: Iterable[Any]) -> str:
    return ".".join(map(str, place)) or "the top level"


def _hint(name: str, known: Iterable[str]) -> str:
    known = list(known)
    if close := closest(name, known):
        return f": did you mean {close!r}?"
    more = f" and {len(known) - MOST_NAMED} others" if len(known) > MOST_NAMED else ""
    return f": known are {', '.join(known[:MOST_NAMED])}{more}"


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
            f"configuration, ratings.subtask: unknown subtask {name!r}{_hint(name, names)}"
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
                f"{_hint(name, known)}"
            )


def _showing(kind: str, dataset: dict[str, Any]) -> bool:
    """Whether a paper of a data set has tables or figures that are made of such inputs."""
    return any(papers.known()[paper].reads(kind) for paper in dataset["papers"])


def _check_translation(translation: dict[str, Any], datasets: dict[str, Any]) -> None:
    """Raise InputError if the data set has no translations, or models do not fit them."""
    place = "configuration, translation"
    name, target = translation["dataset"], translation["target"]
    if name not in datasets:
        raise InputError(f"{place}.dataset: there is no data set {name!r}{_hint(name, datasets)}")
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
            hint = _hint(model, dataset["models"])
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
    """The names of a data set's backbones; InputError if they do not fit its other keys."""
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
            hint = _hint(name, [*known, "precomputed"])
            raise InputError(f"configuration, {place}.backbone: unknown backbone {name!r}{hint}")
        if weights not in known[name]:
            hint = _hint(weights, known[name])
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
    """Raise InputError if there is no such file, or folder; with what its name may have been."""
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
