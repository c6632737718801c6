"""Embed the test set of a training, for tables and figures that show sentences."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from groundvec.data import dataset
from groundvec.data.split import UNENCODED, captions_of, load_split
from groundvec.evaluation.ratings import system_name
from groundvec.model.folder import ModelFolder
from groundvec.runtime.errors import InputError
from reproduction.reporting.results import Results
from reproduction.reporting.systems import best_snapshot
from reproduction.text.treebank import Treebank


@dataclass
class Embedded:
    """Captions of one language and their images."""

    captions: list[str]  # M texts
    image: np.ndarray  # (M,) the row of each caption's image
    image_ids: np.ndarray  # (N,) str
    caption_vectors: np.ndarray  # (M, size)
    image_vectors: np.ndarray  # (N, size)
    similarity: str


def given_treebank(results: Results) -> Treebank:
    """Read the given treebanks. Sentences that they lack are parsed."""
    return Treebank(results.given.get("treebanks") or [])


def read_captions(results: Results, training: pd.Series) -> pd.DataFrame:
    """Read the captions of a training's data set, or of its subsample."""
    return captions_of(ModelFolder(training["folder"]).metadata, results["captions"])


def features_of(results: Results, training: pd.Series) -> Path:
    """Find the file of features that a training learned from, among the given ones.

    Raises:
        InputError: none of them has the fingerprint that is in the training's model.json.
    """
    from groundvec.features import store

    fingerprint = ModelFolder(training["folder"]).metadata.get("features", {}).get("fingerprint")
    files: list[Path] = results["features"]
    for file in files:
        if store.attributes(file)["fingerprint"] == fingerprint:
            return file
    name = system_name(training["dataset"], training["model"], training["seed"])
    raise InputError(
        f"{name} did not learn from {' or '.join(map(str, files))}: pass the features that it was "
        "trained on, or train it again"
    )


def paths_of(results: Results, image_ids: Iterable[str]) -> pd.Series:
    """Return the files of a data set's images, by the images' ids."""
    path_of = dataset.read_images(results["images"]).set_index("image_id")["path"]
    missing = set(image_ids) - set(path_of.index)
    if missing:
        raise InputError(
            f"{results['images']} lacks the image {min(missing)} ({len(missing)} are missing): "
            "build the data set again"
        )
    return path_of


def embed(
    results: Results, training: pd.Series, ensemble: bool = False, treebank: Treebank | None = None
) -> Embedded:
    """Embed the test set of a training by its best snapshot, or by its ensemble.

    Args:
        training: the training's row of `results.models`.
        treebank: parsed sentences, for a model that reads trees.
    """
    from groundvec.device import choose  # torch takes seconds to import
    from groundvec.features import store
    from groundvec.model.folder import ModelFolder
    from groundvec.model.network import load_ensemble
    from groundvec.model.sentences import encode_images, encode_sentences

    epochs = None if ensemble else [best_snapshot(training)]
    models = load_ensemble(ModelFolder(training["folder"]), epochs, choose("cpu"), treebank)
    captions = read_captions(results, training)
    language = training["languages"][0]
    features = partial(store.read, features_of(results, training))
    unencoded = dict.fromkeys(models[0].texts, UNENCODED)
    split = load_split(captions, "test", features, unencoded)
    test_captions = split.captions[language]
    texts = test_captions.encoded  # the captions themselves, because `unencoded` encodes nothing
    return Embedded(
        captions=texts,
        image=test_captions.image,
        image_ids=split.image_ids,
        caption_vectors=encode_sentences(models, texts, language, progress=True),
        image_vectors=encode_images(models, split.features),
        similarity=models[0].similarity,
    )


def check_one_dataset(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table unchanged, or raise InputError if it has several data sets."""
    names = table["dataset"].unique()
    if len(names) > 1:
        raise InputError(
            f"this item shows one data set: pass the results of one of {', '.join(names)}"
        )
    return table
