"""docs/calixto-liu-2017.md: models of several languages, and translations that they re-rank."""

from typing import Any

import pandas as pd

from docs.pages.tables import REACHED, comparisons, kept, markdown, mean_and_range
from groundvec.card.text import decimals
from reproduction.papers.summary.summary import WAYS
from reproduction.reporting.claims import HOLDS, counted


def verdicts() -> str:
    """Write how many comparisons of each claim hold, and the differences."""
    table = comparisons("mlmme/claims")
    table["models of"] = table["dataset"].where(table["dataset"] == "characters", "words")
    rows = ["claim", "models of", "seeds", "measure"]
    found = table.groupby(rows, sort=False)["difference"].agg(["min", "max"]).apply(decimals)
    found.columns = ["lowest difference", "highest"]
    found.insert(0, "verdicts", counted(table["verdict"], [table[name] for name in rows]))
    return markdown(found.reset_index(), 5)


def with_seeds() -> str:
    """Write the scores of models of words: means over seeds, the lowest and the highest."""
    recalls, ratings = (kept(f"mlmme/table{number}") for number in (1, 2))
    ways = {f"{way}_r10": name for way, name in zip(WAYS, REACHED[:2], strict=True)}
    recalls = recalls.melt(["source", "name", "language"], list(ways), "way")
    recalls["measure"] = recalls["language"] + ": " + recalls["way"].map(ways)
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
    table["holds"] = table["verdict"] == HOLDS
    claims = table.groupby("claim")["holds"].agg(["sum", "size"]).astype(str)
    both = table[table["claim"] == "Re-ranking by MLMME is better than by VSE"]
    both = both.sort_values("p", kind="stable")
    left = both.groupby("measure").cumcount(ascending=False) + 1
    corrected = (both["p"] * left).groupby(both["measure"]).cummax()  # Holm (1979)
    both["after"] = (corrected < 0.05) & (both["difference"] > 0)
    metrics = both.groupby("measure")
    return {
        "holds": claims["sum"] + " of " + claims["size"],
        "metrics": metrics["holds"].sum(),
        "after": metrics["after"].sum(),
        "lists": len(both) // len(metrics),
    }
