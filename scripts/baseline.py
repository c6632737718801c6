r"""Compare a baseline's similarity of sentences with people's ratings; see scripts/rate.py.

Writes STEM.csv (the scores) and STEM.predictions.csv (one row per pair).

Example:
  python scripts/baseline.py --name BOW \
      --baseline '{encoder: bag-of-words, vectors: data/glove/glove.6B.zip/glove.6B.100d.txt}' \
      --ratings ratings.csv --output BOW
"""

import argparse

from groundvec.cli.program import run
from reproduction.arguments import make_parser

writes = (".predictions.csv", ".csv")
parser = make_parser(
    __doc__, "name baseline ratings", "the files to write, as a stem", writes=writes
)


def main(arguments: argparse.Namespace) -> None:
    from groundvec.baselines import load
    from groundvec.data.ratings import read_ratings
    from groundvec.evaluation.ratings import score
    from groundvec.provenance import provenance
    from groundvec.results.frames import write
    from groundvec.results.schemas import Predictions, Scores

    encoder = load(**arguments.baseline)
    # A baseline has no data set, model, seed or epochs.
    labels = dict.fromkeys(("system", "dataset", "model", "seed", "kind", "epochs"), "")
    labels |= {"system": arguments.name, "kind": "baseline"}
    predictions, scores = score(read_ratings(arguments.ratings), encoder.encode, labels)
    write(f"{arguments.output}.predictions.csv", predictions, Predictions)
    origin = {"encoder": arguments.baseline["encoder"], "configuration": ""}
    origin |= provenance(encoder.device)
    write(f"{arguments.output}.csv", scores.assign(**origin), Scores)


if __name__ == "__main__":
    run(main, parser)
