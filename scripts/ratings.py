r"""Read rated pairs of sentences, and write ratings.csv and tasks.csv.

Examples:
  python scripts/ratings.py sts --folders data/sts/STS data/sts/SICK \
      --settings '{tokenizer: moses, lowercase: [STS, STS-B]}' --output ratings.csv \
      --tasks tasks.csv
  python scripts/ratings.py --log ratings.log scenes --seed 1 --output ratings.csv \
      --tasks tasks.csv
"""

import argparse
import logging
from pathlib import Path

from groundvec.cli.arguments import at_least
from groundvec.cli.program import run
from groundvec.data import ratings
from groundvec.results.frames import write
from groundvec.results.schemas import Ratings, Tasks
from reproduction.arguments import FILES, add_settings, make_parser
from reproduction.scenes import ratings as scenes

parser = make_parser(__doc__)
sources = parser.add_subparsers(dest="source", required=True)
for source, text in {
    "sts": "STS 2012-2016, STS-B and SICK, rated by people",
    "scenes": "captions of drawn scenes, graded by the facts that they share",
}.items():
    command = sources.add_parser(source, help=text, description=text)
    command.add_argument("--output", type=Path, required=True, help="CSV: one row per pair")
    command.add_argument(
        "--tasks", dest="output_tasks", type=Path, required=True, help="CSV: one row per subtask"
    )
sts_command = sources.choices["sts"]
sts_command.add_argument(
    "--folders", **FILES, required=True, help="the folders of the unpacked archives"
)
add_settings(sts_command, "--settings", "rated", "{}")
scenes_command = sources.choices["scenes"]
scenes_command.add_argument(
    "--seed", type=at_least(0), required=True, help="the same seed draws the same pairs"
)


def main(arguments: argparse.Namespace) -> None:
    if arguments.source == "sts":
        table, tasks = ratings.read_sts(arguments.folders, **arguments.settings)
    else:
        table = scenes.graded_pairs(arguments.seed)
        tasks = ratings.count(table, scenes.SOURCES)
    write(arguments.output, table, Ratings)
    write(arguments.output_tasks, tasks, Tasks)
    logging.info("%s", tasks.to_string(index=False))


if __name__ == "__main__":
    run(main, parser)
