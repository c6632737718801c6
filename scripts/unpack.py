r"""Unpack a zip or tar archive into a new folder, which no member can leave.

Example:
  python scripts/unpack.py --archive data/flickr8k/Flickr8k_Dataset.zip \
      --output data/flickr8k/Flicker8k_Dataset
"""

import argparse
from pathlib import Path

from groundvec.cli.program import run
from groundvec.data.archives import unpack
from reproduction.arguments import make_parser

parser = make_parser(__doc__, output="the folder to make", writes=())
parser.add_argument("--archive", type=Path, required=True, help="the zip or tar archive")


def main(arguments: argparse.Namespace) -> None:
    unpack(arguments.archive, arguments.output)


if __name__ == "__main__":
    run(main, parser)
