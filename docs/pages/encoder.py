"""docs/evaluate.md and docs/results.md: the shipped encoders next to published ones."""

from typing import Any

import pandas as pd

from docs.pages.merkx_frank_2019 import paper
from docs.pages.tables import (
    DECLARED,
    SICK,
    STS,
    STSB,
    evaluated,
    kept,
    markdown,
    training_captions,
)
from groundvec.card.templates import listed
from groundvec.card.text import MISSING, decimals
from groundvec.data import ratings
from groundvec.evaluation.score_table import PUBLISHED
from groundvec.model.shipped import PRETRAINED, versions
from groundvec.results.frames import read_csv
from groundvec.runtime.files import read_json, size


def published(encoders: dict[str, list[str]]) -> str:
    """Write MTEB's scores of encoders that others published, and of encoders rated here.

    Args:
        encoders: the label and the size of each encoder, by its name.
    """
    published_scores = read_csv(PUBLISHED)
    # Published scores are fractions of 1.
    table = published_scores.assign(spearman=100 * published_scores["spearman"])
    for name in encoders.keys() - {*published_scores["encoder"]}:
        rated_here = evaluated(name).query("definition == 'MTEB cosine'")
        table = pd.concat([table, rated_here.assign(encoder=name)])
    scores = table.pivot(index="encoder", columns="task", values="spearman")
    scores = scores.loc[list(encoders), published_scores["task"].unique()]
    page_table = scores.assign(mean=scores.mean(axis=1)).apply(decimals)
    page_table.insert(0, "encoder", [label for label, _ in encoders.values()])
    page_table.insert(1, "size", [size for _, size in encoders.values()])
    return markdown(page_table, 2)


def senteval(encoder: str) -> pd.Series:
    """Read SentEval's Pearson correlations of a shipped encoder, by the names of `paper`."""
    table = kept(f"{encoder}/overlap").query(
        "kind == 'ensemble' and "
        "(statistic == 'weighted mean' and task == 'all' or method == 'classifier')"
    )
    names = {"all": STS, "STS-B": STSB, "SICK": SICK}
    return 100 * table.set_index("task")["pearson"].rename(names)


def mteb(encoder: str) -> pd.Series:
    """Read MTEB's Spearman correlations of a shipped or published encoder, by the task."""
    published_scores = read_csv(PUBLISHED).query("encoder == @encoder").set_index("task")
    if len(published_scores):
        return 100 * published_scores["spearman"]
    return evaluated(encoder).query("definition == 'MTEB cosine'").set_index("task")["spearman"]


def values() -> dict[str, Any]:
    """Count the training captions of the shipped encoders by language, and their megabytes."""
    flickr8k, all_captions = training_captions()
    # Multi30k has five captions of each further image in both languages.
    more = read_json(PRETRAINED / "flickr8k-v6" / "model.json")["more_captions"]
    english = flickr8k + more["captions"] // 2
    sizes = {name: size(PRETRAINED / name) for name in versions()}
    return {
        "megabytes": {name: f"{count / 1e6:.1f}" for name, count in sizes.items()},
        "english_captions": f"{english:,}",
        "german_captions_read": f"{all_captions - english:,}",
        "shipped_ratings": listed(decimals(senteval("flickr8k-v6")[[STS, STSB, SICK]])),
        "reported_ratings": listed(decimals(paper()[[STS, STSB, SICK]])),
    }


def by_both_definitions() -> str:
    """Write the scores of encoders by SentEval's and by MTEB's definition."""
    rows = []
    for name, label, weights, captions in DECLARED["encoders"]:
        pearson = paper() if name == "paper" else pd.Series(dtype=float)
        spearman = pd.Series(dtype=float) if name == "paper" else mteb(name)
        if name.startswith("flickr8k"):
            pearson = senteval(name)
        years = spearman.reindex(list(ratings.STS)).mean()
        correlations = [*pearson.reindex([STS, STSB, SICK]), years]
        texts = decimals([*correlations, *spearman.reindex(["STS-B", "SICK"])])
        parts = (texts[:3], texts[3:])
        scores = [MISSING if set(part) == {MISSING} else " / ".join(part) for part in parts]
        rows.append([label, weights, captions, *scores])
    headings = ["encoder", "weights, size", "training captions"]
    headings += ["Pearson (SentEval)", "Spearman (MTEB)"]
    return markdown(pd.DataFrame(rows, columns=headings), 3)
