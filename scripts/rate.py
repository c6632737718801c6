"""Let a trained model rate the similarity of sentences, and compare that with people's ratings.

Each of its snapshots is scored, and its ensemble. Writes STEM.csv (the scores) and
STEM.predictions.csv (one row per pair, for the ensemble and, of the scored snapshots, the untrained
one, those of the first and of the last cycle and the best).
"""

import argparse
from pathlib import Path

from groundvec.config.cli import run

parser = argparse.ArgumentParser(
    description=__doc__,
    epilog="example:\n  python scripts/rate.py --model my-model --ratings ratings.csv "
    "--output scores",
)
parser.add_argument("--model", type=Path, required=True, help="the folder of a training")
parser.add_argument("--ratings", type=Path, required=True, help="what scripts/ratings.py wrote")
parser.add_argument(
    "--tokenised", action="store_true", help="the sentences are tokens with spaces between them"
)
parser.add_argument(
    "--treebanks", type=Path, nargs="+", default=[], help="trees: what scripts/trees.py wrote"
)
parser.add_argument(
    "--few", action="store_true", help="not every epoch: the untrained model, ensemble and its best"
)
parser.add_argument("--threads", type=int, help="CPU threads to use (default: all)")
parser.add_argument("--output", required=True, metavar="STEM", help="the files to write")


def main(arguments: argparse.Namespace) -> None:
    from functools import partial

    from groundvec.config import parts
    from groundvec.data.ratings import read_ratings
    from groundvec.device import choose
    from groundvec.evaluation.ratings import score_model, system_name
    from groundvec.model.folder import (
        epochs_compared,
        epochs_rated_few,
        read_description,
        read_ensemble,
    )
    from groundvec.model.network import load_model
    from groundvec.results.frames import write
    from groundvec.results.schemas import Predictions, Scores
    from groundvec.runtime.files import check_output
    from groundvec.runtime.provenance import provenance

    written = f"{arguments.output}.predictions.csv", f"{arguments.output}.csv"
    for path in written:
        check_output(path)  # at once, and not after hours
    device = choose(threads=arguments.threads)
    model = read_description(arguments.model)
    treebank = parts.treebank(model["description"]["text"], arguments.treebanks)
    labels = {name: model[name] for name in ("dataset", "model", "seed")}
    ensemble = read_ensemble(arguments.model)
    predictions, scores = score_model(
        partial(load_model, arguments.model, device=device, treebank=treebank),
        epochs_rated_few(model, ensemble) if arguments.few else model["saved"],
        ensemble,
        epochs_compared(model, ensemble),
        model["description"]["similarity"],
        read_ratings(arguments.ratings),
        {"system": system_name(**labels)} | labels,
        device,
        arguments.tokenised,
    )
    source = {"encoder": "", "configuration": model["key"], **provenance(device)}
    write(written[0], predictions, Predictions)
    write(written[1], scores.assign(**source), Scores)


if __name__ == "__main__":
    run(main, parser)
