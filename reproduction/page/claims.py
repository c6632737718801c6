"""The claims of a paper with their verdicts, from its table of claims."""

from typing import Any

import numpy as np
import pandas as pd

from groundvec.results.schemas import Claims
from reproduction.render.tables import p_values
from reproduction.reporting.claims import VERDICTS
from reproduction.reporting.reported_vs_measured import place_in_interval
from reproduction.reporting.systems import NAMES

WIDTH = 120  # of an interval, as it is drawn; 0 is in the middle
NUMBERS = ["difference", "low", "high", "reported"]


def claims(content: Claims) -> list[dict[str, Any]]:
    """Group a table of claims by claim and data set.

    Returns:
        For each: claim, dataset, verdicts (how many hold, do not, and are open), scale (the largest
        number that can be drawn; 0 if no row has an interval) and rows. Each row has who (the
        systems), what (is compared), seeds, difference, low, high, p, reported, verdict, lies
        (`compared.lies`), and x: where the numbers are drawn, without an interval nowhere.
    """
    who = content["better"] + " against " + content["worse"]
    who = who.where(content["better"] != "", "all systems")
    what = (content["measure"] + ", " + content["condition"]).str.removesuffix(", ")
    p = p_values(content["p"])
    table = content.assign(who=who, what=what, lies=place_in_interval(content), p=p)
    shown = ["who", "what", "seeds", *NUMBERS, "p", "verdict", "lies"]
    found = []
    for (claim, dataset), rows in table.groupby(["claim", "dataset"], sort=False):
        drawn = rows.loc[rows["low"].notna(), NUMBERS].abs().to_numpy(float)
        scale = (np.nanmax(drawn) or 1) if len(drawn) else 0
        records = rows[shown].to_dict("records")
        for record in records:
            record["x"] = {
                name: round(WIDTH / 2 * (1 + 0.94 * record[name] / scale), 1)
                for name in NUMBERS
                if pd.notna(record["low"]) and pd.notna(record[name])
            }
        verdicts = rows["verdict"].value_counts().reindex(VERDICTS, fill_value=0).to_dict()
        about = {"claim": claim, "dataset": NAMES.get(str(dataset), dataset), "rows": records}
        found.append(about | {"verdicts": verdicts, "scale": scale / 0.94})
    return found
