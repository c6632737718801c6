r"""Read captioned pictures from a source, and write captions.csv and images.csv.

Data sets with translations also get parallel.csv. The keys next to `source` are the arguments of
its function `read` (groundvec/sources, reproduction/sources).

Examples:
  python scripts/dataset.py --source '{source: scenes, count: 300, seed: 1}' \
      --output results/datasets/scenes
  python scripts/dataset.py --output results/datasets/flickr8k \
      --source '{source: flickr8k, images: data/flickr8k/Flicker8k_Dataset,
                 text: data/flickr8k/Flickr8k_text.zip}'
  python scripts/dataset.py --output results/datasets/flickr8k-more \
      --source '{source: flickr8k, images: data/flickr8k/Flicker8k_Dataset,
                 text: data/flickr8k/Flickr8k_text.zip}' \
      --more-captions '{source: multi30k, archive: data/multi30k/multi30k.zip}'
  python scripts/dataset.py --output results/datasets/mine \
      --source '{source: table, table: my/captions.csv, images: my/photos}'
"""

import argparse
import logging
from functools import partial
from inspect import signature
from pathlib import Path

from groundvec.cli.program import run
from groundvec.config import parts
from groundvec.config.checks import find_mistake
from groundvec.config.types import Options, Schema
from groundvec.data import dataset
from groundvec.runtime.errors import InputError
from reproduction import sources
from reproduction.arguments import FILE_OR_TEXT, completed, make_parser


def described(description: Options, later: str) -> Options:
    """Check a source and the arguments of its `read`, all but one that is known later."""
    source = description.pop("source", None)
    names = parts.names("sources")
    if source not in names:
        raise InputError(f"source is {source!r}: choose one of {', '.join(names)}")
    read = signature(sources.reader(source))
    bound = dict(description)
    if later in read.parameters:
        bound[later] = ""
    try:
        read.bind(**bound)
    except TypeError as error:
        raise InputError(f"{source}: {error}") from None
    # An option is a whole number or else, in place of the configuration's keys, the name of a file.
    properties: dict[str, Schema] = {name: {"type": "string"} for name in description}
    options = parts.options_schema("sources", source)["properties"]
    properties |= {name: said for name, said in options.items() if said.get("type") == "integer"}
    mistake = find_mistake(description, {"properties": properties})
    if mistake:
        raise InputError(f"{source}.{mistake}")
    paths = {name: Path(value) for name, value in description.items() if isinstance(value, str)}
    return {"source": source} | description | paths


parser = make_parser(__doc__, output="folder of the data set", writes=())
parser.add_argument(
    "--source",
    type=partial(completed, complete=partial(described, later="folder")),
    required=True,
    metavar=FILE_OR_TEXT,
    help="the source, its options and files",
)
parser.add_argument(
    "--more-captions",
    type=partial(completed, complete=partial(described, later="images")),
    metavar=FILE_OR_TEXT,
    help="the source of captions without pictures, its options and files",
)


def main(arguments: argparse.Namespace) -> None:
    options = dict(arguments.source)
    read = sources.reader(options.pop("source"))
    if "folder" in signature(read).parameters:
        options["folder"] = arguments.output
    captions, images = read(**options)
    more = sources.read_captions(arguments.more_captions) if arguments.more_captions else None
    dataset.write(arguments.output, captions, images, more)
    logging.info("%d captions, %d images: %s", len(captions), len(images), arguments.output)


if __name__ == "__main__":
    run(main, parser)
