"""Write a sentence encoder in a format that other programs read.

The output's ending chooses the format:

  .onnx      one graph, for ONNX Runtime in any language, and in a browser
  no ending  a folder for the package sentence-transformers

Examples:
  groundvec export flickr8k -o flickr8k.onnx
  groundvec export flickr8k -o exact.onnx --precision float32
  groundvec export results/demo/models/scenes/gru-128-attention/seed1 -o encoder
"""

import argparse
from pathlib import Path

from groundvec.cli.arguments import FOLDERS
from groundvec.cli.program import show
from groundvec.runtime import files
from groundvec.runtime.errors import InputError, extra


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `groundvec export`."""
    parser.add_argument(
        "model",
        metavar="MODEL",
        help="the name of a model that comes with groundvec, or the folder of a trained one",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="PATH",
        help=f"the file or folder{FOLDERS}",
    )
    parser.add_argument(
        "--precision",
        choices=["float32", "float16", "int8"],
        help="of the weights in an .onnx file (default: int8, a quarter of the size)",
    )
    parser.add_argument(
        "--language", help="of the sentences that an .onnx file reads (default: the model's first)"
    )
    parser.add_argument("--overwrite", action="store_true", help="replace an existing .onnx file")


def main(arguments: argparse.Namespace) -> None:
    """Write the model in the format that the options and the output's ending choose."""
    if arguments.output.suffix == ".onnx":
        files.check_output(arguments.output)
        with extra("onnx"):
            from groundvec.export import onnx
            from groundvec.model.hub import find
            from groundvec.model.network import load_ensemble

        models = load_ensemble(find(arguments.model))
        precision = arguments.precision or "int8"
        onnx.export(models, arguments.output, arguments.language, precision)
    elif arguments.output.suffix or arguments.precision or arguments.language:
        raise InputError(
            f"{arguments.output} does not end in .onnx: name such a file, or without --precision "
            "and --language a folder for sentence-transformers, with no dot in its name"
        )
    else:
        if arguments.overwrite:
            raise InputError(
                f"--overwrite replaces no folder: remove {arguments.output}, or name a new folder"
            )
        files.check_new(arguments.output)  # before the import, which takes seconds
        with extra("sentence-transformers"):
            from groundvec.export import sentence_transformers

        sentence_transformers.save(arguments.model, arguments.output)
    show(f"written: {arguments.output}")
