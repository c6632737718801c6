r"""Measure retrieval by trained models, each alone and all together.

All together compare an image and a caption by the sum of the models' cosines. Queries and
candidates are the test images with captions in the language. The captions may belong to another
data set, such as the German ones of Multi30k.

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
from common import program

from groundvec.data.dataset import read_captions
from groundvec.data.split import UNENCODED, load_split
from groundvec.evaluation.retrieval import rank_both_ways
from groundvec.features import store
from groundvec.model.network import load_ensemble
from groundvec.model.sentences import encode_images, encode_sentences
from reproduction.arguments import make_parser
from reproduction.reporting import resampled
from reproduction.reporting.seeds import mean_of_seeds


def ranks(arguments: argparse.Namespace) -> Iterator[pd.DataFrame]:
    """Rank by each model, and then by all models."""
    captions = read_captions(arguments.captions, arguments.language)
    vectors_of_models = []
    for number, folder in enumerate(arguments.models):
        models = load_ensemble(folder)
        text = {arguments.language: UNENCODED}
        split = load_split(captions, "test", partial(store.read, arguments.features), text)
        [test] = split.captions.values()
        sentences = encode_sentences(models, test.encoded, arguments.language)
        images = encode_images(models, split.features)
        vectors_of_models.append((sentences, images))
        ranks_of_model = ranked(sentences, images, test.image)
        yield ranks_of_model.assign(model=folder.parent.name, seed=number + 1)
    # Unit vectors side by side: their cosine is the mean of the models' cosines.
    sentences = np.hstack([sentences for sentences, _ in vectors_of_models])
    images = np.hstack([images for _, images in vectors_of_models])
    yield ranked(sentences, images, test.image).assign(model="together", seed=0)


def ranked(sentences: np.ndarray, images: np.ndarray, image: np.ndarray) -> pd.DataFrame:
    """Rank in both directions; return the columns direction, image and rank."""
    tables = [
        pd.DataFrame({"direction": direction, "image": image_of_query, "rank": ranks_of_queries})
        for direction, [ranks_of_queries], image_of_query in rank_both_ways(
            sentences, images, image
        )
    ]
    return pd.concat(tables)


def scores(arguments: argparse.Namespace) -> pd.DataFrame:
    """Compute R@1, R@5 and R@10 with their intervals, by a bootstrap over images."""
    labels = {"dataset": "", "language": arguments.language, "kind": "", "epochs": ""}
    all_ranks = pd.concat(ranks(arguments)).assign(**labels)
    rows = []
    for cutoff in (1, 5, 10):
        recalls = resampled.recalls(all_ranks, cutoff).groupby(["model", "direction"])["draws"]
        for (model, direction), seeds in recalls:
            system = (model, len(seeds), arguments.language, direction, cutoff)
            rows.append((*system, *mean_of_seeds(seeds.tolist())))
    names = ["model", "seeds", "language", "direction", "cutoff", "recall", "low", "high"]
    return pd.DataFrame(rows, columns=names)


if __name__ == "__main__":
    parser = make_parser(__doc__, "captions features")
    parser.add_argument(
        "models", type=Path, nargs="+", help="folders of trained models, of one data set"
    )
    parser.add_argument("--language", default="en", help="of the captions (default: en)")
    program(parser, scores)
