"""Read the numbers that Socher et al. (2014) report."""

from pathlib import Path

import pandas as pd

from groundvec.results.frames import read_csv
from reproduction.papers.socher_2014.labels import MARGIN, SQUARED

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
    table = read_csv(path)
    for task, direction in TASKS.items():
        table.columns = table.columns.str.replace(task, direction)
    name = table["model"]
    loss = table["loss"]
    objective = loss.map(LOSSES).where(name != "kCCA", loss.map(OF_CCA))
    objective = objective.where(name != "Random", "")
    return table.assign(name=name, system=name, objective=objective)
