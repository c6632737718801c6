"""Find what the best models of a data set retrieve on its test set, for the page of a report."""

import argparse
import logging
from pathlib import Path

from groundvec.config.cli import run

parser = argparse.ArgumentParser(
    description=__doc__,
    epilog="example:\n  python scripts/gallery.py "
    "--models results/demo/models/scenes/*/*/model.json "
    "--retrieval results/demo/retrieval/scenes/*/seed?.csv "
    "--captions results/datasets/scenes/captions.csv --images results/datasets/scenes/images.csv "
    "--features results/features/scenes/efficientnet_lite0.h5 --output scenes.json",
)
for option, what in {
    "models": "the model.json of each training",
    "retrieval": "what scripts/retrieval.py wrote, a file for each model",
}.items():
    parser.add_argument(
        f"--{option}", type=Path, nargs="+", metavar="FILE", help=what, required=True
    )
parser.add_argument(
    "--treebanks",
    type=Path,
    nargs="*",
    metavar="FILE",
    help="parsed captions, which scripts/trees.py wrote; others are parsed",
)
for option, what in {
    "captions": "the data set's captions.csv",
    "images": "the data set's images.csv",
    "features": "the HDF5 file of its image features",
    "output": "the file to write, .json",
}.items():
    parser.add_argument(f"--{option}", type=Path, metavar="FILE", help=what, required=True)


def main(arguments: argparse.Namespace) -> None:
    from groundvec.page.gallery import gallery
    from groundvec.reporting.results import Results
    from groundvec.runtime.files import write_json

    content = gallery(Results(**vars(arguments)))
    write_json(arguments.output, content)
    logging.info("written: %s", arguments.output)


if __name__ == "__main__":
    run(main, parser)
