"""Rate the shipped encoder without the pairs that it was chosen by.

STS-B's development pairs, by which `flickr8k-v4` was chosen, are taken from STS 2012-2017: many are
test pairs of STS 2012-2016. The result has the scores of all test pairs, the number of pairs that
are development pairs (seen), and the scores without them (unseen_pearson and so on). The columns
development and test count STS-B's own pairs that are test pairs of STS 2012-2016.

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

ENCODER = "flickr8k-v4"
CHOSEN = [task for task in TASKS if task != "SICK"]


def keys(pairs: pd.DataFrame) -> list[frozenset[str]]:
    """Name each pair by both sentences, in either order."""
    columns = (pairs[side].map(normalised) for side in ("sentence_a", "sentence_b"))
    return [frozenset(pair) for pair in zip(*columns, strict=True)]


def scores(_: argparse.Namespace) -> pd.DataFrame:
    """Rate the encoder with and without these pairs."""
    pairs = evaluate.read_rated(CHOSEN, [])["SentEval"]
    development = pairs["task"].eq("STS-B") & pairs["split"].eq("dev")
    tested = pairs["split"].eq("test") & pairs["task"].ne("STS-B")
    chosen_by = set(keys(pairs[development]))
    seen = pd.Series(keys(pairs)).isin(chosen_by) & tested
    test_pairs = set(keys(pairs[tested]))
    own_test = pairs["task"].eq("STS-B") & pairs["split"].eq("test")
    counts = {
        split: sum(key in test_pairs for key in keys(pairs[own]))
        for split, own in (("development", development), ("test", own_test))
    }
    found = pd.DataFrame({"pair": np.arange(len(pairs)), **pairs[overlap.SUBTASK]})
    items = evaluate.ratings(SentenceEncoder(ENCODER), CHOSEN).items
    labels = dict.fromkeys(["system", "kind", "epochs"], "")
    table = overlap.score_unseen(
        items.assign(**labels), found.assign(**dict.fromkeys(overlap.SEEN, seen))
    )
    table = table[table["method"] == "cosine"].drop(columns=[*labels, *overlap.SEEN[1:]])
    return table.assign(encoder=ENCODER, **counts)


if __name__ == "__main__":
    program(__doc__, scores)
