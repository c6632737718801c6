"""docs/encoder.md, evaluate.md and export.md: scores and costs of the shipped encoders."""

import json
from typing import Any

import pandas as pd

from docs.pages.tables import ROOT, evaluated, markdown
from groundvec.card.text import decimals
from groundvec.evaluation.score_table import PUBLISHED
from groundvec.results.frames import read_csv


def published(encoders: dict[str, list[str]]) -> str:
    """Write MTEB's scores of encoders that others published, and of encoders rated here.

    Args:
        encoders: the label and the size of each encoder, by its name.
    """
    published_scores = read_csv(PUBLISHED)
    # Published scores are fractions of 1.
    table = published_scores.assign(spearman=100 * published_scores["spearman"])
    for name in encoders.keys() - {*published_scores["encoder"]}:
        rated_here = evaluated(name).query("definition == 'MTEB cosine'")
        table = pd.concat([table, rated_here.assign(encoder=name)])
    scores = table.pivot(index="encoder", columns="task", values="spearman")
    scores = scores.loc[list(encoders), published_scores["task"].unique()]
    page_table = scores.assign(mean=scores.mean(axis=1)).apply(decimals)
    page_table.insert(0, "encoder", [label for label, _ in encoders.values()])
    page_table.insert(1, "size", [size for _, size in encoders.values()])
    return markdown(page_table, 2)


def measured(stage: str) -> list[dict[str, Any]]:
    """Read the rows of a benchmark."""
    path = ROOT / "benchmarks" / "results" / f"{stage}.json"
    rows: list[dict[str, Any]] = json.loads(path.read_text())["rows"]
    return rows


def values() -> dict[str, Any]:
    """Read recall and time of searches, by the number of crops, and the time of features."""
    # The names of rows are "NETWORK, PRECISION, DEVICE".
    seconds = {row["what"].partition(", cpu")[0]: row["ours"] for row in measured("features")}
    resnet = seconds["resnet152, float32"]
    lite = seconds["efficientnet_lite0, float32"]
    return {
        "crops": {row["crops"]: row for row in measured("search") if "crops" in row},
        "index": measured("index")[0],
        "resnet": resnet,
        "lite": lite,
        "resnet_hours": 8000 * resnet / 3600,
        "lite_minutes": 8000 * lite / 60,
    }
