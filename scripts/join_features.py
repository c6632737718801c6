r"""Join files of image features into one HDF5 file, in the order of a data set's images.

The files are parts by extract_features.py, or one .npz file with features computed elsewhere:
`features`, floating-point (images, width), and `image_ids`.

Example:
  python scripts/join_features.py --parts part-0.h5 part-1.h5 \
      --images results/datasets/flickr8k/images.csv --output features.h5
"""

import argparse

from groundvec.cli.program import run
from reproduction.arguments import FILES, make_parser

parser = make_parser(__doc__, "images", "the HDF5 file to write")
parser.add_argument("--parts", **FILES, required=True, help="parts of features, or .npz files")


def main(arguments: argparse.Namespace) -> None:
    from groundvec.data import dataset
    from groundvec.features import store

    image_ids = dataset.read_images(arguments.images).image_id
    features, attributes = store.join(arguments.parts, image_ids)
    store.write(arguments.output, features, image_ids, attributes)


if __name__ == "__main__":
    run(main, parser)
