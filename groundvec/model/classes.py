"""The classes that a model's image networks see in a picture, as evidence for words of a query.

The networks were trained on ImageNet, to tell 1,000 kinds of things apart. Their classifiers read
the same features as the model. So a search also finds things that no training caption names. The
evidence of a sentence for a picture is

    a sum_w g_w log(1 + e_w / l) / log(1 + 1 / l),    a = 0.4 (1 + 12 u^2)

over the sentence's words w with gates g_w (`groundvec.model.lexicon`). e_w is the sum of the
posteriors of the word's classes, with the word's weights; l = 0.001 is the least that counts. u is
the share of the sentence's words that are unknown, by their gates: where it is large, the cosine
says little. docs/classes.md has what each part finds.
"""

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from groundvec.config.types import Columns
from groundvec.model import lexicon
from groundvec.model.folder import CLASSES, LEXICON, ModelFolder
from groundvec.model.lexicon import SHORTEST, Lexicon, Meaning, split
from groundvec.model.stored import Weights
from groundvec.runtime.files import SMALL, read_regular, write_bytes, write_json

LEAST = 1e-3
WEIGHT = 0.4
UNKNOWN = 12
# A posterior is stored as one of 256 levels, on the logarithmic scale of the evidence.
LEVELS = 255
POSTERIORS = (LEAST * np.expm1(np.arange(256) / LEVELS * np.log1p(1 / LEAST))).astype(np.float32)
SHOWN = 0.01  # the least posterior that explains a word
MOST_SHOWN = 3  # classes that explain a word


class Evidence(NamedTuple):
    """A word of a query, and the classes that speak for it in a picture."""

    word: str
    weight: float  # the part of the ranking that it decides; negative if it was subtracted
    classes: dict[str, float]  # names with posteriors, the largest first


class Classes:
    """The classifiers of a model's image networks, and its lexicon.

    Attributes:
        count: the number of classes.
        lexicon: the words that stand for them.
    """

    def __init__(
        self, networks: Sequence[tuple[slice, np.ndarray, np.ndarray]], words: Lexicon
    ) -> None:
        """Take each network's columns among a picture's features, and its weights and biases."""
        self._networks = networks
        self.count = len(networks[0][2])
        self.lexicon = words

    def levels(self, features: np.ndarray) -> np.ndarray:
        """Classify pictures by their features (N, width): (N, count) uint8, see `POSTERIORS`."""
        logits = np.mean(
            [features[:, columns] @ weights.T + bias for columns, weights, bias in self._networks],
            axis=0,
        )
        posteriors = np.exp(logits - logits.max(axis=1, keepdims=True))
        posteriors /= posteriors.sum(axis=1, keepdims=True)
        scaled = np.log1p(posteriors / LEAST) / np.log1p(1 / LEAST)
        # Features that are not finite belong to pictures that are left out.
        return np.rint(np.nan_to_num(LEVELS * scaled)).astype(np.uint8)

    def evidence(self, sentence: str, levels: np.ndarray, language: str | None) -> np.ndarray:
        """Compute the evidence of a sentence for pictures: (N,) float32.

        Args:
            levels: of the pictures (N, count).
            language: of the sentence; by default it is guessed.
        """
        total = np.zeros(len(levels), np.float32)
        for meaning, weight in self._meanings(sentence, language):
            total += weight * _evidence(meaning, levels)
        return total

    def explain(self, sentence: str, levels: np.ndarray, language: str | None) -> list[Evidence]:
        """Return the words that stand for classes of one picture (count,), the largest first."""
        names = self._names(language or self.lexicon.language(sentence))
        explained = []
        for meaning, weight in self._meanings(sentence, language):
            posteriors = POSTERIORS[levels[meaning.classes]]
            largest = np.argsort(-posteriors, kind="stable")[:MOST_SHOWN]
            seen = {
                names[meaning.classes[place]]: float(posteriors[place])
                for place in largest
                if posteriors[place] >= SHOWN
            }
            share = weight * float(_evidence(meaning, levels[None])[0])
            explained.append(Evidence(_as_written(meaning.word, sentence), share, seen))
        return sorted(explained, key=lambda evidence: -evidence.weight)

    def largest(
        self, levels: np.ndarray, best: int, language: str | None = None
    ) -> list[tuple[str, float]]:
        """Return the names of the likeliest classes of one picture (count,), with posteriors."""
        names = self._names(language)
        order = np.argsort(-levels.astype(np.int16), kind="stable")[:best]
        return [(names[number], float(POSTERIORS[levels[number]])) for number in order]

    def _names(self, language: str | None) -> list[str]:
        """Return the names of the classes in a language, by default the lexicon's first."""
        languages = self.lexicon.languages
        return languages.get(language or "", next(iter(languages.values()))).names

    def _meanings(self, sentence: str, language: str | None) -> list[tuple[Meaning, float]]:
        """Return the words of a sentence that stand for classes, with their weights."""
        meanings = self.lexicon.meanings(sentence, language or self.lexicon.language(sentence))
        unknown = sum(meaning.gate * _length(meaning.word.split()) for meaning in meanings)
        unknown /= max(_length(split(sentence)), 1)
        weight = WEIGHT * (1 + UNKNOWN * unknown**2)
        return [(meaning, weight * meaning.gate) for meaning in meanings]


def _as_written(word: str, sentence: str) -> str:
    """Return a word with the capitals that it has in a sentence, such as German nouns."""
    start = sentence.casefold().find(word)
    written = sentence[start : start + len(word)]
    # Case folding may change lengths: then the places are others.
    return written if written.casefold() == word else word


def _length(words: list[str]) -> int:
    """Count words that are no articles or prepositions."""
    return sum(len(word) >= SHORTEST for word in words)


def _evidence(meaning: Meaning, levels: np.ndarray) -> np.ndarray:
    """Compute the evidence of a word for pictures (N, count): (N,), 1 if one class is certain."""
    seen = POSTERIORS[levels[:, meaning.classes]] @ meaning.weights
    scaled: np.ndarray = np.log1p(seen / LEAST) / np.float32(np.log1p(1 / LEAST))
    return scaled


def read(folder: ModelFolder) -> Classes | None:
    """Read the classifiers and the lexicon of a trained model, if it has them.

    Raises:
        InputError: a file is missing or damaged, or has another form than model.json says.
    """
    about = folder.metadata.get("classes")
    if about is None:
        return None
    stored = Weights(folder.path / CLASSES, about["sha256"])
    width = folder.metadata["width"]
    networks = []
    for number, columns in enumerate(about["networks"]):
        end = columns["start"] + columns["width"]
        if end > width:
            raise stored.wrong(f"it reads {end:,} features, and the model has {width:,}")
        weights = stored(f"{number}.weight", about["count"], columns["width"])
        bias = stored(f"{number}.bias", about["count"])
        networks.append((slice(columns["start"], end), weights, bias))
    stored.check_rest()
    words = lexicon.read(folder.path / LEXICON, about["lexicon"], about["count"])
    return Classes(networks, words)


def make(folder: Path, words: Path) -> None:
    """Add the classifiers of its image networks and a lexicon to a trained model.

    Args:
        folder: the trained model, whose image networks are EfficientNet-Lite, also tuned ones.
        words: the lexicon (`scripts/lexicon.py`).

    Raises:
        InputError: a network has no such classifier; the lexicon is of another form.
    """
    from torch import nn

    from groundvec.features.backbones import classifier
    from groundvec.model import weights

    model = ModelFolder(folder)
    classifiers = []
    networks: list[Columns] = []
    start = 0
    for block in model.blocks:
        layer = classifier(block.backbone)
        layer.weight.data /= block.factor
        classifiers.append(layer)
        networks.append({"start": start, "width": layer.in_features})
        start += block.width
    count = classifiers[0].out_features
    data = read_regular(words, SMALL)
    checksum = hashlib.sha256(data).hexdigest()
    lexicon.read(words, checksum, count)
    write_bytes(folder / LEXICON, data, replace=True)
    content = model.metadata
    content["classes"] = {
        "count": count,
        "networks": networks,
        "sha256": weights.save(nn.ModuleList(classifiers), folder / CLASSES, packed=True),
        "lexicon": checksum,
    }
    write_json(folder / "model.json", content, replace=True)


def add_captions(folder: Path, captions: Iterable[str], language: str) -> None:
    """Count further training captions of a model in its lexicon, if it has one.

    Raises:
        InputError: the lexicon is missing or damaged, or of another form.
    """
    content = ModelFolder(folder).metadata
    about = content.get("classes")
    if about is None:
        return
    path = folder / LEXICON
    data = lexicon.with_captions(path, about["lexicon"], about["count"], captions, language)
    write_bytes(path, data, replace=True)
    about["lexicon"] = hashlib.sha256(data).hexdigest()
    write_json(folder / "model.json", content, replace=True)
