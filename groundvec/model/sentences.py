"""Sentences and image features to vectors by a trained model, in torch or in NumPy."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from groundvec import similarity
from groundvec.config import parts
from groundvec.config.checks import find_mistake
from groundvec.config.types import Description, Options, Schema, Text
from groundvec.runtime import arrays
from groundvec.runtime.arrays import Matrix
from groundvec.runtime.errors import InputError
from groundvec.runtime.progress import Progress
from groundvec.text.punctuation import detach_punctuation

INDICES_PER_BATCH = (
    8_192  # so that a batch of long sentences takes no more memory than one of short
)
IMAGES_PER_BATCH = 4_096  # which bounds the memory for features that are mapped from a file
SHARED = "shared"  # the name of an encoder that all languages share


class Snapshot(ABC):
    """One trained snapshot: embeds sentences and image features.

    It is a `network.Model`, or a `numpy_backend.Network`.

    Attributes:
        description: of its parts.
        texts: by language, the text that encodes its sentences (`groundvec.text`).
        similarity: the name of the function that compares its vectors (`groundvec.similarity`).
        width: of the image features that it reads.
    """

    description: Description
    texts: dict[str, Text]
    similarity: str
    width: int

    @property
    def device(self) -> str:
        """Return where it computes, such as cpu or cuda:0."""
        return "cpu"

    @cached_property
    def size(self) -> int:
        """Return the size of the vectors outside training."""
        return parts.vector_size(self.description)

    def name_of(self, language: str) -> str:
        """Return the name of a language's encoder."""
        return SHARED if self.description.get("shared") else language

    @property
    def texts_of_encoders(self) -> dict[str, Any]:
        """Return the text of each encoder by name; languages that share one have equal texts."""
        return {self.name_of(language): text for language, text in self.texts.items()}

    def language(self, name: str | None) -> str:
        """Return the language of this name, by default the first; InputError if there is none."""
        return chosen_language(name, list(self.texts))

    @abstractmethod
    def embed_batch(self, language: str, batch: Sequence[np.ndarray]) -> np.ndarray:
        """Embed a batch of encoded sentences of a language, the longest first: (B, size)."""

    @abstractmethod
    def embed_features(self, batch: np.ndarray) -> np.ndarray:
        """Embed a batch of image features (B, width): (B, size)."""

    def encode_images(self, features: Matrix) -> np.ndarray:
        """Embed image features (N, width): (N, size) float32; NaN for features of NaN.

        Raises:
            InputError: vectors of other features are not finite.
        """
        result = arrays.empty((len(features), self.size))
        for start in range(0, len(features), IMAGES_PER_BATCH):
            rows = slice(start, start + IMAGES_PER_BATCH)
            block = features[rows]
            with np.errstate(over="ignore", invalid="ignore"):
                vectors = self.embed_features(block)
            is_bad = ~np.isfinite(vectors).all(axis=1)
            if not np.isnan(block[is_bad]).any(axis=1).all():
                raise InputError("the image vectors of this model are not finite: train it again")
            result[rows] = vectors
        return result

    def encode_captions(
        self, encoded: Any, language: str, progress: bool = False, batch_size: int | None = None
    ) -> np.ndarray:
        """Embed encoded sentences of a language: (N, size) float32, in the same order.

        Args:
            batch_size: the largest number of sentences in a batch, if it is limited.
        """
        result = arrays.empty((len(encoded), self.size))
        lengths = encoded.lengths
        # Sentences of similar lengths share a batch, which encoders compute in fewer steps. If the
        # longest batch does not fit in memory, it fails at once and not at the end.
        order = np.argsort(-lengths, kind="stable")
        start = 0
        hidden = not progress
        with Progress(total=len(order), desc="encoding", unit="sentences", disable=hidden) as bar:
            while start < len(order):
                longest = lengths[order[start]]
                count = max(1, INDICES_PER_BATCH // longest)
                rows = order[start : start + min(count, batch_size or count)]
                result[rows] = self.embed_batch(language, encoded.batch(rows))
                start += len(rows)
                bar.update(len(rows))
        return result

    def encode_sentences(
        self,
        sentences: Sequence[str],
        language: str | None = None,
        progress: bool = False,
        batch_size: int | None = None,
        tokenized: bool = True,
    ) -> np.ndarray:
        """Embed raw sentences of a language, by default the first: (N, size) float32.

        Args:
            batch_size: the largest number of sentences in a batch, if it is limited.
            tokenized: leave punctuation where it is.

        Raises:
            InputError: the model knows no such language.
        """
        language = self.language(language)
        if not tokenized:
            sentences = detach_punctuation(sentences, self.description["text"])
        encoded = self.texts[language].encode(sentences)
        return self.encode_captions(encoded, language, progress, batch_size)


def chosen_language(name: str | None, languages: Sequence[str]) -> str:
    """Return one of a model's languages by its name, by default the first.

    Raises:
        InputError: it is none of them.
    """
    if name is None:
        name = languages[0]
    if name not in languages:
        known = ", ".join(languages)
        raise InputError(f"this model has no language {name!r}: choose one of {known}")
    return name


def encode_sentences(
    models: Sequence[Snapshot],
    sentences: Sequence[str],
    language: str | None = None,
    progress: bool = False,
    batch_size: int | None = None,
    tokenized: bool = True,
) -> np.ndarray:
    """Embed raw sentences by an ensemble, with the arguments of `Snapshot.encode_sentences`.

    Returns:
        (N, size), the models' vectors joined by `groundvec.similarity.join`.

    Raises:
        InputError: the model knows no such language, or vectors are not finite.
    """
    arguments = (sentences, language, progress, batch_size, tokenized)
    vectors = [model.encode_sentences(*arguments) for model in models]
    joined = similarity.join(vectors, models[0].similarity) if len(vectors) > 1 else vectors[0]
    # The sum is finite if all are, and takes no array of its own.
    if not np.isfinite(joined.sum()):
        raise InputError("the vectors of this model are not finite: train it again")
    return joined


def encode_images(models: Sequence[Snapshot], features: Matrix) -> np.ndarray:
    """Embed image features (N, width) by an ensemble: (N, size)."""
    vectors = [model.encode_images(features) for model in models]
    return similarity.join(vectors, models[0].similarity)


def make_texts(
    description: Description,
    contents: Mapping[str, Options],
    treebank: Any = None,
) -> dict[str, Text]:
    """Make the texts of a model's languages.

    Args:
        contents: by language, the result of `Text.as_dict`.
        treebank: parsed sentences, for a text that reads trees; others are parsed.

    Raises:
        InputError: a language has no content, or content with other keys or values than its text's;
            or languages with one encoder have different contents.
    """
    text = description["text"]
    part = parts.options_schema("text", text["name"])
    learned = part.get("learned", {})
    schema: Schema = {
        "type": "object",
        "required": learned.get("required", list(part["properties"])),
        "properties": part["properties"] | learned.get("properties", {}),
        "ordered": part.get("ordered", []),
        "additionalProperties": False,
    }
    texts = {"required": description["languages"], "additionalProperties": schema}
    mistake = find_mistake(contents, texts, "texts")
    if mistake:
        raise InputError(mistake)
    first = contents[description["languages"][0]]
    if description.get("shared") and any(content != first for content in contents.values()):
        raise InputError("texts: languages that share an encoder differ")
    make = parts.find("text", text["name"])
    options = {}
    if treebank and "trees" in parts.provided("text", text):
        options["treebank"] = treebank
    return {
        language: make(**contents[language], **options) for language in description["languages"]
    }
