"""What each part of a model gives: models side by side, and how they differ from the first."""

from collections import defaultdict
from pathlib import Path

import numpy as np
import pandas as pd

from groundvec.evaluation import paired
from groundvec.evaluation.ratings import system_name
from groundvec.evaluation.retrieval import CUTOFFS, DIRECTIONS
from groundvec.reporting.measures import joint_name, prediction
from groundvec.reporting.results import Results
from groundvec.reporting.systems import NAMES
from groundvec.reporting.write import TIMES, decimals, write_table

TITLE = "What each part gives, and how models differ from the first one."
NOTES = [
    "Measured by this project, of ensembles; the mean of so many seeds. R@10: percent of the test "
    f"queries. Ratings: Pearson's r {TIMES} 100 with people's, by cosines (the mean of the "
    "subtasks, weighted by their pairs), or where there are training pairs by a classifier. Then "
    "the difference from the first model, and its 95% interval by a paired bootstrap: 1,000 draws "
    "of pictures, or of pairs within each subtask.",
    "min: minutes of training, whatever else the machine did meanwhile.",
]
SEED = 1  # of the draws
TOGETHER = "all"  # tasks without training pairs
VALUES = ["value", "low", "high", "difference", "difference_low", "difference_high"]


def make(results: Results, stem: Path) -> None:
    """Write the table."""
    predictions = results.predictions if results.given.get("predictions") else None
    table = ablation(results.query_ranks, predictions, results.history)
    shown = table.assign(
        text=_with_difference(table),
        seeds=table["seeds"].astype(str),
        min=decimals(table["minutes"], 0),
    )
    keys = ["dataset", "model", "seeds", "min", "measure"]
    text = shown.set_index(keys)["text"].unstack(sort=False).reset_index()
    headings = text.pop("dataset").replace(NAMES)
    write_table(stem, table, text, "lrr" + "l" * (text.shape[1] - 3), TITLE, NOTES, headings)


def _with_difference(table: pd.DataFrame) -> list[str]:
    """Values, and differences with their intervals, such as `60.1 (1.2: 0.4, 2.0)`."""
    columns = ["value", "difference", "difference_low", "difference_high"]
    numbers = zip(*(decimals(table[column]) for column in columns), strict=True)
    first = table["difference"].isna()
    return [
        value if alone else f"{value} ({difference}: {low}, {high})"
        for alone, (value, difference, low, high) in zip(first, numbers, strict=True)
    ]


def ablation(
    ranks: pd.DataFrame, predictions: pd.DataFrame | None, history: pd.DataFrame
) -> pd.DataFrame:
    """Every measure of every model, the mean of its seeds, and its difference from the first model.

    Args:
        ranks: as `results.read_query_ranks` gives them; its models keep their order.
        predictions: as `results.read_predictions` gives them, if there are ratings.
        history: as `results.read_history` gives it.

    Returns:
        Columns dataset, model, seeds (how many), minutes (of training), measure, value and its
        interval low and high, and difference, difference_low and difference_high, NaN for the
        first model.
    """
    rows = []
    last = history.groupby(["dataset", "model", "seed"])["seconds"].max()
    minutes = last.groupby(["dataset", "model"]).mean() / 60
    for dataset, own in ranks.groupby("dataset", sort=False):
        systems = own[["model", "seed"]].drop_duplicates()
        measures = _recalls(own)
        if predictions is not None:
            names = [system_name(str(dataset), *system) for system in systems.to_numpy()]
            measures |= _correlations(predictions, names)
        for measure, of_systems in measures.items():
            by_model = {
                model: of_systems[(systems["model"] == model).to_numpy()].mean(axis=0)
                for model in systems["model"].unique()
            }
            first = next(iter(by_model.values()))
            for model, values in by_model.items():
                seeds = systems["model"].eq(model).sum()
                row = [dataset, model, seeds, minutes.get((dataset, model)), measure]
                for compared in (values, values - first):
                    row += [compared[0], *paired.interval(compared)]
                rows.append([*row[:-3], *[np.nan] * 3] if values is first else row)
    names = ["dataset", "model", "seeds", "minutes", "measure"]
    return pd.DataFrame(rows, columns=[*names, *VALUES])


def _recalls(ranks: pd.DataFrame) -> dict[str, np.ndarray]:
    """By measure the recall of each system (model and seed) of a data set, in every draw."""
    found = ranks.assign(found=ranks["rank"] <= CUTOFFS[-1])
    times = paired.draws(found["image"].nunique(), np.random.default_rng(SEED))
    recalls = {}
    for direction in DIRECTIONS:
        one_way = found[found["direction"] == direction]
        by_image = one_way.groupby(["model", "seed", "image"], sort=False)["found"]
        hits, queries = (
            values.unstack().to_numpy(float) for values in (by_image.sum(), by_image.count())
        )
        recalls[f"R@10 {direction.replace('_', ' ')}"] = paired.share(hits, queries, times)
    return recalls


def _correlations(predictions: pd.DataFrame, systems: list[str]) -> dict[str, np.ndarray]:
    """By measure the correlation of each of these systems with the ratings, in every draw."""
    rng = np.random.default_rng(SEED)
    of_tasks: dict[str, list[tuple[int, np.ndarray]]] = defaultdict(list)
    unsupervised = []
    ensembles = predictions[predictions["kind"] == "ensemble"]
    ensembles = ensembles.assign(prediction=prediction(ensembles))
    for (task, _), pairs in ensembles.groupby(["task", "subtask"], sort=False):
        predicted = pairs.pivot(index="system", columns="pair", values="prediction").loc[systems]
        gold = pairs.drop_duplicates("pair").set_index("pair")["rating"][predicted.columns]
        times = paired.draws(len(gold), rng)
        values = paired.correlation(predicted.to_numpy(), gold.to_numpy(), times)
        if pairs["classifier"].notna().all():
            of_tasks[str(task)].append((len(gold), values))
        else:
            of_tasks[TOGETHER].append((len(gold), values))
            unsupervised.append(str(task))
    names = {TOGETHER: joint_name(list(dict.fromkeys(unsupervised))), "SICK": "SICK-R"}
    measures = {}
    for task, parts in of_tasks.items():
        counts, values = zip(*parts, strict=True)
        measures[names.get(task, task)] = np.average(values, axis=0, weights=counts)
    return measures
