"""Result files, read and checked, in the order of the grid; and the model that they select."""

import re
from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from groundvec.errors import InputError
from groundvec.evaluation.retrieval import CUTOFFS, DECIMALS, DIRECTIONS
from groundvec.models.cell import Cell

MEASURES = [*(f"r{k}{suffix}" for k in CUTOFFS for suffix in ("", "_ci")), "median_rank"]
PROVENANCE = ["configuration", "commit", "versions", "machine", "slurm_job"]
KEYS = ["dataset", "cell", "seed", "model", "epochs", "split", "test_set", "direction"]
TRAINED = ["dataset", "cell", "seed", "epochs"]  # what a baseline does not have
CORRELATIONS = [f"{r}{end}" for r in ("pearson", "spearman") for end in ("", "_low", "_high")]
NAMES = {"flickr8k": "Flickr8k", "mscoco": "MSCOCO"}
REPORTED_STS = {
    "bow": "BOW",
    "infersent": "InferSent",
    "char_gru_flickr8k": "char-GRU Flickr8k",
    "char_gru_mscoco": "char-GRU MSCOCO",
}


def read_retrieval(paths: Iterable[str | Path]) -> pd.DataFrame:
    """Read measured retrieval scores, one file for each data set, cell and seed.

    Returns:
        The rows of the files. The epochs of the model `chance` are empty texts.

    Raises:
        InputError: a file that is not whole, or two about the same model.
    """
    tables = []
    for path in map(Path, paths):
        numbers = ["seed", "queries", *MEASURES]
        table = _read(path, [*KEYS, *PROVENANCE], numbers, optional=["epochs", *PROVENANCE])
        _check_filled(path, table[table["model"] != "chance"], ["epochs"])
        table = table.fillna({"epochs": ""})
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
    _check_once(measured, KEYS)
    return measured.drop(columns="path")


def read_reported(path: str | Path) -> pd.DataFrame:
    """Read reported retrieval scores; what a paper does not report is NaN."""
    columns = ["paper", "dataset", "test_set", "model", "direction"]
    return _read(Path(path), columns, MEASURES, optional=MEASURES)


def read_tasks(path: str | Path) -> pd.DataFrame:
    """Read the numbers of pairs that each subtask has in each split, and of those dropped."""
    counts = ["train", "dev", "test", "dropped"]
    return _read(Path(path), ["task", "subtask", "source"], counts, optional=["source"])


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


def read_scores(paths: Iterable[str | Path]) -> pd.DataFrame:
    """Read measured correlations with ratings, one file for each system.

    Returns:
        The rows of the files. `seed` is Int64, missing for baselines, whose dataset, cell and
        epochs are empty texts.

    Raises:
        InputError: a file that is not whole, or two about the same system.
    """
    keys = ["task", "subtask", "statistic", "method"]
    text = ["dataset", "cell", *keys, *PROVENANCE]
    scores = _read_systems(paths, text, ["seed", "pairs", *CORRELATIONS], keys)
    return scores.astype({"seed": "Int64"})


def read_similarities(paths: Iterable[str | Path]) -> pd.DataFrame:
    """Read what systems predict for the test pairs, one file for each system.

    Returns:
        The rows of the files. `classifier` is NaN where a task has none; the epochs of
        baselines are empty texts.

    Raises:
        InputError: a file that is not whole, or two about the same system.
    """
    numbers = ["pair", "score", "cosine", "classifier"]
    return _read_systems(paths, ["task", "subtask"], numbers, ["pair"])


def _read_systems(
    paths: Iterable[str | Path], text: list[str], numbers: list[str], keys: list[str]
) -> pd.DataFrame:
    optional = [*TRAINED, *PROVENANCE, "classifier"]
    keys = ["system", "model", "epochs", *keys]
    tables = []
    for path in map(Path, paths):
        table = _read(path, list(dict.fromkeys([*keys[:3], *text])), numbers, optional)
        if not table["model"].isin(["ensemble", "baseline"]).any():
            raise InputError(
                f"{path} has no rows of an ensemble or a baseline: delete it and make it again"
            )
        trained = table[table["model"] != "baseline"]
        _check_filled(path, trained, trained.columns.intersection(TRAINED))
        if "cell" in table:
            _check_cells(path, trained["cell"].unique())
        gaps = {column: "" for column in ("dataset", "cell", "epochs") if column in table}
        tables.append(table.fillna(gaps).assign(path=path))
    systems = pd.concat(tables, ignore_index=True)
    _check_once(systems, keys)
    return systems.drop(columns="path")


def read_reported_sts(path: str | Path) -> pd.DataFrame:
    """Read the correlations that the supplement of Merkx & Frank (2019) reports, in percent.

    Returns:
        A row for each system and subtask, with columns system, task, subtask, pairs, pearson and
        its 95% interval, pearson_low and pearson_high: here fractions of 1.
    """
    columns = [f"{name}{end}" for name in REPORTED_STS for end in ("", "_up", "_down")]
    table = _read(Path(path), ["task", "subtask"], ["pairs", *columns])
    return pd.concat(
        [
            table[["task", "subtask", "pairs"]].assign(
                system=system,
                pearson=table[name] / 100,
                pearson_low=(table[name] - table[f"{name}_down"]) / 100,
                pearson_high=(table[name] + table[f"{name}_up"]) / 100,
            )
            for name, system in REPORTED_STS.items()
        ],
        ignore_index=True,
    )[["system", "task", "subtask", "pairs", "pearson", "pearson_low", "pearson_high"]].round(3)


def _read(
    path: Path, text: list[str], numbers: list[str], optional: Iterable[str] = ()
) -> pd.DataFrame:
    """Read a CSV file with these columns, of which only the optional ones may have empty cells."""
    try:
        table = pd.read_csv(path, index_col=False, dtype=dict.fromkeys(text, str))
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
    _check_filled(path, table, [column for column in text if column not in optional])
    for column in numbers:
        values = pd.to_numeric(table[column], errors="coerce")
        bad = values.isna() & ~(table[column].isna() & (column in optional))
        if bad.any():
            row = bad.idxmax()
            raise InputError(
                f"{path} line {row + 2}: {column} is {table[column][row]!r}, not a number: "
                "delete the file and make it again"
            )
        table[column] = values
    return table


def _check_filled(path: Path, table: pd.DataFrame, columns: Iterable[str]) -> None:
    for column in columns:
        if table[column].isna().any():
            row = table[column].isna().idxmax()
            raise InputError(f"{path} line {row + 2} has no {column}: make the file again")


def _check_once(table: pd.DataFrame, keys: list[str]) -> None:
    twice = table.duplicated(keys)
    if twice.any():
        raise InputError(f"{table['path'][twice].iloc[0]} has scores twice: give each file once")


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

    Of equals (to DECIMALS), the first that was read.
    """
    dev = development_recall(measured).round({"r10": DECIMALS})
    dev = dev[dev["model"] == "ensemble"]
    best = dev.loc[dev.groupby("dataset", sort=False)["r10"].idxmax()]
    return {row.dataset: (row.cell, row.seed) for row in best.itertuples()}


def headline(scores: pd.DataFrame) -> pd.DataFrame:
    """The correlation that stands for each subtask: the classifier's, or else the cosine's.

    Args:
        scores: as `read_scores` gives them.
    """
    correlations = scores[scores["statistic"] == "correlation"]
    subtask = pd.MultiIndex.from_frame(correlations[["task", "subtask"]])
    classifier = correlations["method"] == "classifier"
    supervised = subtask.isin(subtask[classifier])
    return correlations[classifier | ~supervised].reset_index(drop=True)


def prediction(similarities: pd.DataFrame) -> pd.Series:
    """What a system predicts for each pair: by the classifier if the task has one, or the cosine.

    Args:
        similarities: as `read_similarities` gives them.
    """
    return similarities["classifier"].fillna(similarities["cosine"])


def semantic_measures(scores: pd.DataFrame) -> pd.DataFrame:
    """What Figures 2 and 4 show: few numbers that sum up how close a model is to ratings.

    Returns:
        A row for each system, model, epochs and measure, with columns system, dataset, cell,
        seed, model, epochs, measure, pearson, pearson_low and pearson_high. The measures are, in
        this order, the mean of all unsupervised tasks weighted by pairs, called `STS 12-16` if
        they are STS 2012 to 2016 and otherwise by their names; each supervised task by its
        classifier, where SICK is called `SICK-R`; and `semantic score`, the mean of these
        without STS-B, whose pairs are taken from STS 2012 to 2016.
    """
    of_all = (scores["statistic"] == "weighted mean") & (scores["task"] == "all")
    unsupervised = scores["statistic"].eq("weighted mean") & ~of_all
    name = _joint_name(list(scores["task"][unsupervised].unique()))
    supervised = headline(scores).query("method == 'classifier'")
    measures = pd.concat(
        [
            scores[of_all].assign(measure=name),
            supervised.assign(measure=supervised["task"].replace({"SICK": "SICK-R"})),
        ]
    )
    keys = ["system", "dataset", "cell", "seed", "model", "epochs"]
    columns = [*keys, "measure", "pearson", "pearson_low", "pearson_high"]
    combined = means(measures[measures["measure"] != "STS-B"], keys)
    table = pd.concat([measures, combined.assign(measure="semantic score")], ignore_index=True)
    order = table.groupby(keys, sort=False, dropna=False).ngroup().sort_values(kind="stable")
    return table.loc[order.index, columns].reset_index(drop=True)


def _joint_name(tasks: list[str]) -> str:
    """`STS 12-16` for `STS 2012` to `STS 2016`; otherwise the names of the tasks."""
    years = sorted(task.removeprefix("STS 20") for task in tasks)
    if len(tasks) > 1 and all(task.startswith("STS 20") for task in tasks):
        return f"STS {years[0]}-{years[-1]}"
    return ", ".join(tasks)


def means(table: pd.DataFrame, keys: list[str], weights: str | None = None) -> pd.DataFrame:
    """The mean correlation of each group of rows, weighted by a column if one is named.

    Returns:
        The keys, pearson, and pearson_low and pearson_high: the halves of the intervals combine
        as sqrt(sum (weight * half)^2), upper and lower ones separately.
    """
    table = table.assign(weight=table[weights] if weights else 1)
    share = table["weight"] / table.groupby(keys, dropna=False)["weight"].transform("sum")
    parts = table.assign(
        pearson=share * table["pearson"],
        low=(share * (table["pearson"] - table["pearson_low"])) ** 2,
        high=(share * (table["pearson_high"] - table["pearson"])) ** 2,
    )
    sums = parts.groupby(keys, sort=False, dropna=False)[["pearson", "low", "high"]].sum()
    sums["pearson_low"] = sums["pearson"] - np.sqrt(sums.pop("low"))
    sums["pearson_high"] = sums["pearson"] + np.sqrt(sums.pop("high"))
    return sums.reset_index()


def main_systems(table: pd.DataFrame, selected: dict[str, tuple[str, int]]) -> pd.DataFrame:
    """The rows of the systems that tables and figures show, with their names in a column `name`.

    For each data set the ensemble that is selected, such as `gru-2048-attention Flickr8k`; then
    its training's untrained network, `untrained gru-2048-attention` (with the data set if two
    have this cell); then every baseline by its own name.

    Args:
        table: as `read_scores` or `read_similarities` give it.
        selected: as `selected` gives it.

    Raises:
        InputError: no row of a selected ensemble or of its untrained network.
    """
    ensembles, untrained = [], []
    cells = [cell for cell, _ in selected.values()]
    for dataset, (cell, seed) in selected.items():
        system = f"{dataset}/{cell}/seed{seed}"
        name = f"{cell} {NAMES.get(dataset, dataset)}"
        rows = table[table["system"] == system]
        trained = rows["model"] == "ensemble"
        first = (rows["model"] == "snapshot") & (rows["epochs"] == "0")
        if not (trained.any() and first.any()):
            raise InputError(
                f"there are no semantic scores of {system}, which the development set selects, "
                "both as ensemble and untrained (epoch 0): give its file too"
            )
        ensembles.append(rows[trained].assign(name=name))
        other = name if cells.count(cell) > 1 else cell
        untrained.append(rows[first].assign(name=f"untrained {other}"))
    baselines = table[table["model"] == "baseline"]
    parts = [*ensembles, *untrained, baselines.assign(name=baselines["system"])]
    return pd.concat(parts, ignore_index=True)
