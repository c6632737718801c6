"""Make Table 2: retrieval scores measured beside those reported, and ensembles beside snapshots.

Writes STEM.csv, STEM.md, STEM.tex and STEM.html, and the same of STEM-snapshots.
"""

import argparse
import logging
from pathlib import Path

from groundvec.cli import run
from groundvec.reporting import results, tables

parser = argparse.ArgumentParser(
    description=__doc__,
    epilog="example:\n  python scripts/table2.py --measured results/demo/retrieval/*/*/*.csv "
    "--reported resources/retrieval.csv --output results/demo/tables/table2",
)
parser.add_argument(
    "--measured", type=Path, nargs="+", required=True, help="what scripts/retrieval.py wrote"
)
parser.add_argument("--reported", type=Path, required=True, help="the papers' numbers")
parser.add_argument("--output", type=Path, required=True, help="the files to write, as a stem")


def main(arguments: argparse.Namespace) -> None:
    measured = results.read_retrieval(arguments.measured)
    reported = results.read_reported(arguments.reported)
    tables.write_table2(arguments.output, tables.table2(measured, reported))
    beside = arguments.output.with_name(f"{arguments.output.name}-snapshots")
    tables.write_snapshots(beside, tables.snapshots(measured))
    for dataset, (cell, seed) in results.selected(measured).items():
        logging.info("%s: the development set selects %s, seed %d", dataset, cell, seed)
    logging.info("written: %s.md and %s.md", arguments.output, beside)


if __name__ == "__main__":
    run(main, parser)
