"""Rate the shipped encoder without the pairs that it was chosen by.

STS-B's development pairs, by which `flickr8k-v3` was chosen, are taken from STS 2012-2017: many are
test pairs of STS 2012-2016. The result has the scores of all test pairs, the number of pairs that
are development pairs (seen), and the scores without them (unseen_pearson and so on).

Example:
  python docs/development_pairs.py -o docs/results/evaluate/development.csv
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from groundvec import SentenceEncoder, evaluate
from groundvec.data.ratings import TASKS
from groundvec.evaluation import overlap
from groundvec.runtime.files import write_csv
from groundvec.runtime.provenance import provenance

ENCODER = "flickr8k-v3"
CHOSEN = [task for task in TASKS if task != "SICK"]


def keys(pairs: pd.DataFrame) -> list[frozenset[str]]:
    """Both sentences of each pair, in either order."""
    columns = (pairs[side].map(overlap.normalised) for side in ("sentence_a", "sentence_b"))
    return [frozenset(pair) for pair in zip(*columns, strict=True)]


def main() -> None:
    """Write the scores."""
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("-o", "--output", type=Path, required=True)
    arguments = parser.parse_args()
    pairs = evaluate.read_rated(CHOSEN, [])["SentEval"]
    development = pairs["task"].eq("STS-B") & pairs["split"].eq("dev")
    tested = pairs["split"].eq("test") & pairs["task"].ne("STS-B")
    chosen_by = set(keys(pairs[development]))
    seen = pd.Series(keys(pairs)).isin(chosen_by) & tested
    test_pairs = set(keys(pairs[tested]))
    count = sum(key in test_pairs for key in keys(pairs[development]))
    found = pd.DataFrame({"pair": np.arange(len(pairs)), **pairs[overlap.SUBTASK]})
    items = evaluate.ratings(SentenceEncoder.load(ENCODER), CHOSEN).items
    labels = dict.fromkeys(["system", "kind", "epochs"], "")
    scores = overlap.score_unseen(
        items.assign(**labels), found.assign(**dict.fromkeys(overlap.SEEN, seen))
    )
    scores = scores[scores["method"] == "cosine"].drop(columns=[*labels, *overlap.SEEN[1:]])
    print(f"{count:,} of {development.sum():,} development pairs are test pairs of STS 2012-2016")
    write_csv(arguments.output, scores.assign(encoder=ENCODER, development=count, **provenance()))


if __name__ == "__main__":
    main()
