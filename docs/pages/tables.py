"""Shared functions of the pages' modules: read kept files, format cells, write tables."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from groundvec.card.text import decimals
from groundvec.model.shipped import PRETRAINED
from groundvec.results.frames import read_csv
from groundvec.runtime.files import read_json
from reproduction.papers.summary.summary import WAYS
from reproduction.render.tables import bracketed
from reproduction.reporting.claims import FAILS, HOLDS, OPEN, of_one_training, read
from reproduction.reporting.seeds import t_interval

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "docs" / "results"
DECLARED = yaml.safe_load(Path(__file__).with_name("declared.yaml").read_text(encoding="utf-8"))
TRAINING = ["dataset", "model", "seed"]
DIFFERENCE = ["difference", "low", "high"]
MARKS = {HOLDS: "\N{CHECK MARK}", FAILS: "\N{MULTIPLICATION SIGN}", OPEN: "?"}
# The measures of short tables, with their names in `scores` and `rated`.
RECALLS = [f"R@{k}, {way}" for way in WAYS.values() for k in (1, 10)]
STS = "STS 2012-2016, cosine"
STSB = "STS-B, classifier"
SICK = "SICK, classifier"
WITH_R1 = [*RECALLS, STS, STSB, SICK]
REACHED = [*RECALLS[1::2], STS, STSB, SICK]


def kept(name: str) -> pd.DataFrame:
    """Read a file of docs/results, such as `best/history`."""
    return read_csv(KEPT / f"{name}.csv", low_memory=False)


def comparisons(name: str) -> pd.DataFrame:
    """Read the claims of docs/results that compare two systems."""
    return read(KEPT / f"{name}.csv").query("worse != ''")


def marks(claims: pd.DataFrame) -> pd.Series:
    """Write a mark for each verdict, in brackets if it is about one training."""
    texts = claims["verdict"].map(MARKS)
    return texts.where(~of_one_training(claims), "(" + texts + ")")


def cells(table: pd.DataFrame, *columns: Sequence[Any]) -> pd.DataFrame:
    """Write columns that docs/pages/declared.yaml declares: heading, expressions and format."""
    texts_of_columns = []
    for heading, declared, *form in columns:
        expressions = [declared] if isinstance(declared, str) else declared
        values: list[Any] = [table.eval(expression) for expression in expressions]
        if not form:
            texts = values[0].astype(str)
        elif isinstance(form[0], int):
            write: Callable[..., list[str]] = bracketed if len(values) == 3 else decimals
            texts = write(*values, form[0])
        else:
            texts = [form[0].format(*row) for row in zip(*values, strict=True)]
        texts_of_columns.append(pd.Series(texts, table.index, name=heading))
    return pd.concat(texts_of_columns, axis=1)


def selected(file: str, columns: list[list[Any]], where: str = "", sort: str = "") -> pd.DataFrame:
    """Write the cells that docs/pages/declared.yaml selects from a file of docs/results."""
    table = kept(file)
    table = table.query(where) if where else table
    table = table.sort_values(sort, ascending=False) if sort else table
    return cells(table, *columns)


def selection(labels: int, **declaration: Any) -> str:
    """Write a table that docs/pages/declared.yaml declares."""
    return markdown(selected(**declaration), labels)


def training_captions() -> tuple[int, int]:
    """Count Flickr8k's training captions, and all that the shipped encoders have read."""
    flickr8k = 5 * 6_000
    more = read_json(PRETRAINED / "flickr8k-v5" / "model.json")["more_captions"]
    return flickr8k, flickr8k + more["captions"] + more["of_training_pictures"]


def markdown(table: pd.DataFrame, labels: int) -> str:
    """Write a Markdown table whose first `labels` columns are text, and the others numbers."""
    # Numbers are aligned right.
    rules = ["---"] * labels + ["--:"] * (table.shape[1] - labels)
    rows = [list(table.columns), rules, *table.astype(str).to_numpy().tolist()]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def with_ends(name: str) -> list[str]:
    """Return the names of the columns of a value and of the ends of its interval."""
    return [f"{name}{end}" for end in ("", "_low", "_high")]


def intervals(table: pd.DataFrame, columns: list[str]) -> pd.Series:
    """Write values with their intervals, from the columns of the value and of both ends."""
    value, low, high = (table[column] for column in columns)
    texts = bracketed(value, low, high)
    return pd.Series(texts, table.index)


def mean_and_range(values: pd.Series, by: str | Sequence[str], digits: int = 1) -> pd.Series:
    """Write the mean of each group, with the lowest and the highest of several values.

    Args:
        by: levels of the index that form the groups.
    """
    groups = values.groupby(level=by, sort=False)
    mean = groups.mean()
    low = groups.min()
    high = groups.max()
    return pd.Series(bracketed(mean, low.where(groups.count() > 1), high, digits), mean.index)


def of_seeds(values: pd.Series) -> str:
    """Write the mean over seeds and its t interval."""
    low, high = t_interval(values)
    return bracketed([values.mean()], [low], [high])[0]


def once(names: pd.Series) -> pd.Series:
    """Replace names that a row above has by empty texts."""
    return names.where(~names.duplicated(), "")


def code(names: Any) -> Any:
    """Write names as code."""
    return "`" + names + "`"


def scores(experiment: str) -> pd.DataFrame:
    """Read recalls and ratings of an experiment's ensembles.

    Returns:
        One row per training, indexed by `TRAINING`, with columns such as `WITH_R1`, in percent.
    """
    recalls = kept(f"{experiment}/retrieval").query("direction in @WAYS")
    recalls = recalls.pivot(index=TRAINING, columns="direction", values=["r1", "r10"])
    recalls = recalls[[(k, way) for k in ("r1", "r10") for way in WAYS]]
    recalls.columns = [f"R@{k}, {way}" for k in (1, 10) for way in WAYS.values()]
    ratings = kept(f"{experiment}/ratings")
    tasks = ratings["task"].replace("all", "STS 2012-2016")
    ratings["measure"] = tasks + ", " + ratings["method"]
    ratings = 100 * ratings.pivot(index=TRAINING, columns="measure", values="pearson")
    return pd.concat([recalls, ratings], axis=1)


def evaluated(name: str) -> pd.DataFrame:
    """Read an encoder's scores by `groundvec evaluate ratings`, with correlations times 100."""
    table = kept(f"evaluate/{name}")
    # Kept files have fractions of 1, and pages show correlations times 100.
    numbers = table.filter(regex="pearson|spearman").columns
    return table.assign(**100 * table[numbers])
