"""docs/calixto-liu-2017.md: models of several languages, and re-ranked translations."""

from typing import Any

import pandas as pd

from docs.pages.tables import REACHED, comparisons, kept, markdown, mean_and_range
from groundvec.card.text import decimals
from groundvec.evaluation.significance import holm
from reproduction.reporting.claims import HOLDS, counted
from reproduction.reporting.measures import WAYS


def verdicts() -> str:
    """Write how many comparisons of each claim hold, and the range of the differences."""
    table = comparisons("mlmme/claims")
    table["models of"] = table["dataset"].where(table["dataset"] == "characters", "words")
    rows = ["claim", "models of", "seeds", "measure"]
    page_table = table.groupby(rows, sort=False)["difference"].agg(["min", "max"]).apply(decimals)
    page_table.columns = ["lowest difference", "highest"]
    page_table.insert(0, "verdicts", counted(table["verdict"], [table[name] for name in rows]))
    return markdown(page_table.reset_index(), 5)


def with_seeds() -> str:
    """Write the scores of models of words: mean, lowest and highest over seeds."""
    recalls = kept("mlmme/table1")
    ratings = kept("mlmme/table2")
    columns = [f"{direction}_r10" for direction in WAYS]
    names = dict(zip(columns, REACHED[:2], strict=True))
    recalls = recalls.melt(["source", "name", "language"], columns, "direction")
    recalls["measure"] = recalls["language"] + ": " + recalls["direction"].map(names)
    recalls = recalls.replace({"name": {"VSE (retrained)": "VSE"}})
    table = pd.concat([recalls.sort_values("language", ascending=False, kind="stable"), ratings])
    table = table[table["name"].str.fullmatch(r"VSE|MLMME, β = [\d.]+")]
    index = ["source", "name", "measure"]
    text = mean_and_range(table.set_index(index)["value"], index).unstack()
    text = text[table["measure"].unique()].loc[["reported", "measured"]]
    text = text.filter(regex=": |images").rename_axis(["source", "model"])
    return markdown(text.reset_index(), 2)


def values() -> dict[str, Any]:
    """Count the comparisons that hold."""
    table = comparisons("mlmme/claims")
    over_vse = table.query("claim == 'Re-ranking by MLMME is better than by VSE'")
    holds = over_vse["verdict"] == HOLDS
    corrected = over_vse.groupby("measure")["p"].transform(lambda p: holm(p.to_numpy()))
    after = (corrected < 0.05) & (over_vse["difference"] > 0)
    measure = over_vse["measure"]
    return {
        "metrics": holds.groupby(measure).sum(),
        "after": after.groupby(measure).sum(),
        "lists": len(over_vse) // measure.nunique(),
    }
