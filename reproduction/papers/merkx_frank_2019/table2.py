"""Table 2 of Merkx & Frank (2019): image-caption retrieval on the test sets."""

from functools import partial
from pathlib import Path

import pandas as pd

from groundvec.evaluation.ranks import DIRECTIONS
from groundvec.results.frames import read_csv
from groundvec.results.schemas import Retrieval
from reproduction.render.retrieval_table import CHANCE, chance, side_by_side, test_set, write
from reproduction.render.tables import DAGGER
from reproduction.reporting.results import MEASURES, Results
from reproduction.reporting.systems import PROVENANCE, criterion, dataset_of, in_order, model_name
from reproduction.schemas import Models

REPORTED = "Reported: as printed in Table 2 of Merkx & Frank (2019)."
MEASURED = "Measured: by this project, for the ensemble of a training's best snapshots."


def make(results: Results, stem: Path) -> None:
    """Write Table 2."""
    reported = read_csv(results.reported_file("table2"))
    table = table2(results.retrieval, reported, results.models, results.selected)
    name = model_name(table).where(table["source"] == "measured", table["model"])
    # Reported rows and chance are neither selected nor not, so they get no dagger.
    dagger = table["selected"].map({True: DAGGER}).fillna("")
    labels = pd.DataFrame({"source": table["source"], "model": name + dagger})
    notes = [f"{DAGGER} The selected model of a data set: {criterion(results.select)}."]
    notes += [REPORTED] if "reported" in set(table["source"]) else []
    title = "Image-caption retrieval on the test sets."
    write(stem, table, test_set(table), labels, title, [*notes, MEASURED, CHANCE])


def table2(
    measured: Retrieval,
    reported: pd.DataFrame,
    models: Models,
    selected: dict[str, tuple[str, int]],
) -> pd.DataFrame:
    """Join random rankings, reported rows and measured ensembles, for each measured test set.

    A row has both directions, in columns such as `caption_to_image_r10_ci`.
    """
    test = measured.query("split == 'test'")
    keys = ["dataset", "test_set", "language", "model", "seed"]
    numbers = [*MEASURES, "mean_rank", "queries"]
    ensembles = side_by_side(test.query("kind == 'ensemble'"), keys, numbers)
    ensembles = in_order(ensembles, models)
    trainings = pd.MultiIndex.from_frame(ensembles[["dataset", "model", "seed"]])
    ensembles["selected"] = trainings.isin(
        [(dataset, model, seed) for dataset, (model, seed) in selected.items()]
    )
    datasets = reported["dataset"].map(partial(dataset_of, models))
    printed = reported.assign(dataset=datasets, language="en")  # the language of the paper
    printed = side_by_side(printed, ["paper", *keys[:4]], MEASURES)
    random = side_by_side(chance(test), keys[:3], numbers)
    table = pd.concat(
        [
            random.assign(source="computed", model="chance"),
            printed.assign(source="reported"),
            ensembles.assign(source="measured"),
        ]
    )
    whole = ["seed", *(f"{direction}_queries" for direction in DIRECTIONS)]
    table[whole] = table[whole].astype("Int64")  # whole numbers, or missing
    table["selected"] = table["selected"].astype("boolean")

    groups = ensembles[keys[:3]].drop_duplicates()
    scores = [column for column in ensembles.columns if column.startswith(DIRECTIONS)]
    first = [*keys[:3], "source", "model", "seed", "selected"]
    last = ["paper", "epochs", *PROVENANCE]
    return groups.merge(table, on=keys[:3])[[*first, *scores, *last]]
