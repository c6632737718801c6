"""Put an experiment's tables, figures, training curves and galleries on one page of HTML."""

import argparse
import logging
from pathlib import Path

from groundvec.config.cli import run

parser = argparse.ArgumentParser(
    description=__doc__,
    epilog="example:\n  python scripts/page.py --experiment demo "
    "--tables results/demo/*/tables/*.csv --figures results/demo/*/figures/*.svg "
    "--histories results/demo/models/*/*/*/history.csv "
    "--retrieval results/demo/retrieval/*/*/seed?.csv "
    "--galleries results/demo/report/*.json --output index.html",
)
parser.add_argument("--experiment", metavar="NAME", required=True, help="what the page is about")
for option, what in {
    "tables": "tables of scripts/report.py, PAPER/tables/NAME.csv, with .json beside each",
    "figures": "figures of it, PAPER/figures/NAME.svg, with .png beside each",
    "histories": "the history.csv of each training",
    "retrieval": "what scripts/retrieval.py wrote, a file for each model",
    "galleries": "what scripts/gallery.py wrote, a file for each data set",
}.items():
    parser.add_argument(
        f"--{option}", type=Path, nargs="+", metavar="FILE", help=what, required=True
    )
parser.add_argument(
    "--try-it", type=Path, metavar="FILE", help="HTML of a panel in which to try the encoder"
)
parser.add_argument(
    "--output", type=Path, metavar="FILE", help="the file to write, .html", required=True
)


def main(arguments: argparse.Namespace) -> None:
    from groundvec.page.build import page
    from groundvec.reporting.results import Results
    from groundvec.runtime.files import write_bytes

    text = page(Results(**vars(arguments)))
    write_bytes(arguments.output, text.encode())
    logging.info("written: %s", arguments.output)


if __name__ == "__main__":
    run(main, parser)
