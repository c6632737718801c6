r"""Make one table or figure of a paper from result files.

Tables are written as STEM.csv, STEM.md, STEM.tex and STEM.html, figures as STEM.pdf, STEM.png
and STEM.svg.
If an input is missing, the message names it.

Example:
  python scripts/report.py merkx_frank_2019/table2 \
      --models results/demo/models/*/*/*/model.json \
      --retrieval results/demo/retrieval/*/*/seed?.csv \
      --reported reproduction/papers/merkx_frank_2019/reported/table2.csv --output table2
"""

import argparse
import logging
from importlib import import_module

from groundvec.cli.program import run
from reproduction import papers
from reproduction.arguments import make_parser
from reproduction.reporting.results import KINDS, Results, add_arguments

ITEMS = {f"{paper}/{name}": item for paper, name, item in papers.items()}

parser = make_parser(__doc__, output="the files to write, as a stem", writes=())
parser.epilog = "tables and figures:\n  " + "\n  ".join(ITEMS)
parser.add_argument(
    "item", metavar="PAPER/ITEM", choices=ITEMS, help="the table or figure to make, see below"
)
add_arguments(parser, optional=KINDS)
parser.add_argument(
    "--select",
    default="recall",
    metavar="RULE",
    help="the model of a data set that is shown alone: the one with the best recall on the "
    "development set (recall, the default), with the best ratings (ratings), or a model's name",
)


def main(arguments: argparse.Namespace) -> None:
    item = import_module(f"reproduction.papers.{arguments.item.replace('/', '.')}")
    item.make(Results(**vars(arguments)), arguments.output)
    logging.info("written: %s", arguments.output)


if __name__ == "__main__":
    run(main, parser)
