"""docs/evaluate.md: scores of the shipped encoders next to published ones."""

import pandas as pd

from docs.pages.tables import evaluated, markdown
from groundvec.card.text import decimals
from groundvec.evaluation.score_table import PUBLISHED
from groundvec.results.frames import read_csv


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
