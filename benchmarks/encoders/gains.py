r"""Measure what a bank, or tuned image networks, gain in retrieval, with paired intervals.

Reads the ranks of test queries that scripts/retrieval.py wrote with a bank. Without `--tuned`,
retrieval with a bank is compared with retrieval without it. With `--tuned`, models on tuned image
networks are compared with the same models on frozen ones. Intervals are by a paired bootstrap over
test images, and for several seeds by t of their means, too.

Examples:
  python benchmarks/encoders/gains.py results/controls/retrieval/flickr8k/*/seed*.ranks.csv \
      -o querybank.csv
  python benchmarks/encoders/gains.py results/best/retrieval/flickr8k/best/seed1.ranks.csv \
      --tuned results/tuned-networks/retrieval/flickr8k/best/seed1.ranks.csv -o tuned.csv
"""

import argparse
from pathlib import Path

import pandas as pd
from common import program

from groundvec.evaluation.ranks import DIRECTIONS
from groundvec.results import frames
from groundvec.results.schemas import CUTOFFS, QUERYBANK, QueryRanks
from reproduction.arguments import FILES, make_parser
from reproduction.reporting import resampled
from reproduction.reporting.seeds import mean_of_seeds

SYSTEMS = {"ensemble": "plain", QUERYBANK: "bank"}
KEYS = ["model", "language", "networks", "system", "direction"]


def gains(arguments: argparse.Namespace) -> pd.DataFrame:
    """Compute each model's recalls in both ways, and their differences."""
    files = {"frozen": arguments.ranks}
    compared = "system"
    old = "plain"
    new = "bank"
    if arguments.tuned:
        files["tuned"] = arguments.tuned
        compared = "networks"
        old = "frozen"
        new = "tuned"
    rows = []
    for cutoff in CUTOFFS:
        draws = pd.concat(read(paths, networks, cutoff) for networks, paths in files.items())
        of_both = draws.set_index([*KEYS, "seed"])["draws"].unstack(compared)
        of_both = of_both.dropna()  # models that were evaluated in one way only
        of_both["gain"] = of_both[new] - of_both[old]
        recalls = of_both.melt(var_name=compared, value_name="draws", ignore_index=False)
        for system, seeds in recalls.groupby(KEYS, sort=False)["draws"]:
            rows.append((*system, len(seeds), cutoff, *mean_of_seeds(seeds.tolist())))
    return pd.DataFrame(rows, columns=[*KEYS, "seeds", "cutoff", "recall", "low", "high"])


def read(paths: list[Path], networks: str, cutoff: int) -> pd.DataFrame:
    """Read the recalls of models on some networks, in draws of test images."""
    ranks = frames.read_all(paths, QueryRanks)
    is_compared = ranks["kind"].isin(list(SYSTEMS)) & ranks["direction"].isin(DIRECTIONS)
    recalls = resampled.recalls(ranks[is_compared], cutoff)
    return recalls.assign(networks=networks, system=recalls["kind"].map(SYSTEMS))


if __name__ == "__main__":
    parser = make_parser(__doc__)
    parser.add_argument("ranks", **FILES, help="STEM.ranks.csv of scripts/retrieval.py")
    parser.add_argument("--tuned", **FILES, help="the same of models on tuned networks")
    program(parser, gains)
