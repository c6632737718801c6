"""Draw Figure 2: semantic measures and R@10 of the grid by embedding size.

Writes STEM.pdf and STEM.png.
"""

import argparse
import logging
from pathlib import Path

from groundvec.cli import run
from groundvec.reporting import figures, results, style

parser = argparse.ArgumentParser(
    description=__doc__,
    epilog="example:\n  python scripts/figure2.py --retrieval results/demo/retrieval/*/*/*.csv "
    "--scores results/demo/semantics/models/*/*/seed?.csv --output results/demo/figures/figure2",
)
parser.add_argument(
    "--retrieval", type=Path, nargs="+", required=True, help="what scripts/retrieval.py wrote"
)
parser.add_argument(
    "--scores",
    type=Path,
    nargs="*",
    help="what scripts/semantics.py wrote; without it, only R@10 is drawn",
)
parser.add_argument("--output", type=Path, required=True, help="the files to write, as a stem")


def main(arguments: argparse.Namespace) -> None:
    retrieval = results.read_retrieval(arguments.retrieval)
    scores = results.read_scores(arguments.scores) if arguments.scores else None
    style.save(figures.scores_by_size(retrieval, scores), arguments.output)
    logging.info("written: %s.pdf and %s.png", arguments.output, arguments.output)


if __name__ == "__main__":
    run(main, parser)
