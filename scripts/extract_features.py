r"""Compute image features: the mean over crops of a network's activations before its classifier.

Features are kept in the folder --work, by the content of each picture. So a killed extraction
resumes when it is started again, and no picture of any data set is computed twice. Several jobs can
share the work, each with its own --part; join_features.py joins the parts.

Examples:
  python scripts/extract_features.py --backbone efficientnet_lite0 \
      --images results/datasets/scenes/images.csv --work checkpoints --output features.h5
  python scripts/extract_features.py --backbone resnet152 --settings '{crops: 1}' ...
"""

import argparse
from pathlib import Path

from groundvec.cli.program import run
from reproduction.arguments import make_parser

parser = make_parser(
    __doc__, "images work threads device", "the HDF5 file to write", ("",), "extraction"
)
parser.add_argument(
    "--backbone",
    required=True,
    help="efficientnet_lite0, _lite1 or _lite2, or a classification network of torchvision",
)
parser.add_argument("--weights", help="the name of torchvision's weights (default: IMAGENET1K_V1)")
parser.add_argument(
    "--weights-file", type=Path, help="a file with these weights (default: download them)"
)
parser.add_argument("--part", type=int, default=0, help="the part to compute, from 0 (default: 0)")
parser.add_argument("--parts", type=int, default=1, help="the number of parts (default: 1)")


def main(arguments: argparse.Namespace) -> None:
    from groundvec.data import dataset
    from groundvec.device import choose
    from groundvec.features import backbones, store
    from groundvec.features.extract import described_features, extract
    from groundvec.provenance import digest
    from groundvec.runtime.errors import InputError
    from groundvec.runtime.jobs import cores, locked

    if not 0 <= arguments.part < arguments.parts:
        raise InputError(f"--part {arguments.part} must be from 0 to {arguments.parts - 1}")
    threads = min(arguments.threads or cores(), cores())
    device = choose(arguments.device, threads)
    images = dataset.read_images(arguments.images).iloc[arguments.part :: arguments.parts]
    backbone = backbones.load(
        arguments.backbone, arguments.weights, arguments.weights_file, **arguments.settings
    )
    with locked(arguments.work / digest(str(arguments.output)), str(arguments.output)):
        files = list(zip(images["path"], images["sha256"], strict=True))
        [features] = extract(files, [backbone], arguments.work, device, threads)
    described = described_features(backbone, device)
    store.write(arguments.output, features, images.image_id, described)


if __name__ == "__main__":
    run(main, parser)
