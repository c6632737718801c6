"""Read the numbers that Merkx & Frank (2019) report."""

from pathlib import Path

import pandas as pd

from groundvec.results.frames import read_csv

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
