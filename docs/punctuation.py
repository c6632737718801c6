"""What it gives to set punctuation apart: agreement with ratings, and vectors with a final stop.

Example:
  python docs/punctuation.py flickr8k STS/ SICK/ --captions Flickr8k.token.txt
"""

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from groundvec import SentenceEncoder
from groundvec.data.ratings import SICK, STSB, read_sts
from groundvec.evaluation import ratings as senteval

CAPTIONS = 2000


def agreement(
    ratings: pd.DataFrame, encode: Callable[[list[str]], np.ndarray]
) -> tuple[float, float, float]:
    """Pearson's r x 100 of STS-B, of SICK and of STS 2012-2016, the mean weighted by pairs."""
    scores = senteval.evaluate(senteval.predict(ratings[ratings.split == "test"], encode))
    scores = scores[scores.statistic == "correlation"]
    stsb, sick = (scores[scores.task == task] for task in (STSB[0], SICK[0]))
    years = scores[~scores.task.isin([STSB[0], SICK[0]])]
    mean = np.average(years.pearson, weights=years.pairs)
    return 100 * stsb.pearson.item(), 100 * sick.pearson.item(), 100 * float(mean)


def main() -> None:
    """Print the table and the cosines."""
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("model", help="a folder, or the name of one that comes with groundvec")
    parser.add_argument("folders", nargs="+", type=Path, help="what the archives were unpacked to")
    parser.add_argument("--captions", type=Path, help="Flickr8k.token.txt")
    arguments = parser.parse_args()
    encoder = SentenceEncoder.load(arguments.model)
    raw, _ = read_sts(arguments.folders, tokenizer="none", lowercase=())
    moses, _ = read_sts(arguments.folders)
    print("| sentences | STS-B | SICK-R | STS 2012-2016 |\n|---|--:|--:|--:|")
    as_they_are = partial(encoder.encode, tokenised=True)
    for name, ratings, encode in (
        ("as they are", raw, as_they_are),
        ("punctuation set apart", raw, encoder.encode),
        ("tokenised by Moses", moses, lambda given: as_they_are(map(senteval.stopped, given))),
    ):
        numbers = agreement(ratings, encode)
        print(f"| {name} |", " | ".join(f"{number:.1f}" for number in numbers), "|", flush=True)
    if arguments.captions:
        lines = arguments.captions.read_text("utf-8").splitlines()
        step = len(lines) // CAPTIONS
        captions = [line.partition("\t")[2].rstrip(" .") for line in lines[::step][:CAPTIONS]]
        without = encoder.encode(captions, normalize=True)
        for tokenised in (True, False):
            stopped = [f"{caption}." for caption in captions]
            others = encoder.encode(stopped, normalize=True, tokenised=tokenised)
            cosines = (without * others).sum(axis=1)
            print(
                f"cosine with and without a final stop, tokenised={tokenised}: "
                f"mean {cosines.mean():.4f}, smallest {cosines.min():.4f}"
            )


if __name__ == "__main__":
    main()
