r"""Read captioned pictures from a source, and write captions.csv and images.csv.

Data sets with translations also get parallel.csv.

Examples:
  python scripts/dataset.py scenes --count 300 --seed 1 --output results/datasets/scenes
  python scripts/dataset.py --log dataset.log flickr8k --images data/flickr8k/Flicker8k_Dataset \
      --text data/flickr8k/Flickr8k_text.zip --output results/datasets/flickr8k
  python scripts/dataset.py karpathy --images data/mscoco --output results/datasets/mscoco \
      --json data/mscoco/caption_datasets/dataset_coco.json
  python scripts/dataset.py pascal1k --images data/pascal1k/images \
      --page data/pascal1k/index.html --seed 1 --output results/datasets/pascal1k
  python scripts/dataset.py multi30k --archive data/multi30k/multi30k.zip \
      --images data/flickr8k/Flicker8k_Dataset --flickr8k data/flickr8k/Flickr8k_text.zip \
      --output results/datasets/multi30k
  python scripts/dataset.py flickr8k --images data/flickr8k/Flicker8k_Dataset \
      --text data/flickr8k/Flickr8k_text.zip --output results/datasets/flickr8k-more \
      --more-captions '{source: multi30k, archive: data/multi30k/multi30k.zip}'
  python scripts/dataset.py table --table my/captions.csv --images my/photos \
      --output results/datasets/mine
"""

import argparse
import logging
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any

from groundvec.cli.program import run
from groundvec.config import parts
from groundvec.config.checks import find_mistake
from groundvec.config.schema import complete_by
from groundvec.config.types import Options
from groundvec.data import dataset
from groundvec.runtime.errors import InputError
from reproduction import sources
from reproduction.arguments import FILE_OR_TEXT, completed, make_parser


def main(arguments: argparse.Namespace) -> None:
    read = sources.reader(arguments.source)
    options = {name: getattr(arguments, name) for name in arguments_of(arguments.source)}
    # argparse has checked that these are numbers; the schema has their bounds.
    numbers = {name: value for name, value in options.items() if isinstance(value, int)}
    schema = parts.options_schema("sources", arguments.source)["properties"]
    mistake = find_mistake(numbers, {"properties": schema})
    if mistake:
        raise InputError(f"--{mistake}")
    if "folder" in signature(read).parameters:
        options["folder"] = arguments.output
    captions, images = read(**options)
    more = sources.read_captions(arguments.more_captions) if arguments.more_captions else None
    dataset.write(arguments.output, captions, images, more)
    logging.info("%d captions, %d images: %s", len(captions), len(images), arguments.output)


def arguments_of(source: str) -> dict[str, dict[str, Any]]:
    """Return the command-line option of each argument of a source's `read`."""
    schema = parts.options_schema("sources", source)
    all_options = dict.fromkeys(schema["properties"], True)
    public: dict[str, str] = {}
    for _, files in parts.keyword_values(schema, all_options, "files"):
        public |= files
    options = {}
    for name, parameter in signature(sources.reader(source)).parameters.items():
        if name == "folder":  # the output's
            continue
        option = schema["properties"].get(name, {})
        helps = []
        if "description" in option:
            helps.append(option["description"].rstrip("."))
        if name in public:
            helps.append(f"{public[name]} of the public files")
        options[name] = {
            "type": int if option.get("type") == "integer" else Path,
            "required": parameter.default is parameter.empty,
            "help": "; or ".join(helps),
        }
    return options


def complete_more_captions(description: Options) -> Options:
    """Complete the source of captions without pictures; its public files are options here."""
    name = description.get("source")
    public = {}
    if name in parts.names("sources"):
        public = parts.options_schema("sources", name).get("files", {}).copy()
        public.pop("images", None)
    options = {key: value for key, value in description.items() if key not in public}
    complete_by(options, "more_captions", "more_captions")
    for key, file in public.items():
        if not isinstance(description.get(key), str):
            raise InputError(f"more_captions.{key}: name your copy of the public file {file}")
        options[key] = description[key]
    return options


parser = make_parser(__doc__)
commands = parser.add_subparsers(dest="source", required=True)
for source in parts.names("sources"):
    text = parts.options_schema("sources", source)["description"]
    command = commands.add_parser(source, help=text, description=text)
    command.add_argument("--output", type=Path, required=True, help="folder of the data set")
    command.add_argument(
        "--more-captions",
        type=partial(completed, complete=complete_more_captions),
        metavar=FILE_OR_TEXT,
        help="the source of captions without pictures, its options and files",
    )
    for name, option in arguments_of(source).items():
        command.add_argument(f"--{name}", **option)


if __name__ == "__main__":
    run(main, parser)
