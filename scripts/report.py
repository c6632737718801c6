r"""Make tables and figures of a paper from result files.

Tables are written as STEM.csv, STEM.md, STEM.tex and STEM.html, figures as STEM.pdf, STEM.png
and STEM.svg. The module of the same name in reproduction/papers/PAPER makes each. If an input is
missing, the message names it.

Example:
  python scripts/report.py merkx_frank_2019 \
      --models results/demo/models/*/*/*/model.json \
      --retrieval results/demo/retrieval/*/*/seed?.csv \
      --reported reproduction/papers/merkx_frank_2019/reported/*.csv --output table2 snapshots
"""

import argparse
import logging
from importlib import import_module
from pathlib import Path

from groundvec.cli.program import run
from groundvec.runtime.errors import InputError
from reproduction import papers
from reproduction.arguments import make_parser
from reproduction.reporting.results import KINDS, Results, add_arguments

parser = make_parser(__doc__)
parser.epilog = "tables and figures:\n" + "\n".join(
    f"  {paper}: {', '.join(papers.captions(paper))}" for paper in papers.known()
)
parser.add_argument("paper", metavar="PAPER", choices=papers.known(), help="see below")
add_arguments(parser, optional=KINDS)
parser.add_argument(
    "--select",
    default="recall",
    metavar="RULE",
    help="the model of a data set that is shown alone: the one with the best recall on the "
    "development set (recall, the default), with the best ratings (ratings), or a model's name",
)
parser.add_argument(
    "--output",
    type=Path,
    nargs="+",
    metavar="STEM",
    required=True,
    help="the files to write, without suffix. They have the names of tables and figures, or "
    "NAME-SUFFIX; later ones also read the tables before them",
)


def main(arguments: argparse.Namespace) -> None:
    known = papers.captions(arguments.paper)
    names = [stem.name.split("-")[0] for stem in arguments.output]
    for name in names:
        if name not in known:
            raise InputError(f"--output: there is no {name}: name one of {', '.join(known)}")
    results = Results(**vars(arguments) | {"tables": list(arguments.tables or [])})
    for name, stem in zip(names, arguments.output, strict=True):
        import_module(f"reproduction.papers.{arguments.paper}.{name}").make(results, stem)
        table = stem.with_name(f"{stem.name}.csv")
        if table.exists():
            results.given["tables"].append(table)
        logging.info("written: %s", stem)


if __name__ == "__main__":
    run(main, parser)
