"""The schema of configurations and descriptions: checks, defaults, and errors with a remedy."""

import copy
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache, reduce
from itertools import pairwise
from operator import getitem
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator, ValidationError, validators

from groundvec.config import parts
from groundvec.config.checks import TYPES
from groundvec.config.types import Schema
from groundvec.runtime.errors import InputError, closest

# JSON Schema in YAML, not pydantic: options must be readable without importing torch. The 30 YAML
# files of parts would become 30 more modules.
SCHEMA = Path(__file__).with_name("schema.yaml")
# Functions that add definitions; the study adds the ones for a whole experiment.
EXTENSIONS: list[Callable[[Schema], None]] = []
MOST_NAMED = 30  # valid names that an error lists

# The schema


@cache
def configuration_schema() -> Schema:
    """Return the schema of a configuration, with the options of every part; do not modify it."""
    schema: Schema = parts.load_yaml(SCHEMA)
    for extend in EXTENSIONS:
        extend(schema)
    for kind, class_name in parts.CLASSES.items():
        definition = schema["$defs"][class_name.lower()]
        [key] = definition["required"]  # the key that names the part: `name`, or `encoder`
        options = {name: parts.options_schema(kind, name) for name in parts.names(kind)}
        definition["properties"] = {key: {"enum": list(options)}}
        definition["allOf"] = cases(key, options, [key])
    return schema


def cases(key: str, options: Mapping[str, Schema], other_keys: Iterable[str]) -> list[Schema]:
    """Write a condition for each part: if `key` names it, its options are valid and no others.

    Args:
        options: the schemas of the parts' options, by name.
        key: the key that names the part.
        other_keys: further keys next to the options, which other schemas describe.
    """
    any_values: Schema = {other: {} for other in other_keys}
    return [
        {
            "if": {"properties": {key: {"const": name}}, "required": [key]},
            "then": {
                "additionalProperties": False,
                **schema,
                "properties": schema["properties"] | any_values,
            },
        }
        for name, schema in options.items()
    ]


# Checks and defaults


def complete_by(value: Any, kind: str, place: str) -> Any:
    """Check a part of a configuration by a definition of the schema, fill it in, and return it."""
    root = configuration_schema()
    check(value, {"$ref": f"#/$defs/{kind}", "$defs": root["$defs"]}, place)
    fill(value, root["$defs"][kind], root)
    return value


def check(value: Any, schema: Schema, *place: str) -> None:
    """Raise InputError for the first mistake; numbers that are written as text become numbers."""
    validator = _Validator(schema)
    errors = list(validator.iter_errors(value))
    if not errors:
        return
    _read_numbers(value, errors)
    # By place, so that the first mistake does not depend on the order of the schema's keywords.
    errors = sorted(validator.iter_errors(value), key=lambda error: list(map(str, error.path)))
    if errors:
        raise _explain(errors[0], place)


def _read_numbers(config: Any, errors: list[ValidationError]) -> None:
    """Turn text into a number or null where the schema wants one, and 2.0 into 2.

    YAML reads 1e-3 as text, and Snakemake reads every value inside a value of --config as text.
    """
    for error in errors:
        if error.validator != "type":
            continue
        place: list[Any] = list(error.absolute_path)
        if not place:
            continue  # the whole configuration, which no number can replace
        *parents, key = place
        container = reduce(getitem, parents, config)
        if isinstance(error.instance, str):
            with suppress(ValueError, RecursionError):
                container[key] = json.loads(error.instance)
        value = container.get(key) if isinstance(container, dict) else container[key]
        if isinstance(value, float) and value.is_integer() and error.validator_value == "integer":
            container[key] = int(value)


def fill(value: Any, schema: Schema, root: Schema) -> None:
    """Fill in the defaults of a schema; the value has to be valid by it."""
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
    # Last: a condition may depend on a default, such as the optimizer's name.
    for case in schema.get("allOf", []):
        if Draft202012Validator(case["if"]).is_valid(value):
            fill(value, case["then"], root)


# Keywords of the schema, in addition to JSON Schema's own


def _ordered(_: Any, keys: list[str], instance: Any, schema: Any) -> Iterator[ValidationError]:
    """Refuse numbers that decrease, with the defaults of those that are left out."""
    if not isinstance(instance, dict):
        return
    defaults = {key: schema["properties"][key].get("default") for key in keys}
    numbers = {
        key: value
        for key, value in (defaults | instance).items()
        if key in keys and isinstance(value, int | float)
    }
    for low, high in pairwise(key for key in keys if key in numbers):
        if numbers[low] > numbers[high]:
            yield ValidationError(
                f"{low} {numbers[low]} is above {high} {numbers[high]}: swap them"
            )


def _either(_: Any, keys: list[str], instance: Any, schema: Any) -> Iterator[ValidationError]:
    """Refuse none or several of some options."""
    if isinstance(instance, dict) and sum(key in instance for key in keys) != 1:
        options = []
        for key in keys:
            description = schema["properties"][key]["description"].strip(" \n.")
            options.append(f"`{key}` ({description})")
        yield ValidationError(f"give one of {' and '.join(options)}")


def _pattern(_: Any, pattern: str, instance: Any, __: Any) -> Iterator[ValidationError]:
    """Match the whole text; JSON Schema would search, and accept a line break at the end."""
    if isinstance(instance, str) and not re.fullmatch(pattern, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


# A validator with whole patterns, finite numbers, and the keywords of `parts`.
_Validator = validators.extend(
    Draft202012Validator,
    {"pattern": _pattern, "ordered": _ordered, "either": _either},
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine_many(
        {name: lambda _, value, name=name: TYPES[name](value) for name in ("integer", "number")}
    ),
)


# Errors


def mistake(place: str, problem: str) -> InputError:
    """Return an error of a configuration."""
    return InputError(f"configuration, {place}: {problem}")


def dotted(place: Iterable[Any]) -> str:
    """Join the keys that lead to a value, such as `datasets.one.seeds.0`."""
    return ".".join(map(str, place)) or "the top level"


def not_text(name: Any) -> str:
    """Return the problem of a name that YAML reads as a number, a date or a truth value."""
    return f"YAML reads a name here as {name!r}: put it in quotation marks"


def hint_at(name: str, known: Iterable[str]) -> str:
    """Return the end of an error about an unknown name: the closest known one, or all of them."""
    known = list(known)
    if not known:
        return ""
    likely = closest(name, known)
    if likely:
        return f": did you mean {likely!r}?"
    more = f" and {len(known) - MOST_NAMED} others" if len(known) > MOST_NAMED else ""
    return f": known are {', '.join(known[:MOST_NAMED])}{more}"


def _explain(error: ValidationError, place: Iterable[Any] = ()) -> InputError:
    """Return an error of the validator as one line of the configuration, with a remedy."""
    message = error.message
    # `Any`: jsonschema's types allow that these are unset, which they are in no error of a schema.
    schema: Any = error.schema
    instance: Any = error.instance
    expected: Any = error.validator_value
    if error.validator == "additionalProperties":
        known = list(schema["properties"])
        unknown = next(key for key in instance if key not in known)
        if isinstance(unknown, str):
            message = f"unknown key {unknown!r}{hint_at(unknown, known)}"
        else:
            message = not_text(unknown)
    elif error.validator == "enum":
        likely = closest(str(instance), map(str, expected))
        message += f": did you mean {likely!r}?" if likely else ""
    elif error.validator == "maxLength":
        message = f"a name of {len(instance)} characters is too long: {expected} are the most"
    elif error.validator == "not":
        message = f"the name {instance!r} is taken: choose another one"
    elif error.validator == "type" and "string" in expected:
        # Snakemake drops quotation marks from the values of --config.
        message += ": if it is meant as text, put it in quotation marks, or after --config "
        message += "write 'KEY=!!str TEXT'"
    return mistake(dotted([*place, *error.path]), message)
