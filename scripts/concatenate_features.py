"""Concatenate the features of several networks, each scaled by one factor.

The factor brings the root mean square of a network's features over the training pictures to 1.
It is kept with the features, for pictures that are described later.
"""

import argparse
from pathlib import Path

from groundvec.config.cli import run

parser = argparse.ArgumentParser(
    description=__doc__,
    epilog="example:\n  python scripts/concatenate_features.py --features lite0.h5 lite2.h5 "
    "--images results/datasets/flickr8k/images.csv --output features.h5",
)
parser.add_argument(
    "--features", type=Path, nargs="+", required=True, help="HDF5 files, one for each network"
)
parser.add_argument("--images", type=Path, required=True, help="a data set's images.csv")
parser.add_argument("--output", type=Path, required=True, help="the HDF5 file to write")


def main(arguments: argparse.Namespace) -> None:
    from groundvec.data import schema
    from groundvec.features import store
    from groundvec.features.concatenation import concatenate

    images = schema.read_images(arguments.images)
    features, attributes = concatenate(arguments.features, images)
    store.write(arguments.output, features, images.image_id, attributes)


if __name__ == "__main__":
    run(main, parser)
