"""The table of a paper's claims, and what holds of them."""

from pathlib import Path

import pandas as pd

from groundvec.card.text import MISSING, bracketed, decimals
from groundvec.results import frames
from groundvec.results.schemas import Claims
from groundvec.runtime.errors import InputError
from reproduction.render.tables import p_values, write_table
from reproduction.reporting import resampled
from reproduction.reporting.claims import (
    COMPARED,
    FAILS,
    HOLDS,
    LEVEL,
    OPEN,
    counted,
    of_one_training,
)
from reproduction.reporting.systems import NAMES

ONE_TRAINING = "\N{DAGGER}"
NUMBERS = ["seeds", "reported", "difference", "low", "high", "p"]
NOTES = [
    "Difference: of the measure, between two systems; positive where the claim holds. In square "
    f"brackets, of one seed its {resampled.INTERVAL}. It says nothing of other seeds: the verdict "
    f"({ONE_TRAINING}) is about this training alone.",
    "Where the same comparison has several seeds at other sizes, the interval of one seed has "
    "their pooled variance.",
    "Of several seeds: the mean of their differences, each seed with itself, and its 95% t "
    "interval. The variance is that over the seeds plus that of the bootstrap; the degrees of "
    "freedom are Satterthwaite's. It is never narrower than the interval of the seeds alone.",
    f"A claim {HOLDS} where the interval is above 0 or, of a test, p is below {LEVEL} and the "
    f"difference positive; it {FAILS} where it is so but negative; else it is {OPEN}. Nothing is "
    "corrected for the number of comparisons.",
]


def write(stem: Path, table: Claims, title: str, notes: list[str]) -> None:
    """Write claims, a part for each claim and data set; InputError if there are none."""
    if table.empty:
        raise InputError("there is nothing to compare: give the results of two systems")
    table = frames.checked(table, Claims, f"{stem}.csv", "correct what compares the systems")
    alone = of_one_training(table)
    text = pd.DataFrame(
        {
            **{name: table[name].fillna(MISSING) for name in COMPARED[2:]},
            "seeds": table["seeds"].astype(str),
            "reported": decimals(table["reported"]),
            "difference": bracketed(table["difference"], table["low"], table["high"]),
            "p": p_values(table["p"]),
            "verdict": table["verdict"] + alone.map({True: ONE_TRAINING, False: ""}),
        }
    )
    text = text.loc[:, ~text.isin(["", MISSING]).all()]  # such as p, where nothing was tested
    align = ["r" if name in NUMBERS else "l" for name in text]
    groups = table["claim"] + ": " + table["dataset"].replace(NAMES)
    headings = groups + " (" + groups.map(counted(table["verdict"], groups)) + ")"
    write_table(stem, table, text, align, title, [*notes, *NOTES], headings)
