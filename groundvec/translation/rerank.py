"""Lists of translations in a new order: by how near they are to the sentence and to its picture."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from groundvec import similarity
from groundvec.runtime.arrays import Matrix
from groundvec.translation import mira
from groundvec.translation.nbest import Lists
from groundvec.translation.scores import bleu_statistics

if TYPE_CHECKING:
    from groundvec.model.network import Model

log = logging.getLogger(__name__)

BASELINE, LENGTH, ORACLE = "baseline", "length", "oracle"  # re-rankers without a model


@dataclass
class Judged:
    """Lists beside the references, and what BLEU says of each hypothesis."""

    lists: Lists
    references: list[str]  # one a sentence
    statistics: np.ndarray  # (N, 10), see `bleu_statistics`
    bleu: np.ndarray  # (N,) of each hypothesis alone


def judged(lists: Lists, references: list[str]) -> Judged:
    """Look at every hypothesis of the lists beside its sentence's reference."""
    of_hypotheses = [references[sentence] for sentence in lists.sentence.tolist()]
    return Judged(lists, references, *bleu_statistics(lists.hypotheses, of_hypotheses))


def distances(
    lists: Lists,
    pairs: pd.DataFrame,
    models: "Sequence[Model]",
    read_features: Callable[[np.ndarray], Matrix] | None,
    languages: tuple[str | None, str],
) -> tuple[list[str], np.ndarray]:
    """How near each hypothesis is to its source sentence and to its picture, in a model's space.

    Of a sentence without a picture the second is 0 for all hypotheses, and has no say.

    Args:
        pairs: one row per sentence (`groundvec.translation.pairs.read`).
        models: an ensemble.
        read_features: the features (images, width) of images with these ids; None for a model that
            learned no images (beta 0): then only the source is compared with.
        languages: of the sources and of the translations; none for the sources, where the model
            does not know their language (VSE): then only the picture is compared with.

    Returns:
        The names of the features, and (hypotheses, features).
    """
    from groundvec.model.network import encode_images, encode_sentences

    source, target = languages
    sentence, kind = lists.sentence, models[0].similarity
    # Lists have much in common, and a sentence's vector does not depend on the others.
    texts, place = np.unique(np.array(lists.hypotheses, object), return_inverse=True)
    hypotheses = encode_sentences(models, texts.tolist(), target, progress=True)[place]
    names, columns = [], []
    if source:
        of_sources = encode_sentences(models, pairs["source"].tolist(), source, progress=True)
        names.append("target-source")
        columns.append(similarity.of_pairs(hypotheses, of_sources[sentence], kind))
    if read_features:
        ids = pairs["image_id"].to_numpy(str)[sentence]
        shown = ids != ""
        near = np.zeros(len(sentence))
        if not shown.any():
            log.warning("no sentence of this split has a picture: none is re-ranked by its picture")
        else:
            known, image = np.unique(ids[shown], return_inverse=True)
            of_images = encode_images(models, read_features(known))
            near[shown] = similarity.of_pairs(hypotheses[shown], of_images[image], kind)
        names.append("target-image")
        columns.append(near)
    return names, np.stack(columns, axis=1).astype(np.float64)


def words(lists: Lists) -> np.ndarray:
    """Count the words of each hypothesis: (hypotheses, 1)."""
    return np.array([[len(text.split())] for text in lists.hypotheses], np.float64)


@dataclass
class Reranked:
    """What one re-ranker chose of the test lists."""

    rows: np.ndarray  # (sentences,) of the lists
    weights: dict[str, float]  # by feature; nothing for the baseline and the oracle


def rerank(
    dev: Judged,
    test: Judged,
    features: dict[str, tuple[list[str], np.ndarray, np.ndarray]],
) -> dict[str, Reranked]:
    """Choose one hypothesis of each test list, by every model's features beside the lists' own.

    Weights are found on the development lists and applied to the test lists as they are.

    Args:
        features: by model: names, and values for the development and the test hypotheses.

    Returns:
        By re-ranker: `baseline`, the first of each list; for `length`, the number of words, and for
        each model under its name, MIRA's choice; `oracle`, the best by its own BLEU.
    """
    result = {BASELINE: Reranked(test.lists.starts[:-1], {})}
    length = (["target-length"], words(dev.lists), words(test.lists))
    for model, (names, of_dev, of_test) in {LENGTH: length, **features}.items():
        lists = dev.lists.with_features(names, of_dev)
        others = test.lists.with_features(names, of_test)
        weights = mira.weights(lists, dev.statistics)
        named = dict(zip(lists.names, weights.tolist(), strict=True))
        result[model] = Reranked(others.chosen(others.features @ weights), named)
    result[ORACLE] = Reranked(test.lists.chosen(test.bleu), {})
    return result
