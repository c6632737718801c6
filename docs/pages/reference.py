"""docs/reference.md: the columns of result files; and config/schema.json, for editors."""

import json
from math import isfinite
from typing import Any

import pandas as pd

from docs.pages.tables import markdown
from groundvec.config.schema import configuration_schema
from groundvec.results import schemas
from groundvec.results.frames import Column, Schema, schema_of
from reproduction import schemas as of_study

TYPES = {str: "text", int: "whole number", float: "number"}


def result_files() -> str:
    """Write the schema of every result file."""
    frames = {}  # annotated data frames, such as `Scores`
    for module in (schemas, of_study):
        for name, value in vars(module).items():
            if hasattr(value, "__metadata__"):
                frames[name] = value
    return "\n\n".join(of_schema(name, schema_of(frame)) for name, frame in frames.items())


def of_schema(name: str, schema: Schema) -> str:
    """Write a heading, the meaning of a row, and a table of the columns."""
    rows = [
        {
            "column": f"`{name}`",
            "type": TYPES[column.dtype],
            "unit": column.unit,
            "values": allowed(column),
            "description": column.what,
        }
        for name, column in schema.columns.items()
    ]
    text = f"{schema.row[0].upper()}{schema.row[1:]}. File: {schema.file}."
    if schema.keys:
        text += f" No two rows have the same {', '.join(f'`{key}`' for key in schema.keys)}."
    return f"### {name}\n\n{text}\n\n{markdown(pd.DataFrame(rows), 5)}"


def allowed(column: Column) -> str:
    """Write the values that a column allows."""
    interval = ""
    if isfinite(column.low):
        interval = f"from {column.low:g}"
        if isfinite(column.high):
            interval = f"{column.low:g} to {column.high:g}"
    words = [", ".join(f"`{value}`" for value in column.among), interval]
    if column.empty is True:
        words.append("may be empty")
    elif column.empty:
        words.append(f"empty for {', '.join(column.empty)}")
    return "; ".join(filter(None, words))


def anchored(schema: Any) -> Any:
    """Return a schema whose patterns match whole texts; editors would match any part of a text."""
    if isinstance(schema, list):
        return [anchored(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    result = {key: anchored(value) for key, value in schema.items()}
    pattern = result.get("pattern")
    if isinstance(pattern, str):
        result["pattern"] = f"^({pattern})$"
    return result


def editors_schema() -> str:
    """Write the schema of a configuration, with which editors complete and check it."""
    schema = anchored(configuration_schema())
    # A data set that is `of` another one has that one's source.
    schema["$defs"]["dataset"]["required"] = ["models"]
    schema["$defs"]["dataset"]["anyOf"] = [{"required": ["source"]}, {"required": ["of"]}]
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


FILES = {"../config/schema.json": editors_schema}
