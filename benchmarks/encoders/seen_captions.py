r"""Count the test captions that are also training captions of other images, by their letters.

The test captions may belong to another data set, such as the German ones of Multi30k.

Example:
  python benchmarks/encoders/seen_captions.py results/best/datasets/flickr8k/captions.csv \
      --test german/captions.csv -o seen-captions.csv
"""

import argparse
from pathlib import Path

import pandas as pd
from common import program

from groundvec.data.cleaning import normalised
from groundvec.data.dataset import MORE, read_captions
from reproduction.arguments import make_parser


def keys(captions: pd.DataFrame) -> pd.Series:
    """Return a key of each caption: its language and its letters."""
    return captions["language"] + " " + captions["caption"].map(normalised)


def count(arguments: argparse.Namespace) -> pd.DataFrame:
    """Count the test captions of each language, and the training captions among them."""
    training = read_captions(arguments.training)
    tests = read_captions(arguments.test)
    training = training[training["split"].isin(["train", MORE])]
    tests = tests[tests["split"] == "test"]
    seen = keys(tests).isin(set(keys(training)))
    counts = seen.groupby(tests["language"]).agg(["size", "sum"])
    return counts.set_axis(["captions", "seen"], axis=1).reset_index()


if __name__ == "__main__":
    parser = make_parser(__doc__)
    parser.add_argument("training", type=Path, help="captions.csv of a model's training data")
    parser.add_argument("--test", type=Path, required=True, help="captions.csv of the test data")
    program(parser, count)
