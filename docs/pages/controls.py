"""docs/what-pictures-teach.md, and the rows of controls on README.md and docs/results.md."""

import pandas as pd

from docs.pages import tables
from groundvec.card.text import MISSING, decimals
from reproduction.papers.controls.conditions import (
    BOTH,
    CAPTIONS,
    IMAGES,
    PERMUTED,
    UNTRAINED,
)
from reproduction.reporting.claims import OPEN

TABLE = "controls/controls"
SEEDS = {1: "one seed", 2: "two seeds", 3: "three seeds"}
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
# What teaches, with the worse and the better signal that it makes the difference of.
STEPS = {
    "grouping: permuted images minus nothing": (UNTRAINED, PERMUTED),
    "content: images minus permuted images": (PERMUTED, IMAGES),
}
# The measures of the table that answers, and their headings.
ANSWER = {
    "STS 12-16, of images and videos": "STS of images and videos",
    "STS-B, cosine": "STS-B",
    "SICK, cosine": "SICK",
    "R@10, images": "R@10, images",
}


def signals() -> str:
    """Write the scores of each encoder by training signal, in few columns."""
    scores = tables.kept(TABLE).dropna(subset="encoder")
    scores = scores[scores["measure"].isin(ANSWER)]
    scores = scores.assign(text=decimals(scores["value"]))
    rows = ["encoder", "learned_from", "seeds"]
    wide = scores.pivot(index=rows, columns="measure", values="text")
    order = pd.MultiIndex.from_frame(scores[rows].drop_duplicates())
    wide = wide.loc[order, list(ANSWER)].rename(columns=ANSWER).fillna(MISSING).reset_index()
    seeds = wide.pop("seeds")
    most = seeds.groupby(wide["encoder"]).transform("max")
    signals_of_fewer = wide["learned_from"] + ", " + seeds.map(SEEDS)
    wide["learned_from"] = wide["learned_from"].where(seeds.eq(most), signals_of_fewer)
    wide["encoder"] = tables.once(tables.code(wide["encoder"]) + ", " + most.map(SEEDS))
    return tables.markdown(wide.rename(columns={"learned_from": "training signal"}), 2)


def steps() -> str:
    """Write how much grouping and content teach each encoder, with intervals."""
    claims = tables.comparisons("controls/claims")
    texts = tables.intervals(claims, tables.DIFFERENCE)
    claims["text"] = texts.where(claims["verdict"].ne(OPEN), texts + ", not shown")
    written = []
    for step, (worse, better) in STEPS.items():
        rows = claims[claims["worse"].eq(worse) & claims["better"].eq(better)]
        of_step = rows.pivot(index="condition", columns="measure", values="text")[list(ANSWER)[:3]]
        written.append(of_step.rename(columns=ANSWER).assign(step=step))
    page_table = pd.concat(written).rename_axis("encoder").reset_index()
    page_table["encoder"] = tables.code(page_table["encoder"])
    page_table.insert(0, "what teaches", tables.once(page_table.pop("step")))
    return tables.markdown(page_table, 2)


def systems() -> dict[str, pd.Series]:
    """Read the scores of the controls that the tables of all systems show."""
    scores = tables.kept(TABLE).fillna({"encoder": ""}).set_index(["encoder", "learned_from"])
    return {
        label: scores.loc[[system]].set_index("measure")["value"].rename(MEASURES)
        for system, label in SYSTEMS.items()
    }
