r"""Fetch a public file from a mirror folder, else from its addresses, and verify it.

Example:
  python scripts/download.py --name flickr8k/Flickr8k_text.zip --sources resources/sources.yaml \
      --mirror /shared/mirror --output data/flickr8k/Flickr8k_text.zip
"""

import argparse
from pathlib import Path

from groundvec.cli.program import run
from groundvec.data.download import fetch
from groundvec.runtime.errors import InputError
from reproduction.arguments import make_parser

parser = make_parser(__doc__, "mirror", "where to put the file", writes=())
parser.add_argument("--name", required=True, help="the name of the file in the sources")
parser.add_argument("--sources", type=Path, required=True, help="YAML: addresses and checksums")


def main(arguments: argparse.Namespace) -> None:
    import yaml

    sources = yaml.safe_load(arguments.sources.read_text(encoding="utf-8"))
    if arguments.name not in sources:
        known = ", ".join(sources)
        raise InputError(f"{arguments.sources} has no {arguments.name}: choose one of {known}")
    fetch(arguments.name, sources[arguments.name], arguments.output, arguments.mirror)


if __name__ == "__main__":
    run(main, parser)
