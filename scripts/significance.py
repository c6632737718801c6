"""Count on how many subtasks one system is significantly better than another.

Writes STEM.csv, STEM.md, STEM.tex and STEM.html (the counts) and STEM-tests.csv (every single
test).
"""

import argparse
import logging
from pathlib import Path

from groundvec.cli import run
from groundvec.reporting import comparisons, results

parser = argparse.ArgumentParser(
    description=__doc__,
    epilog="example:\n  python scripts/significance.py "
    "--similarities results/demo/semantics/*/*.similarities.csv "
    "results/demo/semantics/models/*/*/*.similarities.csv "
    "--retrieval results/demo/retrieval/*/*/*.csv --reported resources/sts.csv "
    "--output results/demo/tables/significance",
)
parser.add_argument(
    "--similarities", type=Path, nargs="+", required=True, help="what each system predicts"
)
parser.add_argument(
    "--retrieval", type=Path, nargs="+", required=True, help="what scripts/retrieval.py wrote"
)
parser.add_argument("--reported", type=Path, required=True, help="the paper's numbers")
parser.add_argument("--output", type=Path, required=True, help="the files to write, as a stem")


def main(arguments: argparse.Namespace) -> None:
    similarities = results.read_similarities(arguments.similarities)
    selected = results.selected(results.read_retrieval(arguments.retrieval))
    systems = results.main_systems(similarities, selected)
    tested = comparisons.tests(systems)
    counts = comparisons.counts(systems, results.read_reported_sts(arguments.reported), tested)
    comparisons.write_significance(arguments.output, counts, tested)
    logging.info("written: %s.md and %s-tests.csv", *[arguments.output] * 2)


if __name__ == "__main__":
    run(main, parser)
