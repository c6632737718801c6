"""Tables of retrieval scores, laid out as Table 2 of Merkx & Frank (2019)."""

from pathlib import Path

import pandas as pd

from groundvec.evaluation.retrieval import CUTOFFS, DIRECTIONS
from groundvec.reporting.results import (
    MEASURES,
    NAMES,
    PROVENANCE,
    development_recall,
    in_grid_order,
    selected,
)
from groundvec.reporting.write import DAGGER, MISSING, decimals, write_table

CONVENTIONS = [
    "R@N: percent of the queries whose right image or caption is among the first N, ± half the 95% "
    "interval, 1.96 sqrt(p(1-p)/n) of n queries. med r: median rank of the right one.",
    "Measured: a candidate with the same score as the right one ranks before it. From image to "
    "caption, the best of the image's captions counts. The median of an even number of ranks is "
    "the mean of the middle two.",
]
FOLDS = (
    "Test sets that end in -folds: the mean over equal folds of so many images (1k-folds: five "
    "folds of 1,000), medians averaged too; n counts the queries of all folds."
)
CHANCE = (
    "Chance: what a random ranking is expected to have. It is computed, so that its intervals are "
    "0; its med r is the median of the distribution of ranks."
)
REPORTED = "Reported: as printed in Table 2 of Merkx & Frank (2019)."
TABLE2_NOTES = [
    f"{DAGGER} The measured model with the best R@10 on its data set's development set (mean of "
    "both directions).",
    REPORTED,
    "Measured: by this project, the ensemble of a training's best snapshots.",
    CHANCE,
    *CONVENTIONS,
    FOLDS,
]
SNAPSHOTS_NOTES = [
    "Measured by this project. The ensemble is of the snapshots with the best R@10 on the "
    "development set (mean of both directions), given as dev R@10; its interval is "
    "sqrt(a²+b²)/2 for intervals ± a and ± b of the directions.",
    CHANCE,
    *CONVENTIONS,
    FOLDS,
]


def table2(measured: pd.DataFrame, reported: pd.DataFrame) -> pd.DataFrame:
    """Chance, reported rows and the measured ensembles, for each test set that was measured on.

    Args:
        measured, reported: as `results.read_retrieval` and `results.read_reported` give them.

    Returns:
        A row a model, with both directions side by side in columns such as
        `caption_to_image_r10_ci`, and columns `source` (computed, reported or measured),
        `selected` (of the measured) and where each number came from.
    """
    test = measured[measured["split"] == "test"]
    keys = ["dataset", "test_set", "cell", "seed"]
    numbers = [*MEASURES, "queries"]
    ours = in_grid_order(_side_by_side(test[test["model"] == "ensemble"], keys, numbers))
    best = set(selected(measured).items())
    ours["selected"] = [
        (dataset, (cell, seed)) in best
        for dataset, cell, seed in zip(ours["dataset"], ours["cell"], ours["seed"], strict=True)
    ]
    ours["model"] = _name(ours)
    theirs = _side_by_side(reported, ["paper", "dataset", "test_set", "model"], MEASURES)
    # Every model's scores come with the same chance.
    once = ["dataset", "test_set", "direction"]
    chance = test[test["model"] == "chance"].drop(columns=["cell", "seed"]).drop_duplicates(once)
    table = pd.concat(
        [
            _side_by_side(chance, once[:2], numbers).assign(source="computed"),
            theirs.assign(source="reported"),
            ours.assign(source="measured"),
        ]
    )
    whole = ["seed", *(f"{direction}_queries" for direction in DIRECTIONS)]
    table[whole] = table[whole].astype("Int64")  # whole numbers, or missing
    table["selected"] = table["selected"].astype("boolean")

    groups = ours[["dataset", "test_set"]].drop_duplicates()
    scores = [c for c in ours if c.startswith(DIRECTIONS)]
    first = ["dataset", "test_set", "source", "model", "selected", *scores]
    last = ["paper", "cell", "seed", "epochs", *PROVENANCE]
    return groups.merge(table, on=["dataset", "test_set"])[[*first, *last]]


def snapshots(measured: pd.DataFrame) -> pd.DataFrame:
    """Chance, each ensemble and each snapshot of the same training, on the test sets.

    Returns:
        A row for each data set, test set, cell, seed and model, with both directions side by
        side and the mean R@10 on the development set, `dev_r10`.
    """
    keys = ["dataset", "test_set", "cell", "seed", "model", "epochs"]
    # In the alphabet, chance comes before ensembles, and these before snapshots.
    test = measured[measured["split"] == "test"].sort_values("model", kind="stable")
    table = in_grid_order(_side_by_side(test, keys, [*MEASURES, "queries"]))
    dev = development_recall(measured).rename(columns={"r10": "dev_r10", "r10_ci": "dev_r10_ci"})
    table = table.merge(dev, on=["dataset", "cell", "seed", "model", "epochs"], how="left")
    groups = table[["dataset", "test_set"]].drop_duplicates()
    scores = [c for c in table if c.startswith(DIRECTIONS)]
    columns = [*keys, "dev_r10", "dev_r10_ci", *scores, *PROVENANCE]
    return groups.merge(table, on=["dataset", "test_set"])[columns]


def _side_by_side(table: pd.DataFrame, keys: list[str], measures: list[str]) -> pd.DataFrame:
    """One row for the two directions; their measures get the direction as a prefix."""
    result = table.drop(columns=["direction", *measures]).drop_duplicates(keys)
    for direction in DIRECTIONS:
        one = table.loc[table["direction"] == direction, [*keys, *measures]]
        names = {measure: f"{direction}_{measure}" for measure in measures}
        result = result.merge(one.rename(columns=names), "left", on=keys, validate="1:1")
    return result


def write_table2(stem: Path, table: pd.DataFrame) -> None:
    """Write what `table2` gives as `write.write_table` does."""
    text = pd.DataFrame(
        {
            "source": table["source"],
            "model": table["model"] + table["selected"].map({True: DAGGER}).fillna(""),
        }
    )
    title = "Image-caption retrieval on the test sets."
    notes = TABLE2_NOTES
    if "reported" not in set(table["source"]):
        notes = [note for note in notes if note != REPORTED]
    _write(stem, table, _test_set(table), text, title, notes)


def write_snapshots(stem: Path, table: pd.DataFrame) -> None:
    """Write what `snapshots` gives as `write.write_table` does."""
    text = pd.DataFrame(
        {
            "epochs": (table["model"] + " " + table["epochs"]).str.strip(),
            "dev R@10": _with_interval(table["dev_r10"], table["dev_r10_ci"]),
        }
    )
    title = "Image-caption retrieval on the test sets: ensembles beside their snapshots."
    _write(stem, table, _test_set(table) + ": " + _name(table), text, title, SNAPSHOTS_NOTES)


def _test_set(table: pd.DataFrame) -> pd.Series:
    return table["dataset"].replace(NAMES) + ", test set " + table["test_set"]


def _name(table: pd.DataFrame) -> pd.Series:
    return table["cell"] + ", seed " + table["seed"].astype(str)


def _with_interval(value: pd.Series, interval: pd.Series) -> list[str]:
    pairs = zip(value, interval, strict=True)
    return [MISSING if pd.isna(v) else f"{v:.1f} ± {ci:.1f}" for v, ci in pairs]


def _write(
    stem: Path,
    table: pd.DataFrame,
    headings: pd.Series,
    labels: pd.DataFrame,
    title: str,
    notes: list[str],
) -> None:
    """Write a table whose rows begin with the text of `labels`, grouped under `headings`."""
    text = labels.copy()
    for direction in DIRECTIONS:
        for k in CUTOFFS:
            recall = f"{direction}_r{k}"
            text[recall] = _with_interval(table[recall], table[f"{recall}_ci"])
        text[f"{direction}_median"] = decimals(table[f"{direction}_median_rank"])
    text.columns = [*labels, *[*(f"R@{k}" for k in CUTOFFS), "med r"] * len(DIRECTIONS)]
    if not table["test_set"].str.endswith("-folds").any():
        notes = [note for note in notes if note != FOLDS]
    spans = {direction.replace("_", " "): len(CUTOFFS) + 1 for direction in DIRECTIONS}
    align = "l" * labels.shape[1] + "r" * sum(spans.values())
    write_table(stem, table, text, align, title, notes, headings, spans)
