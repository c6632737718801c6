"""Decide which claims of Merkx & Frank (2019) hold in this run."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from groundvec.evaluation.ranks import DIRECTIONS
from groundvec.results.schemas import Predictions, QueryRanks
from reproduction.render.claims import write
from reproduction.render.tables import TIMES
from reproduction.reporting import resampled
from reproduction.reporting.claims import claimed_pairs, decide, pairwise, stacked
from reproduction.reporting.measures import RECALL, SEMANTIC
from reproduction.reporting.results import Results
from reproduction.reporting.systems import (
    best_snapshot,
    check_scored,
    criterion,
    described,
    named,
    test_to_train_of,
)
from reproduction.schemas import Claims, Models

# The claims, in the words of the table. Kept results and pages find them by these names.
CELLS = "GRUs beat LSTMs (the paper: significantly on STS 12-16 only)"
POOLING = "Attention beats max pooling"
SIZES = {
    RECALL: "Not in the paper: larger embeddings are better at the training task",
    "SICK-R": "Larger embeddings are better on SICK (the paper: 4096 is the best)",
}
SAME_NETWORK = "network_worse == network_better"
SAME_POOLING = "pooling_worse == pooling_better"
SAME_SIZE = "size_worse == size_better"
# The systems of claims about models that differ in one property, for `claimed_pairs`.
GRID = {
    CELLS: "network_worse == 'LSTM' and network_better == 'GRU' and "
    f"{SAME_POOLING} and {SAME_SIZE}",
    POOLING: "pooling_worse == 'max' and pooling_better == 'attention' and "
    f"{SAME_NETWORK} and {SAME_SIZE}",
} | {
    claim: f"size_worse < size_better and {SAME_NETWORK} and {SAME_POOLING} and "
    f"network_better in ['GRU', 'LSTM'] and measure == {measure!r}"
    for measure, claim in SIZES.items()
}
LATE = "The training task still gains after the first cycle (the paper: after epoch 4)"
PEAK = "The semantic score falls after the first cycle (the paper: after epoch 4)"
ENSEMBLE = "Not in the paper: two snapshots are better than the best one"
BASELINES = (
    "Not in the paper: the model beats every baseline (the paper: BOW on 20 of 26 subtasks, and as "
    "good as InferSent on 16, see section_4_3)"
)

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
    # Seeds of a draw have their own test images, but the same rated pairs.
    overlap = values["dataset"].map(test_to_train_of(models))
    values = values.assign(test_to_train=overlap.where(values["measure"] == RECALL))
    is_baseline = values["kind"] == "baseline"
    baselines = values[is_baseline].assign(name=values["system"])
    trained = values[~is_baseline].astype({"seed": int}).assign(name=values["model"])
    grid = trained.query(f"kind == 'ensemble' and measure != {SEMANTIC!r}")
    grid = grid.merge(models[["dataset", "model", "seed", "network", "pooling", "size"]])
    same = ["dataset", "seed", "measure", "test_to_train"]
    grid = grid[[*same, "name", "network", "pooling", "size", "draws"]].assign(condition="")
    parts = [claimed_pairs(grid, GRID, [*same, "condition"])]
    for dataset, model in selected.items():
        training = trained.query("dataset == @dataset and model == @model")
        ends = described(models, dataset, model, training["seed"].iloc[0])["snapshots"]
        ensembles = training.query("kind == 'ensemble'")
        parts += of_training(training, best, ends)
        parts.append(pairwise(BASELINES, baselines, ensembles))
    return decide("merkx_frank_2019", stacked(parts))


def of_training(trainings: pd.DataFrame, best: pd.DataFrame, ends: list[int]) -> list[pd.DataFrame]:
    """Compare the snapshots of one model with each other and with its ensemble, by seed.

    Args:
        trainings: the rows of the model in the result of `measured`.
        best: see `claims`.
        ends: the last epoch of each learning rate cycle.
    """
    if len(ends) == 1:  # the ensemble is the only snapshot
        return []
    snapshots = trainings.query("kind == 'snapshot'").astype({"epochs": int})
    best_ones = snapshots.merge(best)
    snapshots = snapshots.assign(name="epoch " + snapshots["epochs"].astype(str))
    ensemble = trainings.query("kind == 'ensemble'").assign(name="ensemble")
    first = snapshots[snapshots["epochs"] == ends[0]]
    last = snapshots[snapshots["epochs"] == ends[-1]]
    same = ["dataset", "seed"]
    return [
        pairwise(ENSEMBLE, best_ones.assign(name="best snapshot"), ensemble, same),
        pairwise(LATE, first.query(f"measure == {RECALL!r}"), last, same),
        pairwise(PEAK, last.query(f"measure == {SEMANTIC!r}"), first, same),
    ]
