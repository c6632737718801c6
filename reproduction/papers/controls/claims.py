"""Compare the rows of the table of controls: the effect of captions and of images."""

from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import ndtr

from groundvec.evaluation.significance import holm
from reproduction.papers.controls.conditions import (
    BOTH,
    CAPTIONS,
    IMAGES,
    ITSELF,
    LONGER,
    PERMUTED,
    UNTRAINED,
    measured,
)
from reproduction.render.claims import write
from reproduction.render.tables import TIMES
from reproduction.reporting.claims import LEVEL, OPEN, decide, pairwise, stacked
from reproduction.reporting.results import Results
from reproduction.reporting.seeds import p_value, variance_over_items
from reproduction.schemas import Claims

# The two rows that each claim compares: the one claimed worse, then the one claimed better.
CLAIMS = {
    "Grouping teaches: permuted images are better than no training": (UNTRAINED, PERMUTED),
    "Content teaches: images are better than permuted images": (PERMUTED, IMAGES),
    "Content teaches: images are better than permuted images that are trained longer": (
        LONGER,
        IMAGES,
    ),
    "Images teach: images are better than a caption with itself": (ITSELF, IMAGES),
    "Captions teach: captions of one image are better than a caption with itself": (
        ITSELF,
        CAPTIONS,
    ),
    "Captions teach more: captions of one image are better than images": (IMAGES, CAPTIONS),
    "Images add to captions: both are better than captions of one image": (CAPTIONS, BOTH),
    "Captions add to images: both are better than images": (IMAGES, BOTH),
}
BASELINES = "An encoder that learned from both is better than a baseline that learned nothing"
TITLE = "What captions and images teach."
NOTES = [
    f"Measures as in the table of controls: Pearson's r {TIMES} 100, and R@10 in percent.",
    "p is adjusted by Holm's procedure for all comparisons of this table. A difference is shown "
    f"only if its interval leaves out 0 and p is below {LEVEL}.",
]


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
    return corrected(decide("controls", stacked(parts)))


def corrected(claims: Claims) -> Claims:
    """Adjust p for the number of comparisons (Holm 1979), and decide only if it is small."""
    if claims.empty:
        return claims
    p = holm(np.array([_p_value(row) for _, row in claims.iterrows()]))
    return claims.assign(p=p, verdict=claims["verdict"].where(p < LEVEL, OPEN))


def _p_value(claim: pd.Series) -> float:
    """Test a claim's difference; a single seed by the normal distribution over test items."""
    if claim["seeds"] > 1:
        seeds = [float(value) for value in claim["of_seeds"].split("; ")]
        return p_value(seeds, claim["of_items"])
    deviation = np.sqrt(variance_over_items(claim["low"], claim["high"]))
    if not deviation:
        return float(claim["difference"] == 0)
    return float(2 * ndtr(-abs(claim["difference"]) / deviation))
