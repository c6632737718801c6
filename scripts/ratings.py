"""Bring rated pairs of sentences into the one form of all of them: ratings.csv and tasks.csv."""

import argparse
import logging
from pathlib import Path

from groundvec.config.cli import run
from groundvec.data import ratings
from groundvec.data.tokenization import TOKENIZERS
from groundvec.results.frames import write
from groundvec.results.schemas import Tasks
from groundvec.scenes import ratings as scenes

EXAMPLES = """examples:
  python scripts/ratings.py sts --folders data/sts/STS data/sts/SICK --tokenizer moses \\
      --lowercase STS STS-B --output ratings.csv --tasks tasks.csv
  python scripts/ratings.py --log ratings.log scenes --seed 1 --output ratings.csv --tasks tasks.csv
"""


def main(arguments: argparse.Namespace) -> None:
    if arguments.source == "sts":
        table, tasks = ratings.read_sts(arguments.folders, arguments.tokenizer, arguments.lowercase)
    else:
        table = scenes.graded_pairs(arguments.seed)
        tasks = ratings.count(table, scenes.SOURCES)
    ratings.write_ratings(arguments.output, table)
    write(arguments.output_tasks, tasks, Tasks)
    logging.info("%s", tasks.to_string(index=False))


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLES)
    sources = parser.add_subparsers(dest="source", required=True)

    def add(source: str, text: str) -> argparse.ArgumentParser:
        command = sources.add_parser(source, help=text, description=text)
        command.add_argument("--output", type=Path, required=True, help="CSV: one row per pair")
        command.add_argument(
            "--tasks",
            type=Path,
            dest="output_tasks",
            required=True,
            help="CSV: one row per subtask",
        )
        return command

    command = add("sts", "STS 2012-2016, STS-B and SICK, rated by people")
    command.add_argument(
        "--folders", type=Path, nargs="+", required=True, help="what the archives were unpacked to"
    )
    command.add_argument(
        "--tokenizer", choices=TOKENIZERS, default="moses", help="(default: %(default)s)"
    )
    command.add_argument(
        "--lowercase",
        nargs="*",
        choices=ratings.GROUPS,
        default=ratings.LOWERCASE,
        help="what to lowercase (default: STS STS-B)",
    )
    command = add("scenes", "captions of drawn scenes, graded by the facts that they share")
    command.add_argument("--seed", type=int, required=True, help="the same seed, the same pairs")
    return parser


if __name__ == "__main__":
    run(main, make_parser())
