r"""Bring captioned pictures into the one form of all data sets: captions.csv and images.csv.

Of data sets with translations, also parallel.csv.

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
from inspect import signature
from pathlib import Path
from typing import Any

import reproduction  # noqa: F401, whose sources are parts too
from groundvec import sources
from groundvec.cli.arguments import FILE_OR_TEXT, completed, make_parser
from groundvec.cli.program import run
from groundvec.config import parts
from groundvec.config.schema import complete_by, find_mistake
from groundvec.data import dataset
from groundvec.runtime.errors import InputError


def main(arguments: argparse.Namespace) -> None:
    read = sources.reader(arguments.source)
    options = arguments_of(arguments.source)
    given = {name: getattr(arguments, name) for name in options}
    numbers = {name: value for name, value in given.items() if isinstance(value, int)}
    of_source = parts.options_schema("sources", arguments.source)["properties"]
    if wrong := find_mistake(numbers, {"properties": of_source}):
        raise InputError(f"--{wrong}")
    if "folder" in signature(read).parameters:
        given["folder"] = arguments.output
    captions, images = read(**given)
    more = sources.read_captions(arguments.more_captions) if arguments.more_captions else None
    dataset.write(arguments.output, captions, images, more)
    logging.info("%d captions, %d images: %s", len(captions), len(images), arguments.output)


def arguments_of(source: str) -> dict[str, dict[str, Any]]:
    """Return the command-line option of each argument of a source's `read`."""
    said = parts.options_schema("sources", source)
    options = {"source": source} | dict.fromkeys(said["properties"], True)
    stated = (files for _, files in parts.keyword_values(said, options, "files"))
    public = {name: file for files in stated for name, file in files.items()}
    found = {}
    for name, parameter in signature(sources.reader(source)).parameters.items():
        option = said["properties"].get(name, {})
        helps = [option.get("description", "").rstrip(".")]
        helps += [f"{public[name]} of the public files"] if name in public else []
        if name != "folder":
            found[name] = {
                "type": int if option.get("type") == "integer" else Path,
                "required": parameter.default is parameter.empty,
                "help": "; or ".join(filter(None, helps)),
            }
    return found


def described_more(given: dict[str, Any]) -> dict[str, Any]:
    """Complete the source of captions without pictures; its public files are options here."""
    name = given.get("source")
    public = {}
    if name in parts.names("sources"):
        public = parts.options_schema("sources", name).get("files", {}).copy()
        public.pop("images", None)
    options = {key: value for key, value in given.items() if key not in public}
    complete_by(options, "more_captions", "more_captions")
    for key, file in public.items():
        if not isinstance(given.get(key), str):
            raise InputError(f"more_captions.{key}: name your copy of the public file {file}")
    return options | {key: given[key] for key in public}


parser = make_parser(__doc__)
commands = parser.add_subparsers(dest="source", required=True)
for source in parts.names("sources"):
    text = parts.options_schema("sources", source)["description"]
    command = commands.add_parser(source, help=text, description=text)
    command.add_argument("--output", type=Path, required=True, help="folder of the data set")
    command.add_argument(
        "--more-captions",
        type=lambda text: completed(text, described_more),
        metavar=FILE_OR_TEXT,
        help="the source of captions without pictures, its options and files",
    )
    for name, how in arguments_of(source).items():
        command.add_argument(f"--{name}", **how)


if __name__ == "__main__":
    run(main, parser)
