"""Read the numbers that Merkx & Frank (2019) report."""

from pathlib import Path
from typing import Annotated

import pandas as pd

from groundvec.results.frames import Schema, read
from groundvec.results.schemas import DATASET, DIRECTION, TASK, count, number, recalls, text
from reproduction.schemas import REPORTED

REPORTED_RETRIEVAL = Schema(
    "merkx_frank_2019/reported/table2.csv",
    "one row per model and direction",
    **REPORTED,
    dataset=DATASET,
    test_set=text("as in `Retrieval`"),
    model=text("name in the paper"),
    direction=DIRECTION,
    **recalls(empty=True),
)
REPORTED_CORRELATIONS = Schema(
    "merkx_frank_2019/reported/table_s1.csv",
    "one row per subtask",
    **TASK,
    pairs=count("test pairs", low=1),
    **{
        f"{system}{end}": number(f"{what} of {system}", unit="r times 100")
        for system in ("bow", "infersent", "char_gru_flickr8k", "char_gru_mscoco")
        for end, what in {
            "": "Pearson's r",
            "_up": "upper half of the 95% interval",
            "_down": "lower half",
        }.items()
    },
)
REPORTED_CHANGES = Schema(
    "merkx_frank_2019/reported/section_4_3_4.csv",
    "one row per change up to the last epoch",
    **REPORTED,
    dataset=DATASET,
    measure=text("training task or semantic score"),
    since=text("`epoch 4` or `peak`"),
    change=number("change", unit="percent"),
)
ReportedRetrieval = Annotated[pd.DataFrame, REPORTED_RETRIEVAL]
ReportedCorrelations = Annotated[pd.DataFrame, REPORTED_CORRELATIONS]
ReportedChanges = Annotated[pd.DataFrame, REPORTED_CHANGES]
# The columns of table_s1.csv begin with these keys.
SYSTEMS = {
    "bow": "BOW",
    "infersent": "InferSent",
    "char_gru_flickr8k": "char-GRU Flickr8k",
    "char_gru_mscoco": "char-GRU MSCOCO",
}


def read_correlations(path: str | Path) -> pd.DataFrame:
    """Read the correlations in the supplement of Merkx & Frank (2019).

    Returns:
        One row per system and subtask: system, task, subtask, pairs, pearson, pearson_low and
        pearson_high, as fractions of 1.
    """
    # The file has r times 100 with both halves of the interval, as printed.
    table = read(path, ReportedCorrelations)
    return pd.concat(
        [
            table[["task", "subtask", "pairs"]].assign(
                system=system,
                pearson=table[name] / 100,
                pearson_low=(table[name] - table[f"{name}_down"]) / 100,
                pearson_high=(table[name] + table[f"{name}_up"]) / 100,
            )
            for name, system in SYSTEMS.items()
        ],
        ignore_index=True,
    )[["system", "task", "subtask", "pairs", "pearson", "pearson_low", "pearson_high"]].round(3)
