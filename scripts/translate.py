r"""Translate the sentences of one split: write a list of the best translations of each.

Example:
  python scripts/translate.py --model my-translator --n 20 --split dev \
      --pairs results/datasets/scenes/parallel.csv --output dev.20.nbest.gz
"""

import argparse
import logging
from pathlib import Path

from groundvec.cli.arguments import at_least
from groundvec.cli.program import run
from reproduction.arguments import make_parser

parser = make_parser(__doc__, "pairs threads device", "the lists to write (.gz or not)")
parser.add_argument("--model", type=Path, required=True, help="the output of scripts/translator.py")
parser.add_argument(
    "--split", choices=["dev", "test"], required=True, help="the split to translate"
)
parser.add_argument(
    "--n", type=at_least(1), required=True, help="the number of translations per sentence"
)


def main(arguments: argparse.Namespace) -> None:
    from groundvec.device import choose
    from reproduction.sources import parallel
    from reproduction.translation import beam, model, nbest
    from reproduction.translation.vocabulary import tokenize

    device = choose(arguments.device, arguments.threads)
    translator, source, target = model.load(arguments.model, device)
    table = parallel.read(arguments.pairs, arguments.split, source.language, target.language)
    encoded = source.encode(tokenize(table["source"]))
    lists = beam.translate(translator, encoded, target, arguments.n)
    nbest.write(arguments.output, lists)
    logging.info("%d translations of %d sentences", len(lists.hypotheses), len(table))


if __name__ == "__main__":
    run(main, parser)
