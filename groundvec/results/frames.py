"""Data frames with a schema, which is checked when a file is read and when it is written.

`groundvec.results.schemas` has the schema of each file.
"""

from collections.abc import Collection, Iterable
from dataclasses import KW_ONLY, dataclass
from io import BytesIO
from math import inf
from pathlib import Path
from typing import Any
from warnings import catch_warnings

import numpy as np
import pandas as pd
from pandas.errors import ParserWarning

from groundvec.runtime.errors import InputError
from groundvec.runtime.files import LARGEST_TABLE, read_regular, write_csv

TOLERANCE = 1e-5  # beyond a bound: a cosine of float32 vectors may be 1.000001
Form = Any  # a type in `groundvec.results.schemas`, such as `History`


@dataclass(frozen=True)
class Column:
    """A column of a data frame.

    Args:
        what: a description in one line.
        among: the only texts that are allowed; by default any.
        empty: whether a field may be empty; or the values of the column `kind` that allow it.
        dtype: str, int or float.
        unit: the unit of the numbers.
        low, high: the smallest and the largest number.
    """

    what: str
    among: Collection[str] = ()
    _: KW_ONLY
    empty: bool | Collection[str] = False
    dtype: type[str] | type[int] | type[float] = str
    unit: str = ""
    low: float = -inf
    high: float = inf


class Schema:
    """The columns of a file.

    Args:
        file: its name and the program that writes it; or the function that returns the frame.
        row: a description of a row.
        keys: the columns that tell rows apart, also the rows of several such files.
        columns: the columns by their names, in their order.
    """

    def __init__(
        self, file: str, row: str, keys: Collection[str] = (), /, **columns: Column
    ) -> None:
        self.file = file
        self.row = row
        self.keys = keys
        self.columns = columns

    def __repr__(self) -> str:  # Sphinx writes a signature as `Annotated[DataFrame, Schema()]`
        return "Schema()"


def schema_of(form: Form) -> Schema:
    """Return the schema of a type."""
    [schema] = form.__metadata__
    return schema


def read_csv(path: str | Path, **options: Any) -> pd.DataFrame:
    """Read a file by `pandas.read_csv`, with its options; packed files are refused.

    Raises:
        InputError: it is missing or damaged, no file, or has more than `LARGEST_TABLE` bytes.
    """
    try:
        content = BytesIO(read_regular(path, LARGEST_TABLE))
        # pandas only warns when it drops fields.
        with catch_warnings(action="error", category=ParserWarning):
            options.setdefault("dtype", {"commit": str})  # 92e616859035 is no number
            # By default pandas takes the first column for an index if rows have more fields than
            # the header, such as an empty one after a comma at their end.
            return pd.read_csv(content, index_col=False, **options)
    except FileNotFoundError:
        raise InputError(f"{path} does not exist: make it first") from None
    except InputError:
        raise
    except ParserWarning:
        raise InputError(
            f"{path} is not a whole CSV file (rows have more fields than the header): make it again"
        ) from None
    except ValueError as error:  # empty, ragged, not UTF-8
        reason = str(error).strip().partition("\n")[0]
        raise InputError(f"{path} is not a whole CSV file ({reason}): make it again") from None


def read_fields(path: str | Path, columns: Collection[str] = ()) -> pd.DataFrame:
    """Read a CSV file with every field as text.

    Args:
        path: the file.
        columns: all its columns, in their order; by default any.

    Raises:
        InputError: as `read_csv`, or the columns are others.
    """
    # pandas' filter for missing values would empty a caption "NA" or "null".
    table = read_csv(path, dtype=str, na_filter=False)
    if columns:
        check_columns(path, table, columns)
    return table


def check_columns(name: str | Path, table: pd.DataFrame, columns: Collection[str]) -> None:
    """Raise InputError if a table has other columns than these, or in another order."""
    if list(table.columns) != list(columns):
        raise InputError(
            f"{name}: the columns are {', '.join(map(str, table.columns))} but must be "
            f"{', '.join(columns)}"
        )


def read(path: str | Path, *forms: Form) -> pd.DataFrame:
    """Read the columns of a CSV file, in their order; an empty field is NaN.

    Args:
        path: the file.
        forms: types in `groundvec.results.schemas`. The file is of the first one whose columns it
            has.

    Raises:
        InputError: it is missing or damaged, or a field does not fit the schema.
    """
    text_types = {}
    for form in forms:
        for name, column in schema_of(form).columns.items():
            if column.dtype is str:
                text_types[name] = str
    # pandas' default missing values would make a translation "NA" or "null" an empty field.
    table = read_csv(path, dtype=text_types, keep_default_na=False, na_values=[""])
    missing = []
    for form in forms:
        columns = schema_of(form).columns
        absent = [name for name in columns if name not in table]
        if not absent:
            if table.empty:
                raise InputError(f"{path} has no rows: delete it and make it again")
            remedy = "delete the file and make it again"
            return checked(table, form, path, remedy)[list(columns)]
        missing.append(", ".join(absent))
    raise InputError(f"{path} has no column {', nor '.join(missing)}: make it again")


def read_all(paths: Iterable[str | Path], form: Form) -> pd.DataFrame:
    """Read several CSV files, one below the other.

    Args:
        paths: the files.
        form: a type in `groundvec.results.schemas`.

    Raises:
        InputError: as `read`, or a file repeats rows of another one.
    """
    tables = []
    for path in paths:
        tables.append(read(path, form).assign(path=str(path)))
    table = pd.concat(tables, ignore_index=True)
    check_once(table, form)
    return table.drop(columns="path")


def write(path: str | Path, table: pd.DataFrame, form: Form) -> None:
    """Write a CSV file with the columns of the schema, in its order.

    Raises:
        InputError: a field does not fit the schema.
    """
    checked(table, form, path, "the file is not written; correct what computes it")
    write_csv(path, table[list(schema_of(form).columns)])


# Not pandera: its errors name neither line nor remedy, and importing it takes 0.15 s in each of the
# demo's 150 jobs (AMD EPYC).
def checked(table: pd.DataFrame, form: Form, path: str | Path, remedy: str) -> pd.DataFrame:
    """Check a table against its schema, and convert its numbers from text.

    Args:
        table: columns of the schema, and perhaps others. Missing values are NaN or empty texts.
        form: a type in `groundvec.results.schemas`.
        path: the table's file, for errors.
        remedy: the advice at the end of an error.

    Raises:
        InputError: a field does not fit the schema.
    """
    result = table.copy(deep=False)
    for name, column in schema_of(form).columns.items():
        values = table[name]
        is_missing = values.isna() | values.eq("")

        def refuse(bad: Any, problem: str, name: str = name) -> None:
            """Raise InputError for the first bad row; `{}` in the problem is the field."""
            rows = np.flatnonzero(bad)
            if rows.size:
                value = str(table[name].iloc[rows[0]])
                line = f"{path} line {rows[0] + 2}"  # the header is line 1
                raise InputError(f"{line}{problem.format(f'{name} is {value!r}')}: {remedy}")

        if column.empty is False:
            refuse(is_missing, f" has no {name}")
        elif column.empty is not True:
            refuse(is_missing & ~table["kind"].isin(column.empty), f" has no {name}")
        if column.dtype is not str:
            if values.dtype.kind not in "iuf":  # such as True, or an integer of hundreds of digits
                values = values.astype(str)
            numbers = pd.to_numeric(values, errors="coerce")
            result[name] = numbers
            refuse(~is_missing & ~np.isfinite(numbers), ": {}, not a number")
            if column.dtype is int:
                refuse(numbers % 1 > 0, ": {}, not a whole number")
            refuse(numbers < column.low - TOLERANCE, f": {{}}, less than {column.low:g}")
            refuse(numbers > column.high + TOLERANCE, f": {{}}, more than {column.high:g}")
        elif column.among:
            is_known = values.astype(str).isin(list(column.among))
            refuse(~is_missing & ~is_known, f": {{}}, not one of {', '.join(column.among)}")
    keys = list(schema_of(form).keys)
    repeats = result.duplicated(keys) if keys else pd.Series(dtype=bool)
    if repeats.any():
        line = f"{path} line {repeats.to_numpy().argmax() + 2}"
        raise InputError(f"{line} has the same {', '.join(keys)} as a line above: {remedy}")
    return result


def check_once(table: pd.DataFrame, form: Form) -> None:
    """Raise InputError if a file repeats rows of another; the column `path` has a row's file."""
    keys = list(schema_of(form).keys)
    repeats = table.duplicated(keys) if keys else pd.Series(dtype=bool)
    if repeats.any():
        path = table["path"][repeats].iloc[0]
        raise InputError(f"{path} repeats rows of another input: pass each file once")
