"""Table 2 of Calixto & Liu (2017): ratings of sentence pairs, and beyond it those of all tasks."""

from pathlib import Path

import pandas as pd

from groundvec.card.text import DAGGER, TIMES
from groundvec.evaluation.significance import compare
from groundvec.results.frames import read
from groundvec.results.schemas import Models, Predictions, Scores
from reproduction.papers.calixto_liu_2017.labels import of_languages
from reproduction.papers.calixto_liu_2017.reported import ReportedImages
from reproduction.papers.calixto_liu_2017.table1 import ENSEMBLE
from reproduction.render.tables import column_with_interval, wide, write_table
from reproduction.reporting.claims import LEVEL
from reproduction.reporting.measures import SEMANTIC, as_values
from reproduction.reporting.results import Results
from reproduction.reporting.systems import NAMES, PROVENANCE, beside, every_system, with_seeds

DESCRIBED = ["several", "reads", "beta", "shared"]
TITLE = "Correlation with the ratings of sentence pairs."
NOTES = [
    f"Pearson's r {TIMES} 100 with its 95% interval, Fisher's. STS images: of the plain cosines of "
    "English sentences, as in the paper. The others, which it does not have: of several subtasks "
    "the mean of their correlations weighted by pairs, of the cosines; of a task with training "
    "pairs, of what SentEval's classifier predicts.",
    f"{DAGGER} Higher than that of the model of English alone that reads the same. The test is "
    "Williams's, of dependent correlations, at 5%, two-sided, not corrected for the number of "
    "tests.",
    ENSEMBLE,
]


def make(results: Results, stem: Path) -> None:
    """Write Table 2."""
    reported = read(results["reported"], ReportedImages)
    table = table2(results.scores, results.predictions, reported, results.models)
    better = table["p_vse"].lt(LEVEL) & table["gain"].gt(0)
    cells = table[["group", "source", "measure"]].assign(
        model=with_seeds(table["name"], table["seed"]),
        text=column_with_interval(table, "value") + better.map({True: DAGGER, False: ""}),
    )
    text = wide(cells, ["group", "source", "model"], "measure")
    groups = text.pop("group")
    align = "ll" + "r" * (text.shape[1] - 2)
    write_table(stem, table, text, align, TITLE, NOTES, groups)


def table2(
    scores: Scores, predictions: Predictions, reported: ReportedImages, models: Models
) -> pd.DataFrame:
    """Join reported correlations, those of measured ensembles, and of baselines, in percent.

    `gain` and `p_vse` (Williams's test) compare with the model of English alone. They are NaN where
    there is none, or the measure has several subtasks.
    """
    images = scores[
        (scores["statistic"] == "correlation")
        & (scores["method"] == "cosine")
        & (scores["subtask"] == "Images")
    ]
    images = images.assign(measure=images["task"] + " images")
    measures = every_system(scores, models)
    both = pd.concat([images, measures[measures["measure"] != SEMANTIC]], ignore_index=True)
    table = as_values(both).rename(columns={"low": "value_low", "high": "value_high"})
    table = table[table["kind"].isin(["ensemble", "baseline"])].assign(source="measured")
    about = of_languages(models)
    about = about.reindex(columns=["dataset", "model", "seed", "name", *DESCRIBED])
    about = about.astype({"seed": "Int64"})
    table = table.merge(about, "left", on=["dataset", "model", "seed"])
    table["name"] = table["name"].fillna(table["system"])
    table["group"] = table["dataset"].replace(NAMES).replace("", "Baselines")
    table = table.merge(_against_one(table, predictions), "left", on=["system", "measure"])
    dataset = beside(models, "multi30k")
    theirs = reported.assign(
        measure=reported["task"] + " " + reported["subtask"],
        value=100 * reported["pearson"],
        source="reported",
        group=NAMES.get(dataset, dataset),
        name=reported["model"],
        several=reported["beta"].notna(),
    )
    columns = ["group", "source", "name", "dataset", "model", "seed", "epochs", "measure", "value"]
    columns += ["value_low", "value_high", "gain", "p_vse", *DESCRIBED, "paper"]
    joined = pd.concat([theirs, table], ignore_index=True)
    joined["shared"] = joined["shared"].eq(True)
    return joined[[*columns, *PROVENANCE]]


def _against_one(table: pd.DataFrame, predictions: pd.DataFrame) -> pd.DataFrame:
    """Compare models of several languages with that of English that reads the same."""
    ensembles = predictions[predictions["kind"] == "ensemble"]
    of_system = dict(iter(ensembles[ensembles["subtask"] == "Images"].groupby("system")))
    models = table[table["kind"] == "ensemble"].drop_duplicates("system")
    parts = [pd.DataFrame(columns=["system", "measure", "gain", "p_vse"])]
    for _, group in models.groupby(["dataset", "seed", "reads"]):
        alone = group.loc[~group["several"].astype(bool), "system"]
        for system in group.loc[group["several"].astype(bool), "system"]:
            if len(alone) and system in of_system:
                found = compare(of_system[system], of_system[alone.iloc[0]])
                gain = 100 * (found["r_a"] - found["r_b"])
                measure = found["task"] + " images"
                found = found.assign(system=system, measure=measure, gain=gain, p_vse=found["p"])
                parts.append(found[list(parts[0])])
    return pd.concat(parts, ignore_index=True)
