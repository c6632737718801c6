"""What Merkx & Frank (2019) claim of their models, and whether it holds here."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from groundvec.evaluation.ranks import DIRECTIONS
from groundvec.reporting import bootstrap
from groundvec.reporting.measures import RECALL, SEMANTIC
from groundvec.reporting.results import Results
from groundvec.reporting.systems import NAMES, check_scored, criterion, described, named, rows_of
from groundvec.reporting.verdicts import FAILS, HOLDS, OPEN, counted, verdict
from groundvec.reporting.write import TIMES, bracketed, write_table

CELLS = "GRUs beat LSTMs (the paper: significantly on STS 12-16 only)"
POOLING = "Attention beats max pooling"
SIZE = "Not in the paper: larger embeddings are better at the training task"
LATE = "The training task still gains after the first cycle (the paper: after epoch 4)"
PEAK = "The semantic score falls after the first cycle (the paper: after epoch 4)"
ENSEMBLE = "Not in the paper: two snapshots are better than the best one"
BASELINES = (
    "Not in the paper: the model beats every baseline (the paper: BOW on 20 of 26 subtasks, and as "
    "good as InferSent on 16, see section_4_3)"
)
VALUES = ["value", "low", "high"]

TITLE = "The claims of Merkx & Frank (2019), and whether they hold."
NOTES = [
    "Measures as in Figure 2, but the training task is R@10 on the test set, the mean of both "
    f"directions; the others are Pearson's r {TIMES} 100. Semantic score: the mean of those but "
    "STS-B. Of ensembles, where no epoch is named.",
    "Difference: positive where the claim holds. In square brackets its "
    f"{bootstrap.INTERVAL}; it says nothing of other seeds, and is not corrected for their number.",
    f"A claim {HOLDS} where the interval is above 0, {FAILS} where it is below, and is {OPEN} "
    "where it has 0 in it.",
]


def make(results: Results, stem: Path) -> None:
    """Write the claims."""
    check_scored(results.query_ranks, results.predictions)
    values = measured(results.query_ranks, results.predictions)
    table = claims(values, results.models, results.selected, results.best_snapshots)
    write_claims(stem, table, results.select)


def measured(ranks: pd.DataFrame, predictions: pd.DataFrame) -> pd.DataFrame:
    """R@10, the mean of both directions, and the semantic measures, of every system.

    Args:
        ranks, predictions: as `results.read_query_ranks` and `read_predictions` give them.

    Returns:
        Columns dataset, model, seed (missing of baselines), system, kind, epochs, measure and
        draws, as `bootstrap` gives them.
    """
    ways = bootstrap.recalls(ranks[ranks["direction"].isin(DIRECTIONS)])
    training = ["dataset", "model", "seed"]
    of_recall = bootstrap.averaged(ways, [*training, "kind", "epochs"]).assign(measure=RECALL)
    systems = named(ranks)
    of_ratings = systems.merge(bootstrap.semantic_measures(predictions), "right", on="system")
    return pd.concat([of_recall.merge(systems), of_ratings], ignore_index=True)


def claims(
    values: pd.DataFrame,
    models: pd.DataFrame,
    selected: dict[str, tuple[str, int]],
    best_snapshots: dict[str, int],
) -> pd.DataFrame:
    """The differences that the claims are about, and whether these hold.

    Args:
        values: as `measured` gives them.
        models: as `results.read_models` gives them.
        selected: as `systems.select` gives it: of what training the later claims are.
        best_snapshots: as `results.Results.best_snapshots` gives them.

    Returns:
        A row for each claim, two systems and measure: claim, dataset, seed, of (the measure), worse
        and better (which is said to be so), value, low, high and verdict.
    """
    of_baselines = values["kind"] == "baseline"
    baselines = values[of_baselines].assign(name=values["system"])
    trained = values[~of_baselines].astype({"seed": int}).assign(name=values["model"])
    parts = of_grid(trained[trained["kind"] == "ensemble"], models)
    for dataset, (model, seed) in selected.items():
        training = rows_of(trained, dataset, model, seed)
        ensemble = training[training["kind"] == "ensemble"]
        ends = described(models, dataset, model, seed)["snapshots"]
        of_one = of_training(training, best_snapshots[dataset], ends)
        of_one.append(compared(BASELINES, baselines, ensemble))
        parts += [part.assign(dataset=dataset, seed=seed) for part in of_one]
    table = pd.concat([part for part in parts if len(part)], ignore_index=True)
    sides = zip(table["low"].gt(0), table["high"].lt(0), strict=True)
    columns = ["claim", "dataset", "seed", "of", "worse", "better", *VALUES]
    return table.assign(verdict=[verdict(*each) for each in sides])[[*columns, "verdict"]]


def compared(
    claim: str, worse: pd.DataFrame, better: pd.DataFrame, alike: Sequence[str] = ()
) -> pd.DataFrame:
    """The differences between rows of the same measure.

    Args:
        worse, better: columns name, measure and draws, and those that are `alike`.

    Returns:
        A row for every two of these: claim, of, worse, better, value, low and high, and `alike`;
        nothing if there are none.
    """
    both = worse.merge(better, on=[*alike, "measure"], suffixes=("_worse", "_better"))
    if both.empty:
        return both
    gains = bootstrap.difference(both["draws_better"], both["draws_worse"])
    names = {"measure": "of", "name_worse": "worse", "name_better": "better"}
    table = both.rename(columns=names).assign(claim=claim, **gains)
    return table[["claim", *alike, "of", "worse", "better", *VALUES]]


def of_grid(ensembles: pd.DataFrame, models: pd.DataFrame) -> list[pd.DataFrame]:
    """Ensembles of the same seed whose networks differ in one thing."""
    parts = models[["dataset", "model", "seed", "network", "pooling", "size"]]
    table = ensembles[ensembles["measure"] != SEMANTIC].merge(parts)
    networks, poolings = dict(iter(table.groupby("network"))), dict(iter(table.groupby("pooling")))
    found = []
    if {"GRU", "LSTM"} <= networks.keys():
        alike = ["dataset", "seed", "pooling", "size"]
        found.append(compared(CELLS, networks["LSTM"], networks["GRU"], alike))
    if {"attention", "max"} <= poolings.keys():
        alike = ["dataset", "seed", "network", "size"]
        found.append(compared(POOLING, poolings["max"], poolings["attention"], alike))
    of_task = table[table["network"].isin(["GRU", "LSTM"]) & table["measure"].eq(RECALL)]
    for size, larger in of_task.groupby("size"):
        smaller = of_task[of_task["size"] < size]
        alike = ["dataset", "seed", "network", "pooling"]
        found.append(compared(SIZE, smaller, larger, alike))
    return found


def of_training(training: pd.DataFrame, best: int, ends: list[int]) -> list[pd.DataFrame]:
    """The snapshots of one training beside each other, and beside the ensemble.

    Args:
        best: the epoch of the best snapshot.
        ends: the epochs at which cycles end.
    """
    snapshots = training[training["kind"] == "snapshot"].astype({"epochs": int})
    snapshots = snapshots.assign(name="epoch " + snapshots["epochs"].astype(str))
    ensemble = training[training["kind"] == "ensemble"].assign(name="ensemble")
    found = [compared(ENSEMBLE, snapshots[snapshots["epochs"] == best], ensemble)]
    if len(ends) > 1:
        first, last = (snapshots[snapshots["epochs"] == epoch] for epoch in (ends[0], ends[-1]))
        found.append(compared(LATE, first[first["measure"] == RECALL], last))
        found.append(compared(PEAK, last[last["measure"] == SEMANTIC], first))
    return found


def write_claims(stem: Path, table: pd.DataFrame, select: str) -> None:
    """Write what `claims` gives as `write.write_table` does, a part for each claim.

    Args:
        select: how the models were selected, see `systems.select`.
    """
    text = table[["of", "worse", "better"]].assign(seed=table["seed"].astype(str))
    text["difference"] = bracketed(table["value"], table["low"], table["high"])
    text["verdict"] = table["verdict"]
    groups = table["claim"] + ": " + table["dataset"].replace(NAMES)
    notes = [*NOTES, f"Epochs are those of {criterion(select)}."]
    write_table(stem, table, text, "lllrrl", TITLE, notes, counted(groups, table["verdict"]))
