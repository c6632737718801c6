"""Table 3 of Merkx & Frank (2019): example pairs, their ratings and the model's predictions."""

from pathlib import Path

import numpy as np
import pandas as pd

from groundvec.card.text import decimals
from groundvec.evaluation.snapshots import DECIMALS
from groundvec.results.schemas import Predictions, Ratings
from groundvec.runtime.errors import InputError
from reproduction.render.tables import write_table
from reproduction.reporting.measures import prediction
from reproduction.reporting.results import Results
from reproduction.reporting.systems import criterion, main_systems

# The pairs of the paper's Table 3: the beginnings of both sentences, letters and digits only.
EXAMPLES = (
    ("STS 2012", "SMTeuroparl", "weoftenpontificate", "weareproudoftenheretorepresentthecitizens"),
    ("STS 2012", "MSRpar", "southasiafollows", "ofthe11millioninfectedinsouthasia"),
    ("STS 2013", "FNWN", "thisframecontainswords", "lackinginspecificresources"),
    ("STS 2016", "Question-Question", "howdoimakeaheightadj", "howcanibuildawallmounted"),
)
NOTES = [
    "Example: a pair in Table 3 of Merkx & Frank (2019). The other pairs are chosen by rule.",
    "Rating: from 0 (nothing in common; SICK: from 1) to 5 (the same meaning). Model: the cosine "
    "(at most 1), or for tasks with training pairs the rating that the classifier predicts.",
    "The rule: a pair's contribution is the product of its rating and its prediction, both "
    "standardized over the subtask; Pearson's r is the mean of these. The highest pair contributes "
    "most to r, the lowest least, and the first of several equals is taken. Predictions are "
    "rounded to a millionth.",
    "Sentences are shown as the model reads them.",
]


def make(results: Results, stem: Path) -> None:
    """Write Table 3."""
    table = table3(results.predictions, results.ratings, results.selected)
    text = table[["agreement"]].assign(
        rating=decimals(table["rating"], 2), model=decimals(table["prediction"], 2)
    )
    text.insert(0, "subtask", table["task"] + " " + table["subtask"])
    text.loc[table["agreement"] == "lowest", "subtask"] = ""
    text[["sentence a", "sentence b"]] = table[["sentence_a", "sentence_b"]]
    sentence = r"p{0.29\linewidth}"
    align = ["l", "l", "r", "r", sentence, sentence]
    title = "Pairs on which the model and the ratings agree most and least."
    notes = [*NOTES, f"The model of a data set: the ensemble of {criterion(results.select)}."]
    write_table(stem, table, text, align, title, notes, table["name"])


def table3(
    predictions: Predictions, ratings: Ratings, selected: dict[str, tuple[str, int]]
) -> pd.DataFrame:
    """Select the paper's examples and each subtask's best and worst pair, for each selected model.

    Agreement is a pair's contribution to Pearson's r, z(rating) * z(prediction). Predictions are
    rounded to a millionth, because float32 gives equal sentences slightly different ones.

    Raises:
        InputError: the predictions belong to other pairs.
    """
    systems = main_systems(predictions, selected)
    systems = systems.query("kind == 'ensemble'").reset_index(drop=True)
    subtask = ["task", "subtask"]
    rated = ratings[[*subtask, "rating"]].reindex(systems["pair"]).reset_index(drop=True)
    same = (rated[subtask] == systems[subtask]).all(axis=1)
    same &= np.isclose(rated["rating"], systems["rating"])
    if not same.all():
        row = systems[~same].iloc[0]
        raise InputError(
            f"the predictions of {row['system']} belong to other rated pairs (pair {row['pair']}, "
            f"{row['task']} {row['subtask']}): make them again"
        )
    systems["prediction"] = prediction(systems)
    subtasks = systems.round({"prediction": 6}).groupby(["name", "task", "subtask"], sort=False)
    rating = subtasks["rating"].transform(_standardized)
    predicted = subtasks["prediction"].transform(_standardized)
    systems["contribution"] = (rating * predicted).round(DECIMALS)
    contribution = systems.groupby(["name", "task", "subtask"], sort=False)["contribution"]
    # The paper's examples for each model, then the highest and lowest pair of each subtask.
    chosen: list[tuple[int, str]] = []
    for pair in examples(ratings):
        chosen += [(row, "example") for row in systems.index[systems["pair"] == pair]]
    for highest, lowest in zip(contribution.idxmax(), contribution.idxmin(), strict=True):
        chosen += [(highest, "highest"), (lowest, "lowest")]
    rows, agreements = zip(*chosen, strict=True)
    table = systems.loc[list(rows)].assign(agreement=list(agreements))
    table = table.merge(ratings[["sentence_a", "sentence_b"]], left_on="pair", right_index=True)
    columns = ["name", "system", "epochs", "task", "subtask", "agreement", "contribution", "pair"]
    columns += ["rating", "cosine", "classifier", "prediction", "sentence_a", "sentence_b"]
    return table[columns]


def examples(ratings: Ratings) -> list[int]:
    """Find the rows of the paper's examples, in its order, without missing ones."""
    examples_found = []
    # Spaces and punctuation may differ, so letters and digits alone are compared.
    for task, subtask, *beginnings in EXAMPLES:
        rows = ratings[(ratings["task"] == task) & (ratings["subtask"] == subtask)]
        for column, beginning in zip(("sentence_a", "sentence_b"), beginnings, strict=True):
            plain = rows[column].str.lower().str.replace(r"[^a-z0-9]", "", regex=True)
            rows = rows[plain.str.startswith(beginning)]
        examples_found += rows.index[:1].tolist()
    return examples_found


def _standardized(values: pd.Series) -> pd.Series:
    """Compute z-scores, all 0 if the values are equal, so that no pair contributes."""
    if np.ptp(values) == 0:
        return pd.Series(0.0, values.index)
    return (values - values.mean()) / values.std(ddof=0)
