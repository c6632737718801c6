"""Result files, read and checked, in the order of the grid; and the model that they select."""

import re
from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from grounded.errors import InputError
from grounded.evaluation.retrieval import CUTOFFS, DIRECTIONS
from grounded.models.cell import Cell

MEASURES = [*(f"r{k}{suffix}" for k in CUTOFFS for suffix in ("", "_ci")), "median_rank"]
PROVENANCE = ["configuration", "commit", "versions", "machine", "slurm_job"]
KEYS = ["dataset", "cell", "seed", "model", "epochs", "split", "test_set", "direction"]
TEXT = ["paper", *(key for key in KEYS if key != "seed"), *PROVENANCE]


def read_retrieval(paths: Iterable[str | Path]) -> pd.DataFrame:
    """Read measured retrieval scores, one file for each data set, cell and seed.

    Raises:
        InputError: a file that is not whole, or two about the same model.
    """
    tables = []
    for path in map(Path, paths):
        table = _read(path, [*KEYS, *PROVENANCE], ["seed", "queries", *MEASURES])
        _check_cells(path, table["cell"])
        ensembles = table[table["model"] == "ensemble"]
        there = set(zip(ensembles["split"], ensembles["direction"], strict=True))
        for split, direction in product(("dev", "test"), DIRECTIONS):
            if (split, direction) not in there:
                raise InputError(
                    f"{path} has no {split} scores {direction} of an ensemble: delete it and "
                    "make it again"
                )
        tables.append(table.assign(path=path))
    measured = pd.concat(tables, ignore_index=True)
    twice = measured.duplicated(KEYS)
    if twice.any():
        raise InputError(f"{measured['path'][twice].iloc[0]} has scores twice: give each file once")
    return measured.drop(columns="path")


def read_reported(path: str | Path) -> pd.DataFrame:
    """Read reported retrieval scores; what a paper does not report is NaN."""
    columns = ["paper", "dataset", "test_set", "model", "direction"]
    return _read(Path(path), columns, MEASURES, gaps=True)


def read_histories(paths: Iterable[str | Path]) -> pd.DataFrame:
    """Read the histories of trainings, and add the columns dataset, cell and seed.

    These three are the names of the folders that a history lies in: <dataset>/<cell>/seed<k>.

    Raises:
        InputError: a file that is not whole, or does not lie in such folders.
    """
    tables = []
    for path in map(Path, paths):
        match = re.search(r"([^/]+)/([^/]+)/seed(\d+)/[^/]+$", path.absolute().as_posix())
        if not match:
            raise InputError(
                f"{path} does not lie in folders named <dataset>/<cell>/seed<k>, which say what "
                "it is the history of: put it there"
            )
        _check_cells(path, [match[2]])
        table = _read(path, [], ["epoch", "dev_recall"])
        tables.append(table.assign(dataset=match[1], cell=match[2], seed=int(match[3])))
    return pd.concat(tables, ignore_index=True)


def _read(path: Path, text: list[str], numbers: list[str], gaps: bool = False) -> pd.DataFrame:
    try:
        table = pd.read_csv(path, index_col=False, dtype=dict.fromkeys(TEXT, str))
    except FileNotFoundError:
        raise InputError(f"{path} does not exist: make it first") from None
    except ValueError as error:  # empty, ragged, not UTF-8
        reason = str(error).strip().partition("\n")[0]
        raise InputError(f"{path} is not a whole CSV file ({reason}): make it again") from None
    missing = [column for column in [*text, *numbers] if column not in table]
    if missing:
        raise InputError(f"{path} has no column {', '.join(missing)}: make it again")
    if table.empty:
        raise InputError(f"{path} has no rows: delete it and make it again")
    for column in text:
        if column not in PROVENANCE and table[column].isna().any():
            row = table[column].isna().idxmax()
            raise InputError(f"{path} line {row + 2} has no {column}: make the file again")
    for column in numbers:
        values = pd.to_numeric(table[column], errors="coerce")
        bad = values.isna() & ~(table[column].isna() & gaps)
        if bad.any():
            row = bad.idxmax()
            raise InputError(
                f"{path} line {row + 2}: {column} is {table[column][row]!r}, not a number: "
                "delete the file and make it again"
            )
        table[column] = values
    return table


def _check_cells(path: Path, names: Iterable[str]) -> None:
    for name in names:
        try:
            Cell.parse(name)
        except InputError as error:
            raise InputError(f"{path}: {error}") from None


def grid_order(cell: str) -> tuple[Any, ...]:
    """A key to sort cells by: GRU before LSTM, attention before max pooling, then by size."""
    rnn, size, pooling = Cell.parse(cell)
    return rnn, pooling, size


def in_grid_order(table: pd.DataFrame) -> pd.DataFrame:
    """Sort the rows by data set (as they come), cell and seed; their order is kept otherwise."""
    datasets = list(table["dataset"].unique())
    keys = [
        (datasets.index(dataset), grid_order(cell), seed)
        for dataset, cell, seed in zip(table["dataset"], table["cell"], table["seed"], strict=True)
    ]
    return table.iloc[sorted(range(len(table)), key=keys.__getitem__)].reset_index(drop=True)


def development_recall(measured: pd.DataFrame) -> pd.DataFrame:
    """R@10 on the whole development set, the mean of both directions.

    Returns:
        A row for every dataset, cell, seed, model and epochs, with `r10` in percent and half its
        95% interval, `r10_ci`: sqrt(a^2 + b^2) / 2 for intervals a and b of the directions.
    """
    whole = ~measured["test_set"].str.endswith("-folds")
    dev = measured[(measured["split"] == "dev") & whole]
    groups = dev.groupby(["dataset", "cell", "seed", "model", "epochs"], sort=False)
    return groups.agg(
        r10=("r10", "mean"), r10_ci=("r10_ci", lambda ci: np.sqrt((ci**2).sum()) / len(ci))
    ).reset_index()


def selected(measured: pd.DataFrame) -> dict[str, tuple[str, int]]:
    """The cell and seed whose ensemble has the best `development_recall`, for each data set.

    Of equals, the first that was read.
    """
    dev = development_recall(measured)
    dev = dev[dev["model"] == "ensemble"]
    best = dev.loc[dev.groupby("dataset", sort=False)["r10"].idxmax()]
    return {row.dataset: (row.cell, row.seed) for row in best.itertuples()}
