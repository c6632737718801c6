r"""Measure what tuned image networks gain in retrieval, without and with a bank.

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

import pandas as pd
from common import program

from groundvec.evaluation import bootstrap
from groundvec.evaluation.ranks import DIRECTIONS
from groundvec.results import frames
from groundvec.results.schemas import CUTOFFS, QUERYBANK, QueryRanks
from reproduction.arguments import make_parser
from reproduction.reporting import resampled

KINDS = {"ensemble": "plain", QUERYBANK: "bank"}
SYSTEM = ["model", "kind", "direction"]


def gains(arguments: argparse.Namespace) -> pd.DataFrame:
    """Compute recalls on both kinds of networks, and their differences."""
    frozen = frames.read_all([arguments.frozen], QueryRanks)
    tuned = frames.read_all([arguments.tuned], QueryRanks)
    rows = []
    for cutoff in CUTOFFS:
        both = draws(frozen, cutoff).merge(
            draws(tuned, cutoff), on=SYSTEM, suffixes=("_frozen", "_tuned")
        )
        both["draws_gain"] = both["draws_tuned"] - both["draws_frozen"]
        for networks in ("frozen", "tuned", "gain"):
            systems = both[[*SYSTEM, f"draws_{networks}"]].itertuples(index=False, name=None)
            for model, kind, direction, values in systems:
                labels = (model, networks, KINDS[kind], direction, cutoff)
                rows.append((*labels, values[0], *bootstrap.interval(values)))
    names = ["model", "networks", "system", "direction", "cutoff", "recall", "low", "high"]
    return pd.DataFrame(rows, columns=names)


def draws(ranks: QueryRanks, cutoff: int) -> pd.DataFrame:
    """Compute a model's recalls in draws of test images, in the columns of `SYSTEM` and `draws`."""
    is_compared = ranks["kind"].isin(list(KINDS)) & ranks["direction"].isin(DIRECTIONS)
    return resampled.recalls(ranks[is_compared], cutoff)[[*SYSTEM, "draws"]]


if __name__ == "__main__":
    parser = make_parser(__doc__)
    parser.add_argument(
        "--frozen", type=Path, required=True, help="STEM.ranks.csv of scripts/retrieval.py"
    )
    parser.add_argument("--tuned", type=Path, required=True, help="the same on tuned networks")
    program(parser, gains)
