"""Let trained models find pictures and captions, each alone and all of them together.

Together, a picture and a caption are as near as the sum of their cosines. Ranks are among the test
pictures that have captions in the language, which may be those of another data set, such
as the German ones of Multi30k.

Example:
  python benchmarks/encoders/together.py results/best/models/flickr8k/best/seed* \
      --captions results/datasets/flickr8k/captions.csv \
      --features results/features/flickr8k/NETWORKS.h5 -o together.csv
"""

import argparse
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from common import FOLDERS, program

from groundvec.data.dataset import read_captions
from groundvec.data.split import UNENCODED, load_split
from groundvec.evaluation.retrieval import rank_both_ways
from groundvec.features import store
from groundvec.model.network import encode_images, load_ensemble
from groundvec.model.sentences import encode_sentences
from reproduction.reporting import bootstrap


def ranks(given: argparse.Namespace) -> Iterator[pd.DataFrame]:
    """Rank by each model, and then by all."""
    captions = read_captions(given.captions, given.language)
    every = []
    for number, folder in enumerate(given.models):
        models = load_ensemble(folder)
        text = {given.language: UNENCODED}
        split = load_split(captions, "test", partial(store.read, given.features), text)
        [own] = split.captions.values()
        said = encode_sentences(models, own.encoded, given.language)
        every.append((said, encode_images(models, split.features)))
        yield ranked(*every[-1], own.image).assign(model=folder.parent.name, seed=number + 1)
    sentences, images = (np.hstack(vectors) for vectors in zip(*every, strict=True))
    yield ranked(sentences, images, own.image).assign(model="together", seed=0)


def ranked(sentences: np.ndarray, images: np.ndarray, image: np.ndarray) -> pd.DataFrame:
    """Rank in both directions: the columns direction, image and rank."""
    tables = [
        pd.DataFrame({"direction": direction, "image": own, "rank": found})
        for direction, [found], own in rank_both_ways(sentences, images, image)
    ]
    return pd.concat(tables)


def scores(given: argparse.Namespace) -> pd.DataFrame:
    """Compute R@1, R@5 and R@10 with their intervals, by a bootstrap over pictures."""
    labels = {"dataset": "", "language": given.language, "kind": "", "epochs": ""}
    every = pd.concat(ranks(given)).assign(**labels)
    rows = []
    for cutoff in (1, 5, 10):
        found = bootstrap.recalls(every, cutoff).groupby(["model", "direction"])["draws"]
        for (model, direction), own in found:
            of = (model, len(own), given.language, direction, cutoff)
            rows.append((*of, *bootstrap.mean_of_seeds(own.tolist())))
    names = ["model", "seeds", "language", "direction", "cutoff", "recall", "low", "high"]
    return pd.DataFrame(rows, columns=names)


if __name__ == "__main__":
    program(
        __doc__,
        scores,
        models=FOLDERS | {"help": "folders of trained models, of one data set"},
        __captions={"type": Path, "required": True, "help": "a data set's captions.csv"},
        __features={"type": Path, "required": True, "help": "the features of its images"},
        __language={"default": "en", "help": "of the captions (default: en)"},
    )
