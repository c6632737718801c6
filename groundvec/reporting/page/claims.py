"""The claims of a paper with their verdicts, from its table of claims."""

from typing import Any

import numpy as np
import pandas as pd

from groundvec.reporting.page.compared import lies
from groundvec.reporting.ranks import AGREE, TASKS
from groundvec.reporting.systems import NAMES
from groundvec.reporting.verdicts import FAILS, HOLDS, OPEN
from groundvec.reporting.write import p_values

WIDTH = 120  # of an interval, as it is drawn; 0 is in the middle


def claims(content: pd.DataFrame) -> list[dict[str, Any]]:
    """Group a table of claims by claim and data set.

    Args:
        content: the CSV file of a table called claims, of any paper; not all have columns p and
            reported.

    Returns:
        For each: claim, dataset, verdicts (how many hold, do not, and are open), and rows. Each of
        these has who (the systems), what (is compared), value, low, high, p, reported, verdict,
        lies (`compared.lies`), digits, and x: where value, low, high and reported are drawn.
    """
    table = content.reindex(columns=[*content, *sorted({"p", "reported"} - {*content})])
    if "direction" in table:
        same = table["objective_worse"].fillna("") == table["objective_better"].fillna("")
        table["of"] = table["direction"].map(TASKS)
        of_one = (table["of"] + ", " + table["objective_worse"]).where(same, table["of"])
        table["of"] = of_one.fillna(table["of"])
        for side in ("worse", "better"):
            whole = table[f"name_{side}"] + ", " + table[f"objective_{side}"]
            table[side] = table[f"name_{side}"].where(same, whole)
    table["who"] = (table["better"] + " against " + table["worse"]).fillna("all systems")
    table["lies"] = lies(table)
    table["p"] = p_values(table["p"])
    table["digits"] = np.where(table["claim"] == AGREE, 2, 1)
    numbers = ["value", "low", "high", "reported"]
    found = []
    for (claim, dataset), rows in table.groupby(["claim", "dataset"], sort=False):
        scale = np.nanmax(rows[numbers].abs().to_numpy(float)) or 1
        records = rows[["who", "of", *numbers, "p", "verdict", "lies", "digits"]].to_dict("records")
        for record in records:
            record["x"] = {
                name: round(WIDTH / 2 * (1 + 0.94 * record[name] / scale), 1)
                for name in numbers
                if not pd.isna(record[name])
            }
        verdicts = {name: int((rows["verdict"] == name).sum()) for name in (HOLDS, FAILS, OPEN)}
        found.append(
            {
                "claim": claim,
                "dataset": NAMES.get(str(dataset), dataset),
                "verdicts": verdicts,
                "rows": records,
            }
        )
    return found
