"""Draw Figure 4: R@10 and the semantic score by epoch. Writes STEM.pdf and STEM.png.

A history lies in folders that say what it is of: .../<dataset>/<cell>/seed<k>/history.csv.
"""

import argparse
import logging
from pathlib import Path

from groundvec.cli import run
from groundvec.errors import InputError
from groundvec.reporting import figures, results, style

parser = argparse.ArgumentParser(
    description=__doc__,
    epilog="example:\n  python scripts/figure4.py --retrieval results/demo/retrieval/*/*/*.csv "
    "--histories results/demo/models/*/*/*/history.csv "
    "--scores results/demo/semantics/models/*/*/seed?.csv --output results/demo/figures/figure4",
)
parser.add_argument(
    "--retrieval",
    type=Path,
    nargs="+",
    required=True,
    help="what scripts/retrieval.py wrote: selects the cell to draw bold, and names snapshots",
)
parser.add_argument(
    "--histories", type=Path, nargs="+", required=True, help="what scripts/train.py wrote"
)
parser.add_argument(
    "--scores",
    type=Path,
    nargs="*",
    help="what scripts/semantics.py wrote; without it, only R@10 is drawn",
)
parser.add_argument("--output", type=Path, required=True, help="the files to write, as a stem")


def main(arguments: argparse.Namespace) -> None:
    histories = results.read_histories(arguments.histories)
    retrieval = results.read_retrieval(arguments.retrieval)
    for dataset in set(histories["dataset"]) - set(retrieval["dataset"]):
        raise InputError(f"--retrieval has no scores on {dataset}, which there are histories of")
    scores = results.read_scores(arguments.scores) if arguments.scores else None
    style.save(figures.scores_by_epoch(histories, scores, retrieval), arguments.output)
    logging.info("written: %s.pdf and %s.png", arguments.output, arguments.output)


if __name__ == "__main__":
    run(main, parser)
