"""Data frames with a schema, which is checked when a file is read and when it is written.

`groundvec.results.schemas` has the schema of each file.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass
from math import inf
from pathlib import Path
from typing import Any
from warnings import catch_warnings

import numpy as np
import pandas as pd
from pandas.errors import ParserWarning

from groundvec.runtime.errors import InputError
from groundvec.runtime.files import check_memory, check_regular, write_csv

TOLERANCE = 1e-5  # of bounds: a cosine of float32 vectors may be 1.000001
Form = Any  # a type of `groundvec.results.schemas`, such as `History`


@dataclass(frozen=True)
class Column:
    """A column of a data frame.

    Args:
        what: describes it in one line.
        among: the only texts that are allowed.
        empty: whether a field may be empty; or the values of the column `kind` with which it may.
        dtype: str, int or float.
        unit: of the numbers.
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
        file: its name and the program that writes it; or which function returns the frame.
        row: what a row is about.
        keys: the columns that tell rows apart, also those of several such files.
        columns: by their names, in their order.
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
    """Read a file by `pandas.read_csv`, with its options; one that is packed is no CSV.

    Raises:
        InputError: it is missing or damaged, no file, or larger than this machine's memory.
    """
    check_regular(path)
    try:
        check_memory(path, Path(path).stat().st_size)
        with catch_warnings(action="error", category=ParserWarning):  # of fields that are left out
            options.setdefault("dtype", {"commit": str})  # 92e616859035 is no number
            # By default pandas takes the first column for an index if rows have more fields than
            # the header, such as an empty one after a comma at their end.
            return pd.read_csv(path, compression=None, index_col=False, **options)
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


@contextmanager
def shape_of(path: str | Path) -> Iterator[None]:
    """Raise InputError if a block that uses a file's content finds another shape.

    For tables of papers, whose columns no schema lists: one may lack a column, or hold text where
    numbers are meant.
    """
    try:
        yield
    except InputError:
        raise
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        reason = f"{type(error).__name__}: {error}".partition("\n")[0]
        raise InputError(
            f"{path} has another shape than expected ({reason}): delete it and make it again"
        ) from error


def read_fields(path: str | Path, columns: Collection[str] = ()) -> pd.DataFrame:
    """Read a CSV file with every field as text.

    Raises:
        InputError: as of `read_csv`, or it has other columns than these, in this order.
    """
    # Without the filter for missing values, a caption "NA" or "null" stays text.
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
        forms: of several, the first whose columns the file has counts.

    Raises:
        InputError: it is missing or damaged, or a field is not as the schema says.
    """
    columns = [schema_of(form).columns for form in forms]
    text = {name: str for of in columns for name, column in of.items() if column.dtype is str}
    # Without the default, a translation "NA" or "null" would be an empty field.
    table = read_csv(path, dtype=text, keep_default_na=False, na_values=[""])
    missing = [", ".join(name for name in of if name not in table) for of in columns]
    if all(missing):
        raise InputError(f"{path} has no column {', nor '.join(missing)}: make it again")
    if table.empty:
        raise InputError(f"{path} has no rows: delete it and make it again")
    chosen = missing.index("")
    remedy = "delete the file and make it again"
    return checked(table, forms[chosen], path, remedy)[list(columns[chosen])]


def read_all(
    paths: Iterable[str | Path],
    form: Form,
    each: Callable[[str | Path, pd.DataFrame], None] = lambda path, table: None,
) -> pd.DataFrame:
    """Read several CSV files, one below the other.

    Args:
        each: is called with each path and its frame, to check or change it.

    Raises:
        InputError: as of `read`, or two files are about the same.
    """
    tables = []
    for path in paths:
        table = read(path, form)
        each(path, table)
        tables.append(table.assign(path=str(path)))
    table = pd.concat(tables, ignore_index=True)
    check_once(table, form)
    return table.drop(columns="path")


def write(path: str | Path, table: pd.DataFrame, form: Form) -> None:
    """Write a CSV file with the columns of the schema, in its order.

    Raises:
        InputError: the columns are others, or a field is not as the schema says.
    """
    columns = schema_of(form).columns
    if wrong := sorted({*table} ^ {*columns}):
        problem = "has no" if wrong[0] in columns else "has an unknown"
        raise InputError(
            f"{path} is not written, for it {problem} column {wrong[0]}: correct the program, or "
            "the schema in groundvec.results.schemas"
        )
    checked(table, form, path, "the file is not written; correct what computes it")
    write_csv(path, table[list(columns)])


def checked(table: pd.DataFrame, form: Form, path: str | Path, remedy: str) -> pd.DataFrame:
    """Check a table against its schema, and convert its numbers from text.

    Args:
        table: columns of the schema, and perhaps others. Missing values are NaN or empty texts.
        path: of its file, for errors.
        remedy: the advice at the end of an error.

    Raises:
        InputError: a field does not fit the schema.
    """
    found = table.copy(deep=False)
    for name, column in schema_of(form).columns.items():

        def refuse(bad: Any, problem: str, name: str = name) -> None:
            if (rows := np.flatnonzero(bad)).size:
                value = str(table[name].iloc[rows[0]])
                line = f"{path} line {rows[0] + 2}"
                raise InputError(f"{line}{problem.format(f'{name} is {value!r}')}: {remedy}")

        values = table[name]
        missing = values.isna() | values.eq("")
        if column.empty is not True:
            excused = table["kind"].isin(column.empty) if column.empty else False
            refuse(missing & ~np.asarray(excused), f" has no {name}")
        if column.dtype is not str:
            numbers = found[name] = _numbers(values)
            refuse(~missing & ~np.isfinite(numbers), ": {}, not a number")
            if column.dtype is int:
                refuse(numbers % 1 > 0, ": {}, not a whole number")
            refuse(numbers < column.low - TOLERANCE, f": {{}}, less than {column.low:g}")
            refuse(numbers > column.high + TOLERANCE, f": {{}}, more than {column.high:g}")
        elif column.among:
            names = ", ".join(column.among)
            refuse(
                ~missing & ~values.astype(str).isin(list(column.among)),
                f": {{}}, not one of {names}",
            )
    keys = list(schema_of(form).keys)
    if keys and (twice := found.duplicated(keys)).any():
        line = f"{path} line {twice.to_numpy().argmax() + 2}"
        raise InputError(f"{line} has the same {', '.join(keys)} as a line above: {remedy}")
    return found


def _numbers(values: pd.Series) -> pd.Series:
    """Convert values to numbers; others become NaN."""
    if values.dtype == bool:
        return pd.Series(np.nan, values.index)
    try:
        return pd.to_numeric(values, errors="coerce")
    except OverflowError:  # an integer of hundreds of digits
        return pd.to_numeric(values.astype(str), errors="coerce")


def check_once(table: pd.DataFrame, form: Form) -> None:
    """Raise InputError if two files are about the same; the column `path` has a row's file."""
    keys = list(schema_of(form).keys)
    if keys and (twice := table.duplicated(keys)).any():
        path = table["path"][twice].iloc[0]
        raise InputError(f"{path} is about what another file has already: give each file once")
