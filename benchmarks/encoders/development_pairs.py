"""Rate the shipped encoder without the development pairs that its recipe was chosen by.

The recipe of `flickr8k-v5` was chosen by STS-B's development pairs. These are taken from STS
2012-2017, and many are test pairs of STS 2012-2016. The result has the scores of all test pairs,
the number of development pairs among them (seen), and the scores without these (columns such as
unseen_pearson). The columns development and test count the pairs of STS-B that are test pairs of
STS 2012-2016.

Example:
  python benchmarks/encoders/development_pairs.py -o docs/results/evaluate/development.csv
"""

import argparse

import numpy as np
import pandas as pd
from common import program

from groundvec import SentenceEncoder, evaluate
from groundvec.data.cleaning import normalised
from groundvec.data.ratings import TASKS
from groundvec.evaluation import overlap
from reproduction.arguments import make_parser

ENCODER = "flickr8k-v5"
CHOSEN = [task for task in TASKS if task != "SICK"]


def keys(pairs: pd.DataFrame) -> list[frozenset[str]]:
    """Return a key of each pair, which is the same for both orders of the sentences."""
    a = pairs["sentence_a"].map(normalised)
    b = pairs["sentence_b"].map(normalised)
    return [frozenset(pair) for pair in zip(a, b, strict=True)]


def scores(_: argparse.Namespace) -> pd.DataFrame:
    """Rate the encoder with and without development pairs."""
    pairs = evaluate.read_rated(CHOSEN, [])["SentEval"]
    development = pairs["task"].eq("STS-B") & pairs["split"].eq("dev")
    tested = pairs["split"].eq("test") & pairs["task"].ne("STS-B")
    development_pairs = set(keys(pairs[development]))
    seen = pd.Series(keys(pairs)).isin(development_pairs) & tested
    test_pairs = set(keys(pairs[tested]))
    stsb_test = pairs["task"].eq("STS-B") & pairs["split"].eq("test")
    overlaps = pd.DataFrame({"pair": np.arange(len(pairs)), **pairs[overlap.SUBTASK]})
    overlaps = overlaps.assign(**dict.fromkeys(overlap.SEEN, seen))
    items = evaluate.ratings(SentenceEncoder(ENCODER), CHOSEN).items
    labels = dict.fromkeys(["system", "kind", "epochs"], "")  # columns that `score_unseen` requires
    table = overlap.score_unseen(items.assign(**labels), overlaps)
    table = table[table["method"] == "cosine"].drop(columns=[*labels, *overlap.SEEN[1:]])
    return table.assign(
        encoder=ENCODER,
        development=sum(key in test_pairs for key in keys(pairs[development])),
        test=sum(key in test_pairs for key in keys(pairs[stsb_test])),
    )


if __name__ == "__main__":
    program(make_parser(__doc__), scores)
