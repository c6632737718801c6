r"""Score a trained model's ensemble, and each of its snapshots, on image-caption retrieval.

Writes STEM.csv, the scores; their kind `chance` has the expected scores of a random ranking;
and STEM.ranks.csv, the rank of every test query, for the ensemble and four snapshots: the
untrained, the first, the last and the best one. With a bank (`--settings '{"bank": 6000}'`), both
also have the kind `querybank`.

Example:
  python scripts/retrieval.py --model my-model \
      --captions results/datasets/flickr8k/captions.csv \
      --features results/features/flickr8k/resnet152.h5 --output retrieval
"""

import argparse
import logging

from groundvec.cli.program import run
from reproduction.arguments import make_parser

shared = "model captions features treebanks threads"
writes = (".ranks.csv", ".csv")
parser = make_parser(__doc__, shared, "the files to write, as a stem", writes, "retrieval")


def main(arguments: argparse.Namespace) -> None:
    from groundvec.device import choose
    from groundvec.evaluation.model_retrieval import score_folder
    from groundvec.results.frames import write
    from groundvec.results.schemas import QUERYBANK, QueryRanks, Retrieval

    scores, ranks = score_folder(
        arguments.model,
        arguments.captions,
        arguments.features,
        choose(threads=arguments.threads),
        arguments.settings["folds"],
        arguments.settings["bank"],
        arguments.treebanks,
    )
    write(f"{arguments.output}.ranks.csv", ranks, QueryRanks)
    write(f"{arguments.output}.csv", scores, Retrieval)
    shown = scores.query(f"split == 'test' and kind in {['ensemble', QUERYBANK]}")
    for row in shown.to_dict("records"):
        logging.info(
            "%(model)s, %(kind)s: test %(language)s %(direction)s R@10 %(r10).1f +- %(r10_ci).1f",
            row,
        )


if __name__ == "__main__":
    run(main, parser)
