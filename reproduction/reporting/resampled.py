"""Scores of systems in each draw of a paired bootstrap (`groundvec.evaluation.bootstrap`).

Systems with the same data set, or the same rated pairs, are measured on the same draws. Each draw
resamples the images that have queries in that direction: usually all images.
"""

import numpy as np
import pandas as pd

from groundvec.evaluation import bootstrap
from groundvec.results.schemas import CUTOFFS, Predictions, QueryRanks
from groundvec.runtime.errors import InputError
from reproduction.reporting.measures import SEMANTIC, joint_name, prediction

SEED = 1  # of the draws
RETRIEVAL_KEYS = ["dataset", "model", "seed", "language", "kind", "epochs", "direction"]
RATED_KEYS = ["system", "kind", "epochs"]
INTERVAL = (
    f"95% interval by a paired bootstrap: {bootstrap.DRAWS:,} draws of the test set's "
    "pictures with all that belongs to them, or of the rated pairs of every subtask"
)


def recalls(ranks: QueryRanks, cutoff: int = CUTOFFS[-1]) -> pd.DataFrame:
    """Compute the recall at a cutoff, in percent, in draws of images.

    Returns:
        A row for each system and direction: the columns `RETRIEVAL_KEYS`, and draws, an array whose
        first value is measured on the test set itself.
    """
    return _means(ranks, 100.0 * (ranks["rank"] <= cutoff))


def mean_ranks(ranks: QueryRanks) -> pd.DataFrame:
    """Compute mean ranks in draws of images; for the columns see `recalls`."""
    return _means(ranks, ranks["rank"])


def _means(ranks: pd.DataFrame, values: pd.Series) -> pd.DataFrame:
    """Average values of queries in draws of images."""
    parts = []
    # Directions are drawn separately, because some images may have no queries in one of them: an
    # image with a single caption has no query from caption to caption.
    keys = ["dataset", "language", "direction"]
    for _, queries in ranks.assign(value=values).groupby(keys, sort=False):
        by_image = queries.groupby([*RETRIEVAL_KEYS, "image"], sort=False)["value"]
        sums = by_image.sum().unstack(fill_value=0)
        counts = by_image.count().unstack(fill_value=0)
        times = bootstrap.draws(sums.shape[1], np.random.default_rng(SEED))
        means = bootstrap.mean(sums.to_numpy(float), counts.to_numpy(float), times)
        parts.append(sums.index.to_frame(index=False).assign(draws=list(means)))
    return pd.concat(parts, ignore_index=True)


def correlations(predictions: Predictions) -> pd.DataFrame:
    """Compute Pearson's r times 100 with the ratings, in draws of each subtask's pairs.

    Returns:
        A row for each system and subtask: `classified` if a classifier predicts, the number of
        pairs, and draws; see `recalls`.

    Raises:
        InputError: a system was not judged on the same pairs as the others.
    """
    rng = np.random.default_rng(SEED)
    table = predictions.assign(prediction=prediction(predictions))
    parts = []
    for (task, subtask), pairs in table.groupby(["task", "subtask"], sort=False):
        predicted = pairs.groupby([*RATED_KEYS, "pair"], sort=False)["prediction"].first().unstack()
        gaps = predicted.isna().any(axis=1)
        if gaps.any():
            raise InputError(
                f"{predicted.index[gaps][0][0]} was not judged on the same pairs of {task}, "
                f"{subtask} as the others: make all with the same file of rated pairs"
            )
        gold = pairs.drop_duplicates("pair").set_index("pair")["rating"][predicted.columns]
        times = bootstrap.draws(len(gold), rng)
        values = bootstrap.correlation(predicted.to_numpy(), gold.to_numpy(), times)
        systems = predicted.index.to_frame(index=False).assign(draws=list(values))
        systems = systems.assign(task=str(task), subtask=str(subtask), pairs=len(gold))
        parts.append(systems.assign(classified=bool(pairs["classifier"].notna().all())))
    return pd.concat(parts, ignore_index=True)


def semantic_measures(predictions: Predictions) -> pd.DataFrame:
    """Compute `measures.semantic_measures`, times 100, in draws: a row per system and measure."""
    table = correlations(predictions)
    unsupervised = table[~table["classified"]]
    supervised = table[table["classified"]]
    joint = averaged(unsupervised, RATED_KEYS, "pairs")
    joint["measure"] = joint_name(list(unsupervised["task"].unique()))
    supervised = supervised.assign(measure=supervised["task"].replace({"SICK": "SICK-R"}))
    measures = pd.concat([joint, supervised])[[*RATED_KEYS, "measure", "draws"]]
    score = averaged(measures.query("measure != 'STS-B'"), RATED_KEYS).assign(measure=SEMANTIC)
    return pd.concat([measures, score], ignore_index=True)


def averaged(table: pd.DataFrame, keys: list[str], weights: str | None = None) -> pd.DataFrame:
    """Average the draws of each group of rows, weighted by a column if one is named."""
    names = []
    means = []
    for name, group in table.groupby(keys, sort=False):
        group_weights = group[weights] if weights else None
        names.append(name)
        means.append(np.average(np.stack(group["draws"].tolist()), axis=0, weights=group_weights))
    return pd.DataFrame(names, columns=keys).assign(draws=pd.Series(means))
