"""Decide which claims of Merkx & Frank (2019) hold in this run."""

import tomllib
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from groundvec.evaluation.ranks import DIRECTIONS
from groundvec.results.schemas import Predictions, QueryRanks
from reproduction.render.claims import write
from reproduction.render.tables import TIMES
from reproduction.reporting import resampled
from reproduction.reporting.claims import claimed_pairs, decide
from reproduction.reporting.measures import RECALL
from reproduction.reporting.results import Results
from reproduction.reporting.systems import (
    best_snapshot,
    check_scored,
    criterion,
    in_order,
    named,
    sorted_by,
    test_to_train_of,
)
from reproduction.schemas import Claims, Models

# The systems of each claim, for `claimed_pairs`.
CLAIMS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))

TITLE = "The claims of Merkx & Frank (2019), and whether they hold."
NOTES = [
    "Measures as in Figure 2, but the training task is R@10 on the test set, the mean of both "
    f"directions. The others are Pearson's r {TIMES} 100; the semantic score is their mean without "
    "STS-B. Systems are ensembles, unless a snapshot is named."
]


def make(results: Results, stem: Path) -> None:
    """Write the claims."""
    # Without this check, a model without ratings would be missing from the comparisons silently.
    check_scored(results.query_ranks, results.predictions)
    values = measured(results.query_ranks, results.predictions)
    selected = {dataset: model for dataset, (model, _) in results.selected.items()}
    models = results.models
    trainings = models[models["model"] == models["dataset"].map(selected)]
    best = trainings[["dataset", "model", "seed"]].assign(
        epochs=[best_snapshot(training) for _, training in trainings.iterrows()]
    )
    table = claims(values, models, selected, best)
    selection = f"Epochs and snapshots belong to {criterion(results.select)}."
    write(stem, table, TITLE, [*NOTES, selection])


def measured(ranks: QueryRanks, predictions: Predictions) -> pd.DataFrame:
    """Compute R@10, mean of both directions, and the semantic measures of every system."""
    directions = resampled.recalls(ranks[ranks["direction"].isin(DIRECTIONS)])
    training = ["dataset", "model", "seed"]
    recalls = resampled.averaged(directions, [*training, "kind", "epochs"]).assign(measure=RECALL)
    systems = named(ranks)
    correlations = systems.merge(resampled.semantic_measures(predictions), "right", on="system")
    return pd.concat([recalls.merge(systems), correlations], ignore_index=True)


def claims(
    values: pd.DataFrame, models: Models, selected: Mapping[str, str], best: pd.DataFrame
) -> Claims:
    """Compute the difference of every comparison, and decide whether the claims hold.

    Args:
        values: the result of `measured`.
        selected: the model of each data set whose snapshots are compared, with all its seeds.
        best: the best snapshots of the selected models: dataset, model, seed and epochs.
    """
    training = ["dataset", "model", "seed"]
    trained = in_order(values.query("kind != 'baseline'").astype({"seed": int}), models)
    properties = models[[*training, "network", "pooling", "size", "snapshots"]]
    trained = sorted_by(trained, ["measure"]).merge(properties)
    trained["selected"] = trained["model"] == trained["dataset"].map(selected)
    ensembles = trained.query("kind == 'ensemble'").assign(name=trained["model"])
    # Each seed of a selected model has the same baselines.
    seeds = ensembles.query("selected")[["dataset", "seed"]].drop_duplicates()
    baselines = values.query("kind == 'baseline'").drop(columns=["dataset", "seed"])
    # An ensemble of one snapshot is that snapshot.
    shown = trained[trained["selected"] & trained["snapshots"].str.len().gt(1)]
    snapshots = shown.query("kind == 'snapshot'").astype({"epochs": int})
    snapshots = snapshots.assign(name="epoch " + snapshots["epochs"].astype(str))
    parts = {
        "model": ensembles,
        "baseline": baselines.assign(name=baselines["system"]).merge(seeds, "cross"),
        "ensemble": shown.query("kind == 'ensemble'").assign(name="ensemble"),
        "best": snapshots.merge(best).assign(name="best snapshot"),
        "first": snapshots[snapshots["epochs"] == snapshots["snapshots"].str[0]],
        "last": snapshots[snapshots["epochs"] == snapshots["snapshots"].str[-1]],
    }
    systems = pd.concat([part.assign(role=role) for role, part in parts.items()])
    # Seeds of a draw have their own test images, but the same rated pairs.
    overlap = systems["dataset"].map(test_to_train_of(models))
    systems = systems.assign(test_to_train=overlap.where(systems["measure"] == RECALL))
    same = ["dataset", "seed", "measure", "test_to_train"]
    own = ["role", "name", "selected", "network", "pooling", "size", "draws"]
    table = claimed_pairs(systems[[*same, *own]], CLAIMS, same)
    return decide("merkx_frank_2019", table.assign(condition=""))
