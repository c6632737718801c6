"""docs/what-pictures-teach.md: encoders that learned from captions, from images and from both."""

from typing import Any

import pandas as pd

from docs.pages import tables
from groundvec.card.text import MISSING

FOLDER = "controls"
# The measures of the page's tables, by their headings; the CSV files have the others.
SHOWN = {
    "STS 12-16, of images and videos": "STS, images and videos",
    "STS 12-16, other sentences": "STS, other sentences",
    "STS-B, classifier": "STS-B",
    "SICK, classifier": "SICK",
    "R@10, images": "R@10, images",
    "R@10, captions": "R@10, captions",
}


def differences() -> str:
    """Write how the rows of the table of controls differ, with intervals and verdicts."""
    table = tables.compared(f"{FOLDER}/claims")
    table = table[table["measure"].isin(SHOWN)]
    numbers = tables.intervals(table, tables.DIFFERENCE)
    table = table.assign(text=numbers + " " + table["verdict"].map(tables.MARKS))
    rows = ["better", "worse", "condition"]
    wide = table.pivot(index=rows, columns="measure", values="text")
    wide = wide.reindex(pd.MultiIndex.from_frame(table[rows].drop_duplicates()))
    wide = wide.reindex(columns=[*SHOWN]).rename(columns=SHOWN).fillna(MISSING).reset_index()
    wide["condition"] = tables.code(wide["condition"])
    return tables.markdown(wide.rename(columns={"condition": "encoder", "worse": "minus"}), 3)


def values() -> dict[str, Any]:
    """Read the scores of the table of controls, by encoder, condition and measure."""
    table = tables.kept(f"{FOLDER}/controls").fillna({"encoder": ""})
    return {"controls": table.set_index(["encoder", "learned_from", "measure"])["value"]}
