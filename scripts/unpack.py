"""Unpack a zip or tar archive into a new folder; nothing in it can leave that folder."""

import argparse
from pathlib import Path

from groundvec.config.cli import run
from groundvec.data.archives import unpack

parser = argparse.ArgumentParser(
    description=__doc__,
    epilog="""example:
  python scripts/unpack.py --archive data/flickr8k/Flickr8k_Dataset.zip \\
      --output data/flickr8k/Flicker8k_Dataset
""",
)
parser.add_argument("--archive", type=Path, required=True, help="the zip or tar archive")
parser.add_argument("--output", type=Path, required=True, help="the folder to make")


def main(arguments: argparse.Namespace) -> None:
    unpack(arguments.archive, arguments.output)


if __name__ == "__main__":
    run(main, parser)
