"""Read the numbers that Socher et al. (2014) report."""

from pathlib import Path
from typing import Annotated

import pandas as pd

from groundvec.results.frames import Schema, read
from groundvec.results.schemas import CUTOFFS, count, number, percent, text
from reproduction.papers.socher_2014.labels import MARGIN, SQUARED
from reproduction.schemas import REPORTED

REPORTED_RANKS = Schema(
    "socher_2014/reported/tables.csv",
    "one row per loss and model",
    **REPORTED,
    loss=text("loss", ("max_margin", "squared_error")),
    model=text("name in the paper"),
    **{
        f"{task}_mean_rank": number(f"mean rank, {task.replace('_', ' ')}", low=1, empty=True)
        for task in ("sentence_similarity", "image_search", "describing")
    },
    **{
        f"{task}_r{k}": percent(f"R@{k}, {task.replace('_', ' ')}", empty=True)
        for task in ("image_search", "describing")
        for k in CUTOFFS
    },
)
REPORTED_RELATIONS = Schema(
    "socher_2014/reported/section_6_7.csv",
    "one row per relation with a matrix of large norm",
    **REPORTED,
    place=count("place by the norm", low=1),
    printed=text("name in the paper"),
    relation=text("Stanford dependency"),
)
ReportedRanks = Annotated[pd.DataFrame, REPORTED_RANKS]
ReportedRelations = Annotated[pd.DataFrame, REPORTED_RELATIONS]
# The direction of retrieval of each of the paper's tasks.
TASKS = {
    "sentence_similarity": "caption_to_caption",
    "image_search": "caption_to_image",
    "describing": "image_to_caption",
}
# The objectives as tables name them. CCA has its own objective, in both of the paper's tables.
LOSSES = {"max_margin": MARGIN, "squared_error": SQUARED}
OF_CCA = {"max_margin": "CCA, inner product", "squared_error": "CCA, Euclidean distance"}


def read_ranks(path: str | Path) -> pd.DataFrame:
    """Read the mean ranks and recalls that Socher et al. (2014) report.

    Columns such as `image_to_caption_r10` hold the numbers, NaN if the paper has none. A random
    ranking has no objective.
    """
    table = read(path, ReportedRanks)
    for task, direction in TASKS.items():
        table.columns = table.columns.str.replace(task, direction)
    name = table["model"]
    loss = table["loss"]
    objective = loss.map(LOSSES).where(name != "kCCA", loss.map(OF_CCA))
    objective = objective.where(name != "Random", "")
    return table.assign(name=name, system=name, objective=objective)
