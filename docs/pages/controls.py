"""docs/what-pictures-teach.md, and the rows of controls on README.md and docs/results.md."""

import pandas as pd

from docs.pages import tables
from groundvec.card.text import MISSING
from reproduction.papers.controls.conditions import BOTH, CAPTIONS, UNTRAINED

TABLE = "controls/controls"
# The measures of the table of differences: STS apart by the kind of sentences, STS-B and SICK.
SHOWN = {
    "STS 12-16, of images and videos": "STS of images and videos",
    "STS 12-16, other sentences": "other STS",
    "STS-B, classifier": "STS-B",
    "SICK, classifier": "SICK",
    "R@10, images": "R@10, images",
    "R@10, captions": "R@10, captions",
}
# Systems that the tables of all results show too, by encoder and training signal.
SYSTEMS = {
    ("bag-alone", BOTH): "a bag of n-grams, without captions of other images, three seeds",
    ("bag-alone", CAPTIONS): "*control:* the same bag, trained without images",
    ("bag-alone", UNTRAINED): "*control:* the same bag before training",
    ("", "TF-IDF"): "*control:* TF-IDF of character trigrams",
    ("", "trigrams"): "*control:* counts of character trigrams",
}
MEASURES = {
    "R@10, images": tables.RECALLS[1],
    "R@10, captions": tables.RECALLS[3],
    "STS 12-16": tables.STS,
    "STS-B, classifier": tables.STSB,
    "SICK, classifier": tables.SICK,
}


def differences() -> str:
    """Write each comparison of two conditions: the difference, its interval and the verdict."""
    claims = tables.comparisons("controls/claims")
    claims = claims[claims["measure"].isin(SHOWN)]
    claims["text"] = tables.intervals(claims, tables.DIFFERENCE) + " " + tables.marks(claims)
    systems = ["condition", "better", "worse"]
    wide = claims.pivot(index=systems, columns="measure", values="text")
    # `pivot` sorts the systems by name; the order of the file is better.
    order = pd.MultiIndex.from_frame(claims[systems].drop_duplicates())
    wide = wide.loc[order, list(SHOWN)].rename(columns=SHOWN).fillna(MISSING).reset_index()
    wide["condition"] = tables.once(tables.code(wide["condition"]))
    wide = wide.rename(columns={"condition": "encoder", "worse": "minus"})
    return tables.markdown(wide, 3)


def systems() -> dict[str, pd.Series]:
    """Read the scores of the controls that the tables of all systems show."""
    scores = tables.kept(TABLE).fillna({"encoder": ""}).set_index(["encoder", "learned_from"])
    return {
        label: scores.loc[[system]].set_index("measure")["value"].rename(MEASURES)
        for system, label in SYSTEMS.items()
    }
