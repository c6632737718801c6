"""Retrieval by a trained model: chance, each of its snapshots, and its ensemble."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from groundvec.config import parts
from groundvec.data.split import Split, captions_of, load_split
from groundvec.evaluation.chance import chance, chance_of_captions
from groundvec.evaluation.retrieval import (
    SENTENCES,
    Ranks,
    caption_ranks,
    rank_both_ways,
    rank_sentences,
    scored,
    test_set_name,
)
from groundvec.features import store
from groundvec.model.folder import epochs_compared, read_description, read_ensemble
from groundvec.model.network import Model, load_model
from groundvec.provenance import provenance
from groundvec.results.schemas import QueryRanks, Retrieval
from groundvec.runtime import arrays
from groundvec.similarity import join

RANDOM = 64  # the size of random vectors


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
        folder: the trained model.
        captions_file: a data set's captions.csv.
        features: the HDF5 file of its image features.
        folds: if more than one, also score the mean over this number of parts of the test set.
        treebanks: parsed captions, if the model's text is trees.

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
    compared = epochs_compared(model, ensemble)
    similarity = model["description"]["similarity"]
    tables = []
    for name in ("dev", "test"):
        split = load_split(captions, name, partial(store.read, features), texts)
        test_folds = folds if name == "test" else 1
        table, ranks = score_model(
            load, model["saved"], ensemble, compared, split, similarity, test_folds
        )
        tables.append(table.assign(**labels, split=name, **source))
    # `split` and `ranks` are now the test set's. A model of one language may have captions of some
    # images only: number its images as models of any language do, among all test images.
    images = captions.loc[captions["split"] == "test", "image_id"].unique()
    ranks["image"] = pd.Index(images).get_indexer(split.image_ids)[ranks["image"]]
    return pd.concat(tables), ranks.assign(**labels)


def score_model(
    load: Callable[[int], "Model"],
    epochs: Iterable[int],
    ensemble: Mapping[str, Any],
    compared: Collection[int],
    split: Split,
    similarity: str,
    folds: int = 1,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Score chance, each of a model's snapshots, and its ensemble, on one split.

    Captions find captions, also of another language, for the best snapshot and for the ensemble
    only, because it takes long. Chance has two rows, computed (`chance`) and simulated by random
    vectors (`random`).

    Args:
        load: returns the model's snapshot of an epoch.
        epochs: the epochs of the snapshots to score, which include the ensemble's.
        ensemble: its `epochs`, and the epoch of the `best` single snapshot.
        compared: the epochs of the snapshots whose ranks are returned, besides the ensemble's.
        folds: if more than one, also score the mean over this number of parts of the split.

    Returns:
        Scores: the columns of `scored`, and language, kind (chance, random, snapshot or ensemble),
        epochs and test_set. If captions find captions of another language, the language names
        queries and candidates, such as en-de. And the rank of each query in the whole split:
        columns language, kind, epochs, direction, image (its row) and rank.
    """
    images = len(split.features)
    test_sets = {cut: test_set_name(images, cut) for cut in (1, folds)}
    tables = []
    for language, cut, table in _chances(split, folds):
        labels = {"language": language, "kind": "chance", "epochs": ""}
        if len(table):
            tables.append(table.assign(**labels, test_set=test_sets[cut]))
    ranks_of_queries = []
    for system in _systems(load, epochs, ensemble["epochs"], split, similarity):
        labels = {"kind": system.kind, "epochs": "+".join(map(str, system.epochs))}
        is_snapshot = system.kind == "snapshot"
        with_sentences = not is_snapshot or system.epochs == [ensemble["best"]]
        ranks_are_kept = system.kind == "ensemble" or (is_snapshot and system.epochs[0] in compared)
        for language, cut, directions in _rank_all(
            split, system, similarity, folds, with_sentences
        ):
            labels["language"] = language
            tables.append(scored(directions).assign(**labels, test_set=test_sets[cut]))
            if ranks_are_kept and cut == 1:
                for direction, [ranks], image in directions:
                    table = pd.DataFrame({"direction": direction, "image": image, "rank": ranks})
                    ranks_of_queries.append(table.assign(**labels))
    return pd.concat(tables, ignore_index=True), pd.concat(ranks_of_queries, ignore_index=True)


class _System(NamedTuple):
    """The vectors of a split by one system."""

    kind: str  # random, snapshot or ensemble
    epochs: Sequence[int]
    images: np.ndarray
    captions: dict[str, np.ndarray]  # by language


def _chances(split: Split, folds: int) -> Iterator[tuple[str, int, pd.DataFrame]]:
    """Compute the scores of chance: the language, the number of folds, and the table."""
    image = {language: captions.image for language, captions in split.captions.items()}
    for language, image_of_caption in image.items():
        for cut in sorted({1, folds}):
            yield language, cut, chance(image_of_caption, cut)
        yield language, 1, chance_of_captions(image_of_caption)
    for queries, candidates in permutations(image, 2):
        yield f"{queries}-{candidates}", 1, chance_of_captions(image[queries], image[candidates])


def _systems(
    load: Callable[[int], "Model"],
    epochs: Iterable[int],
    ensemble: Sequence[int],
    split: Split,
    similarity: str,
) -> Iterator[_System]:
    """Embed a split by each system."""
    rng = np.random.default_rng(0)
    members = []

    def at_random(count: int) -> np.ndarray:
        return rng.standard_normal(out=arrays.empty((count, RANDOM), np.float64))

    captions = {
        language: at_random(len(captions.image)) for language, captions in split.captions.items()
    }
    yield _System("random", [], at_random(len(split.features)), captions)
    for epoch in epochs:
        model = load(epoch)
        images = model.encode_images(split.features)
        captions = {
            language: model.encode_captions(captions.encoded, language)
            for language, captions in split.captions.items()
        }
        snapshot = _System("snapshot", [epoch], images, captions)
        yield snapshot
        if epoch in ensemble:  # keep no other vectors: MSCOCO's test set takes 0.2 GB per snapshot
            members.append(snapshot)
    images = join([member.images for member in members], similarity)
    captions = {
        language: join([member.captions[language] for member in members], similarity)
        for language in split.captions
    }
    yield _System("ensemble", ensemble, images, captions)


def _rank_all(
    split: Split, system: _System, similarity: str, folds: int, with_sentences: bool
) -> Iterator[tuple[str, int, list[Ranks]]]:
    """Rank a split's vectors in all directions: yield the language, the folds and the ranks.

    Args:
        with_sentences: also let captions find captions.
    """
    image = {language: captions.image for language, captions in split.captions.items()}
    images = system.images
    for language, captions in system.captions.items():
        directions = rank_both_ways(captions, images, image[language], similarity=similarity)
        if with_sentences:
            directions += rank_sentences(captions, image[language], similarity)
        yield language, 1, directions
        if folds > 1:
            directions = rank_both_ways(captions, images, image[language], folds, similarity)
            yield language, folds, directions
    if with_sentences:
        for language, other in permutations(system.captions, 2):
            ranks = caption_ranks(
                system.captions[language],
                image[language],
                system.captions[other],
                image[other],
                similarity,
            )
            yield f"{language}-{other}", 1, [Ranks(SENTENCES, [ranks], image[language])]
