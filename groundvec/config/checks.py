"""Checks of descriptions that programs wrote, such as a model's model.json.

People's configurations are checked by jsonschema (`groundvec.config.schema`), whose import takes a
fifth of the time of encoding a sentence. `find_mistake` reads the few keywords of JSON Schema that
the descriptions here have, with the same messages.
"""

import json
import re
import sys
from collections.abc import Callable, Collection, Mapping, Sized
from operator import ge, gt, le, lt, mod
from typing import Any

from groundvec.config import parts
from groundvec.config.types import Schema

# The definitions of schema.yaml that options of parts refer to: names of files and folders.
REFERENCES: dict[str, Schema] = {
    f"#/$defs/{name}": {"type": "string"} for name in ("path", "file", "folder")
}


def find_mistake(value: Any, schema: Mapping[str, Any], place: str = "") -> str:
    """Describe where and why a value, which may come from anybody, violates a JSON schema.

    Args:
        schema: with the keywords of `CHECKS`, items, properties, additionalProperties, and
            contentSchema, for JSON in a string. Other keywords are ignored. {"part": KIND} is the
            schema of a part (`groundvec.config.parts`) of this kind, with the options of its name.
        place: the keys that lead to the value.

    Returns:
        The key and the problem of the first violation; empty without any.
    """
    if "$ref" in schema:
        schema = REFERENCES[schema["$ref"]]
    if "part" in schema:
        schema = _part_schema(value, schema["part"])
    if "contentSchema" in schema:
        try:
            value = json.loads(value)
        except (TypeError, ValueError, RecursionError) as error:
            return f"{place}: {error}"
        schema = schema["contentSchema"]
    for keyword, (applies, problem) in CHECKS.items():
        if keyword in schema and applies(value):
            message = problem(value, schema[keyword])
            if message:
                return f"{place or 'it'}: {message}"
    inner: list[tuple[Any, Any, Mapping[str, Any]]] = []
    unexpected: list[Any] = []
    if isinstance(value, list) and "items" in schema:
        inner = [(number, item, schema["items"]) for number, item in enumerate(value)]
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        others = schema.get("additionalProperties", {})
        if others is False:
            unexpected = [key for key in value if key not in properties]
        inner = [(key, item, properties.get(key, others or {})) for key, item in value.items()]
    for key, item, item_schema in inner:
        mistake = find_mistake(item, item_schema, f"{place}.{key}" if place else str(key))
        if mistake:
            return mistake
    return f"{place or 'it'}: ({unexpected[0]!r} was unexpected)" if unexpected else ""


def _part_schema(part: Any, kind: str) -> Schema:
    """Return the schema of a part, with the options that its name has."""
    names = parts.names(kind)
    name = part.get("name") if isinstance(part, dict) else None
    options = parts.options_schema(kind, name) if name in names else {"properties": {}}
    return {
        "type": "object",
        "required": ["name", *options.get("required", [])],
        "properties": {"name": {"enum": names}, **options["properties"]},
        "additionalProperties": False,
    }


def _is_number(value: Any) -> bool:
    """Return whether a value is a finite number; an integer of 400 digits is beyond every float."""
    is_numeric = isinstance(value, int | float) and not isinstance(value, bool)
    return is_numeric and abs(value) <= sys.float_info.max


TYPES: dict[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and _is_number(value),
    "number": _is_number,
    "null": lambda value: value is None,
}


def _type(value: Any, types: str | list[str]) -> str:
    names = [types] if isinstance(types, str) else types
    if any(TYPES[name](value) for name in names):
        return ""
    return f"{value!r} is not of type {', '.join(map(repr, names))}"


def _enum(value: Any, allowed: list[Any]) -> str:
    # True equals 1 in Python, but not in JSON.
    if any(value == other and type(value) is type(other) for other in allowed):
        return ""
    return f"{value!r} is not one of {allowed}"


def _required(value: Collection[str], keys: list[str]) -> str:
    missing = [key for key in keys if key not in value]
    return f"{missing[0]!r} is a required property" if missing else ""


def _pattern(value: str, pattern: str) -> str:
    return "" if re.fullmatch(pattern, value) else f"{value!r} does not match {pattern!r}"


def _unique(value: list[Any], _: bool) -> str:
    repeated = any(item in value[:place] for place, item in enumerate(value))
    return f"{value!r} has non-unique elements" if repeated else ""


def _beyond(is_beyond: Callable[[float, float], Any], problem: str) -> Callable[[Any, Any], str]:
    """Return a check of a number by an operator, such as `lt` for a minimum."""
    return lambda value, limit: f"{value!r} {problem} {limit}" if is_beyond(value, limit) else ""


def _fewest(value: Sized, count: int) -> str:
    return f"{len(value)} entries are fewer than {count}" if len(value) < count else ""


def _most(value: Sized, count: int) -> str:
    return f"{len(value)} entries are more than {count}" if len(value) > count else ""


def _ordered(value: dict[str, Any], keys: list[str]) -> str:
    numbers = [value[key] for key in keys if _is_number(value.get(key))]
    return "" if numbers == sorted(numbers) else " is above ".join(keys)


def _any(_: Any) -> bool:
    return True


# By keyword: the values that it applies to, and the function that describes a violation.
CHECKS: dict[str, tuple[Callable[[Any], bool], Callable[[Any, Any], str]]] = {
    "type": (_any, _type),
    "enum": (_any, _enum),
    "required": (TYPES["object"], _required),
    "minProperties": (TYPES["object"], _fewest),
    "maxProperties": (TYPES["object"], _most),
    "minItems": (TYPES["array"], _fewest),
    "maxItems": (TYPES["array"], _most),
    "ordered": (TYPES["object"], _ordered),
    "uniqueItems": (TYPES["array"], _unique),
    "pattern": (TYPES["string"], _pattern),
    "minimum": (_is_number, _beyond(lt, "is less than the minimum of")),
    "exclusiveMinimum": (_is_number, _beyond(le, "must be above")),
    "maximum": (_is_number, _beyond(gt, "is greater than the maximum of")),
    "exclusiveMaximum": (_is_number, _beyond(ge, "must be below")),
    "multipleOf": (_is_number, _beyond(mod, "is not a multiple of")),
}
