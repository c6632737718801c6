r"""Train one model, given as a description of its parts, with one seed.

A killed training resumes when it is started again with the same arguments. A finished one only
writes its results again. Both need the folder --work. A description's defaults are from Merkx
& Frank (groundvec/config/schema.yaml).

Examples:
  python scripts/train.py --name gru-256 --dataset scenes --work checkpoints --output my-model \
      --description '{encoder: {name: rnn, cell: gru, size: 256}}' \
      --captions results/datasets/scenes/captions.csv \
      --features results/features/scenes/efficientnet_lite0.h5 \
      --texts results/text/scenes/characters.en.json
  python scripts/train.py --description my-model.yaml ...
"""

import argparse

from groundvec.cli.arguments import at_least
from groundvec.cli.program import run
from reproduction.arguments import FILES, add_settings, make_parser

shared = "name captions features treebanks seed threads device work"
parser = make_parser(__doc__, shared, "the folder to write", ("/history.csv", "/model.json"))
add_settings(parser, "--description", "model")
parser.add_argument("--dataset", required=True, help="its name, for results")
parser.add_argument("--source", default="table", help="of the data set, for results: flickr8k, ...")
parser.add_argument(
    "--draw",
    type=at_least(1),
    nargs=3,
    metavar=("TRAIN", "DEV", "TEST"),
    help="how many images of each split to draw with the seed (default: all)",
)
parser.add_argument(
    "--early-epochs",
    type=at_least(0),
    default=0,
    metavar="N",
    help="also keep the snapshots of the first N epochs (default: 0)",
)
parser.add_argument(
    "--texts", **FILES, required=True, help="the output of scripts/text.py, per language"
)


def main(arguments: argparse.Namespace) -> None:
    from groundvec.device import choose, deterministic
    from groundvec.runtime.errors import InputError
    from groundvec.runtime.files import read_json
    from groundvec.training.files import train_from_files

    description = arguments.description
    languages = description["languages"]
    if len(arguments.texts) != len(languages):
        raise InputError(
            f"--texts names {len(arguments.texts)} files: pass one for each of the languages "
            f"{', '.join(languages)}, in this order"
        )
    # Before anything is computed on a GPU: a resumed training ends in the same weights.
    deterministic()
    device = choose(arguments.device, arguments.threads, description["training"]["precision"])
    texts = {
        language: read_json(path) for language, path in zip(languages, arguments.texts, strict=True)
    }
    train_from_files(
        description,
        labels={"dataset": arguments.dataset, "model": arguments.name, "seed": arguments.seed},
        captions=arguments.captions,
        features=arguments.features,
        contents=texts,
        work=arguments.work,
        output=arguments.output,
        device=device,
        source=arguments.source,
        draw=arguments.draw,
        treebanks=arguments.treebanks,
        early_epochs=arguments.early_epochs,
    )


if __name__ == "__main__":
    run(main, parser)
