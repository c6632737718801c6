"""Table 2 of Calixto & Liu (2017): correlations with ratings, here also for all other tasks."""

from pathlib import Path

import pandas as pd

from groundvec.evaluation.significance import compare
from groundvec.results.frames import read_csv
from groundvec.results.schemas import Predictions, Scores
from reproduction.papers.calixto_liu_2017.labels import labelled
from reproduction.papers.calixto_liu_2017.table1 import ENSEMBLE
from reproduction.render.tables import DAGGER, TIMES, column_with_interval, wide, write_table
from reproduction.reporting.claims import LEVEL
from reproduction.reporting.measures import SEMANTIC, as_values
from reproduction.reporting.results import Results
from reproduction.reporting.systems import NAMES, PROVENANCE, dataset_of, every_system, with_seeds
from reproduction.schemas import Models

DESCRIBED = ["several", "reads", "beta", "shared"]
TITLE = "Correlation with the ratings of sentence pairs."
NOTES = [
    f"Pearson's r {TIMES} 100 with its 95% interval (Fisher's). STS images: for the plain cosines "
    "of English sentences, as in the paper. The paper has no other tasks. For several subtasks, "
    "the mean of their correlations, weighted by pairs, for the cosines; for a task with training "
    "pairs, the correlation of the predictions of SentEval's classifier.",
    f"{DAGGER} Higher than the model of English alone that reads the same text, by Williams' test "
    "for dependent correlations, at 5%, two-sided, not corrected for the number of tests.",
    ENSEMBLE,
]


def make(results: Results, stem: Path) -> None:
    """Write Table 2."""
    reported = read_csv(results.reported_file("table2"))
    table = table2(results.scores, results.predictions, reported, results.models)
    # The test is two-sided, so a significant loss has a small p, too.
    better = table["p_vse"].lt(LEVEL) & table["gain"].gt(0)
    cells = table[["group", "source", "measure"]].assign(
        model=with_seeds(table["name"], table["seed"]),
        text=column_with_interval(table, "value") + better.map({True: DAGGER, False: ""}),
    )
    text = wide(cells, ["group", "source", "model"])
    groups = text.pop("group")
    align = "ll" + "r" * (text.shape[1] - 2)
    write_table(stem, table, text, align, TITLE, NOTES, groups)


def table2(
    scores: Scores, predictions: Predictions, reported: pd.DataFrame, models: Models
) -> pd.DataFrame:
    """Join reported correlations and measured ones of ensembles and baselines, in percent.

    `gain` and `p_vse` (Williams' test) compare with the model of English alone. They are NaN if no
    such model exists, or if the measure has several subtasks.
    """
    images = scores.query(
        "statistic == 'correlation' and method == 'cosine' and subtask == 'Images'"
    )
    images = images.assign(measure=images["task"] + " images")
    measures = every_system(scores, models).query(f"measure != {SEMANTIC!r}")
    table = as_values(pd.concat([images, measures], ignore_index=True))
    table = table.rename(columns={"low": "value_low", "high": "value_high"})
    table = table.query("kind in ['ensemble', 'baseline']").assign(source="measured")
    labels = labelled(models)
    labels = labels.reindex(columns=["dataset", "model", "seed", "name", *DESCRIBED])
    labels = labels.astype({"seed": "Int64"})
    table = table.merge(labels, "left", on=["dataset", "model", "seed"])
    table["name"] = table["name"].fillna(table["system"])
    table["group"] = table["dataset"].replace(NAMES).replace("", "Baselines")
    table = table.merge(_against_one(table, predictions), "left", on=["system", "measure"])
    dataset = dataset_of(models, "multi30k")
    printed = reported.assign(
        measure=reported["task"] + " " + reported["subtask"],
        value=100 * reported["pearson"],
        source="reported",
        group=NAMES.get(dataset, dataset),
        name=reported["model"],
        several=reported["beta"].notna(),
    )
    columns = ["group", "source", "name", "dataset", "model", "seed", "epochs", "measure", "value"]
    columns += ["value_low", "value_high", "gain", "p_vse", *DESCRIBED, "paper"]
    joined = pd.concat([printed, table], ignore_index=True)
    joined["shared"] = joined["shared"].eq(True)  # missing for models without this option
    return joined[[*columns, *PROVENANCE]]


def _against_one(table: pd.DataFrame, predictions: pd.DataFrame) -> pd.DataFrame:
    """Test models of several languages against the model of English that reads the same text."""
    images = predictions.query("kind == 'ensemble' and subtask == 'Images'")
    predictions_of = dict(iter(images.groupby("system")))
    models = table.query("kind == 'ensemble'").drop_duplicates("system")
    parts = [pd.DataFrame(columns=["system", "measure", "gain", "p_vse"])]
    # The same data set, seed and text: these models differ in their languages only.
    for _, group in models.groupby(["dataset", "seed", "reads"]):
        several = group["several"].astype(bool)
        english = group.loc[~several, "system"]
        for system in group.loc[several, "system"]:
            if len(english) and system in predictions_of:
                tests = compare(predictions_of[system], predictions_of[english.iloc[0]])
                tests = tests.assign(
                    system=system,
                    measure=tests["task"] + " images",
                    gain=100 * (tests["r_a"] - tests["r_b"]),
                    p_vse=tests["p"],
                )
                parts.append(tests[list(parts[0])])
    return pd.concat(parts, ignore_index=True)
