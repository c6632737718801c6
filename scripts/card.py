r"""Write the model card of a trained model, a README.md in the form that model hubs read.

Example:
  python scripts/card.py --model results/demo/models/scenes/gru-64-max/seed1 --source scenes \
      --retrieval results/demo/retrieval/scenes/gru-64-max/seed1.csv --papers merkx_frank_2019 \
      --output README.md
"""

import argparse
import logging
from pathlib import Path

from groundvec.cli.program import run
from groundvec.config import parts
from reproduction import papers
from reproduction.arguments import make_parser

parser = make_parser(__doc__, "model", "the file to write")
parser.add_argument(
    "--source",
    required=True,
    choices=parts.names("sources"),
    metavar="SOURCE",
    help="the source of its data set: %(choices)s",
)
parser.add_argument(
    "--papers",
    nargs="*",
    choices=papers.known(),
    default=[],
    metavar="PAPER",
    help="to cite: %(choices)s",
)
parser.add_argument(
    "--retrieval", type=Path, required=True, help="the model's scores by scripts/retrieval.py"
)
parser.add_argument("--scores", type=Path, help="the model's scores by scripts/overlap.py")
parser.add_argument(
    "--untrained",
    type=Path,
    help="the training's scores by scripts/overlap.py, if the model is a packed copy: that has no "
    "untrained network",
)
parser.add_argument(
    "--load", help="the argument of SentenceEncoder in the card (default: the folder)"
)


def main(arguments: argparse.Namespace) -> None:
    from groundvec.card.card import card
    from groundvec.runtime.files import write_bytes

    text = card(
        arguments.model,
        parts.options_schema("sources", arguments.source)["card"],
        papers.references(arguments.papers),
        arguments.retrieval,
        arguments.scores,
        arguments.load,
        arguments.untrained,
        {"Scenes": "A program computed the ratings of Scenes from what is drawn."},
    )
    write_bytes(arguments.output, text.encode())
    logging.info("written: %s", arguments.output)


if __name__ == "__main__":
    run(main, parser)
