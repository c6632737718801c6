"""docs/reference.md: the columns of result files."""

from math import isfinite

import pandas as pd

from docs.pages.tables import markdown
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
