"""The configuration of an experiment: checked, and completed with the schema's defaults."""

import copy
import json
from contextlib import suppress
from difflib import get_close_matches
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator, ValidationError

from grounded.errors import InputError
from grounded.models.cell import Cell
from grounded.training.settings import Settings

SCHEMA = Path(__file__).parent.parent / "config" / "schema.yaml"


def complete(config: dict[str, Any]) -> dict[str, Any]:
    """Return the configuration with every default filled in.

    Raises:
        InputError: one line that names the first wrong key, and what to write instead.
    """
    config = copy.deepcopy(config)
    schema = yaml.safe_load(SCHEMA.read_text())
    validator = Draft202012Validator(schema)
    _read_numbers(config, validator)
    errors = sorted(validator.iter_errors(config), key=lambda error: list(map(str, error.path)))
    if errors:
        raise InputError(_explain(errors[0]))
    _fill(config, schema["properties"])
    if "semantics" in config:
        _fill(config["semantics"], schema["$defs"]["semantics"]["properties"])
    for name, dataset in config["datasets"].items():
        _fill(dataset, schema["$defs"]["dataset"]["properties"])
        _fill(dataset["training"], schema["$defs"]["training"]["properties"])
        try:
            Settings(**dataset["training"])
            for cell in dataset["cells"]:
                Cell.parse(cell)
        except InputError as error:
            raise InputError(f"configuration, datasets.{name}: {error}") from None
    return config


def _read_numbers(config: dict[str, Any], validator: Draft202012Validator) -> None:
    """Turn text into a number or null where the schema wants one.

    YAML takes 1e-3 for text, and Snakemake everything within a value given with --config.
    """
    for error in list(validator.iter_errors(config)):
        if error.validator == "type" and isinstance(error.instance, str):
            *parents, key = error.absolute_path
            place = reduce(getitem, parents, config)
            with suppress(ValueError):
                place[key] = json.loads(error.instance)


def _fill(config: dict[str, Any], properties: dict[str, Any]) -> None:
    for key, schema in properties.items():
        if "default" in schema:
            config.setdefault(key, copy.deepcopy(schema["default"]))


def _explain(error: ValidationError) -> str:
    place = ".".join(map(str, error.path)) or "the top level"
    message = error.message
    if error.validator == "additionalProperties":
        known = list(error.schema["properties"])
        unknown = next(key for key in error.instance if key not in known)
        close = get_close_matches(unknown, known, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"known are {', '.join(known)}"
        message = f"unknown key {unknown!r}: {hint}"
    elif error.validator == "enum":
        close = get_close_matches(str(error.instance), error.validator_value, n=1)
        message += f": did you mean {close[0]!r}?" if close else ""
    return f"configuration, {place}: {message}"
