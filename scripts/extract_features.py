"""Compute image features: the mean over crops of a network's activations before its classifier.

Features are kept in the folder --work, by the content of each picture. So a killed extraction
resumes if it is started again, and no picture of any data set is computed twice. Several jobs can
share the work, each with its own --part; join_features.py joins the parts.
"""

import argparse
from pathlib import Path

from groundvec.config.cli import run

parser = argparse.ArgumentParser(
    description=__doc__,
    epilog="example:\n  python scripts/extract_features.py --backbone efficientnet_lite0 "
    "--images results/datasets/scenes/images.csv --work checkpoints --output features.h5",
)
parser.add_argument("--images", type=Path, required=True, help="a data set's images.csv")
parser.add_argument(
    "--backbone",
    required=True,
    help="efficientnet_lite0, _lite1 or _lite2, or a classification network of torchvision",
)
parser.add_argument("--weights", help="the name of torchvision's weights (default: IMAGENET1K_V1)")
parser.add_argument(
    "--weights-file", type=Path, help="a file with these weights (default: download them)"
)
parser.add_argument(
    "--interpolation",
    choices=["bilinear", "bicubic", "lanczos"],
    help="how to resize pictures (default: as the weights want it)",
)
parser.add_argument(
    "--precision",
    choices=["float32", "float16", "bfloat16"],
    default="float32",
    help="float16 is faster on GPUs, bfloat16 on some CPUs (default: %(default)s)",
)
parser.add_argument(
    "--crops",
    type=int,
    choices=[1, 2, 10],
    default=10,
    help="of each picture: 2 are the centre and its mirror image (default: %(default)s)",
)
parser.add_argument("--part", type=int, default=0, help="which part to do, from 0 (default: 0)")
parser.add_argument("--parts", type=int, default=1, help="how many there are (default: 1)")
parser.add_argument("--threads", type=int, help="processes to use (default: one per core)")
parser.add_argument("--device", choices=["cpu", "cuda"], help="(default: cuda where there is one)")
parser.add_argument("--work", type=Path, required=True, help="a folder for finished features")
parser.add_argument("--output", type=Path, required=True, help="the HDF5 file to write")


def main(arguments: argparse.Namespace) -> None:
    import dataclasses
    import json
    from importlib.metadata import version

    from groundvec.data import schema
    from groundvec.device import choose, cores
    from groundvec.features import backbones, store
    from groundvec.features.extract import extract, precision_on
    from groundvec.runtime.errors import InputError
    from groundvec.runtime.jobs import locked
    from groundvec.runtime.provenance import digest, provenance

    if not 0 <= arguments.part < arguments.parts:
        raise InputError(f"--part {arguments.part} must be from 0 to {arguments.parts - 1}")
    threads = min(arguments.threads or cores(), cores())
    device = choose(arguments.device, threads)
    images = schema.read_images(arguments.images).iloc[arguments.part :: arguments.parts]
    backbone = backbones.load(
        arguments.backbone,
        arguments.weights,
        arguments.weights_file,
        arguments.interpolation,
        arguments.precision,
        arguments.crops,
    )
    with locked(arguments.work / digest(str(arguments.output)), str(arguments.output)):
        features = extract(images, backbone, arguments.work, device, threads)
    origin = provenance(device)
    attributes = origin | {
        "backbone": backbone.name,
        "weights": backbone.weights,
        "weights_sha256": backbone.sha256,
        "crops": backbone.crops,
        "transform": json.dumps(dataclasses.asdict(backbone.transform)),
        "precision": precision_on(backbone.precision, device),
        "versions": ", ".join(
            [origin["versions"], *(f"{name} {version(name)}" for name in ("torchvision", "pillow"))]
        ),
    }
    store.write(arguments.output, features, images.image_id, attributes)


if __name__ == "__main__":
    run(main, parser)
