"""Compare the rows of the table of controls: the effect of captions and of images."""

from pathlib import Path

import pandas as pd

from reproduction.papers.controls.conditions import BOTH, CAPTIONS, IMAGES, UNTRAINED, measured
from reproduction.render.claims import write
from reproduction.render.tables import TIMES
from reproduction.reporting.claims import decide, pairwise, stacked
from reproduction.reporting.results import Results
from reproduction.schemas import Claims

# The two rows that each claim compares: the one claimed worse, then the one claimed better.
CLAIMS = {
    "Captions teach: captions alone are better than no training": (UNTRAINED, CAPTIONS),
    "Images teach: images alone are better than no training": (UNTRAINED, IMAGES),
    "Images add to captions: both are better than captions alone": (CAPTIONS, BOTH),
    "Captions add to images: both are better than images alone": (IMAGES, BOTH),
}
BASELINES = "An encoder that learned from both is better than a baseline that learned nothing"
TITLE = "What captions and images teach."
NOTES = [f"Measures as in the table of controls: Pearson's r {TIMES} 100, and R@10 in percent."]


def make(results: Results, stem: Path) -> None:
    """Write the claims."""
    write(stem, claims(measured(results)), TITLE, NOTES)


def claims(values: pd.DataFrame) -> Claims:
    """Compute the difference of every comparison, and decide whether the claims hold.

    Args:
        values: the result of `conditions.measured`.
    """
    # Rows are compared by their condition, which `pairwise` reads from `name`.
    values = values.assign(name=values["learned_from"])
    trained = values.dropna(subset="encoder").astype({"seed": int})
    baselines = values[values["encoder"].isna()]
    parts = []
    for encoder, rows in trained.groupby("encoder", sort=False):
        by_condition = dict(iter(rows.groupby("learned_from")))
        for claim, (worse, better) in CLAIMS.items():
            if {worse, better} <= by_condition.keys():
                pairs = pairwise(
                    claim, by_condition[worse], by_condition[better], ["dataset", "seed"]
                )
                parts.append(pairs.assign(condition=encoder))
        if BOTH in by_condition and len(baselines):
            pairs = pairwise(BASELINES, baselines, by_condition[BOTH])
            parts.append(pairs.assign(condition=encoder))
    return decide("controls", stacked(parts))
