"""Lists of translations in a new order: by how near they are to the sentence and to its picture."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from groundvec.translation import mira, pro
from groundvec.translation.nbest import Lists
from groundvec.translation.scores import bleu_statistics

BASELINE, ORACLE = "baseline", "oracle"
LOGISTIC = "+logistic"  # after a model's name: weights by logistic regression


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
    encode: Callable[[list[str], str], np.ndarray],
    encode_images: Callable[[list[str]], np.ndarray],
    compare: Callable[[np.ndarray, np.ndarray], np.ndarray],
    languages: tuple[str | None, str],
) -> tuple[list[str], np.ndarray]:
    """How near each hypothesis is, in one space, to its source sentence and to its picture.

    Of a sentence without a picture the second is 0 for all hypotheses, and has no say.

    Args:
        pairs: a row a sentence (`groundvec.translation.pairs.read`).
        encode: embeds sentences of a language: (sentences, size).
        encode_images: embeds images by their ids: (images, size).
        compare: rows of vectors (N, size) with others (N, size): (N,), more is nearer.
        languages: of the sources and of the translations; none for the sources, where the model
            does not know their language (VSE): then only the picture is compared with.

    Returns:
        The names of the features, and (hypotheses, features).
    """
    source, target = languages
    sentence = lists.sentence
    # A list repeats itself a lot; a sentence's vector does not depend on the others.
    texts, place = np.unique(np.array(lists.hypotheses, object), return_inverse=True)
    hypotheses = encode(texts.tolist(), target)[place]
    names, columns = [], []
    if source:
        sources = encode(pairs["source"].tolist(), source)[sentence]
        names.append("target-source")
        columns.append(compare(hypotheses, sources))
    shown = np.flatnonzero(pairs["image_id"] != "")
    near = np.zeros(len(sentence))
    if len(shown):
        ids = pairs["image_id"].to_numpy()[shown]
        known, image = np.unique(ids.astype(str), return_inverse=True)
        of_sentence = np.full(len(pairs), -1)
        of_sentence[shown] = image
        rows = of_sentence[sentence] >= 0
        vectors = encode_images(known.tolist())[of_sentence[sentence][rows]]
        near[rows] = compare(hypotheses[rows], vectors)
    names.append("target-image")
    columns.append(near)
    return names, np.stack(columns, axis=1).astype(np.float64)


@dataclass
class Reranked:
    """What one re-ranker chose of the test lists."""

    rows: np.ndarray  # (sentences,) of the lists
    weights: dict[str, float]  # by feature; nothing for the baseline and the oracle


def rerank(
    dev: Judged,
    test: Judged,
    features: dict[str, tuple[list[str], np.ndarray, np.ndarray]],
    seed: int = 1,
) -> dict[str, Reranked]:
    """Choose one hypothesis of each test list, by every model's features beside the lists' own.

    Weights are found on the development lists and applied to the test lists as they are.

    Args:
        features: by model: names, and values for the development and the test hypotheses.

    Returns:
        By re-ranker: `baseline`, the first of each list; for each model MIRA's choice under its
        name and that of logistic regression under NAME+logistic; `oracle`, the best by its own
        BLEU.
    """
    result = {BASELINE: Reranked(test.lists.starts[:-1], {})}
    for model, (names, of_dev, of_test) in features.items():
        lists = dev.lists.with_features(names, of_dev)
        others = test.lists.with_features(names, of_test)
        found = {
            model: mira.weights(lists, dev.statistics, seed),
            model + LOGISTIC: pro.weights(lists, dev.bleu, seed),
        }
        for name, weights in found.items():
            named = dict(zip(lists.names, weights.tolist(), strict=True))
            result[name] = Reranked(others.chosen(others.features @ weights), named)
    result[ORACLE] = Reranked(test.lists.chosen(test.bleu), {})
    return result
