"""Table 1 of Calixto & Liu (2017): retrieval of images and sentences in each language."""

from pathlib import Path

import pandas as pd

from groundvec.card.text import MISSING
from groundvec.evaluation.ranks import DIRECTIONS
from groundvec.results.frames import read_csv
from groundvec.results.schemas import CUTOFFS, Retrieval
from reproduction.papers.calixto_liu_2017.labels import labelled
from reproduction.render.retrieval_table import CHANCE, chance, side_by_side, write
from reproduction.reporting.measures import whole
from reproduction.reporting.results import MEASURES, Results
from reproduction.reporting.systems import NAMES, PROVENANCE, dataset_of, in_order, with_seeds
from reproduction.schemas import Models

RECALLS = [f"{direction}_r{k}" for direction in DIRECTIONS for k in CUTOFFS]
TITLE = "Retrieval of images by sentences, and of sentences by images, in each language."
ENSEMBLE = (
    "Measured: by this project, the ensemble of a training's best snapshots. Reported: as printed "
    "in Calixto & Liu (2017), for single models."
)
NOTES = [
    "In brackets: the gain of a model of several languages over the best model of this language "
    "alone that reads the same text (words or characters). Reported gains are over the best VSE, "
    "computed from the printed recalls. With β = 0 the image network stays untrained, so the "
    "ranking is random.",
    ENSEMBLE + " Their test set has 514 images of the validation set (section 4 of the paper).",
]


def make(results: Results, stem: Path) -> None:
    """Write Table 1."""
    reported = read_csv(results.reported_file("table1")).fillna({"role": ""})
    table = table1(results.retrieval, reported, results.models)
    headings = table["dataset"].replace(NAMES) + ", " + table["language"]
    names = with_seeds(table["name"], table["seed"])
    labels = table[["source", "test_set"]].assign(model=names).fillna(MISSING)
    labels = labels.rename(columns={"test_set": "images"})
    write(stem, table, headings, labels, TITLE, [*NOTES, CHANCE])


def table1(measured: Retrieval, reported: pd.DataFrame, models: Models) -> pd.DataFrame:
    """Join chance, reported models and measured ensembles of each data set and language.

    A row has both directions, in columns such as `caption_to_image_r10_ci`, and the gains, in
    columns such as `caption_to_image_r10_gain`.
    """
    test = whole(measured)
    keys = ["dataset", "test_set", "language", "model", "seed"]
    numbers = [*MEASURES, "mean_rank", "queries"]
    ensembles = in_order(side_by_side(test.query("kind == 'ensemble'"), keys, numbers), models)
    labels = ["dataset", "model", "seed", "name", "several", "reads", "beta"]
    ensembles = ensembles.merge(labelled(models)[labels], on=["dataset", "model", "seed"])
    ensembles = ensembles.assign(source="measured")
    random = side_by_side(chance(test), keys[:3], numbers).assign(source="computed", name="chance")
    scores = [*(f"r{k}" for k in CUTOFFS), "median_rank"]
    printed = side_by_side(reported, ["paper", "language", "model"], scores)
    printed = printed.merge(reported[["model", "beta", "role"]].drop_duplicates("model"))
    printed = printed.assign(
        source="reported",
        dataset=dataset_of(models, "multi30k"),
        name=printed["model"],
        several=printed["beta"].notna(),
    )
    table = _with_gains(pd.concat([random, printed, ensembles], ignore_index=True))
    columns = [
        f"{direction}_{number}"
        for direction in DIRECTIONS
        for number in (*numbers, *(f"r{k}_gain" for k in CUTOFFS))
    ]
    first = ["dataset", "test_set", "language", "source", "name", "model", "seed"]
    last = ["several", "reads", "beta", "role", "paper", "epochs", *PROVENANCE]
    table["seed"] = table["seed"].astype("Int64")  # reported rows and chance have no seed
    return table[[*first, *columns, *last]]


def _with_gains(table: pd.DataFrame) -> pd.DataFrame:
    """Add the gain of several languages over the best model of one language, for each recall."""
    same = ["source", "dataset", "language", "reads", "seed"]
    for recall in RECALLS:
        # The paper's other systems are no VSE, so gains are not computed over them.
        alone = table["several"].eq(False) & table["role"].ne("other")
        of_one = table.assign(one=table[recall].where(alone))
        gain = table[recall] - of_one.groupby(same, dropna=False)["one"].transform("max")
        table[f"{recall}_gain"] = gain.where(table["several"].eq(True))
    return table
