"""Unpack a zip or tar archive into a new folder; nothing in it can leave that folder."""

import argparse
from pathlib import Path

from groundvec.cli import run
from groundvec.data.archives import unpack

EXAMPLES = """example:
  python scripts/unpack.py --archive data/flickr8k/Flickr8k_Dataset.zip \\
      --output data/flickr8k/Flicker8k_Dataset
"""


def main(arguments: argparse.Namespace) -> None:
    unpack(arguments.archive, arguments.output)


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLES)
    parser.add_argument("--archive", type=Path, required=True, help="the zip or tar archive")
    parser.add_argument("--output", type=Path, required=True, help="the folder to make")
    return parser


if __name__ == "__main__":
    run(main, make_parser())
