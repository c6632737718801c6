"""Make the supplement's table: correlations with the ratings, measured beside reported.

Writes STEM.csv, STEM.md, STEM.tex and STEM.html (Pearson), and the same of STEM-spearman, and of
STEM-models: every cell, seed, ensemble and snapshot in few numbers.
"""

import argparse
import logging
from pathlib import Path

from groundvec.cli import run
from groundvec.reporting import results, semantic_tables

parser = argparse.ArgumentParser(
    description=__doc__,
    epilog="example:\n  python scripts/supplement.py "
    "--scores results/demo/semantics/models/*/*/seed?.csv "
    "--retrieval results/demo/retrieval/*/*/*.csv --reported resources/sts.csv "
    "--output results/demo/tables/supplement",
)
parser.add_argument(
    "--scores", type=Path, nargs="+", required=True, help="the correlations of each system"
)
parser.add_argument(
    "--retrieval", type=Path, nargs="+", required=True, help="what scripts/retrieval.py wrote"
)
parser.add_argument("--reported", type=Path, required=True, help="the paper's numbers")
parser.add_argument("--output", type=Path, required=True, help="the files to write, as a stem")


def main(arguments: argparse.Namespace) -> None:
    scores = results.read_scores(arguments.scores)
    reported = results.read_reported_sts(arguments.reported)
    selected = results.selected(results.read_retrieval(arguments.retrieval))
    table = semantic_tables.supplement(scores, reported, selected)
    semantic_tables.write_supplement(arguments.output, table)
    beside = arguments.output.with_name(f"{arguments.output.name}-models")
    semantic_tables.write_models(beside, semantic_tables.models(scores))
    logging.info("written: %s.md, %s-spearman.md and %s.md", *[arguments.output] * 2, beside)


if __name__ == "__main__":
    run(main, parser)
