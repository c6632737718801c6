"""Learn from a data set's training captions how to read sentences.

That is their characters or words, or, over their trees, also vectors of words.
"""

import argparse
import logging
from pathlib import Path

import pandas as pd

from groundvec.config import parts
from groundvec.config.cli import run, text
from groundvec.data import schema
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import write_json

parser = argparse.ArgumentParser(
    description=__doc__,
    epilog="examples:\n  python scripts/text.py --text '{name: characters}' --languages en "
    "--captions results/datasets/scenes/captions.csv "
    "--output results/text/scenes/characters.en.json\n"
    "  python scripts/text.py --text '{name: trees, dimension: 100}' --captions captions.csv "
    "--treebanks trees.conllu.gz --output trees.json",
)
parser.add_argument(
    "--text",
    type=text,
    required=True,
    metavar="FILE|TEXT",
    help="what a model reads, as a YAML or JSON file or as text",
)
parser.add_argument("--captions", type=Path, required=True, help="a data set's captions.csv")
parser.add_argument(
    "--languages", nargs="+", default=["en"], help="of the captions to use (default: en)"
)
parser.add_argument(
    "--treebanks",
    type=Path,
    nargs="+",
    default=[],
    help="trees: what scripts/trees.py wrote; other sentences are parsed",
)
parser.add_argument("--output", type=Path, required=True, help="the JSON file to write")


def main(arguments: argparse.Namespace) -> None:
    captions = pd.concat(
        [schema.read_captions(arguments.captions, each) for each in arguments.languages]
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
