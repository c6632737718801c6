"""A training's test set, embedded by its best snapshot: for tables and figures of sentences."""

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
    """Read the treebanks that were given, if any; other sentences are parsed."""
    return Treebank(results.given.get("treebanks") or [])


def read_captions(results: Results, about: pd.Series) -> pd.DataFrame:
    """Read the captions of a training's data set: of a draw, those that it drew."""
    return captions_of(read_json(Path(about["folder"], "model.json")), results["captions"])


def embed(
    results: Results, about: pd.Series, ensemble: bool = False, treebank: Treebank | None = None
) -> Embedded:
    """Embed the test set of a training by its best snapshot, or its ensemble.

    Args:
        about: the training's row of `results.models`.
        treebank: of parsed sentences, for a model that reads trees.
    """
    from groundvec.device import choose  # torch takes seconds to import
    from groundvec.features import store
    from groundvec.model.network import encode_images, load_ensemble
    from groundvec.model.sentences import encode_sentences

    epochs = None if ensemble else [best_snapshot(about)]
    models = load_ensemble(about["folder"], epochs, choose("cpu"), treebank)
    captions = read_captions(results, about)
    language = about["languages"][0]
    features = partial(store.read, results["features"])
    unencoded = dict.fromkeys(models[0].texts, UNENCODED)
    split = load_split(captions, "test", features, unencoded)
    own = split.captions[language]
    return Embedded(
        captions=own.encoded,
        image=own.image,
        image_ids=split.image_ids,
        caption_vectors=encode_sentences(models, own.encoded, language, progress=True),
        image_vectors=encode_images(models, split.features),
        similarity=models[0].similarity,
    )


def of_one(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table as it is; InputError if it is of several data sets."""
    if len(names := table["dataset"].unique()) > 1:
        raise InputError(f"this is of one data set: give the results of one of {', '.join(names)}")
    return table
