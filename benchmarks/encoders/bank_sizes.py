r"""Measure banks of several sizes on development pictures: drawn captions, and centers of all.

Example:
  python benchmarks/encoders/bank_sizes.py groundvec/model/pretrained/flickr8k-v5 \
      --captions results/datasets/flickr8k/captions.csv \
      --features results/features/flickr8k/NETWORKS.h5 -o bank-sizes.csv
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
from groundvec.evaluation.ranks import ranks
from groundvec.features import store
from groundvec.model.bank import Bank, cluster
from groundvec.model.network import load_ensemble
from groundvec.model.sentences import encode_images, encode_sentences
from reproduction.arguments import make_parser

DRAWN = (300, 1000, 6000)
CENTERS = (64, 128, 256, 512)
INVERSE_TEMPERATURES = (10, 15, 20)
FEW = 300  # images in each of ten drawn sets


def banks(training: np.ndarray) -> Iterator[tuple[str, int, Bank | None]]:
    """Make banks of training captions: their kind, their size, and they themselves."""
    rng = np.random.default_rng(0)
    yield "none", 0, None
    for count in DRAWN:
        rows = rng.choice(len(training), count, replace=False)
        yield "drawn", count, Bank(training[rows], np.full(count, 1 / count), 1)
    for count in CENTERS:
        yield "centers", count, cluster(training, count)


def sizes(arguments: argparse.Namespace) -> pd.DataFrame:
    """Compute R@1 and R@10 of finding the development pictures, and sets of 300 of them."""
    models = load_ensemble(arguments.model)
    captions = read_captions(arguments.captions)
    in_training = captions["split"].eq("train") & captions["language"].isin(list(models[0].texts))
    training = [
        encode_sentences(models, rows["caption"].tolist(), str(language))
        for language, rows in captions[in_training].groupby("language")
    ]
    english = captions[captions["language"] == "en"]
    dev = load_split(english, "dev", partial(store.read, arguments.features), {"en": UNENCODED})
    # Further columns of captions do not compare with images, where they are zeros.
    size_compared = models[0].description["encoder"]["size"]
    sentences = encode_sentences(models, dev.captions["en"].encoded, "en")[:, :size_compared]
    images = encode_images(models, dev.features)[:, :size_compared]
    image = dev.captions["en"].image
    rng = np.random.default_rng(0)
    sets = [np.sort(rng.choice(len(images), FEW, replace=False)) for _ in range(10)]
    rows = []
    for kind, size, bank in banks(np.concatenate(training)[:, :size_compared]):
        for inverse_temperature in INVERSE_TEMPERATURES if bank else (np.nan,):
            normalizers = np.zeros(len(images), np.float32)
            if bank:
                bank = bank._replace(inverse_temperature=inverse_temperature)
                normalizers = bank.normalizers(images)
            # The normalizer is subtracted by one more column, as in `groundvec.querybank`.
            with_ones = np.column_stack([sentences, np.ones(len(sentences), np.float32)])
            normalized = np.column_stack([images, -normalizers])
            found = []
            for chosen in ([np.arange(len(images))], sets):
                of_sets = []
                for pictures in chosen:
                    queries = np.isin(image, pictures)
                    place = np.searchsorted(pictures, image[queries])
                    of_captions, _ = ranks(with_ones[queries], normalized[pictures], place, "dot")
                    of_sets.append([100 * np.mean(of_captions <= k) for k in (1, 10)])
                found += np.mean(of_sets, axis=0).tolist()
            rows.append((kind, size, inverse_temperature, *found))
    names = ["bank", "size", "inverse_temperature", "r1", "r10", f"r1_of_{FEW}", f"r10_of_{FEW}"]
    return pd.DataFrame(rows, columns=names)


if __name__ == "__main__":
    parser = make_parser(__doc__, "captions features")
    parser.add_argument("model", type=Path, help="folder of a trained model")
    program(parser, sizes)
