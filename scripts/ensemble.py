r"""Choose the snapshots of an ensemble: the two with the best development recall.

They are the last two for a training with beta 0 or with permuted images: its recall is at chance.

Example:
  python scripts/ensemble.py --history my-model/history.csv --model my-model/model.json \
      --output my-model/ensemble.json
"""

import argparse
import logging
from pathlib import Path

from groundvec.cli.program import run
from groundvec.evaluation.snapshots import ensemble
from groundvec.model.folder import ModelFolder
from groundvec.results.frames import read
from groundvec.results.schemas import History
from groundvec.runtime.files import write_json
from reproduction.arguments import make_parser

parser = make_parser(__doc__, output="the JSON file to write")
parser.add_argument("--history", type=Path, required=True, help="the training's history.csv")
parser.add_argument("--model", type=Path, required=True, help="the training's model.json")


def main(arguments: argparse.Namespace) -> None:
    metadata = ModelFolder(arguments.model.parent).metadata
    chosen = ensemble(read(arguments.history, History), metadata)
    write_json(arguments.output, chosen)
    logging.info("the ensemble has epochs %s", " and ".join(map(str, chosen["epochs"])))


if __name__ == "__main__":
    run(main, parser)
