"""Re-rank lists of translations by their similarity to the source sentence and to its image."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from groundvec import similarity
from groundvec.model.folder import ModelFolder, learned_images
from groundvec.runtime.arrays import Matrix
from groundvec.runtime.errors import InputError
from reproduction.translation import mira
from reproduction.translation.nbest import Lists
from reproduction.translation.scores import bleu_statistics, judge

if TYPE_CHECKING:
    from groundvec.model.network import Model

log = logging.getLogger(__name__)

# Re-rankers without a model.
BASELINE = "baseline"
LENGTH = "length"
ORACLE = "oracle"
Features = dict[str, tuple[pd.DataFrame, pd.DataFrame]]  # of dev and test lists, by model


@dataclass
class Judged:
    """Lists of hypotheses with references, and the BLEU of each hypothesis."""

    pairs: pd.DataFrame  # one row per sentence, see `reproduction.sources.parallel.read`
    lists: Lists
    references: list[str]  # one per sentence
    statistics: np.ndarray  # (N, 10), see `bleu_statistics`
    bleu: np.ndarray  # (N,) the sentence BLEU of each hypothesis


def judged(lists: Lists, pairs: pd.DataFrame) -> Judged:
    """Compare every hypothesis of the lists with its sentence's reference."""
    references = pairs["target"].tolist()
    of_hypotheses = [references[sentence] for sentence in lists.sentence.tolist()]
    return Judged(pairs, lists, references, *bleu_statistics(lists.hypotheses, of_hypotheses))


def similarities(
    lists: Lists,
    pairs: pd.DataFrame,
    models: "Sequence[Model]",
    read_features: Callable[[np.ndarray], Matrix] | None,
    languages: tuple[str | None, str],
) -> pd.DataFrame:
    """Compute the similarity of each hypothesis to its source sentence and to its image.

    The similarity to the image is 0 for all hypotheses of a sentence without an image.

    Args:
        lists: the hypotheses.
        pairs: one row per sentence (`reproduction.sources.parallel.read`).
        models: an ensemble.
        read_features: reads the features (images, width) of images by their ids. It is None for a
            model that did not learn from images (beta 0), which compares with the source only.
        languages: the languages of the sources and of the translations. The former is None if the
            model does not read it (VSE), which compares with the image only.

    Returns:
        One row per hypothesis, and one column per similarity, float64.
    """
    from groundvec.model.sentences import encode_images, encode_sentences

    source, target = languages
    sentence = lists.sentence
    kind = models[0].similarity
    # The lists of different sentences share hypotheses, and equal texts have equal vectors.
    texts, place = np.unique(np.array(lists.hypotheses, object), return_inverse=True)
    hypotheses = encode_sentences(models, texts.tolist(), target, progress=True)[place]
    columns: dict[str, np.ndarray] = {}
    if source:
        of_sources = encode_sentences(models, pairs["source"].tolist(), source, progress=True)
        columns["target-source"] = similarity.of_pairs(hypotheses, of_sources[sentence], kind)
    if read_features:
        ids = pairs["image_id"].to_numpy(str)[sentence]
        has_image = ids != ""
        to_image = np.zeros(len(sentence))
        if not has_image.any():
            log.warning("no sentence of this split has an image: none is re-ranked by its image")
        else:
            distinct, image = np.unique(ids[has_image], return_inverse=True)
            of_images = encode_images(models, read_features(distinct))
            to_image[has_image] = similarity.of_pairs(hypotheses[has_image], of_images[image], kind)
        columns["target-image"] = to_image
    return pd.DataFrame(columns, dtype=np.float64)


def similarities_of(
    folders: Sequence[Path],
    dev: Judged,
    test: Judged,
    read_features: Callable[[np.ndarray], Matrix],
    languages: tuple[str, str],
    device: str,
) -> tuple[Features, dict[str, str]]:
    """Compute the `similarities` by trained models.

    Args:
        folders: the models' folders.
        dev, test: the lists of the development and test sentences.
        read_features: reads the features of images by their ids.
        languages: the languages of the sentences and of the translations.
        device: the device for torch.

    Returns:
        The features, and the re-rankers that all others are tested against: `vse` is the first
        model that compares with the image only, `text` the first that compares with the source
        only.

    Raises:
        InputError: a model does not read the translations, compares them with neither image nor
            source, or has the name of another re-ranker.
    """
    from groundvec.model.network import load_ensemble

    features: Features = {}
    against = {"baseline": BASELINE, "length": LENGTH}
    for folder in folders:
        model_folder = ModelFolder(folder)
        name = model_folder.metadata["model"]
        sees = learned_images(model_folder.description)
        model_languages = model_folder.description["languages"]
        source = languages[0] if languages[0] in model_languages else None
        target = languages[1]
        if name in (*features, BASELINE, LENGTH, ORACLE):
            raise InputError(
                f"{folder}: the name {name!r} belongs to another re-ranker: pass each model once"
            )
        if not (source or sees):
            raise InputError(
                f"{folder} reads no {languages[0]} and did not learn from images (beta 0), so it "
                "cannot compare translations with anything: re-rank by other models"
            )
        if not (source and sees):
            against.setdefault("vse" if sees else "text", name)
        models = load_ensemble(model_folder, device=device)
        read = read_features if sees else None
        of_dev, of_test = (
            similarities(split.lists, split.pairs, models, read, (source, target))
            for split in (dev, test)
        )
        features[name] = (of_dev, of_test)
    return features, against


@dataclass
class Reranked:
    """The choices of one re-ranker from the test lists."""

    rows: np.ndarray  # (sentences,) the row of each sentence's chosen hypothesis
    weights: dict[str, float]  # by feature; empty for the baseline and the oracle


def rerank(dev: Judged, test: Judged, features: Features) -> dict[str, Reranked]:
    """Choose one hypothesis of each test list, by the features of each model and of the lists.

    Weights are trained on the development lists, and applied to the test lists.

    Returns:
        The choices of each re-ranker: `baseline`, the first hypothesis of each list; `length` and
        every model, the choice by MIRA's weights, where `length` has the number of words as its
        feature; `oracle`, the hypothesis with the best sentence BLEU.
    """
    choices = {BASELINE: Reranked(test.lists.starts[:-1], {})}
    by_length = (_lengths(dev.lists), _lengths(test.lists))
    for name, (of_dev, of_test) in {LENGTH: by_length, **features}.items():
        dev_lists = dev.lists.with_features(of_dev)
        test_lists = test.lists.with_features(of_test)
        weights = mira.weights(dev_lists, dev.statistics)
        rows = test_lists.chosen(test_lists.features.to_numpy() @ weights)
        by_feature = dict(zip(map(str, dev_lists.features), weights.tolist(), strict=True))
        choices[name] = Reranked(rows, by_feature)
    choices[ORACLE] = Reranked(test.lists.chosen(test.bleu), {})
    return choices


def _lengths(lists: Lists) -> pd.DataFrame:
    """Count the words of each hypothesis."""
    lengths = [len(text.split()) for text in lists.hypotheses]
    return pd.DataFrame({"target-length": lengths}, dtype=float)


def scored(
    test: Judged, chosen: Mapping[str, Reranked], against: Mapping[str, str], language: str
) -> tuple[list[dict[str, Any]], pd.DataFrame]:
    """Score the translations that the re-rankers chose.

    Args:
        test: the lists of the test sentences.
        chosen: the choices of each re-ranker.
        against: the re-rankers that all others are tested against, by the suffixes of the columns
            of p-values.
        language: the language of the translations.

    Returns:
        One row per metric and re-ranker, and the sentences with the translation of each re-ranker.
    """
    texts = {
        name: [test.lists.hypotheses[row] for row in choices.rows]
        for name, choices in chosen.items()
    }
    rows = []
    for judgement in judge(texts, list(against.values()), test.references, language):
        for name in chosen:
            row = {
                "reranker": name,
                "metric": judgement.metric,
                "score": judgement.scores.get(name),
            }
            for key in ("baseline", "length", "vse", "text"):
                row[f"p_{key}"] = judgement.p.get((name, against.get(key, "")))
            row["signature"] = judgement.signature
            rows.append(row)
    sentences = test.pairs.rename(columns={"target": "reference"}).rename_axis("id").reset_index()
    return rows, pd.concat(
        sentences.assign(reranker=name, hypothesis=texts[name]) for name in chosen
    )
