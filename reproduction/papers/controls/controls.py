"""The table of controls: encoders without training, and trained on captions, images or both."""

from pathlib import Path

import pandas as pd

from groundvec.card.text import decimals
from reproduction.papers.controls.conditions import CONDITIONS, measured, of_images
from reproduction.render.tables import TIMES, wide, write_table
from reproduction.reporting.results import Results
from reproduction.reporting.seeds import DRAWS, mean_of_seeds
from reproduction.reporting.systems import NAMES, sorted_by

TITLE = "Scores by training signal."
NOTES = [
    f"Ratings: Pearson's r {TIMES} 100 with people's ratings, the mean of the subtasks weighted by "
    "their pairs; by cosines, unless a classifier is named. R@10: percent of the test queries.",
    "Rows of one encoder differ in the training signal alone. A caption with itself: pairs of a "
    "caption and its copy, with other dropout. Permuted images: each image has another image's "
    "features, so that captions of one image share an image, but not its content. Images: pairs of "
    "an image and one caption (beta 1). Captions of one image: pairs of these (beta 0). Means over "
    "the seeds, of each training's ensemble. The CSV file has 95% intervals.",
]
KEYS = ["dataset", "encoder", "learned_from"]


def make(results: Results, stem: Path) -> None:
    """Write the table."""
    values = measured(results)
    visual = of_images(results.tasks)
    subtasks = ", ".join(visual["task"] + " " + visual["subtask"])
    notes = [*NOTES, f"Of images and videos: {subtasks}."]
    if values["test_to_train"].gt(0).any():
        notes.append(DRAWS)
    write(stem, controls(values), notes)


def write(stem: Path, table: pd.DataFrame, notes: list[str]) -> None:
    """Write the result of `controls`, one row for each training signal of an encoder."""
    cells = table.assign(text=decimals(table["value"]), seeds=table["seeds"].astype(str))
    text = wide(cells, [*KEYS, "seeds"]).rename(columns={"learned_from": "training signal"})
    encoders = text.pop("dataset").replace(NAMES) + ": " + text.pop("encoder")
    headings = encoders.where(encoders != ": ", "Baselines")
    write_table(stem, table, text, "lr" + "r" * (text.shape[1] - 2), TITLE, notes, headings)


def controls(values: pd.DataFrame) -> pd.DataFrame:
    """Average each system over its seeds, with the interval of `mean_of_seeds`.

    Args:
        values: the result of `conditions.measured`.
    """
    rows = []
    # `groupby` would drop baselines, whose data set and encoder are missing.
    groups = values.fillna({"dataset": "", "encoder": ""}).groupby([*KEYS, "measure"], sort=False)
    for key, seeds in groups:
        overlap = seeds["test_to_train"].iloc[0]
        value, low, high = mean_of_seeds(seeds["draws"].tolist(), overlap)
        rows.append((*key, len(seeds), value, low, high))
    columns = [*KEYS, "measure", "seeds", "value", "low", "high"]
    table = pd.DataFrame(rows, columns=columns)
    first = {
        "dataset": [name for name in table["dataset"].unique() if name],  # baselines have none
        "learned_from": CONDITIONS,
    }
    return sorted_by(table, KEYS, first).reset_index(drop=True)
