"""Collect the characters of a data set's training captions."""

import argparse
import logging
from pathlib import Path

from groundvec.cli import run
from groundvec.data import schema
from groundvec.text.characters import Vocabulary

parser = argparse.ArgumentParser(
    description=__doc__,
    epilog="example:\n  python scripts/vocabulary.py --language en "
    "--captions results/datasets/scenes/captions.csv --output results/vocabulary/scenes.en.json",
)
parser.add_argument("--captions", type=Path, required=True, help="a data set's captions.csv")
parser.add_argument("--language", default="en", help="of the captions to use (default: en)")
parser.add_argument("--output", type=Path, required=True, help="the JSON file to write")


def main(arguments: argparse.Namespace) -> None:
    captions = schema.read_captions(arguments.captions, arguments.language)
    vocabulary = Vocabulary.build(captions.loc[captions["split"] == "train", "caption"])
    vocabulary.save(arguments.output)
    logging.info("%d different characters", len(vocabulary.characters))


if __name__ == "__main__":
    run(main, parser)
