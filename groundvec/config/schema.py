"""The schema of configurations and descriptions: checks, defaults, and errors with a remedy."""

import copy
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache, reduce
from itertools import pairwise
from operator import getitem
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator, ValidationError, validators

from groundvec.config import parts
from groundvec.runtime.errors import InputError, closest
from groundvec.runtime.files import DEEPEST

SCHEMA = Path(__file__).with_name("schema.yaml")
MOST = 10_000  # values in a configuration
MOST_NAMED = 30  # valid names that an error lists


@cache
def configuration_schema() -> dict[str, Any]:
    """Return the schema of a configuration, with the options of every part; do not modify it."""
    schema = parts.load_yaml(SCHEMA)
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
    dataset = schema["$defs"]["dataset"]
    sources = parts.names("sources")
    dataset["properties"]["source"] |= {"enum": sources}
    dataset["allOf"] += [
        {
            "if": {"properties": {"source": {"const": name}}, "required": ["source"]},
            "then": _options_schema(dataset["properties"], parts.options_schema("sources", name)),
        }
        for name in sources
    ]
    alone = {
        name: own
        for name in sources
        if (own := _of_captions_alone(parts.options_schema("sources", name)))
    }
    more = schema["$defs"]["more_captions"]
    more["properties"] = {"source": {"enum": list(alone)}}
    more["allOf"] = [
        {
            "if": {"properties": {"source": {"const": name}}, "required": ["source"]},
            "then": _options_schema(["source"], own),
        }
        for name, own in alone.items()
    ]
    return schema


def _of_captions_alone(schema: dict[str, Any]) -> dict[str, Any]:
    """Select the options of a source that its captions need; empty if these are not a file's."""
    if "images" not in schema["properties"] | schema.get("files", {}):
        return {}
    of_pictures = {"$ref": "#/$defs/folder"}.items()
    own = {
        name: option
        for name, option in schema["properties"].items()
        if not (of_pictures <= option.items() or "files" in option)
    }
    required = [name for name in schema.get("required", []) if name in own]
    return {"properties": own, "required": required}


def _options_schema(keys: Iterable[str], schema: dict[str, Any]) -> dict[str, Any]:
    """Extend the schema of a part's options by the keys beside them."""
    properties = {"properties": schema["properties"] | {key: {} for key in keys}}
    return {"additionalProperties": False} | schema | properties


def complete_by(value: dict[str, Any], kind: str, place: str) -> dict[str, Any]:
    """Check a part of a configuration by a definition of the schema, fill it in, and return it."""
    root = configuration_schema()
    check(value, {"$ref": f"#/$defs/{kind}", "$defs": root["$defs"]}, place)
    fill(value, root["$defs"][kind], root)
    return value


def settings_of(kind: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Select the settings that a definition of the schema has, such as `extraction`."""
    own = configuration_schema()["$defs"][kind]["properties"]
    return {key: given[key] for key in own if key in given}


def find_mistake(value: Any, schema: dict[str, Any]) -> str:
    """Say where and why a value, which may come from anybody, violates a JSON schema; else nothing.

    The schema may refer to the definitions of schema.yaml, as `{$ref: "#/$defs/model"}`.
    """
    validator = _Validator(schema | {"$defs": configuration_schema()["$defs"]})
    error = next(validator.iter_errors(value), None)
    if error is None:
        return ""
    return f"{'.'.join(map(str, error.absolute_path)) or 'it'}: {error.message}"


def check(value: dict[str, Any], schema: dict[str, Any], *place: str) -> None:
    """Raise InputError for the first mistake; numbers that are written as text become numbers."""
    validator = _Validator(schema)
    if not (errors := list(validator.iter_errors(value))):
        return
    _read_numbers(value, errors)
    errors = sorted(validator.iter_errors(value), key=lambda error: list(map(str, error.path)))
    if errors:
        raise _explain(errors[0], place)


def _read_numbers(config: dict[str, Any], errors: list[Any]) -> None:
    """Turn text into a number or null where the schema wants one, and 2.0 into 2.

    YAML takes 1e-3 for text, and Snakemake everything within a value given with --config.
    """
    for error in errors:
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


def fill(value: Any, schema: dict[str, Any], root: dict[str, Any]) -> None:
    """Fill in the defaults of a schema, which the value is valid by."""
    if "$ref" in schema:
        fill(value, reduce(getitem, schema["$ref"].split("/")[1:], root), root)
    if not isinstance(value, dict):
        return
    properties = schema.get("properties", {})
    for key, inner in properties.items():
        if "default" in inner:
            value.setdefault(key, copy.deepcopy(inner["default"]))
    for key in value:
        inner = properties.get(key, schema.get("additionalProperties"))
        if isinstance(inner, dict):
            fill(value[key], inner, root)
    for case in schema.get("allOf", []):
        if Draft202012Validator(case["if"]).is_valid(value):
            fill(value, case["then"], root)


def _ordered(_: Any, keys: list[str], instance: Any, schema: Any) -> Iterator[ValidationError]:
    if not isinstance(instance, dict):
        return
    given = {key: schema["properties"][key].get("default") for key in keys} | instance
    for low, high in pairwise(key for key in keys if isinstance(given[key], int | float)):
        if given[low] > given[high]:
            yield ValidationError(f"{low} {given[low]} is above {high} {given[high]}: swap them")


def _either(_: Any, keys: list[str], instance: Any, schema: Any) -> Iterator[ValidationError]:
    if isinstance(instance, dict) and sum(key in instance for key in keys) != 1:
        about = {key: schema["properties"][key]["description"].strip(" \n.") for key in keys}
        options = " and ".join(f"`{key}` ({text})" for key, text in about.items())
        yield ValidationError(f"give one of {options}")


def _pattern(_: Any, wanted: str, instance: Any, __: Any) -> Iterator[ValidationError]:
    if isinstance(instance, str) and not re.fullmatch(wanted, instance):
        yield ValidationError(f"{instance!r} does not match {wanted!r}")


def _is_number(_: Any, value: Any) -> bool:
    """Return whether a value is a finite number; an integer of 400 digits is beyond every float."""
    is_numeric = isinstance(value, int | float) and not isinstance(value, bool)
    return is_numeric and abs(value) <= sys.float_info.max


def _is_integer(_: Any, value: Any) -> bool:
    return isinstance(value, int) and _is_number(_, value)


# A validator with whole patterns, finite numbers, and the keywords of `parts`.
_Validator = validators.extend(
    Draft202012Validator,
    {"pattern": _pattern, "ordered": _ordered, "either": _either},
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine_many(
        {"integer": _is_integer, "number": _is_number}
    ),
)


def _explain(error: ValidationError, place: Iterable[Any] = ()) -> InputError:
    message = error.message
    # JSON; the types also allow for errors that no schema has raised, which lack these.
    schema: Any = error.schema
    instance: Any = error.instance
    wanted: Any = error.validator_value
    if error.validator == "additionalProperties":
        known = list(schema["properties"])
        unknown = next(key for key in instance if key not in known)
        message = f"unknown key {unknown!r}{hint_at(unknown, known)}"
    elif error.validator == "enum":
        close = closest(str(instance), map(str, wanted))
        message += f": did you mean {close!r}?" if close else ""
    elif error.validator == "maxLength":
        message = f"a name of {len(instance)} characters is too long: {wanted} are the most"
    elif error.validator == "not":
        message = f"the name {instance!r} is taken: choose another one"
    elif error.validator == "type" and "string" in wanted:
        message += ": if it is meant as text, put it in quotation marks"
    return mistake(_dotted([*place, *error.path]), message)


def mistake(place: str, problem: str) -> InputError:
    """Return an error of a configuration."""
    return InputError(f"configuration, {place}: {problem}")


def check_known(place: str, name: str, known: Iterable[str], problem: str) -> None:
    """Raise `mistake` if a name is not a known one; in the problem `{}` stands for the name."""
    if name not in list(known):
        raise mistake(place, f"{problem.format(repr(name))}{hint_at(str(name), known)}")


def _dotted(place: Iterable[Any]) -> str:
    return ".".join(map(str, place)) or "the top level"


def hint_at(name: str, known: Iterable[str]) -> str:
    """Return the end of an error about an unknown name: the closest known one, or all of them."""
    known = list(known)
    if not known:
        return ""
    if close := closest(name, known):
        return f": did you mean {close!r}?"
    more = f" and {len(known) - MOST_NAMED} others" if len(known) > MOST_NAMED else ""
    return f": known are {', '.join(known[:MOST_NAMED])}{more}"


def check_form(config: dict[str, Any]) -> None:
    """Refuse values that contain themselves or are far too large, and names that are no text."""
    for number, (place, value) in enumerate(_walk(config)):
        if len(place) > DEEPEST or number > MOST:
            raise mistake(place[0], "it contains itself, or too many values")
        for key in value if isinstance(value, Mapping) else []:
            if not isinstance(key, str):
                problem = f"YAML reads a name here as {key!r}: put it in quotation marks"
                raise mistake(_dotted(place), problem)


def _walk(value: Any) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield all values of a configuration and where they are, level by level."""
    level: list[tuple[tuple[Any, ...], Any]] = [((), value)]
    while level:
        yield from level
        level = [
            ((*place, key), inner)
            for place, outer in level
            if isinstance(outer, Mapping | list)
            for key, inner in (outer.items() if isinstance(outer, Mapping) else enumerate(outer))
        ]


class _Loader(yaml.SafeLoader):
    """Reads YAML of at most `DEEPEST` levels, and of distinct keys: YAML itself takes the last."""

    def __init__(self, text: str, place: str | Path) -> None:
        super().__init__(text)
        self.place = place
        self.level = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.level == DEEPEST and self.check_event(yaml.CollectionStartEvent):
            line = self.peek_event().start_mark.line + 1  # type: ignore[no-untyped-call]
            raise InputError(f"{self.place} line {line} has more than {DEEPEST} levels: correct it")
        self.level += 1
        node = super().compose_node(parent, index)
        self.level -= 1
        return node

    def compose_mapping_node(self, anchor: Any) -> Any:
        node = super().compose_mapping_node(anchor)
        names = set()
        for key, _ in node.value:
            if (name := str(key.value)) in names:
                line = key.start_mark.line + 1
                raise InputError(
                    f"{self.place} line {line}: the key {name} occurs twice: remove one"
                )
            names.add(name)
        return node


def read_yaml(text: str, place: str | Path) -> Any:
    """Read YAML, which may come from anybody; errors name the place.

    Raises:
        InputError: it is no YAML, has more than `DEEPEST` levels, or has a key twice.
    """
    try:
        return _Loader(text, place).get_single_data()
    except InputError:
        raise
    except (yaml.YAMLError, ValueError) as error:  # ValueError: a date that there is not
        raise InputError(f"{place} is not YAML: {' '.join(str(error).split())}") from None
