r"""Write one HTML page with an experiment's tables, figures and galleries.

Example:
  python scripts/page.py --experiment demo --tables results/demo/*/tables/*.csv \
      --figures results/demo/*/figures/*.svg --retrieval results/demo/retrieval/*/*/seed?.csv \
      --galleries results/demo/report/*.json --output index.html
"""

import argparse
import logging
from pathlib import Path

from groundvec.cli.program import run
from reproduction.arguments import FILES, make_parser
from reproduction.reporting.results import Results, add_arguments

parser = make_parser(__doc__, output="the file to write, .html")
add_arguments(parser, ("tables", "retrieval"))
parser.add_argument(
    "--figures",
    **FILES,
    required=True,
    help="figures by scripts/report.py, PAPER/figures/NAME.svg, each with a .png next to it",
)
parser.add_argument(
    "--galleries", **FILES, required=True, help="the output of scripts/gallery.py, per data set"
)
parser.add_argument(
    "--experiment", metavar="NAME", required=True, help="the name of the experiment"
)
parser.add_argument(
    "--try-it", type=Path, metavar="FILE", help="HTML of a panel for trying the encoder"
)


def main(arguments: argparse.Namespace) -> None:
    from groundvec.runtime.files import write_bytes
    from reproduction.page.build import page

    text = page(Results(**vars(arguments)))
    write_bytes(arguments.output, text.encode())
    logging.info("written: %s", arguments.output)


if __name__ == "__main__":
    run(main, parser)
