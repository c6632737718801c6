r"""Measure what it gives to set punctuation apart, for the table of docs/encoder.md.

Measured are agreement with people's ratings, by cosine, and how much a final stop changes a vector.

Example:
  python benchmarks/encoders/punctuation.py flickr8k-v3 STS/ SICK/ --captions captions.txt \
      -o punctuation.csv
"""

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from common import FOLDERS, MODEL, program

from groundvec import SentenceEncoder
from groundvec.data.ratings import SICK, STSB, read_sts
from groundvec.evaluation import ratings as senteval
from groundvec.similarity import unit

CAPTIONS = 2000


def agreement(ratings: pd.DataFrame, encode: Callable[[list[str]], np.ndarray]) -> dict[str, float]:
    """Compute Pearson's r of STS-B, of SICK and of STS 2012-2016, the mean weighted by pairs."""
    scores = senteval.evaluate(senteval.predict(ratings[ratings.split == "test"], encode))
    scores = scores[scores.statistic == "correlation"]
    stsb, sick = (scores[scores.task == task] for task in (STSB[0], SICK[0]))
    years = scores[~scores.task.isin([STSB[0], SICK[0]])]
    mean = np.average(years.pearson, weights=years.pairs)
    return {"stsb": stsb.pearson.item(), "sick": sick.pearson.item(), "sts": float(mean)}


def of_stop(captions: list[str], encode: Callable[[list[str]], np.ndarray]) -> float:
    """Compute the mean cosine of a caption with and without a final stop."""
    without, stopped = map(unit, (encode(captions), encode([f"{each}." for each in captions])))
    return float((without * stopped).sum(axis=1).mean())


def scores(given: argparse.Namespace) -> pd.DataFrame:
    """Measure a row for each way to prepare sentences."""
    encoder = SentenceEncoder(given.model)
    raw, _ = read_sts(given.folders, tokenizer="none", lowercase=())
    moses, _ = read_sts(given.folders)
    lines = given.captions.read_text("utf-8").splitlines()
    captions = [line.rstrip(" .") for line in lines[:: len(lines) // CAPTIONS][:CAPTIONS]]
    as_they_are = partial(encoder.encode, tokenized=True)
    rows: list[dict[str, Any]] = [
        {"sentences": "as in the files (`tokenized=True`)"}
        | agreement(raw, as_they_are)
        | {"final_stop": of_stop(captions, as_they_are)},
        {"sentences": "as in the files, punctuation set apart"}
        | agreement(raw, encoder.encode)
        | {"final_stop": of_stop(captions, encoder.encode)},
        {"sentences": "tokenized by Moses, and lowercased as by SentEval"}
        | agreement(moses, lambda given: as_they_are(map(senteval.stopped, given))),
    ]
    return pd.DataFrame(rows).assign(encoder=given.model, captions=len(captions))


if __name__ == "__main__":
    captions = {"type": Path, "required": True, "help": "a caption in each line"}
    program(__doc__, scores, model=MODEL, folders=FOLDERS, __captions=captions)
