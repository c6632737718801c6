r"""Tune an image network together with the text encoder of a trained model.

The model was trained on features of this network alone. A killed tuning resumes when it is started
again with the same arguments. A finished one only writes its results again: tuned.pth, which
scripts/extract_features.py reads as --weights-file, its origin in tuned.json, and history.csv.

Example:
  python scripts/tune.py --dataset flickr8k --trained results/models/flickr8k/bag/seed1 \
      --settings '{stage: 5, passes: 8}' --captions results/datasets/flickr8k/captions.csv \
      --images results/datasets/flickr8k/images.csv --work checkpoints --output tuned
"""

import argparse
from pathlib import Path

from groundvec.cli.program import run
from reproduction.arguments import make_parser

shared = "captions images threads device work"
outputs = ("/history.csv", "/tuned.pth", "/tuned.json")
parser = make_parser(__doc__, shared, "the folder to write", outputs, "tuning")
parser.add_argument("--dataset", required=True, help="its name, for results")
parser.add_argument(
    "--trained", type=Path, required=True, help="the folder of the trained model to start from"
)


def main(arguments: argparse.Namespace) -> None:
    from groundvec.device import choose, deterministic
    from groundvec.features.backbones import of_features
    from groundvec.model.folder import ModelFolder
    from groundvec.runtime.errors import InputError
    from reproduction.tuning.training import tune_from_files

    trained = ModelFolder(arguments.trained)
    content = trained.metadata
    backbones = of_features(trained.blocks)
    if len(backbones) > 1:
        raise InputError(
            f"{arguments.trained} was trained on features of {len(backbones)} networks: tune each "
            "by a model that was trained on its features alone"
        )
    deterministic()
    precision = content["description"]["training"]["precision"]
    device = choose(arguments.device, arguments.threads, precision)
    tune_from_files(
        trained,
        backbones[0],
        labels={
            "dataset": arguments.dataset,
            "model": content["model"],
            "seed": content["seed"],
        },
        settings=arguments.settings,
        captions=arguments.captions,
        images=arguments.images,
        work=arguments.work,
        output=arguments.output,
        device=device,
    )


if __name__ == "__main__":
    run(main, parser)
