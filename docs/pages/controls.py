"""docs/what-pictures-teach.md, and the rows of controls on README.md and docs/results.md."""

from typing import Any

import pandas as pd

from docs.pages import tables
from groundvec.card.text import MISSING
from reproduction.papers.controls.claims import BASELINES, CLAIMS
from reproduction.papers.controls.conditions import BOTH, CAPTIONS, IMAGES, UNTRAINED

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
# Systems that the tables of all results show too, by encoder and what it learned from.
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
# What sentences call comparisons and measures.
COMPARED = {
    "captions": (UNTRAINED, CAPTIONS),
    "images": (UNTRAINED, IMAGES),
    "images_to_captions": (CAPTIONS, BOTH),
    "captions_to_images": (IMAGES, BOTH),
    "baseline": ("TF-IDF", BOTH),
}
NAMED = {
    "STS 12-16, of images and videos": "visual",
    "STS 12-16, other sentences": "other",
    "SICK, cosine": "SICK",
}


def differences() -> str:
    """Write each comparison of two conditions: the difference, its interval and the verdict."""
    claims = tables.comparisons("controls/claims")
    claims = claims[claims["measure"].isin(SHOWN) & claims["claim"].ne(BASELINES)]
    claims["text"] = tables.intervals(claims, tables.DIFFERENCE) + " " + tables.marks(claims)
    wide = claims.pivot(index=["condition", "better", "worse"], columns="measure", values="text")
    encoders = claims["condition"].unique()
    order = [
        (encoder, better, worse)
        for encoder in encoders
        for worse, better in CLAIMS.values()
        if (encoder, better, worse) in wide.index
    ]
    wide = wide.loc[order][list(SHOWN)].rename(columns=SHOWN).fillna(MISSING).reset_index()
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


def values() -> dict[str, Any]:
    """Read the differences that sentences name: of each comparison, by measure."""
    claims = tables.comparisons("controls/claims").query("condition == 'bag-alone'")
    claims["text"] = tables.intervals(claims, tables.DIFFERENCE)
    claims["measure"] = claims["measure"].replace(NAMED)
    claims = claims.set_index(["worse", "better", "measure"]).sort_index()
    texts = {name: claims["text"].loc[pair] for name, pair in COMPARED.items()}
    # The upper end of the widest interval for what images add to captions.
    return texts | {"largest_gain": claims["high"].loc[COMPARED["images_to_captions"]].max()}
