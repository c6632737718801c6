"""Draw similarity by the selected models against the rating, a dot a pair of one subtask.

Writes STEM.pdf and STEM.png.
"""

import argparse
import logging
from pathlib import Path

from groundvec.cli import run
from groundvec.reporting import results, semantics, style

parser = argparse.ArgumentParser(
    description=__doc__,
    epilog="example:\n  python scripts/agreement.py "
    "--similarities results/flickr8k/semantics/models/*/*/*.similarities.csv "
    "--retrieval results/flickr8k/retrieval/*/*/*.csv --subtask 'STS 2015/Images' "
    "--output results/flickr8k/figures/agreement",
)
parser.add_argument(
    "--similarities",
    type=Path,
    nargs="+",
    required=True,
    help="what scripts/semantics.py wrote",
)
parser.add_argument(
    "--retrieval",
    type=Path,
    nargs="+",
    required=True,
    help="what scripts/retrieval.py wrote: selects the models",
)
parser.add_argument(
    "--subtask",
    metavar="TASK/SUBTASK",
    help="the pairs to show (default: the unsupervised subtask with the most pairs)",
)
parser.add_argument("--output", type=Path, required=True, help="the files to write, as a stem")


def main(arguments: argparse.Namespace) -> None:
    similarities = results.read_similarities(arguments.similarities)
    best = results.selected(results.read_retrieval(arguments.retrieval))
    style.save(semantics.agreement(similarities, best, arguments.subtask), arguments.output)
    logging.info("written: %s.pdf and %s.png", arguments.output, arguments.output)


if __name__ == "__main__":
    run(main, parser)
