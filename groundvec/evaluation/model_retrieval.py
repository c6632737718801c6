"""Retrieval by a trained model: chance, each of its snapshots, and its ensemble.

With a bank, the ensemble is also scored by querybank normalization (`groundvec.querybank`), in rows
of the kind `querybank`. The papers do not use it, so no table has these rows among theirs.
"""

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
    listed,
    rank_both_ways,
    rank_sentences,
    scored,
    test_set_name,
)
from groundvec.features import store
from groundvec.model.folder import ModelFolder, epochs_compared
from groundvec.model.network import Model, load_model
from groundvec.provenance import provenance
from groundvec.querybank import normalized
from groundvec.results.schemas import QUERYBANK, QueryRanks, Retrieval
from groundvec.similarity import join

# Development R@10 on Flickr8k rises by 1.3 points from 10 to 20, and falls by 0.2 from 20 to 30.
INVERSE_TEMPERATURES = (5, 10, 15, 20, 30)


def score_folder(
    folder: str | Path,
    captions_file: str | Path,
    features: str | Path,
    device: str,
    folds: int = 1,
    bank: int = 0,
    treebanks: Sequence[Path] = (),
) -> tuple[Retrieval, QueryRanks]:
    """Score a model's ensemble and each of its snapshots on the development and the test set.

    Args:
        folder: the trained model.
        captions_file: a data set's captions.csv.
        features: the HDF5 file of its image features.
        folds: if more than one, also score the mean over this number of parts of the test set.
        bank: if not 0, also score the ensemble with a bank of this number of training images, with
            one caption each in every language (`score_with_bank`).
        treebanks: parsed captions, if the model's text is trees.

    Returns:
        The scores of both sets, and the rank of every query of the test set (`score_model`).
    """
    model_folder = ModelFolder(folder)
    model = model_folder.metadata
    ensemble = model_folder.ensemble
    treebank = parts.treebank(model["description"]["text"], treebanks)
    load = partial(load_model, model_folder, device=device, treebank=treebank)
    texts = load(ensemble["best"]).texts
    captions = captions_of(model, captions_file)
    read_features = partial(store.read, features)
    labels = model_folder.labels
    source = {"configuration": model["key"], **provenance(device)}
    compared = epochs_compared(model, ensemble)
    similarity = model["description"]["similarity"]
    dev = load_split(captions, "dev", read_features, texts)
    test = load_split(captions, "test", read_features, texts)
    tables = []
    for name, split, cut in (("dev", dev, 1), ("test", test, folds)):
        table, ranks_of_queries = score_model(
            load, model["saved"], ensemble, compared, split, similarity, cut
        )
        tables.append(table.assign(split=name, bank=np.nan, inverse_temperature=np.nan))
    if bank:
        tested = {language: texts[language] for language in test.captions}
        training = load_split(draw_bank(captions, bank, tested), "train", read_features, tested)
        members = {epoch: load(epoch) for epoch in ensemble["epochs"]}
        table, more_ranks = score_with_bank(members, training, dev, test, folds)
        tables.append(table)
        ranks_of_queries = pd.concat([ranks_of_queries, more_ranks])
    # These are ranks in the test set. A model of one language may have captions of some images
    # only: number its images as models of any language do, among all test images.
    images = captions.loc[captions["split"] == "test", "image_id"].unique()
    numbers = pd.Index(images).get_indexer(test.image_ids)
    ranks_of_queries["image"] = numbers[ranks_of_queries["image"]]
    return pd.concat(tables).assign(**labels, **source), ranks_of_queries.assign(**labels)


def draw_bank(captions: pd.DataFrame, size: int, languages: Collection[str]) -> pd.DataFrame:
    """Draw training images, all if there are fewer, and one caption of each in every language."""
    training = captions[captions["split"].eq("train") & captions["language"].isin(list(languages))]
    images = training["image_id"].drop_duplicates()
    images = images.sample(min(size, len(images)), random_state=0)
    of_images = training[training["image_id"].isin(images)]
    return of_images.groupby(["image_id", "language"]).sample(1, random_state=0)


def score_with_bank(
    models: Mapping[int, Model], training: Split, dev: Split, test: Split, folds: int = 1
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Score an ensemble that compares cosines, with a bank of training images and captions.

    The inverse temperature is the one of `INVERSE_TEMPERATURES` with the best development R@10, as
    a mean over directions and languages.

    Args:
        models: the ensemble's snapshots, by epoch.
        training: the bank.
        folds: see `score_model`.

    Returns:
        See `score_model`; the scores are of both splits, and have the columns split, bank (its
        number of images) and inverse_temperature.
    """

    def embed(split: Split) -> _System:
        members = [_embed(model, epoch, split) for epoch, model in models.items()]
        return _join(members, "cosine")

    bank = embed(training)
    embedded = {"dev": embed(dev), "test": embed(test)}

    def normalize(name: str, inverse_temperature: float) -> Iterator[_System]:
        """Yield a system for each language: the bank's captions change the images' vectors."""
        images = embedded[name].images
        for language, captions in embedded[name].captions.items():
            of_captions, of_images = normalized(
                captions, images, bank.captions[language], bank.images, inverse_temperature
            )
            yield _System(QUERYBANK, list(models), of_images, {language: of_captions})

    dev_scores = {
        inverse_temperature: pd.concat(
            [_score(dev, system, "dot")[0] for system in normalize("dev", inverse_temperature)]
        )
        for inverse_temperature in INVERSE_TEMPERATURES
    }
    best = max(dev_scores, key=lambda each: dev_scores[each]["r10"].mean())
    tables = [dev_scores[best].assign(split="dev")]
    ranks_of_queries = []
    for system in normalize("test", best):
        table, ranks_of_system = _score(test, system, "dot", folds)
        tables.append(table.assign(split="test"))
        ranks_of_queries.append(ranks_of_system)
    scores = pd.concat(tables).assign(bank=len(training.features), inverse_temperature=best)
    return scores, pd.concat(ranks_of_queries)


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
    only, because it takes long.

    Args:
        load: returns the model's snapshot of an epoch.
        epochs: the epochs of the snapshots to score, which include the ensemble's.
        ensemble: its `epochs`, and the epoch of the `best` single snapshot.
        compared: the epochs of the snapshots whose ranks are returned, besides the ensemble's.
        folds: if more than one, also score the mean over this number of parts of the split.

    Returns:
        Scores: the columns of `scored`, and language, kind (chance, snapshot or ensemble), epochs
        and test_set. If captions find captions of another language, the language names queries and
        candidates, such as en-de. And the rank of each query in the whole split: columns language,
        kind, epochs, direction, image (its row) and rank.
    """
    tables = _score_chance(split, folds)
    ranks_of_queries = []

    def add(system: _System, with_sentences: bool, is_compared: bool) -> None:
        table, ranks_of_system = _score(split, system, similarity, folds, with_sentences)
        tables.append(table)
        if is_compared:
            ranks_of_queries.append(ranks_of_system)

    members = []
    for epoch in epochs:
        snapshot = _embed(load(epoch), epoch, split)
        add(snapshot, with_sentences=epoch == ensemble["best"], is_compared=epoch in compared)
        if epoch in ensemble["epochs"]:  # no others: MSCOCO's test set takes 0.2 GB per snapshot
            members.append(snapshot)
    add(_join(members, similarity), with_sentences=True, is_compared=True)
    return pd.concat(tables, ignore_index=True), pd.concat(ranks_of_queries, ignore_index=True)


def _score_chance(split: Split, folds: int) -> list[pd.DataFrame]:
    """Compute the scores of chance: a table for each language, number of folds and direction."""
    image = {language: captions.image for language, captions in split.captions.items()}
    tables = []

    def add(language: str, table: pd.DataFrame, cut: int = 1) -> None:
        if len(table):
            test_set = test_set_name(len(split.features), cut)
            labels = {"kind": "chance", "epochs": "", "language": language, "test_set": test_set}
            tables.append(table.assign(**labels))

    for language, image_of_caption in image.items():
        for cut in sorted({1, folds}):
            add(language, chance(image_of_caption, cut), cut)
        add(language, chance_of_captions(image_of_caption))
    for queries, candidates in permutations(image, 2):
        add(f"{queries}-{candidates}", chance_of_captions(image[queries], image[candidates]))
    return tables


class _System(NamedTuple):
    """The vectors of a split by one system."""

    kind: str  # snapshot, ensemble or querybank
    epochs: Sequence[int]
    images: np.ndarray
    captions: dict[str, np.ndarray]  # by language


def _embed(model: "Model", epoch: int, split: Split) -> _System:
    """Embed a split by the snapshot of an epoch."""
    captions = {
        language: model.encode_captions(captions.encoded, language)
        for language, captions in split.captions.items()
    }
    return _System("snapshot", [epoch], model.encode_images(split.features), captions)


def _join(members: Sequence[_System], similarity: str) -> _System:
    """Join the vectors of an ensemble's snapshots."""
    epochs = sorted(member.epochs[0] for member in members)
    images = join([member.images for member in members], similarity)
    captions = {
        language: join([member.captions[language] for member in members], similarity)
        for language in members[0].captions
    }
    return _System("ensemble", epochs, images, captions)


def _score(
    split: Split, system: _System, similarity: str, folds: int = 1, with_sentences: bool = False
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Score a system in every language, and list the rank of every query in the whole split.

    Args:
        with_sentences: also let captions find captions.
    """
    image = {language: captions.image for language, captions in split.captions.items()}
    ranked = []  # language, number of folds, ranks
    for language, captions in system.captions.items():
        directions = rank_both_ways(captions, system.images, image[language], 1, similarity)
        if with_sentences:
            directions += rank_sentences(captions, image[language], similarity)
        ranked.append((language, 1, directions))
        if folds > 1:
            in_folds = rank_both_ways(captions, system.images, image[language], folds, similarity)
            ranked.append((language, folds, in_folds))
    for language, other in permutations(system.captions, 2) if with_sentences else ():
        ranks_of_captions = caption_ranks(
            system.captions[language],
            image[language],
            system.captions[other],
            image[other],
            similarity,
        )
        directions = [Ranks(SENTENCES, [ranks_of_captions], image[language])]
        ranked.append((f"{language}-{other}", 1, directions))
    labels = {"kind": system.kind, "epochs": "+".join(map(str, system.epochs))}
    scores = []
    ranks_of_queries = []
    for language, cut, directions in ranked:
        labels["language"] = language
        test_set = test_set_name(len(split.features), cut)
        scores.append(scored(directions).assign(**labels, test_set=test_set))
        if cut == 1:
            ranks_of_queries.append(listed(directions).assign(**labels))
    return pd.concat(scores), pd.concat(ranks_of_queries)
