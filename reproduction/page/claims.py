"""Prepare a paper's table of claims for the page: groups, verdicts and drawn intervals."""

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from reproduction.render.tables import p_values
from reproduction.reporting.claims import VERDICTS
from reproduction.reporting.reported_vs_measured import place_in_interval
from reproduction.reporting.systems import NAMES
from reproduction.schemas import Claims

WIDTH = 120  # the width of a drawn interval in pixels, with 0 in the middle
MARGIN = 0.94  # the share of the width that the largest number reaches
NUMBERS = ["difference", "low", "high", "reported"]


def claims(content: Claims) -> list[dict[str, Any]]:
    """Group a table of claims by claim and data set.

    Returns:
        A list of groups with the keys claim, dataset, verdicts (how many hold, do not, and are
        open), scale (the number at the edge of the drawing; 0 if no row has an interval) and rows.
        The keys of a row are systems, measure, seeds, difference, low, high, p, reported, verdict,
        position (`reported_vs_measured.place_in_interval`), and x: the places of the numbers in the
        drawing, empty without an interval.
    """
    # Rank correlations are over all systems and compare no two of them.
    systems = content["better"] + " against " + content["worse"]
    table = content.assign(
        systems=systems.where(content["better"] != "", "all systems"),
        measure=(content["measure"] + ", " + content["condition"]).str.removesuffix(", "),
        position=place_in_interval(content),
        p=p_values(content["p"]),
    )
    columns = ["systems", "measure", "seeds", *NUMBERS, "p", "verdict", "position"]
    groups = []
    for (claim, dataset), rows in table.groupby(["claim", "dataset"], sort=False):
        drawn = rows.loc[rows["low"].notna(), NUMBERS].abs().to_numpy(float)
        largest = (np.nanmax(drawn) or 1) if len(drawn) else 0
        records = rows[columns].to_dict("records")
        for record in records:
            record["x"] = _places(record, largest)
        verdicts = rows["verdict"].value_counts().reindex(VERDICTS, fill_value=0)
        groups.append(
            {
                "claim": claim,
                "dataset": NAMES.get(str(dataset), dataset),
                "rows": records,
                "verdicts": verdicts.to_dict(),
                "scale": largest / MARGIN,
            }
        )
    return groups


def _places(row: Mapping[Hashable, Any], largest: float) -> dict[str, float]:
    """Compute where a row's numbers are drawn, in pixels from the left."""
    if pd.isna(row["low"]):
        return {}
    return {
        name: round(WIDTH / 2 * (1 + MARGIN * row[name] / largest), 1)
        for name in NUMBERS
        if pd.notna(row[name])
    }
