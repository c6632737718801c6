r"""Measure the gain of a bank in retrieval, with paired intervals.

Reads the ranks of test queries that scripts/retrieval.py wrote with a bank. Intervals are by a
paired bootstrap over test images, and for several seeds by t of their means, too.

Example:
  python benchmarks/encoders/querybank.py results/controls/retrieval/flickr8k/*/seed*.ranks.csv \
      -o querybank.csv
"""

import argparse

import pandas as pd
from common import program

from groundvec.evaluation.ranks import DIRECTIONS
from groundvec.results import frames
from groundvec.results.schemas import CUTOFFS, QUERYBANK, QueryRanks
from reproduction.arguments import FILES, make_parser
from reproduction.reporting import resampled
from reproduction.reporting.seeds import mean_of_seeds


def gains(arguments: argparse.Namespace) -> pd.DataFrame:
    """Compute each model's recalls without and with a bank, and their differences."""
    ranks = frames.read_all(arguments.ranks, QueryRanks)
    is_compared = ranks["kind"].isin(["ensemble", QUERYBANK]) & ranks["direction"].isin(DIRECTIONS)
    rows = []
    for cutoff in CUTOFFS:
        recalls = resampled.recalls(ranks[is_compared], cutoff)
        by_model = recalls.groupby(["dataset", "model", "language", "direction"], sort=False)
        for (_, model, language, direction), systems in by_model:
            draws = systems.pivot(index="seed", columns="kind", values="draws")
            if QUERYBANK not in draws:
                continue  # the model was evaluated without a bank
            compared = {
                "plain": draws["ensemble"],
                "bank": draws[QUERYBANK],
                "gain": draws[QUERYBANK] - draws["ensemble"],
            }
            for system, seeds in compared.items():
                labels = (model, len(seeds), language, system, direction, cutoff)
                rows.append((*labels, *mean_of_seeds(seeds.tolist())))
    names = ["model", "seeds", "language", "system", "direction", "cutoff"]
    return pd.DataFrame(rows, columns=[*names, "recall", "low", "high"])


if __name__ == "__main__":
    parser = make_parser(__doc__)
    parser.add_argument("ranks", **FILES, help="STEM.ranks.csv of scripts/retrieval.py")
    program(parser, gains)
