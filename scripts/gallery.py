r"""Write the test captions and images that a data set's best models retrieve, for the page.

Example:
  python scripts/gallery.py --models results/demo/models/scenes/*/*/model.json \
      --retrieval results/demo/retrieval/scenes/*/seed?.csv \
      --captions results/datasets/scenes/captions.csv \
      --images results/datasets/scenes/images.csv \
      --features results/features/scenes/efficientnet_lite0.h5 --output scenes.json
"""

import argparse
import logging

from groundvec.cli.program import run
from reproduction.arguments import make_parser
from reproduction.reporting.results import Results, add_arguments

parser = make_parser(__doc__, output="the file to write, .json")
add_arguments(parser, ("models", "retrieval", "captions", "images", "features"), ("treebanks",))


def main(arguments: argparse.Namespace) -> None:
    from groundvec.runtime.files import write_json
    from reproduction.page.gallery import gallery

    content = gallery(Results(**vars(arguments)))
    write_json(arguments.output, content)
    logging.info("written: %s", arguments.output)


if __name__ == "__main__":
    run(main, parser)
