"""Compare a trained model's similarity of sentences with people's ratings.

The ensemble and each snapshot are scored. Writes STEM.csv (the scores) and STEM.predictions.csv
(one row per pair, for the ensemble and these of the scored snapshots: the untrained, the first, the
last and the best one).

Example:
  python scripts/rate.py --model my-model --ratings ratings.csv --output scores
"""

import argparse

from groundvec.cli.program import run
from reproduction.arguments import make_parser

shared = "model ratings tokenized treebanks threads"
writes = (".predictions.csv", ".csv")
parser = make_parser(__doc__, shared, "the files to write, as a stem", writes=writes)
parser.add_argument(
    "--few",
    action="store_true",
    help="score only the untrained and the best snapshot, and the ensemble's, not every one",
)


def main(arguments: argparse.Namespace) -> None:
    from functools import partial

    from groundvec.config import parts
    from groundvec.data.ratings import read_ratings
    from groundvec.device import choose
    from groundvec.evaluation.ratings import score_model, system_name
    from groundvec.model.folder import ModelFolder, epochs_compared, epochs_rated_few
    from groundvec.model.network import load_model
    from groundvec.provenance import provenance
    from groundvec.results.frames import write
    from groundvec.results.schemas import Predictions, Scores

    # Without --few, every epoch that was saved is rated, for the figure of scores by epoch.
    device = choose(threads=arguments.threads)
    folder = ModelFolder(arguments.model)
    model = folder.metadata
    treebank = parts.treebank(model["description"]["text"], arguments.treebanks)
    ensemble = folder.ensemble
    predictions, scores = score_model(
        partial(load_model, folder, device=device, treebank=treebank),
        epochs_rated_few(model, ensemble) if arguments.few else model["saved"],
        ensemble,
        epochs_compared(model, ensemble),
        model["description"]["similarity"],
        read_ratings(arguments.ratings),
        {**folder.labels, "system": system_name(**folder.labels)},
        device,
        arguments.tokenized,
    )
    write(f"{arguments.output}.predictions.csv", predictions, Predictions)
    origin = {"encoder": "", "configuration": model["key"]} | provenance(device)
    write(f"{arguments.output}.csv", scores.assign(**origin), Scores)


if __name__ == "__main__":
    run(main, parser)
