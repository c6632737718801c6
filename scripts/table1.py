"""Make Table 1: the tasks of semantic similarity, their subtasks, pairs and sources.

Writes STEM.csv, STEM.md, STEM.tex and STEM.html.
"""

import argparse
import logging
from pathlib import Path

from groundvec.cli import run
from groundvec.reporting import results, semantic_tables

parser = argparse.ArgumentParser(
    description=__doc__,
    epilog="example:\n  python scripts/table1.py --tasks results/demo/pairs/scenes.tasks.csv "
    "--output results/demo/tables/table1",
)
parser.add_argument("--tasks", type=Path, required=True, help="the numbers of pairs (CSV)")
parser.add_argument("--output", type=Path, required=True, help="the files to write, as a stem")


def main(arguments: argparse.Namespace) -> None:
    semantic_tables.write_table1(arguments.output, results.read_tasks(arguments.tasks))
    logging.info("written: %s.md", arguments.output)


if __name__ == "__main__":
    run(main, parser)
