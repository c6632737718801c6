"""The claims of Merkx & Frank (2019), and whether they hold here."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from groundvec.card.text import TIMES
from groundvec.evaluation import bootstrap
from groundvec.evaluation.ranks import DIRECTIONS
from groundvec.results.schemas import Claims, Models, Predictions, QueryRanks
from reproduction.render.claims import write
from reproduction.reporting import resampled
from reproduction.reporting.claims import COMPARED, decide
from reproduction.reporting.measures import RECALL, SEMANTIC
from reproduction.reporting.results import Results
from reproduction.reporting.systems import best_snapshot, check_scored, criterion, described, named

CELLS = "GRUs beat LSTMs (the paper: significantly on STS 12-16 only)"
POOLING = "Attention beats max pooling"
SIZES = {
    RECALL: "Not in the paper: larger embeddings are better at the training task",
    "SICK-R": "Larger embeddings are better on SICK (the paper: those of 4096 are the best)",
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
    f"directions; the others are Pearson's r {TIMES} 100. Semantic score: the mean of those but "
    "STS-B. Of ensembles, where no snapshot is named."
]


def make(results: Results, stem: Path) -> None:
    """Write the claims."""
    check_scored(results.query_ranks, results.predictions)
    values = measured(results.query_ranks, results.predictions)
    selected = {dataset: model for dataset, (model, _) in results.selected.items()}
    best = {
        (about["dataset"], about["model"], about["seed"]): best_snapshot(about)
        for _, about in results.models.iterrows()
        if about["model"] == selected[about["dataset"]]
    }
    table = claims(values, results.models, selected, best)
    selection = f"Epochs and snapshots are those of {criterion(results.select)}."
    write(stem, table, TITLE, [*NOTES, selection])


def measured(ranks: QueryRanks, predictions: Predictions) -> pd.DataFrame:
    """Measure R@10, the mean of both directions, and the semantic measures, of every system."""
    ways = resampled.recalls(ranks[ranks["direction"].isin(DIRECTIONS)])
    training = ["dataset", "model", "seed"]
    of_recall = resampled.averaged(ways, [*training, "kind", "epochs"]).assign(measure=RECALL)
    systems = named(ranks)
    of_ratings = systems.merge(resampled.semantic_measures(predictions), "right", on="system")
    return pd.concat([of_recall.merge(systems), of_ratings], ignore_index=True)


def claims(
    values: pd.DataFrame,
    models: Models,
    selected: Mapping[str, str],
    best: Mapping[tuple[str, str, int], int],
) -> Claims:
    """Measure the differences that the claims are about, and decide whether these hold.

    Args:
        values: the result of `measured`.
        selected: the model of each data set that the later claims are of, with all its seeds.
        best: the epoch of the best snapshot of each dataset, model and seed that is selected.
    """
    of_baselines = values["kind"] == "baseline"
    baselines = values[of_baselines].assign(name=values["system"])
    trained = values[~of_baselines].astype({"seed": int}).assign(name=values["model"])
    parts = of_grid(trained[trained["kind"] == "ensemble"], models)
    for dataset, model in selected.items():
        training = trained[trained["dataset"].eq(dataset) & trained["model"].eq(model)]
        ends = described(models, dataset, model, training["seed"].iloc[0])["snapshots"]
        ensembles = training[training["kind"] == "ensemble"]
        parts += of_training(training, best, ends)
        parts.append(compared(BASELINES, baselines, ensembles))
    return decide("merkx_frank_2019", pd.concat([part for part in parts if len(part)]))


def compared(
    claim: str, worse: pd.DataFrame, better: pd.DataFrame, alike: Sequence[str] = ()
) -> pd.DataFrame:
    """Compare rows of the same measure, every two of them: input for `decide`.

    Args:
        worse, better: columns name, measure and draws, and those that are `alike`; `better` has
            dataset and seed too.
    """
    keys = [*alike, "measure"]
    worse = worse[[*keys, "name", "draws"]].rename(columns={"name": "worse", "draws": "other"})
    both = better.rename(columns={"name": "better"}).merge(worse, on=keys)
    if both.empty:
        return both
    gains = bootstrap.difference(both.pop("draws"), both.pop("other"))
    return both.assign(claim=claim, condition="", **gains)[[*COMPARED, "seed", *gains]]


def of_grid(ensembles: pd.DataFrame, models: Models) -> list[pd.DataFrame]:
    """Compare ensembles of the same seed whose networks differ in one thing."""
    parts = models[["dataset", "model", "seed", "network", "pooling", "size"]]
    table = ensembles[ensembles["measure"] != SEMANTIC].merge(parts)
    networks = dict(iter(table.groupby("network")))
    poolings = dict(iter(table.groupby("pooling")))
    found = []
    if {"GRU", "LSTM"} <= networks.keys():
        alike = ["dataset", "seed", "pooling", "size"]
        found.append(compared(CELLS, networks["LSTM"], networks["GRU"], alike))
    if {"attention", "max"} <= poolings.keys():
        alike = ["dataset", "seed", "network", "size"]
        found.append(compared(POOLING, poolings["max"], poolings["attention"], alike))
    alike = ["dataset", "seed", "network", "pooling"]
    for measure, claim in SIZES.items():
        own = table[table["network"].isin(["GRU", "LSTM"]) & table["measure"].eq(measure)]
        for size, larger in own.groupby("size"):
            found.append(compared(claim, own[own["size"] < size], larger, alike))
    return found


def of_training(
    trainings: pd.DataFrame, best: Mapping[tuple[str, str, int], int], ends: list[int]
) -> list[pd.DataFrame]:
    """Compare the snapshots of one model with each other, and with its ensemble, by seed."""
    if len(ends) == 1:  # the ensemble is the only snapshot
        return []
    snapshots = trainings[trainings["kind"] == "snapshot"].astype({"epochs": int})
    training = pd.MultiIndex.from_frame(snapshots[["dataset", "model", "seed"]])
    chosen = snapshots[snapshots["epochs"].to_numpy() == training.map(best).to_numpy()]
    snapshots = snapshots.assign(name="epoch " + snapshots["epochs"].astype(str))
    ensemble = trainings[trainings["kind"] == "ensemble"].assign(name="ensemble")
    first, last = (snapshots[snapshots["epochs"] == epoch] for epoch in (ends[0], ends[-1]))
    alike = ["dataset", "seed"]
    return [
        compared(ENSEMBLE, chosen.assign(name="best snapshot"), ensemble, alike),
        compared(LATE, first[first["measure"] == RECALL], last, alike),
        compared(PEAK, last[last["measure"] == SEMANTIC], first, alike),
    ]
