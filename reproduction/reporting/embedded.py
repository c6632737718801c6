"""Embed the test set of a training, for tables and figures that show sentences."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from groundvec.data.split import UNENCODED, captions_of, load_split
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import read_json
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
    return captions_of(read_json(Path(training["folder"], "model.json")), results["captions"])


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
    from groundvec.model.network import load_ensemble
    from groundvec.model.sentences import encode_images, encode_sentences

    epochs = None if ensemble else [best_snapshot(training)]
    models = load_ensemble(training["folder"], epochs, choose("cpu"), treebank)
    captions = read_captions(results, training)
    language = training["languages"][0]
    features = partial(store.read, results["features"])
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


def of_one(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table unchanged, or raise InputError if it has several data sets."""
    names = table["dataset"].unique()
    if len(names) > 1:
        raise InputError(
            f"this item shows one data set: pass the results of one of {', '.join(names)}"
        )
    return table
