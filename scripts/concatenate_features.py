r"""Concatenate the features of several networks, each scaled by one factor.

The factor brings the root mean square of a network's features over the training pictures to 1.
The factor is kept with the features, for pictures whose features are computed later.

Example:
  python scripts/concatenate_features.py --features lite0.h5 lite2.h5 \
      --images results/datasets/flickr8k/images.csv --output features.h5
"""

import argparse

from groundvec.cli.program import run
from reproduction.arguments import FILES, make_parser

parser = make_parser(__doc__, "images", "the HDF5 file to write")
parser.add_argument("--features", **FILES, required=True, help="an HDF5 file for each network")


def main(arguments: argparse.Namespace) -> None:
    from groundvec.data import dataset
    from groundvec.features import store
    from groundvec.features.concatenation import concatenate

    images = dataset.read_images(arguments.images)
    features, attributes = concatenate(arguments.features, images)
    store.write(arguments.output, features, images.image_id, attributes)


if __name__ == "__main__":
    run(main, parser)
