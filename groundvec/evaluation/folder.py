"""Retrieval by a trained model's folder."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pandas as pd

from groundvec.config import parts
from groundvec.data.split import captions_of, load_split
from groundvec.evaluation.retrieval import score_model
from groundvec.features import store
from groundvec.model.folder import epochs_compared, read_description, read_ensemble
from groundvec.model.network import load_model
from groundvec.provenance import provenance
from groundvec.results.schemas import QueryRanks, Retrieval


def score_folder(
    folder: str | Path,
    captions_file: str | Path,
    features: str | Path,
    device: str,
    folds: int = 1,
    treebanks: Sequence[Path] = (),
) -> tuple[Retrieval, QueryRanks]:
    """Score a model's ensemble and each of its snapshots on the development and the test set.

    Args:
        captions_file: a data set's captions.csv.
        features: the HDF5 file of its image features.
        folds: if more than one, also score the mean over so many parts of the test set.
        treebanks: parsed captions, for a text of trees.

    Returns:
        The scores of both sets, and the rank of every query of the test set (`score_model`).
    """
    model = read_description(folder)
    ensemble = read_ensemble(folder)
    treebank = parts.treebank(model["description"]["text"], treebanks)
    load = partial(load_model, folder, device=device, treebank=treebank)
    texts = load(ensemble["best"]).texts
    captions = captions_of(model, captions_file)
    labels = {name: model[name] for name in ("dataset", "model", "seed")}
    source = {"configuration": model["key"], **provenance(device)}
    tables = []
    for name in ("dev", "test"):
        split = load_split(captions, name, partial(store.read, features), texts)
        compared = epochs_compared(model, ensemble)
        similarity = model["description"]["similarity"]
        cut = folds if name == "test" else 1
        table, ranks = score_model(load, model["saved"], ensemble, compared, split, similarity, cut)
        tables.append(table.assign(**labels, split=name, **source))
    # Its images have the same numbers for models of any language, though a model may have captions
    # of some images only.
    images = captions.loc[captions["split"] == "test", "image_id"].unique()
    ranks["image"] = pd.Index(images).get_indexer(split.image_ids)[ranks["image"]]
    return pd.concat(tables), ranks.assign(**labels)
