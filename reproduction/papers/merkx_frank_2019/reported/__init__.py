"""Read the numbers that Merkx & Frank (2019) report."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from groundvec.results.frames import read_csv
from reproduction.reporting.measures import WAYS
from reproduction.reporting.systems import NAMES
from reproduction.schemas import Models

FOLDER = Path(__file__).parent
STS = "STS 12-16"  # the name in `semantic_measures`
# The columns of table_s1.csv begin with these keys.
SYSTEMS = {
    "bow": "BOW",
    "infersent": "InferSent",
    "char_gru_flickr8k": "char-GRU Flickr8k",
    "char_gru_mscoco": "char-GRU MSCOCO",
}


def read_correlations(path: str | Path) -> pd.DataFrame:
    """Read the correlations in the supplement of Merkx & Frank (2019).

    Returns:
        One row per system and subtask: system, task, subtask, pairs, pearson, pearson_low and
        pearson_high, as fractions of 1.
    """
    # The file has r times 100 with both halves of the interval, as printed.
    table = read_csv(path)
    return pd.concat(
        [
            table[["task", "subtask", "pairs"]].assign(
                system=system,
                pearson=table[name] / 100,
                pearson_low=(table[name] - table[f"{name}_down"]) / 100,
                pearson_high=(table[name] + table[f"{name}_up"]) / 100,
            )
            for name, system in SYSTEMS.items()
        ],
        ignore_index=True,
    )[["system", "task", "subtask", "pairs", "pearson", "pearson_low", "pearson_high"]].round(3)


def scores_of_network(models: Models) -> pd.DataFrame:
    """List the scores of the paper's network on the sources of all data sets that are whole.

    Returns:
        Columns dataset, measure and value.
    """
    rows = []
    whole = models.query("test_to_train == 0").drop_duplicates("dataset")
    for dataset, source in whole[["dataset", "data_source"]].to_numpy():
        rows += [(dataset, *score) for score in scores_of_source(source).items()]
    return pd.DataFrame(rows, columns=["dataset", "measure", "value"])


def scores_of_source(source: str) -> dict[str, float]:
    """Read the scores of the paper's own network on a data set, by measure, if it has any."""
    recalls = read_csv(FOLDER / "table2.csv").query("dataset == @source and model == 'char-GRU'")
    recalls = recalls[~recalls["test_set"].str.contains("folds")].set_index("direction")
    correlations = read_correlations(FOLDER / "table_s1.csv")
    rated = correlations[correlations["system"] == f"char-GRU {NAMES.get(source, source)}"]
    if recalls.empty or rated.empty:
        return {}
    values: dict[str, Any] = {
        f"R@{k}, {text}": recalls.loc[direction, f"r{k}"]
        for k in (1, 10)
        for direction, text in WAYS.items()
    }
    # The paper prints subtasks; their weighted mean is comparable with the measured one.
    sts = rated[rated["task"].str.startswith("STS 20")]
    values[STS] = 100 * np.average(sts["pearson"], weights=sts["pairs"])
    for task, name in {"STS-B": "STS-B", "SICK": "SICK-R"}.items():
        values[name] = 100 * rated.loc[rated["task"] == task, "pearson"].item()
    return values
