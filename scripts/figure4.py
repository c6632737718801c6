"""Draw Figure 4: R@10 by epoch. Writes STEM.pdf and STEM.png.

A history lies in folders that say what it is of: .../<dataset>/<cell>/seed<k>/history.csv.
"""

import argparse
import logging
from pathlib import Path

from grounded.cli import run
from grounded.errors import InputError
from grounded.reporting import figures, results, style

parser = argparse.ArgumentParser(
    description=__doc__,
    epilog="example:\n  python scripts/figure4.py "
    "--histories results/demo/models/*/*/*/history.csv "
    "--measured results/demo/retrieval/*/*/*.csv --output results/demo/figures/figure4",
)
parser.add_argument(
    "--histories", type=Path, nargs="+", required=True, help="what scripts/train.py wrote"
)
parser.add_argument(
    "--measured",
    type=Path,
    nargs="+",
    required=True,
    help="what scripts/retrieval.py wrote: selects the cell to draw bold",
)
parser.add_argument("--output", type=Path, required=True, help="the files to write, as a stem")


def main(arguments: argparse.Namespace) -> None:
    histories = results.read_histories(arguments.histories)
    best = results.selected(results.read_retrieval(arguments.measured))
    for dataset in set(histories["dataset"]) - set(best):
        raise InputError(f"--measured has no scores on {dataset}, which there are histories of")
    style.save(figures.recall_by_epoch(histories, best), arguments.output)
    logging.info("written: %s.pdf and %s.png", arguments.output, arguments.output)


if __name__ == "__main__":
    run(main, parser)
