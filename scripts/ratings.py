r"""Read rated pairs of sentences, and write ratings.csv and tasks.csv.

Examples:
  python scripts/ratings.py sts --folders data/sts/STS data/sts/SICK \
      --settings '{tokenizer: moses, lowercase: [STS, STS-B]}' --output ratings.csv \
      --tasks tasks.csv
  python scripts/ratings.py scenes --output ratings.csv --tasks tasks.csv
"""

import argparse
import logging
from pathlib import Path

from groundvec.cli.program import run
from groundvec.data import ratings
from groundvec.results.frames import write
from groundvec.results.schemas import Ratings, Tasks
from reproduction.arguments import FILES, make_parser
from reproduction.scenes import ratings as scenes

SEED = 1  # of the pairs of scenes

parser = make_parser(__doc__, output="CSV: one row per pair", reads="rated")
parser.add_argument(
    "source",
    choices=["sts", "scenes"],
    help="STS 2012-2016, STS-B and SICK, rated by people; or captions of drawn scenes, graded by "
    "the facts that they share",
)
parser.add_argument(
    "--tasks", dest="output_tasks", type=Path, required=True, help="CSV: one row per subtask"
)
parser.add_argument(
    "--folders", **FILES, default=[], help="sts: the folders of the unpacked archives"
)


def main(arguments: argparse.Namespace) -> None:
    if arguments.source == "sts":
        table, tasks = ratings.read_sts(arguments.folders, **arguments.settings)
    else:
        table = scenes.graded_pairs(SEED)
        tasks = ratings.count(table, scenes.SOURCES)
    write(arguments.output, table, Ratings)
    write(arguments.output_tasks, tasks, Tasks)
    logging.info("%s", tasks.to_string(index=False))


if __name__ == "__main__":
    run(main, parser)
