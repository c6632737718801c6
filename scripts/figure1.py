"""Draw Figure 1: the architecture of the two encoders. Writes STEM.pdf and STEM.png."""

import argparse
import logging
from pathlib import Path

from groundvec.cli import run
from groundvec.reporting import style
from groundvec.reporting.architecture import architecture

parser = argparse.ArgumentParser(
    description=__doc__,
    epilog="example:\n  python scripts/figure1.py --backbone resnet152 "
    "--output results/demo/figures/figure1",
)
parser.add_argument("--backbone", required=True, help="the network of the image features")
parser.add_argument("--output", type=Path, required=True, help="the files to write, as a stem")


def main(arguments: argparse.Namespace) -> None:
    style.save(architecture(arguments.backbone), arguments.output)
    logging.info("written: %s.pdf and %s.png", arguments.output, arguments.output)


if __name__ == "__main__":
    run(main, parser)
