"""The summary: recall and ratings of every system of an experiment, over its seeds."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from groundvec.card.text import MISSING, decimals
from groundvec.evaluation.ranks import DIRECTIONS
from groundvec.results.frames import read
from groundvec.results.schemas import Measures, Models, Retrieval
from reproduction.papers import FOLDER
from reproduction.papers.merkx_frank_2019.reported import ReportedRetrieval, read_correlations
from reproduction.render.tables import wide, write_table
from reproduction.reporting.measures import SEMANTIC, whole
from reproduction.reporting.results import Results
from reproduction.reporting.systems import NAMES, PROVENANCE, in_order, sorted_by

REPORTED = FOLDER / "merkx_frank_2019" / "reported"
PAPER = "Merkx & Frank (2019), reported"
STS = "STS 12-16"  # as `semantic_measures` calls it
WAYS = {"caption_to_image": "images by captions", "image_to_caption": "captions by images"}
KEYS = ["dataset", "language", "system"]
NOTES = [
    "Percent, and Pearson's r × 100 of cosines or, of a task with training pairs, of what "  # noqa: RUF001
    "SentEval's classifier predicts. Mean over the seeds; in brackets the lowest and the highest.",
    "A model is the ensemble of a training's best snapshots. Recall is of the whole test set; "
    "data sets are not to be compared with each other, nor draws with the whole.",
]


def make(results: Results, stem: Path) -> None:
    """Write the summary."""
    table = summary(results.models, results.retrieval, results.measures)
    measures = list(dict.fromkeys(table["measure"]))
    text = wide(table.assign(text=_texts(table)), KEYS, "measure")
    rows = table.drop_duplicates(KEYS)
    datasets = text.pop("dataset").replace({**NAMES, "": "Baselines"})
    text.insert(2, "seeds", rows["seeds"].astype(str).replace("0", MISSING).to_numpy())
    if text["language"].nunique() < 2:
        del text["language"]
    align = ["r" if column in (*measures, "seeds") else "l" for column in text]
    title = "What every system reaches."
    write_table(stem, table, text, align, title, NOTES, datasets)


def summary(models: Models, retrieval: Retrieval, measures: Measures | None) -> pd.DataFrame:
    """Compute the mean over seeds of every system's recalls and correlations.

    Returns:
        A row for each system and measure: the columns `KEYS`, seeds (0 of baselines and of what a
        paper reports), measure, value, lowest, highest, and where the values are from.
    """
    found = [_reported(models), _recalls(in_order(retrieval, models))]
    if measures is not None:
        kept = measures["kind"].isin(["ensemble", "baseline"]) & measures["measure"].ne(SEMANTIC)
        rated = measures[kept].assign(value=lambda rows: 100 * rows["pearson"], language="en")
        own = rated["model"].where(rated["kind"].eq("ensemble"), rated["system"])
        found.append(rated.assign(system=own))
    table = pd.concat(found, ignore_index=True)
    datasets = {"dataset": [*models["dataset"], ""]}
    groups = sorted_by(table, ["dataset"], datasets).groupby([*KEYS, "measure"], sort=False)
    joined = groups["value"].agg(value="mean", lowest="min", highest="max")
    joined["seeds"] = groups["seed"].nunique()
    of_rows = groups[[column for column in PROVENANCE if column in table]]
    return joined.join(of_rows.agg(_once)).reset_index()


def _recalls(retrieval: Retrieval) -> pd.DataFrame:
    test = whole(retrieval[retrieval["kind"] == "ensemble"])
    test = test.assign(system=test["model"])
    parts = []
    for k in (1, 10):
        for way in DIRECTIONS:
            rows = test[test["direction"] == way]
            parts.append(rows.assign(value=rows[f"r{k}"], measure=f"R@{k}, {WAYS[way]}"))
    return pd.concat(parts)


def _reported(models: Models) -> pd.DataFrame:
    whole = models[models["test_to_train"].eq(0)]
    rows = [
        (dataset, "en", PAPER, *measured)
        for dataset, source in whole[["dataset", "data_source"]].drop_duplicates().to_numpy()
        for measured in reported(source).items()
    ]
    return pd.DataFrame(rows, columns=[*KEYS, "measure", "value"]).assign(seed=np.nan)


def reported(source: str) -> dict[str, float]:
    """Read the reported scores of the paper's own network on a data set, by measure, if any."""
    recalls = read(REPORTED / "table2.csv", ReportedRetrieval)
    recalls = recalls[recalls["model"].eq("char-GRU") & ~recalls["test_set"].str.contains("folds")]
    correlations = read_correlations(REPORTED / "table_s1.csv")
    own = recalls[recalls["dataset"] == source].set_index("direction")
    rated = correlations[correlations["system"] == f"char-GRU {NAMES.get(source, source)}"]
    if own.empty or rated.empty:
        return {}
    values: dict[str, Any] = {
        f"R@{k}, {WAYS[way]}": own.loc[way, f"r{k}"] for k in (1, 10) for way in WAYS
    }
    sts = rated[rated["task"].str.startswith("STS 20")]
    values[STS] = 100 * np.average(sts["pearson"], weights=sts["pairs"])
    for task, name in {"STS-B": "STS-B", "SICK": "SICK-R"}.items():
        values[name] = 100 * rated.loc[rated["task"] == task, "pearson"].item()
    return values


def _once(values: pd.Series) -> str:
    return "; ".join(values.dropna().astype(str).unique())


def _texts(table: pd.DataFrame) -> list[str]:
    """Write values, with the range over several seeds behind."""
    value, low, high = (decimals(table[name]) for name in ("value", "lowest", "highest"))
    several = table["seeds"] > 1
    return [
        f"{mean} ({lowest}–{highest})" if more else mean  # noqa: RUF001
        for mean, lowest, highest, more in zip(value, low, high, several, strict=True)
    ]
