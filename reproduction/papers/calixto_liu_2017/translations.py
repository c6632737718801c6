"""Translations before and after they were re-ranked, with the pictures: not in the paper."""

from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from groundvec.results.schemas import Translations
from reproduction.papers.calixto_liu_2017.table3 import names_of
from reproduction.render.pictures import (
    GAP,
    LINE,
    MARGIN,
    PICTURE,
    page,
    paths_of,
    picture,
    wrap,
    write,
)
from reproduction.render.style import GREEN, PAGE, save, styled
from reproduction.reporting.results import Results, read_translations
from reproduction.translation.rerank import BASELINE, ORACLE

# as many as a page holds
COUNT = 8
SEED = 1
TEXT = MARGIN + PICTURE + 0.2  # where the text begins


def make(results: Results, stem: Path) -> None:
    """Draw the translations of one system."""
    table = read_translations(results["translations"])
    names = names_of(results.models)
    path_of = paths_of(results, set(table["image_id"]) - {""})
    save(translations(chosen(table), names, path_of), stem)


def chosen(table: Translations) -> pd.DataFrame:
    """Take random sentences whose first translation a re-ranker changed; if there are none, any."""
    first = table[table["reranker"] == BASELINE].set_index("id")["hypothesis"]
    shown = table[(table["image_id"] != "") & (table["reranker"] != ORACLE)]
    changed = shown[shown["hypothesis"] != shown["id"].map(first)]["id"].unique()
    ids = changed if len(changed) else shown["id"].unique()
    drawn = np.random.default_rng(SEED).choice(ids, min(COUNT, len(ids)), replace=False)
    return table[table["id"].isin(drawn)]


@styled
def translations(table: Translations, names: dict[str, str], path_of: pd.Series) -> Figure:
    """Draw sentences beside their pictures, each with its reference and its first translations."""
    width = PAGE - TEXT - MARGIN
    blocks = []
    for _, rows in table.groupby("id"):
        said = rows.assign(reranker=rows["reranker"].replace(names))
        by = said.groupby("hypothesis", sort=False)["reranker"].agg(", ".join)
        lines = [(text, "black") for text in wrap(rows["source"].iloc[0], width, 2)]
        lines += [(text, GREEN) for text in wrap(rows["reference"].iloc[0], width, 2)]
        for hypothesis, who in by.items():
            lines += [(text, "black") for text in wrap(f"{who}:  {hypothesis}", width, 3)]
        blocks.append((path_of[rows["image_id"].iloc[0]], lines))
    heights = [max(PICTURE, LINE * len(lines)) + GAP for _, lines in blocks]
    figure, axes = page(2 * MARGIN + sum(heights))
    top = MARGIN
    for (path, lines), height in zip(blocks, heights, strict=True):
        picture(axes, MARGIN, top, path)
        for number, (text, colour) in enumerate(lines):
            weight = "bold" if number == 0 else "normal"
            write(axes, TEXT, top + number * LINE, text, color=colour, weight=weight)
        top += height
    return figure
