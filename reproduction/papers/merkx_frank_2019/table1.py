"""Table 1 of Merkx & Frank (2019): the tasks of the semantic evaluation."""

from pathlib import Path

import numpy as np
import pandas as pd

from groundvec.card.text import MISSING
from reproduction.render.tables import write_table
from reproduction.reporting.results import Results

NOTES = [
    "The systems' cosine similarities are correlated with the ratings of the test pairs. For tasks "
    "with training pairs, the predictions of a classifier trained on these are correlated too.",
    "Dropped: pairs without a rating, which are left out.",
    "The ratings are people's, except those of Scenes, which are computed from drawn scenes.",
]
SOURCES_NOTE = (
    "Sources are as the organizers of STS name them. Table 1 of Merkx & Frank (2019) exchanges the "
    "sources of SMTeuroparl and OnWN of 2012, and of FNWN and HDL of 2013."
)


def make(results: Results, stem: Path) -> None:
    """Write Table 1."""
    tasks = results.tasks
    supervised = tasks["train"] > 0
    total: dict[str, object] = {"task": "Total", "subtask": "", "source": "", "train": 0, "dev": 0}
    for column in ("test", "dropped"):
        total[column] = tasks.loc[~supervised, column].sum()
    parts = [tasks[~supervised], pd.DataFrame([total]), tasks[supervised]]
    if supervised.all():  # no task without training pairs, and no total
        del parts[:2]
    sections = pd.concat(parts, ignore_index=True)
    text = sections[["task", "subtask", "source"]].fillna("")
    for column in ("train", "dev", "test", "dropped"):
        text[column] = [f"{count:,.0f}" for count in sections[column]]
    groups = np.where(sections["train"] > 0, "With training pairs", "Test pairs only")
    text.loc[sections["train"] == 0, ["train", "dev"]] = MISSING
    text.loc[text["task"] == text["task"].shift(), "task"] = ""
    title = "Ratings of the similarity of two sentences: tasks, subtasks and pairs."
    has_exchanged = tasks["task"].isin(["STS 2012", "STS 2013"]).any()
    notes = [*NOTES, SOURCES_NOTE] if has_exchanged else NOTES
    write_table(stem, tasks, text, "lllrrrr", title, notes, groups)
