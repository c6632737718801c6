"""Read the numbers that Calixto & Liu (2017) report."""

from pathlib import Path
from typing import Annotated

import pandas as pd

from groundvec.results.frames import Schema, read
from groundvec.results.schemas import (
    CUTOFFS,
    DIRECTION,
    TASK,
    correlation,
    number,
    percent,
    text,
)
from reproduction.schemas import LIST, REPORTED

BETA = {
    "beta": number(
        "weight β of images and captions in the loss; empty for one language", low=0, empty=True
    )
}
REPORTED_LANGUAGES = Schema(
    "calixto_liu_2017/reported/table1.csv",
    "one row per language, direction and model",
    **REPORTED,
    language=text("language of the captions"),
    direction=DIRECTION,
    model=text("name in the paper"),
    **BETA,
    role=text(
        "for one language: retrained by the authors, published before, or not VSE",
        ("retrained", "published", "other"),
        empty=True,
    ),
    **{f"r{k}": percent(f"R@{k}") for k in CUTOFFS},
    median_rank=number("median rank", low=1),
)
REPORTED_IMAGES = Schema(
    "calixto_liu_2017/reported/table2.csv",
    "one row per model and subtask",
    **REPORTED,
    model=text("name in the paper"),
    **BETA,
    **TASK,
    pearson=correlation("Pearson's r"),
)
REPORTED_TRANSLATIONS = Schema(
    "calixto_liu_2017/reported/tables_3_4.csv",
    "one row per list length, system and re-ranker",
    **REPORTED,
    **LIST,
    reranker=text("as in `Reranked`"),
    **BETA,
    **{
        metric: number(metric.upper(), unit="percent", low=0)
        for metric in ("bleu", "meteor", "ter")
    },
)
ReportedLanguages = Annotated[pd.DataFrame, REPORTED_LANGUAGES]
ReportedImages = Annotated[pd.DataFrame, REPORTED_IMAGES]
ReportedTranslations = Annotated[pd.DataFrame, REPORTED_TRANSLATIONS]


def read_languages(path: str | Path) -> ReportedLanguages:
    """Read the reported recalls; models of several languages have an empty role."""
    return read(path, ReportedLanguages).fillna({"role": ""})
