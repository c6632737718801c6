r"""Fetch Pascal1K's images one by one: from a mirror, else from their addresses on the page.

Example:
  python scripts/pascal1k_images.py --page data/pascal1k/index.html \
      --sources resources/sources.yaml --output data/pascal1k/images
"""

import argparse
import logging
from pathlib import Path

from groundvec.cli.program import run
from groundvec.data import download
from reproduction.arguments import make_parser
from reproduction.sources import pascal1k

PAGE = "pascal1k/index.html"  # its name in the sources
IMAGES = "pascal1k/images"  # the folder of the images in a mirror

parser = make_parser(__doc__, "mirror", "folder to put them in", writes=())
parser.add_argument("--page", type=Path, required=True, help="the HTML page that names them")
parser.add_argument("--sources", type=Path, required=True, help="YAML: the page's addresses")


def main(arguments: argparse.Namespace) -> None:
    import yaml

    sources = yaml.safe_load(arguments.sources.read_text(encoding="utf-8"))
    output = arguments.output
    # Snakemake deletes the output of a job that fails: images are in another folder until the end.
    folder = output if output.exists() else output.with_name(f"{output.name}.part")
    # The bar is enough: `download` would log three lines for each image.
    logging.getLogger(download.__name__).setLevel(logging.WARNING)
    addresses = pascal1k.image_ids(arguments.page)
    urls = sources[PAGE]["urls"]
    download.fetch_images(addresses, urls, folder, IMAGES, arguments.mirror)
    folder.replace(output)
    logging.info("%d images: %s", len(addresses), output)


if __name__ == "__main__":
    run(main, parser)
