"""Scores of systems in each draw of a paired bootstrap, and intervals of their differences.

Systems of one data set, or judged by the same pairs, are measured in the same draws: what is hard
for all of them does not widen the intervals of their differences (`evaluation.paired`). Draws are
of the pictures that a direction has queries of: mostly of all, and then the same ones.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from groundvec.evaluation import paired
from groundvec.evaluation.seeds import t_interval
from groundvec.results.schemas import CUTOFFS, Predictions, QueryRanks
from groundvec.runtime.errors import InputError
from reproduction.reporting.measures import SEMANTIC, joint_name, prediction

SEED = 1  # of the draws
WAY = ["dataset", "model", "seed", "language", "kind", "epochs", "direction"]
SYSTEM = ["system", "kind", "epochs"]
INTERVAL = (
    f"95% interval by a paired bootstrap: {paired.DRAWS:,} draws of the test set's "
    "pictures with all that belongs to them, or of the rated pairs of every subtask"
)


def recalls(ranks: QueryRanks, cutoff: int = CUTOFFS[-1]) -> pd.DataFrame:
    """Compute R@10, or at another cutoff, in percent, in draws of pictures.

    Returns:
        A row for each system and direction: the columns `WAY`, and draws, an array whose first
        value is that of the test set itself.
    """
    return _means(ranks, 100.0 * (ranks["rank"] <= cutoff))


def mean_ranks(ranks: QueryRanks) -> pd.DataFrame:
    """Compute mean ranks; arguments and result are as of `recalls`."""
    return _means(ranks, ranks["rank"])


def _means(ranks: pd.DataFrame, values: pd.Series) -> pd.DataFrame:
    parts = []
    # Apart, for not every picture has queries of every direction, such as another caption.
    keys = ["dataset", "language", "direction"]
    for _, own in ranks.assign(value=values).groupby(keys, sort=False):
        by_image = own.groupby([*WAY, "image"], sort=False)["value"]
        sums, counts = (table.unstack(fill_value=0) for table in (by_image.sum(), by_image.count()))
        times = paired.draws(sums.shape[1], np.random.default_rng(SEED))
        means = paired.mean(sums.to_numpy(float), counts.to_numpy(float), times)
        parts.append(sums.index.to_frame(index=False).assign(draws=list(means)))
    return pd.concat(parts, ignore_index=True)


def correlations(predictions: Predictions) -> pd.DataFrame:
    """Compute Pearson's r times 100 with the ratings, in draws of each subtask's pairs.

    Returns:
        A row for each system and subtask: `classified` if a classifier predicts, the number of
        pairs, and draws, as of `recalls`.

    Raises:
        InputError: a system was not judged on the same pairs as the others.
    """
    rng = np.random.default_rng(SEED)
    table = predictions.assign(prediction=prediction(predictions))
    parts = []
    for (task, subtask), own in table.groupby(["task", "subtask"], sort=False):
        predicted = own.groupby([*SYSTEM, "pair"], sort=False)["prediction"].first().unstack()
        gaps = predicted.isna().any(axis=1)
        if gaps.any():
            raise InputError(
                f"{predicted.index[gaps][0][0]} was not judged on the same pairs of {task}, "
                f"{subtask} as the others: make all with the same file of rated pairs"
            )
        gold = own.drop_duplicates("pair").set_index("pair")["rating"][predicted.columns]
        times = paired.draws(len(gold), rng)
        values = paired.correlation(predicted.to_numpy(), gold.to_numpy(), times)
        systems = predicted.index.to_frame(index=False).assign(draws=list(values))
        systems = systems.assign(task=str(task), subtask=str(subtask), pairs=len(gold))
        parts.append(systems.assign(classified=bool(own["classifier"].notna().all())))
    return pd.concat(parts, ignore_index=True)


def semantic_measures(predictions: Predictions) -> pd.DataFrame:
    """Compute `measures.semantic_measures`, times 100, in draws: a row per system and measure."""
    table = correlations(predictions)
    unsupervised = table[~table["classified"]]
    supervised = table[table["classified"]]
    joint = averaged(unsupervised, SYSTEM, "pairs")
    joint["measure"] = joint_name(list(unsupervised["task"].unique()))
    supervised = supervised.assign(measure=supervised["task"].replace({"SICK": "SICK-R"}))
    measures = pd.concat([joint, supervised])[[*SYSTEM, "measure", "draws"]]
    score = averaged(measures[measures["measure"] != "STS-B"], SYSTEM).assign(measure=SEMANTIC)
    return pd.concat([measures, score], ignore_index=True)


def averaged(table: pd.DataFrame, keys: list[str], weights: str | None = None) -> pd.DataFrame:
    """Average the draws of each group of rows, weighted by a column if one is named."""
    names = []
    means = []
    for name, rows in table.groupby(keys, sort=False):
        own = rows[weights] if weights else None
        names.append(name)
        means.append(np.average(np.stack(rows["draws"].tolist()), axis=0, weights=own))
    return pd.DataFrame(names, columns=keys).assign(draws=pd.Series(means))


def mean_of_seeds(draws: Sequence[np.ndarray]) -> tuple[float, float, float]:
    """Average the draws of trainings with several seeds, with the 95% interval.

    Returns:
        The mean, and the ends of its interval: over seeds and draws (`evaluation.seeds`), or of one
        seed over the draws.
    """
    each = np.stack(draws)
    if len(each) == 1:
        low, high = paired.interval(each[0])
    else:
        low, high = t_interval(each[:, 0], each[:, 1:].mean(axis=0).var())
    return each[:, 0].mean(), low, high


def difference(better: pd.Series, worse: pd.Series) -> pd.DataFrame:
    """Subtract draws from others, row by row: difference, low, high and draws."""
    each = np.stack(better.tolist()) - np.stack(worse.tolist())
    low, high = paired.interval(each)
    found = pd.DataFrame({"difference": each[:, 0], "low": low, "high": high}, better.index)
    return found.assign(draws=list(each))
