"""Make Table 3: pairs of sentences on which a model and the ratings agree most and least.

Writes STEM.csv, STEM.md, STEM.tex and STEM.html, about the model of each data set that the
development set selects.
"""

import argparse
import logging
from pathlib import Path

from groundvec.cli import run
from groundvec.data.ratings import read_pairs
from groundvec.reporting import results, semantic_tables

parser = argparse.ArgumentParser(
    description=__doc__,
    epilog="example:\n  python scripts/table3.py --similarities "
    "results/demo/semantics/models/*/*/*.similarities.csv "
    "--retrieval results/demo/retrieval/*/*/*.csv --pairs results/demo/pairs/scenes.csv "
    "--output results/demo/tables/table3",
)
parser.add_argument(
    "--similarities", type=Path, nargs="+", required=True, help="what each system predicts"
)
parser.add_argument(
    "--retrieval", type=Path, nargs="+", required=True, help="what scripts/retrieval.py wrote"
)
parser.add_argument("--pairs", type=Path, required=True, help="the rated pairs of sentences")
parser.add_argument("--output", type=Path, required=True, help="the files to write, as a stem")


def main(arguments: argparse.Namespace) -> None:
    similarities = results.read_similarities(arguments.similarities)
    selected = results.selected(results.read_retrieval(arguments.retrieval))
    table = semantic_tables.table3(similarities, read_pairs(arguments.pairs), selected)
    semantic_tables.write_table3(arguments.output, table)
    logging.info("written: %s.md", arguments.output)


if __name__ == "__main__":
    run(main, parser)
