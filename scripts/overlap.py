r"""Count rated pairs with a training caption of a model, and score the model without them.

Case, punctuation and spaces are ignored. Writes one row per score of the model's predictions.

Example:
  python scripts/overlap.py --model my-model --ratings ratings.csv \
      --predictions scores.predictions.csv --captions results/datasets/scenes/captions.csv \
      --output overlap.csv
"""

import argparse
import logging
from pathlib import Path

from groundvec.cli.program import run
from reproduction.arguments import make_parser

parser = make_parser(__doc__, "model ratings captions", "the file to write")
parser.add_argument(
    "--predictions", type=Path, required=True, help="the model's predictions by scripts/rate.py"
)


def main(arguments: argparse.Namespace) -> None:
    from groundvec.data.ratings import read_ratings
    from groundvec.evaluation.files import read_predictions
    from groundvec.evaluation.overlap import score_systems, seen, training_captions
    from groundvec.evaluation.ratings import system_name
    from groundvec.model.folder import ModelFolder
    from groundvec.provenance import provenance
    from groundvec.results.frames import write
    from groundvec.results.schemas import Overlap
    from groundvec.runtime.errors import InputError

    folder = ModelFolder(arguments.model)
    model = folder.metadata
    name = system_name(**folder.labels)
    predictions = read_predictions([arguments.predictions])
    if not predictions["system"].eq(name).all():
        raise InputError(
            f"{arguments.predictions} is not about the model {name}: pass the file of this model"
        )
    pairs = seen(read_ratings(arguments.ratings), training_captions(model, arguments.captions))
    scores = score_systems(predictions, pairs)
    # The counts of a subtask are the same in all its rows.
    subtasks = scores.drop_duplicates(["task", "subtask"]).query("seen > 0 and subtask != 'all'")
    for row in subtasks.itertuples():
        logging.info("%s, %s: %d of %d pairs are seen", row.task, row.subtask, row.seen, row.pairs)
    scores = scores.assign(**folder.labels, configuration=model["key"], **provenance())
    write(arguments.output, scores, Overlap)


if __name__ == "__main__":
    run(main, parser)
