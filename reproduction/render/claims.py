"""Write the table of a paper's claims and their verdicts."""

from pathlib import Path

import pandas as pd

from groundvec.card.text import MISSING, decimals
from groundvec.results import frames
from reproduction.render.tables import bracketed, p_values, write_table
from reproduction.reporting import resampled
from reproduction.reporting.claims import (
    FAILS,
    HOLDS,
    LEVEL,
    OPEN,
    counted,
    of_one_training,
)
from reproduction.reporting.seeds import DRAWS
from reproduction.reporting.systems import NAMES
from reproduction.schemas import Claims

ONE_TRAINING = "\N{DAGGER}"
# Columns that name a comparison, with headings that do not anticipate its verdict.
LABELS = {
    "condition": "condition",
    "measure": "measure",
    "better": "compared",
    "worse": "with",
}
NUMBERS = ["seeds", "reported", "difference", "low", "high", "p"]
NOTES = [
    "Difference: difference of the measure between two systems; positive supports the claim. In "
    f"square brackets, for one seed: {resampled.INTERVAL}. This interval does not cover other "
    f"seeds, so the verdict ({ONE_TRAINING}) is about this training alone.",
    "If the same comparison has several seeds at other sizes, the interval of one seed includes "
    "their pooled variance. It then covers 95% of trainings if seeds vary as much at every size. "
    "It covers 86% if they vary 1.5 times as much at this one, and 77% if twice as much.",
    "For several seeds: the mean difference between systems of the same seed, and its 95% t "
    "interval. The variance is the sum of the variance over the seeds and that of the bootstrap, "
    "with Satterthwaite's degrees of freedom. It is never narrower than over the seeds alone.",
    f"A claim {HOLDS} if the interval is above 0, or for a test if p is below {LEVEL} and the "
    f"difference positive. It {FAILS} if the interval is below 0, or p below {LEVEL} and the "
    f"difference negative. Otherwise it is {OPEN}. Unless a note says so, nothing is corrected for "
    "the number of comparisons.",
]


def write(stem: Path, table: Claims, title: str, notes: list[str]) -> None:
    """Write claims, grouped by claim and data set; without any, the table has no rows."""
    if table.empty:
        text = table[list(LABELS)]
        write_table(stem, table, text, "l" * text.shape[1], title, ["Nothing to compare."])
        return
    table = frames.checked(table, Claims, f"{stem}.csv", "correct the code that compares systems")
    one_training = of_one_training(table)
    text = pd.DataFrame(
        {
            **{heading: table[name].fillna(MISSING) for name, heading in LABELS.items()},
            "seeds": table["seeds"].astype(str),
            "reported": decimals(table["reported"]),
            "difference": bracketed(table["difference"], table["low"], table["high"]),
            "p": p_values(table["p"]),
            "verdict": table["verdict"] + one_training.map({True: ONE_TRAINING, False: ""}),
        }
    )
    # Columns without any value are left out.
    text = text.loc[:, ~text.isin(["", MISSING]).all()]  # such as p, if nothing was tested
    align = ["r" if name in NUMBERS else "l" for name in text]
    groups = table["claim"] + ": " + table["dataset"].replace(NAMES)
    headings = groups + " (" + groups.map(counted(table["verdict"], groups)) + ")"
    notes = [*notes, *NOTES]
    if table["test_to_train"].gt(0).any():
        notes.append(DRAWS)
    write_table(stem, table, text, align, title, notes, headings)
