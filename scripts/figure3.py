"""Draw Figure 3: every subtask of the semantic evaluation, measured beside reported systems.

Shown are the models that the development sets select, the same before training, and every
baseline. Writes STEM.pdf and STEM.png.
"""

import argparse
import logging
from pathlib import Path

from groundvec.cli import run
from groundvec.reporting import results, semantics, style

parser = argparse.ArgumentParser(
    description=__doc__,
    epilog="example:\n  python scripts/figure3.py "
    "--scores results/demo/semantics/models/*/*/seed?.csv "
    "results/demo/semantics/baselines/trigrams.csv "
    "--retrieval results/demo/retrieval/*/*/*.csv --reported resources/sts.csv "
    "--output results/demo/figures/figure3",
)
parser.add_argument(
    "--scores",
    type=Path,
    nargs="+",
    required=True,
    help="what scripts/semantics.py and scripts/baseline.py wrote",
)
parser.add_argument(
    "--retrieval",
    type=Path,
    nargs="+",
    required=True,
    help="what scripts/retrieval.py wrote: selects the models",
)
parser.add_argument("--reported", type=Path, required=True, help="the paper's correlations")
parser.add_argument("--output", type=Path, required=True, help="the files to write, as a stem")


def main(arguments: argparse.Namespace) -> None:
    scores = results.read_scores(arguments.scores)
    best = results.selected(results.read_retrieval(arguments.retrieval))
    reported = results.read_reported_sts(arguments.reported)
    style.save(semantics.correlation_by_subtask(scores, best, reported), arguments.output)
    logging.info("written: %s.pdf and %s.png", arguments.output, arguments.output)


if __name__ == "__main__":
    run(main, parser)
