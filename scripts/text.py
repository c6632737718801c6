r"""Learn from a data set's training captions how to read sentences.

That is their characters or words, or, over their trees, also vectors of words.

Examples:
  python scripts/text.py --text '{name: characters}' --languages en \
      --captions results/datasets/scenes/captions.csv \
      --output results/text/scenes/characters.en.json
  python scripts/text.py --text '{name: trees, dimension: 100}' --captions captions.csv \
      --treebanks trees.conllu.gz --output trees.json
"""

import argparse
import logging

import pandas as pd

import reproduction  # noqa: F401, whose texts are parts too
from groundvec.cli.arguments import make_parser
from groundvec.cli.program import run
from groundvec.config import parts
from groundvec.data import dataset
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import write_json

parser = make_parser(__doc__, "text captions treebanks", "the JSON file to write")
parser.add_argument(
    "--languages", nargs="+", default=["en"], help="of the captions to use (default: en)"
)


def main(arguments: argparse.Namespace) -> None:
    captions = pd.concat(
        [dataset.read_captions(arguments.captions, each) for each in arguments.languages]
    )
    make = parts.find("text", arguments.text["name"])
    treebank = parts.treebank(arguments.text, arguments.treebanks)
    training = captions.loc[captions["split"] == "train", "caption"]
    if training.empty:
        raise InputError(
            f"{arguments.captions} has no train captions in {' or '.join(arguments.languages)}: "
            "write some, or choose another language"
        )
    reading = {"treebank": treebank} if treebank else {}
    built = make.build(training, **parts.options(arguments.text), **reading)
    write_json(arguments.output, getattr(built, "packed", built.as_dict)())
    logging.info("%s: %d different indices", arguments.text["name"], len(built))


if __name__ == "__main__":
    run(main, parser)
