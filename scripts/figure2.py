"""Draw Figure 2: R@10 of every cell of the grid by embedding size. Writes STEM.pdf and STEM.png."""

import argparse
import logging
from pathlib import Path

from grounded.cli import run
from grounded.reporting import figures, results, style

parser = argparse.ArgumentParser(
    description=__doc__,
    epilog="example:\n  python scripts/figure2.py --measured results/demo/retrieval/*/*/*.csv "
    "--output results/demo/figures/figure2",
)
parser.add_argument(
    "--measured", type=Path, nargs="+", required=True, help="what scripts/retrieval.py wrote"
)
parser.add_argument("--output", type=Path, required=True, help="the files to write, as a stem")


def main(arguments: argparse.Namespace) -> None:
    measured = results.read_retrieval(arguments.measured)
    style.save(figures.recall_by_size(measured), arguments.output)
    logging.info("written: %s.pdf and %s.png", arguments.output, arguments.output)


if __name__ == "__main__":
    run(main, parser)
