"""Table 3 of Calixto & Liu (2017): lists of translations, re-ranked."""

from pathlib import Path

import pandas as pd

from groundvec.card.text import DAGGER, DOUBLE, MINUS, MISSING, decimals
from groundvec.results.frames import read
from groundvec.results.schemas import Models, Reranked
from reproduction.papers.calixto_liu_2017.labels import of_languages
from reproduction.papers.calixto_liu_2017.reported import ReportedTranslations
from reproduction.render.tables import write_table
from reproduction.reporting.claims import LEVEL
from reproduction.reporting.results import Results
from reproduction.reporting.systems import PROVENANCE
from reproduction.translation.rerank import BASELINE, LENGTH, ORACLE

METRICS = {"bleu": "BLEU", "meteor": "METEOR", "ter": "TER"}
NOTES = [
    "In brackets: the difference from the first translation of each list (baseline). Of TER lower "
    f"is better. Better than the baseline ({DAGGER}), or than lists re-ranked by VSE ({DOUBLE}), "
    "by approximate randomisation at 5%, two-sided, not corrected for the number of tests.",
    "Weights by k-best batch MIRA on the development lists. "
    "Oracle: of each list the one with the best BLEU of its own. VSE compares with the picture, "
    "MLMME with the picture and the source, with β = 0 with the source only; length is the number "
    "of words.",
    "Reported: the scores printed in Calixto & Liu (2017), without their marks of significance, of "
    "other translators, images and training sentences. Their differences are computed from these "
    "scores; two that the paper's Table 4 prints are others.",
    "First translations are those of a beam as wide as the list is long, so that those of longer "
    "lists are others; in the paper they are the same.",
]


def make(results: Results, stem: Path) -> None:
    """Write Table 3."""
    reported = read(results["reported"], ReportedTranslations)
    table = table3(results.reranked, reported, results.models)
    groups = table["n_best"].astype(str) + "-best lists, " + table["system"]
    rows = table.assign(group=groups, text=_texts(table))
    keys = ["group", "name"]
    cells = rows.pivot(index=keys, columns=["metric", "source"], values="text")
    order = [(m, s) for m in METRICS for s in ("measured", "reported") if (m, s) in cells]
    cells = cells[order].set_axis([source for _, source in order], axis=1)
    text = rows[keys].drop_duplicates().merge(cells, left_on=keys, right_index=True)
    text = text.rename(columns={"name": "re-ranked by"}).fillna(MISSING)
    spans = {METRICS[metric]: sum(m == metric for m, _ in order) for metric, _ in order}
    title = "First translations of lists, before and after they were re-ranked."
    notes = [*NOTES, *_signatures(table)]
    align = "l" + "r" * len(order)
    write_table(stem, table, text, align, title, notes, text.pop("group"), spans)


def table3(measured: Reranked, reported: ReportedTranslations, models: Models) -> pd.DataFrame:
    """Join measured and reported scores of the same systems, re-rankers and lengths of lists.

    A row has the gain over the baseline, and over re-ranking by length, VSE and text alone.
    """
    ours = measured.assign(name=measured["reranker"].replace(names_of(models)), source="measured")
    of_model = of_languages(models).drop_duplicates("model").set_index("model")
    several = ours["reranker"].map(of_model["several"].astype(object))
    ours = ours.assign(several=several, beta=ours["reranker"].map(of_model["beta"]))
    seeing = ~reported["reranker"].isin([BASELINE, ORACLE])
    theirs = reported.assign(several=reported["beta"].notna().astype(object).where(seeing))
    keys = ["paper", "n_best", "system", "reranker", "several", "beta"]
    theirs = theirs.melt(keys, list(METRICS), "metric", "score")
    theirs = theirs.merge(ours[["n_best", "system"]].drop_duplicates())
    theirs = theirs.assign(name=theirs["reranker"], source="reported")
    table = pd.concat([ours, theirs], ignore_index=True)
    table["gain"] = _gain(table, BASELINE)
    # What MLMME is compared with too: by length, by the picture, and by the source.
    controls = {
        "length": ours["reranker"].eq(LENGTH),
        "vse": ours["several"].eq(False),
        "text": ours["beta"].eq(0),
    }
    for control, own in controls.items():
        table[f"gain_{control}"] = _gain(table, next(iter(ours["name"][own]), ""))
    table["dataset"] = models["dataset"].iloc[0]
    columns = ["dataset", "n_best", "system", "name", "reranker", "several", "beta", "metric"]
    columns += ["source", "score", "gain"]
    columns += ["p_baseline", *(f"{of}_{key}" for key in controls for of in ("gain", "p"))]
    columns += ["signature", "paper"]
    return table[[*columns, *table.columns.intersection(PROVENANCE)]]


def names_of(models: Models) -> dict[str, str]:
    """Name re-rankers by the models' names."""
    about = of_languages(models).drop_duplicates("model")
    return dict(zip(about["model"], about["name"], strict=True))


def _gain(table: pd.DataFrame, over: str) -> pd.Series:
    """Compute how much higher each score is than that of one re-ranker, whose own is NaN."""
    one = table["name"] == over
    alike = [table[key] for key in ("n_best", "system", "metric", "source")]
    return (table["score"] - table["score"].where(one).groupby(alike).transform("max")).mask(one)


def _texts(table: pd.DataFrame) -> pd.Series:
    """Write scores, gains and daggers: 26.1 (+0.4)†."""
    sign = table["metric"].map({"ter": -1}).fillna(1)
    text = pd.Series(decimals(table["score"]), table.index)
    shown = table["gain"].notna() & (table["reranker"] != ORACLE)
    gains = table["gain"].map(lambda gain: f" ({gain:+.1f})".replace("-", MINUS))
    text += gains.where(shown, "")
    for gain, p, dagger in (("gain", "p_baseline", DAGGER), ("gain_vse", "p_vse", DOUBLE)):
        better = (sign * table[gain] > 0) & (table[p] < LEVEL)
        text += better.map({True: dagger, False: ""})
    return text


def _signatures(table: pd.DataFrame) -> list[str]:
    said = table[table["metric"].isin(list(METRICS))].dropna(subset="signature")
    texts = said["metric"].map(METRICS) + ": " + said["signature"] + "."
    return texts.drop_duplicates().tolist()
