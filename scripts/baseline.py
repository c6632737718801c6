"""Let a baseline rate the similarity of sentences, as scripts/rate.py does a trained model.

Writes STEM.csv (the scores) and STEM.predictions.csv (one row per pair).
"""

import argparse
from pathlib import Path

from groundvec.config.cli import baseline, run

parser = argparse.ArgumentParser(
    description=__doc__,
    epilog="example:\n  python scripts/baseline.py --name BOW --baseline '{encoder: bag-of-words, "
    "vectors: data/glove/glove.6B.zip/glove.6B.100d.txt}' --ratings ratings.csv --output BOW",
)
parser.add_argument("--name", required=True, help="what to call it in tables and figures")
parser.add_argument(
    "--baseline",
    type=baseline,
    required=True,
    metavar="FILE|TEXT",
    help="its encoder and the options of that, as a YAML or JSON file or as text",
)
parser.add_argument("--ratings", type=Path, required=True, help="what scripts/ratings.py wrote")
parser.add_argument("--output", required=True, metavar="STEM", help="the files to write")


def main(arguments: argparse.Namespace) -> None:
    from groundvec.baselines import load
    from groundvec.data.ratings import read_ratings
    from groundvec.evaluation.ratings import score
    from groundvec.results.frames import write
    from groundvec.results.schemas import Predictions, Scores
    from groundvec.runtime.files import check_output
    from groundvec.runtime.provenance import provenance

    written = f"{arguments.output}.predictions.csv", f"{arguments.output}.csv"
    for path in written:
        check_output(path)  # at once, and not after hours
    encoder = load(**arguments.baseline)
    labels = dict.fromkeys(("system", "dataset", "model", "seed", "kind", "epochs"), "")
    labels |= {"system": arguments.name, "kind": "baseline"}
    predictions, scores = score(read_ratings(arguments.ratings), encoder.encode, labels)
    write(written[0], predictions, Predictions)
    source = {"encoder": arguments.baseline["encoder"], "configuration": ""}
    write(written[1], scores.assign(**source, **provenance(encoder.device)), Scores)


if __name__ == "__main__":
    run(main, parser)
