"""Compare the rows of the table of controls: the effect of captions and of images."""

import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import ndtr

from groundvec.evaluation.significance import holm
from reproduction.papers.controls.conditions import measured
from reproduction.render.claims import write
from reproduction.render.tables import TIMES
from reproduction.reporting.claims import LEVEL, OPEN, claimed_pairs, decide
from reproduction.reporting.results import Results
from reproduction.reporting.seeds import p_value, variance_over_items
from reproduction.reporting.systems import sorted_by
from reproduction.schemas import Claims

# The systems of each claim, for `claimed_pairs`.
CLAIMS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
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
    values = values.assign(name=values["learned_from"], baseline=values["encoder"].isna())
    trained = values.query("not baseline").astype({"seed": int})
    # Each seed of an encoder has the same baselines.
    training = ["dataset", "encoder", "seed"]
    baselines = values.query("baseline").drop(columns=training)
    baselines = baselines.merge(trained[training].drop_duplicates(), "cross")
    pairs = claimed_pairs(pd.concat([trained, baselines]), CLAIMS, [*training, "measure"])
    pairs = pairs.rename(columns={"encoder": "condition", "test_to_train_better": "test_to_train"})
    order = {"condition": list(trained["encoder"].unique()), "claim": list(CLAIMS)}
    return corrected(decide("controls", sorted_by(pairs, ["condition", "claim"], order)))


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
