"""Shared functions of the pages' modules: read kept files, format cells, write tables."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, StrictUndefined

from groundvec.card.text import number
from groundvec.model.shipped import PRETRAINED
from groundvec.results.frames import read_csv
from groundvec.runtime.files import read_json
from reproduction.reading import read_yaml
from reproduction.render.claims import LABELS
from reproduction.render.tables import bracketed
from reproduction.reporting.claims import FAILS, HOLDS, OPEN, of_one_training, read
from reproduction.reporting.measures import WAYS
from reproduction.reporting.seeds import t_interval

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "docs" / "results"
DECLARATIONS = Path(__file__).with_name("declared.yaml")
# Strictly: of two sections for one page, YAML would keep the last one.
DECLARED = read_yaml(DECLARATIONS.read_text(encoding="utf-8"), DECLARATIONS)
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


def rows(file: str, where: str = "") -> list[dict[Any, Any]]:
    """Select rows of a file of docs/results."""
    table = kept(file)
    return table.query(where).to_dict("records") if where else table.to_dict("records")


def row(file: str, where: str) -> dict[Any, Any]:
    """Select the only row of a file of docs/results."""
    [only] = rows(file, where)
    return only


def interval(row: Mapping[str, Any], columns: str | list[str], factor: float = 1) -> str:
    """Write a number of a row with its interval, from its name or from all three names."""
    names = with_ends(columns) if isinstance(columns, str) else columns
    value, low, high = ([factor * row[name]] for name in names)
    return bracketed(value, low, high)[0]


def recall(row: Mapping[str, Any], column: str) -> str:
    """Write a recall of a row with half its interval."""
    return f"{number(row[column])} ± {number(row[f'{column}_ci'])}"


ENVIRONMENT = Environment(trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined)
ENVIRONMENT.globals |= {"rows": rows, "row": row}
ENVIRONMENT.filters |= {
    "n": number,
    "whole": "{:,.0f}".format,
    "interval": interval,
    "recall": recall,
}


def rendered(template: str, values: Mapping[str, Any] | None = None) -> str:
    """Fill in a template of docs/pages/declared.yaml."""
    return ENVIRONMENT.from_string(template).render(values or {}).rstrip("\n")


def training_captions() -> tuple[int, int]:
    """Count Flickr8k's training captions, and all that the shipped encoders have read."""
    flickr8k = 5 * 6_000
    more = read_json(PRETRAINED / "flickr8k-v6" / "model.json")["more_captions"]
    return flickr8k, flickr8k + more["captions"] + more["of_training_pictures"]


def markdown(table: pd.DataFrame, labels: int) -> str:
    """Write a Markdown table whose first `labels` columns are text, and the others numbers."""
    # Numbers are aligned right.
    rules = ["---"] * labels + ["--:"] * (table.shape[1] - labels)
    headings = table.rename(columns=LABELS).columns.astype(str).tolist()
    rows = [headings, rules, *table.astype(str).to_numpy().tolist()]
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
