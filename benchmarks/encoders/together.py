r"""Measure retrieval by trained models, each alone and all together.

All together compare an image and a caption by the mean of the models' cosines. Queries and
candidates are the test images with captions in the language. The captions may belong to another
data set, such as the German ones of Multi30k. With --bank, cosines are also normalized by a bank of
training images and captions.

Example:
  python benchmarks/encoders/together.py results/best/models/flickr8k/best/seed* \
      --captions results/datasets/flickr8k/captions.csv \
      --features results/features/flickr8k/NETWORKS.h5 -o together.csv
"""

import argparse
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from groundvec.cli.program import run
from groundvec.data.dataset import read_captions
from groundvec.data.split import UNENCODED, Split, load_split
from groundvec.evaluation.model_retrieval import draw_bank
from groundvec.evaluation.retrieval import rank_both_ways
from groundvec.features import store
from groundvec.model.folder import ModelFolder
from groundvec.model.network import Model, load_ensemble
from groundvec.model.sentences import encode_images, encode_sentences
from groundvec.querybank import normalized
from groundvec.runtime.errors import InputError
from groundvec.similarity import unit
from reproduction.arguments import make_parser
from reproduction.render.tables import write_numbers
from reproduction.reporting import resampled
from reproduction.reporting.seeds import mean_of_seeds

# The one with the best development R@10 for flickr8k-v6.
INVERSE_TEMPERATURE = 20


def ranks(arguments: argparse.Namespace) -> Iterator[pd.DataFrame]:
    """Rank by each model and by all models, and by both with a bank."""
    language = arguments.language
    captions = read_captions(arguments.captions, language)
    text = {language: UNENCODED}
    files = arguments.features
    if len(files) == 1:
        files = files * len(arguments.models)
    if len(files) != len(arguments.models):
        raise InputError(
            f"--features has {len(files)} files for {len(arguments.models)} models: name one for "
            "all, or one per model"
        )
    # Each model with the vectors of the test set and, if there is one, of the bank.
    systems = []
    for number, (folder, file) in enumerate(zip(arguments.models, files, strict=True), start=1):
        models = load_ensemble(ModelFolder(folder))
        read_features = partial(store.read, file)
        test = load_split(captions, "test", read_features, text)
        image = test.captions[language].image
        vectors = [embed(models, test, language)]
        if arguments.bank:
            drawn = draw_bank(captions, arguments.bank, [language])
            bank = load_split(drawn, "train", read_features, text)
            vectors.append(embed(models, bank, language))
        systems.append((folder.parent.name, number, vectors))
    of_each_set = zip(*(vectors for _, _, vectors in systems), strict=True)
    systems.append(("together", 0, list(map(side_by_side, of_each_set))))
    for name, seed, (test_vectors, *bank_vectors) in systems:
        yield ranked(*test_vectors, image).assign(model=name, seed=seed)
        for of_bank in bank_vectors:
            with_bank = normalized(*test_vectors, *of_bank, INVERSE_TEMPERATURE)
            yield ranked(*with_bank, image, "dot").assign(model=f"{name}, bank", seed=seed)


def embed(models: list[Model], split: Split, language: str) -> tuple[np.ndarray, np.ndarray]:
    """Embed a split's captions (M, size) and images (N, size) by an ensemble."""
    sentences = encode_sentences(models, split.captions[language].encoded, language)
    return sentences, encode_images(models, split.features)


def side_by_side(
    vectors: Sequence[tuple[np.ndarray, np.ndarray]],
) -> tuple[np.ndarray, np.ndarray]:
    """Join several models' unit vectors of captions and of images.

    The cosine of joined vectors is the mean of the models' cosines.
    """
    sentences = np.hstack([of_captions for of_captions, _ in vectors])
    images = np.hstack([of_images for _, of_images in vectors])
    return unit(sentences), unit(images)


def ranked(
    sentences: np.ndarray, images: np.ndarray, image: np.ndarray, similarity: str = "cosine"
) -> pd.DataFrame:
    """Rank in both directions; return the columns direction, image and rank."""
    both_ways = rank_both_ways(sentences, images, image, similarity=similarity)
    tables = [
        pd.DataFrame({"direction": direction, "image": image_of_query, "rank": ranks_of_queries})
        for direction, [ranks_of_queries], image_of_query in both_ways
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


def main(arguments: argparse.Namespace) -> None:
    table = scores(arguments)
    print(table.to_string(index=False))
    write_numbers(arguments.output, table)


if __name__ == "__main__":
    parser = make_parser(__doc__, "captions", "the CSV to write")
    parser.add_argument(
        "models", type=Path, nargs="+", help="folders of trained models, of one data set"
    )
    parser.add_argument(
        "--features",
        type=Path,
        nargs="+",
        required=True,
        help="the features of all models, or a file per model",
    )
    parser.add_argument("--language", default="en", help="of the captions (default: en)")
    parser.add_argument(
        "--bank", type=int, default=0, help="training images of a bank (default: none)"
    )
    run(main, parser)
