"""How a trained model reads sentences, whatever computes its network."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from groundvec import similarity
from groundvec.config import parts
from groundvec.config.schema import find_mistake
from groundvec.runtime import arrays
from groundvec.runtime.errors import InputError
from groundvec.runtime.progress import Progress

INDICES_PER_BATCH = 8_192
SHARED = "shared"  # the name of the one encoder of all languages


class Reader(ABC):
    """A trained model that embeds sentences: `network.Model`, or without torch `inference.Network`.

    Attributes:
        description: of its parts.
        texts: by language, what encodes its sentences (`groundvec.text`).
        similarity: by which vectors are compared.
    """

    description: dict[str, Any]
    texts: dict[str, Any]
    similarity: str

    @property
    def size(self) -> int:
        """Compute the size of the vectors outside training."""
        return parts.vector_size(self.description)

    def name_of(self, language: str) -> str:
        """Return the name of a language's encoder."""
        return SHARED if self.description.get("shared") else language

    def language(self, name: str | None) -> str:
        """Return the language of this name, by default the first; InputError if there is none."""
        name = name or next(iter(self.texts))
        if name not in self.texts:
            known = ", ".join(self.texts)
            raise InputError(f"this model has no language {name!r}: choose one of {known}")
        return name

    @abstractmethod
    def embed_batch(self, language: str, batch: Sequence[np.ndarray]) -> np.ndarray:
        """Embed what the language's `Encoded.batch` returned, the longest first: (B, size)."""

    def encode_captions(
        self, encoded: Any, language: str, progress: bool = False, most: int | None = None
    ) -> np.ndarray:
        """Embed encoded sentences of a language: (N, size) float32, in the order given.

        Batches have a fixed number of indices, and the longest sentences come first.

        Args:
            most: the largest number of sentences in a batch, if it has one.
        """
        result = arrays.empty((len(encoded), self.size))
        lengths = encoded.lengths
        order = np.argsort(-lengths, kind="stable")
        start = 0
        hidden = not progress
        with Progress(total=len(order), desc="encoding", unit="sentences", disable=hidden) as bar:
            while start < len(order):
                longest = lengths[order[start]]
                count = max(1, INDICES_PER_BATCH // longest)
                rows = order[start : start + min(count, most or count)]
                result[rows] = self.embed_batch(language, encoded.batch(rows))
                start += len(rows)
                bar.update(len(rows))
        return result

    def encode_sentences(
        self,
        sentences: Sequence[str],
        language: str | None = None,
        progress: bool = False,
        most: int | None = None,
    ) -> np.ndarray:
        """Embed raw sentences of a language, by default the first: (N, size) float32.

        Args:
            most: the largest number of sentences in a batch, if it has one.

        Raises:
            InputError: the model knows no such language.
        """
        language = self.language(language)
        return self.encode_captions(
            self.texts[language].encode(sentences), language, progress, most
        )


def encode_sentences(
    models: Sequence[Reader],
    sentences: Sequence[str],
    language: str | None = None,
    progress: bool = False,
    most: int | None = None,
) -> np.ndarray:
    """Embed raw sentences by an ensemble, as each `Reader.encode_sentences` does: (N, size).

    Raises:
        InputError: also if vectors are not finite.
    """
    vectors = [model.encode_sentences(sentences, language, progress, most) for model in models]
    joined = similarity.join(vectors, models[0].similarity)
    if not np.isfinite(joined).all():
        raise InputError("the vectors of this model are not finite: train it again")
    return joined


def make_texts(
    description: dict[str, Any],
    contents: Mapping[str, dict[str, Any]],
    treebank: Any = None,
) -> dict[str, Any]:
    """Make the texts of a model's languages.

    Args:
        contents: by language, what `Text.as_dict` returned.
        treebank: see `load_model`.

    Raises:
        InputError: they are others than these.
    """
    text = description["text"]
    options = parts.options_schema("text", text["name"])
    learned = options.get("learned", {})
    schema = {
        "type": "object",
        "required": learned.get("required", [*options["properties"]]),
        "properties": options["properties"] | learned.get("properties", {}),
        "additionalProperties": False,
    }
    for language in description["languages"]:
        if language not in contents:
            raise InputError(f"there is no text of the language {language!r}")
        if problem := find_mistake(contents[language], schema):
            raise InputError(f"texts.{language}: {problem}")
    make = parts.find("text", text["name"])
    reads_trees = "trees" in parts.provided("text", text)
    reading = {"treebank": treebank} if treebank and reads_trees else {}
    return {
        language: make(**contents[language], **reading) for language in description["languages"]
    }
