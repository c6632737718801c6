"""Table 3 of Calixto & Liu (2017): re-ranked lists of translations."""

from collections import Counter
from itertools import product
from pathlib import Path

import pandas as pd

from groundvec.card.text import MINUS, MISSING, decimals
from groundvec.results.frames import read_csv
from reproduction.papers.calixto_liu_2017.labels import labelled
from reproduction.render.tables import DAGGER, DOUBLE, write_table
from reproduction.reporting.claims import LEVEL
from reproduction.reporting.results import Results
from reproduction.reporting.systems import PROVENANCE
from reproduction.schemas import Models, Reranked
from reproduction.translation.rerank import BASELINE, LENGTH, ORACLE

METRICS = {"bleu": "BLEU", "meteor": "METEOR", "ter": "TER"}
NOTES = [
    "In brackets: the difference from the first translation of each list (baseline). Lower TER is "
    f"better. {DAGGER}: better than the baseline, {DOUBLE}: better than lists re-ranked by VSE, "
    "both by approximate randomization at 5%, two-sided, not corrected for the number of tests.",
    "Weights were trained by k-best batch MIRA on the development lists. Oracle: the translation "
    "of each list with the best sentence BLEU. VSE compares a translation with the image, MLMME "
    "with the image and the source (with β = 0 the source alone). Length is the number of words.",
    "Reported: the scores printed in Calixto & Liu (2017), without their marks of significance, "
    "for other translators, images and training sentences. Differences are computed from these "
    "scores; two of them differ from the paper's Table 4.",
    "A list comes from a beam as wide as the list is long, so longer lists have other first "
    "translations. In the paper, these are the same.",
]


def make(results: Results, stem: Path) -> None:
    """Write Table 3: the shortest lists."""
    lengths = results.reranked["n_best"]
    write(results, stem, results.reranked[lengths == lengths.min()])


def write(results: Results, stem: Path, reranked: Reranked) -> None:
    """Write a table of some of the lists."""
    reported = read_csv(results.reported_file("tables_3_4"))
    table = table3(reranked, reported, results.rerankers)
    groups = table["n_best"].astype(str) + "-best lists, " + table["system"]
    rows = table.assign(group=groups, text=_texts(table))
    keys = ["group", "name"]
    cells = rows.pivot(index=keys, columns=["metric", "source"], values="text")
    columns = product(METRICS, ("measured", "reported"))
    order = [column for column in columns if column in cells]
    cells = cells[order].set_axis([source for _, source in order], axis=1)
    text = rows[keys].drop_duplicates().merge(cells, left_on=keys, right_index=True)
    text = text.rename(columns={"name": "re-ranked by"}).fillna(MISSING)
    columns_of = Counter(metric for metric, _ in order)
    spans = {METRICS[metric]: count for metric, count in columns_of.items()}
    title = "First translations of lists, before and after re-ranking."
    notes = [*NOTES, *_signatures(table)]
    align = "l" + "r" * len(order)
    write_table(stem, table, text, align, title, notes, text.pop("group"), spans)


def table3(measured: Reranked, reported: pd.DataFrame, models: Models) -> pd.DataFrame:
    """Join measured and reported scores of the same systems, re-rankers and lengths of lists.

    A row has the gain over the baseline, and over re-ranking by length, by VSE and by text alone.
    """
    described = labelled(models).drop_duplicates("model").set_index("model")
    ours = measured.assign(
        source="measured",
        name=measured["reranker"].replace(described["name"].to_dict()),
        several=measured["reranker"].map(described["several"].astype(object)),
        beta=measured["reranker"].map(described["beta"]),
    )
    by_model = ~reported["reranker"].isin([BASELINE, ORACLE])
    printed = reported.assign(several=reported["beta"].notna().astype(object).where(by_model))
    keys = ["paper", "n_best", "system", "reranker", "several", "beta"]
    printed = printed.melt(keys, list(METRICS), "metric", "score")
    # Only rows of systems and lengths of lists that were measured.
    printed = printed.merge(ours[["n_best", "system"]].drop_duplicates())
    printed = printed.assign(name=printed["reranker"], source="reported")
    table = pd.concat([ours, printed], ignore_index=True)
    table["gain"] = _gain(table, BASELINE)
    # MLMME reads the image and the source; each control has only one of these, or neither.
    controls = {
        "length": ours["reranker"].eq(LENGTH),
        "vse": ours["several"].eq(False),
        "text": ours["beta"].eq(0),
    }
    columns = ["dataset", "n_best", "system", "name", "reranker", "several", "beta", "metric"]
    columns += ["source", "score", "gain", "p_baseline"]
    for control, is_control in controls.items():
        names = ours["name"][is_control]
        table[f"gain_{control}"] = _gain(table, names.iloc[0] if len(names) else "")
        columns += [f"gain_{control}", f"p_{control}"]
    table["dataset"] = models["dataset"].iloc[0]
    columns += ["signature", "paper"]
    return table[[*columns, *table.columns.intersection(PROVENANCE)]]


def _gain(table: pd.DataFrame, over: str) -> pd.Series:
    """Subtract the score of one re-ranker from all others; its own gain is NaN."""
    is_reference = table["name"] == over
    same = [table[key] for key in ("n_best", "system", "metric", "source")]
    reference = table["score"].where(is_reference).groupby(same).transform("max")
    return (table["score"] - reference).mask(is_reference)


def _texts(table: pd.DataFrame) -> pd.Series:
    """Write scores, gains and daggers: 26.1 (+0.4)†."""
    sign = table["metric"].map({"ter": -1}).fillna(1)  # lower TER is better
    text = pd.Series(decimals(table["score"]), table.index)
    # The oracle is an upper bound, so its gain over the baseline is no result.
    has_gain = table["gain"].notna() & (table["reranker"] != ORACLE)
    gains = table["gain"].map(lambda gain: f" ({gain:+.1f})".replace("-", MINUS))
    text += gains.where(has_gain, "")
    for gain, p, mark in (("gain", "p_baseline", DAGGER), ("gain_vse", "p_vse", DOUBLE)):
        better = (sign * table[gain] > 0) & (table[p] < LEVEL)
        text += better.map({True: mark, False: ""})
    return text


def _signatures(table: pd.DataFrame) -> list[str]:
    """List the signature of each metric, with its version and settings, for notes."""
    rows = table.dropna(subset="signature")
    texts = rows["metric"].map(METRICS) + ": " + rows["signature"] + "."
    return texts.drop_duplicates().tolist()
