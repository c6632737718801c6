"""Measure what tuned image networks gain in retrieval, without and with a bank.

Reads the ranks of test queries that scripts/retrieval.py wrote with a bank: of a model on networks
as they are, and of the same model on tuned ones. Intervals are by a paired bootstrap over test
images.

Example:
  python benchmarks/encoders/tuned.py -o tuned.csv \
      --frozen results/best/retrieval/flickr8k/best/seed1.ranks.csv \
      --tuned results/tuned-networks/retrieval/flickr8k/best/seed1.ranks.csv
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from common import program

from groundvec.evaluation import bootstrap
from groundvec.evaluation.ranks import DIRECTIONS
from groundvec.results import frames
from groundvec.results.schemas import CUTOFFS, QUERYBANK, QueryRanks
from reproduction.reporting import resampled

SYSTEMS = {"ensemble": "plain", QUERYBANK: "bank"}


def gains(arguments: argparse.Namespace) -> pd.DataFrame:
    """Compute recalls on both kinds of networks, and their differences."""
    frozen = frames.read_all([arguments.frozen], QueryRanks)
    tuned = frames.read_all([arguments.tuned], QueryRanks)
    rows = []
    for cutoff in CUTOFFS:
        draws_frozen = draws(frozen, cutoff)
        draws_tuned = draws(tuned, cutoff)
        networks = {
            "frozen": draws_frozen,
            "tuned": draws_tuned,
            "gain": draws_tuned - draws_frozen,
        }
        for name, values_by_system in networks.items():
            for (model, kind, direction), values in values_by_system.items():
                labels = (model, name, SYSTEMS[kind], direction, cutoff)
                rows.append((*labels, values[0], *bootstrap.interval(values)))
    names = ["model", "networks", "system", "direction", "cutoff", "recall", "low", "high"]
    return pd.DataFrame(rows, columns=names)


def draws(ranks: QueryRanks, cutoff: int) -> "pd.Series[np.ndarray]":
    """Return a model's recalls in draws of test images, by model, kind and direction."""
    is_compared = ranks["kind"].isin(list(SYSTEMS)) & ranks["direction"].isin(DIRECTIONS)
    recalls = resampled.recalls(ranks[is_compared], cutoff)
    return recalls.set_index(["model", "kind", "direction"])["draws"]


if __name__ == "__main__":
    file = {"type": Path, "required": True, "help": "STEM.ranks.csv of scripts/retrieval.py"}
    program(__doc__, gains, __frozen=file, __tuned=file)
