"""Lists of translations in a new order: by how near they are to the sentence and to its picture."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from groundvec import similarity
from groundvec.model.folder import learned_images, read_description
from groundvec.runtime.arrays import Matrix
from groundvec.runtime.errors import InputError
from reproduction.translation import mira
from reproduction.translation.nbest import Lists
from reproduction.translation.scores import bleu_statistics, judge

if TYPE_CHECKING:
    from groundvec.model.network import Model

log = logging.getLogger(__name__)

# re-rankers without a model
BASELINE = "baseline"
LENGTH = "length"
ORACLE = "oracle"
# By model: the names of features, and their values for the development and the test hypotheses.
Features = dict[str, tuple[list[str], np.ndarray, np.ndarray]]


@dataclass
class Judged:
    """Lists beside the references, and what BLEU says of each hypothesis."""

    pairs: pd.DataFrame  # one row per sentence, see `groundvec.data.parallel.read`
    lists: Lists
    references: list[str]  # one a sentence
    statistics: np.ndarray  # (N, 10), see `bleu_statistics`
    bleu: np.ndarray  # (N,) of each hypothesis alone


def judged(lists: Lists, pairs: pd.DataFrame) -> Judged:
    """Look at every hypothesis of the lists beside its sentence's reference."""
    references = pairs["target"].tolist()
    of_hypotheses = [references[sentence] for sentence in lists.sentence.tolist()]
    return Judged(pairs, lists, references, *bleu_statistics(lists.hypotheses, of_hypotheses))


def distances(
    lists: Lists,
    pairs: pd.DataFrame,
    models: "Sequence[Model]",
    read_features: Callable[[np.ndarray], Matrix] | None,
    languages: tuple[str | None, str],
) -> tuple[list[str], np.ndarray]:
    """Compute how near each hypothesis is to its source sentence and to its picture.

    Of a sentence without a picture the second is 0 for all hypotheses.

    Args:
        pairs: one row per sentence (`groundvec.data.parallel.read`).
        models: an ensemble.
        read_features: returns the features (images, width) of images with these ids; None for a
            model that learned no images (beta 0), which compares with the source only.
        languages: of the sources and of the translations; None for the sources if the model does
            not know their language (VSE), which compares with the picture only.

    Returns:
        The names of the features, and (hypotheses, features).
    """
    from groundvec.model.network import encode_images
    from groundvec.model.sentences import encode_sentences

    source, target = languages
    sentence = lists.sentence
    kind = models[0].similarity
    # Lists have much in common, and a sentence's vector does not depend on the others.
    texts, place = np.unique(np.array(lists.hypotheses, object), return_inverse=True)
    hypotheses = encode_sentences(models, texts.tolist(), target, progress=True)[place]
    columns: dict[str, np.ndarray] = {}
    if source:
        of_sources = encode_sentences(models, pairs["source"].tolist(), source, progress=True)
        near = similarity.of_pairs(hypotheses, of_sources[sentence], kind)
        columns["target-source"] = near
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
        columns["target-image"] = near
    return list(columns), np.stack([*columns.values()], axis=1).astype(np.float64)


def distances_of(
    folders: Sequence[Path],
    dev: Judged,
    test: Judged,
    read_features: Callable[[np.ndarray], Matrix],
    languages: tuple[str, str],
    device: str,
) -> tuple[Features, dict[str, str]]:
    """Compute the `distances` of the trained models in some folders.

    Args:
        languages: of the sentences and of the translations.

    Returns:
        The features; and the re-rankers that all are tested against: `vse` is the first model of
        pictures only, `text` the first of text only.

    Raises:
        InputError: a model does not read the translations, compares them with nothing, or has the
            name of another re-ranker.
    """
    from groundvec.model.network import load_ensemble

    features: Features = {}
    against = {"baseline": BASELINE, "length": LENGTH}
    for folder in folders:
        described = read_description(folder)
        name = described["model"]
        sees = learned_images(described)
        known = described["description"]["languages"]
        source = languages[0] if languages[0] in known else None
        target = languages[1]
        if name in (*features, BASELINE, LENGTH, ORACLE):
            raise InputError(
                f"{folder}: there is a re-ranker {name!r} already: give each model once"
            )
        if target not in known:
            raise InputError(
                f"{folder} knows {', '.join(known)}, not {target}: re-rank by models of the "
                "language of the translations"
            )
        if not (source or sees):
            raise InputError(
                f"{folder} reads no {languages[0]} and learned no images (beta 0), so that it "
                "compares translations with nothing: re-rank by other models"
            )
        if not (source and sees):
            against.setdefault("vse" if sees else "text", name)
        models = load_ensemble(folder, device=device)
        read = read_features if sees else None
        (names, of_dev), (_, of_test) = (
            distances(each.lists, each.pairs, models, read, (source, target))
            for each in (dev, test)
        )
        features[name] = (names, of_dev, of_test)
        log.info("%s: distances of %d hypotheses", name, len(of_dev) + len(of_test))
    return features, against


@dataclass
class Reranked:
    """The choices of one re-ranker from the test lists."""

    rows: np.ndarray  # (sentences,) of the lists
    weights: dict[str, float]  # by feature; nothing for the baseline and the oracle


def rerank(dev: Judged, test: Judged, features: Features) -> dict[str, Reranked]:
    """Choose one hypothesis of each test list, by every model's features beside the lists' own.

    Weights are found on the development lists and applied to the test lists as they are.

    Returns:
        By re-ranker: `baseline`, the first of each list; for `length`, the number of words, and for
        each model under its name, MIRA's choice; `oracle`, the best by its own BLEU.
    """
    result = {BASELINE: Reranked(test.lists.starts[:-1], {})}
    counts = [
        np.array([[len(text.split())] for text in each.lists.hypotheses], float)
        for each in (dev, test)
    ]
    length = ["target-length"], counts[0], counts[1]
    for model, (names, of_dev, of_test) in {LENGTH: length, **features}.items():
        lists = dev.lists.with_features(names, of_dev)
        others = test.lists.with_features(names, of_test)
        weights = mira.weights(lists, dev.statistics)
        named = dict(zip(lists.names, weights.tolist(), strict=True))
        result[model] = Reranked(others.chosen(others.features @ weights), named)
    result[ORACLE] = Reranked(test.lists.chosen(test.bleu), {})
    return result


def scored(
    test: Judged, chosen: Mapping[str, Reranked], against: Mapping[str, str], language: str
) -> tuple[list[dict[str, Any]], pd.DataFrame]:
    """Score the re-rankers' first translations.

    Args:
        against: the re-rankers that all are tested against, by the ends of the columns of p-values.
        language: of the translations.

    Returns:
        A row for each metric and re-ranker; and the sentences with each one's translation.
    """
    texts = {
        name: [test.lists.hypotheses[row] for row in found.rows] for name, found in chosen.items()
    }
    rows = [
        {
            "reranker": name,
            "metric": judgement.metric,
            "score": judgement.scores.get(name),
            **{
                f"p_{key}": judgement.p.get((name, against.get(key, "")))
                for key in ("baseline", "length", "vse", "text")
            },
            "signature": judgement.signature,
        }
        for judgement in judge(texts, list(against.values()), test.references, language)
        for name in chosen
    ]
    sentences = test.pairs.rename(columns={"target": "reference"}).rename_axis("id").reset_index()
    return rows, pd.concat(
        sentences.assign(reranker=name, hypothesis=texts[name]) for name in chosen
    )
