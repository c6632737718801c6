"""Bring captioned pictures into the one form of all data sets: captions.csv and images.csv.

Of data sets with translations, also parallel.csv.
"""

import argparse
import logging
from pathlib import Path

from groundvec import scenes
from groundvec.cli import run
from groundvec.data import flickr8k, karpathy, multi30k, parallel, pascal1k, schema, table
from groundvec.scenes import parallel as said_twice

EXAMPLES = """examples:
  python scripts/dataset.py scenes --count 300 --seed 1 --output results/datasets/scenes
  python scripts/dataset.py --log dataset.log flickr8k --images data/flickr8k/Flicker8k_Dataset \\
      --text data/flickr8k/Flickr8k_text.zip --output results/datasets/flickr8k
  python scripts/dataset.py karpathy --images data/mscoco --output results/datasets/mscoco \\
      --json data/mscoco/caption_datasets/dataset_coco.json
  python scripts/dataset.py pascal1k --images data/pascal1k/images \\
      --page data/pascal1k/index.html --seed 1 --output results/datasets/pascal1k
  python scripts/dataset.py multi30k --archive data/multi30k/multi30k.zip \\
      --images data/flickr8k/Flicker8k_Dataset --flickr8k data/flickr8k/Flickr8k_text.zip \\
      --output results/datasets/multi30k
  python scripts/dataset.py table --table my/captions.csv --images my/photos \\
      --output results/datasets/mine
"""


def main(arguments: argparse.Namespace) -> None:
    pairs = None
    if arguments.source == "scenes":
        captions, images = scenes.generate(arguments.output, arguments.count, arguments.seed)
        pairs = said_twice.pairs(arguments.output / "scenes.jsonl", arguments.seed)
    elif arguments.source == "flickr8k":
        captions, images = flickr8k.read(arguments.images, arguments.text)
    elif arguments.source == "karpathy":
        captions, images = karpathy.read(arguments.images, arguments.json, arguments.captions)
    elif arguments.source == "pascal1k":
        captions, images = pascal1k.read(arguments.images, arguments.page, arguments.seed)
    elif arguments.source == "multi30k" and arguments.flickr8k:
        captions, images, pairs = multi30k.read_flickr8k(
            arguments.archive, arguments.images, arguments.flickr8k
        )
    elif arguments.source == "multi30k":
        captions, images, pairs = multi30k.read(arguments.archive, arguments.images)
    else:
        captions, images = table.read(arguments.table, arguments.images)
    if pairs is not None:
        parallel.write(arguments.output / "parallel.csv", pairs)
    schema.write(arguments.output, captions, images)
    logging.info("%d captions, %d images: %s", len(captions), len(images), arguments.output)


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLES)
    sources = parser.add_subparsers(dest="source", required=True)

    def add(source: str, text: str) -> argparse.ArgumentParser:
        command = sources.add_parser(source, help=text, description=text)
        command.add_argument(
            "--output", type=Path, required=True, help="folder for captions.csv and images.csv"
        )
        if source != "scenes":
            command.add_argument("--images", type=Path, required=True, help="folder of the images")
        return command

    command = add("scenes", "generate drawn scenes with English and German captions")
    command.add_argument("--count", type=int, required=True, help="how many images")
    command.add_argument("--seed", type=int, required=True, help="the same seed, the same scenes")
    command = add("flickr8k", "Flickr8k's photographs and captions")
    command.add_argument("--text", type=Path, required=True, help="Flickr8k_text.zip or its folder")
    command = add("karpathy", "MSCOCO, Flickr30k or Flickr8k in Karpathy's splits")
    command.add_argument(
        "--json",
        type=Path,
        required=True,
        help="dataset_coco.json, or another of his files; or FILE.zip/MEMBER",
    )
    command.add_argument(
        "--captions", type=int, help="of each image, the first ones (default: all)"
    )
    command = add("pascal1k", "the UIUC Pascal sentences, in splits that are drawn")
    command.add_argument("--page", type=Path, required=True, help="the HTML page")
    command.add_argument("--seed", type=int, required=True, help="the same seed, the same splits")
    command = add("multi30k", "Multi30k, described in English and in German")
    command.add_argument("--archive", type=Path, required=True, help="multi30k.zip or its folder")
    command.add_argument(
        "--flickr8k",
        type=Path,
        help="Flickr8k_text.zip: only its images, in its split (default: --images are Flickr30k's)",
    )
    command = add("table", "your own CSV of captions and folder of images")
    command.add_argument("--table", type=Path, required=True, help="CSV: image, caption, ...")
    return parser


if __name__ == "__main__":
    run(main, make_parser())
