"""Trained models in NumPy, without torch, whose import takes longer than most uses.

An encoder of `groundvec/encoders` that runs in NumPy has a module of the same name here, with a
class::

    Encoder(take, text, size, **options)   for a text, with the encoder of a description; it skips
                                           the name, and options that only training reads
    encoder(*batch)                        (B, size) vectors of a batch of the text, as arrays; the
                                           longest sentence comes first

`take(name, *shape)` returns a weight by its name in the torch module.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec

import numpy as np

from groundvec.config.types import Description
from groundvec.model.folder import ModelFolder
from groundvec.model.sentences import Snapshot
from groundvec.model.stored import open_snapshot
from groundvec.numpy_backend.layers import Projection, Take, under
from groundvec.numpy_backend.tokens import SENTENCES, Tokens
from groundvec.runtime import arrays
from groundvec.runtime.progress import Progress
from groundvec.similarity import unit
from groundvec.text import ngrams
from groundvec.text.punctuation import detach_punctuation


class Network(Snapshot):
    """One snapshot: the caption encoders, and the projection of image features."""

    def __init__(self, folder: ModelFolder, epoch: int) -> None:
        """Load the snapshot of one epoch."""
        self.folder = folder
        self.epoch = epoch
        take = open_snapshot(folder, epoch)
        self.width = folder.metadata["width"]
        self.description = description = folder.description
        self.similarity = description["similarity"]
        encoder = description["encoder"]
        self.texts = folder.texts
        make = import_module(_module(description)).Encoder
        self.captions = {
            name: make(under(take, f"captions.{name}."), text, **encoder)
            for name, text in self.texts_of_encoders.items()
        }
        self._projection(take.checked)  # it is read when it is first used
        take.check_rest()
        # By encoder, and by whether sentences are tokenized.
        self.tokens: dict[tuple[str, bool], Tokens] = {}
        names = description["text"]["name"], encoder["name"], self.similarity
        if names == ("ngrams", "bag", "cosine"):
            for name, text in self.texts_of_encoders.items():
                bag = self.captions[name]
                for tokenized in (True, False):
                    read = ngrams.read if tokenized else self._read_raw
                    self.tokens[name, tokenized] = Tokens(text, read, bag.part_sums, bag.width)

    def _read_raw(self, sentences: Sequence[str]) -> list[str]:
        """Read n-grams' words of sentences whose punctuation is attached."""
        return ngrams.read(detach_punctuation(sentences, self.description["text"]))

    def encode_sentences(
        self,
        sentences: Sequence[str],
        language: str | None = None,
        progress: bool = False,
        batch_size: int | None = None,
        tokenized: bool = True,
    ) -> np.ndarray:
        """Embed raw sentences, as `Snapshot.encode_sentences`; bags of n-grams token by token."""
        name = self.name_of(self.language(language))
        tokens = self.tokens.get((name, tokenized))
        if tokens is None:
            return super().encode_sentences(sentences, language, progress, batch_size, tokenized)
        bag = self.captions[name]
        result = arrays.empty((len(sentences), self.size))
        starts: Iterable[int] = range(0, len(sentences), SENTENCES)
        if progress:
            starts = Progress(starts, desc="encoding", unit="sentences", unit_scale=SENTENCES)
        for start in starts:
            block = result[start : start + SENTENCES]
            for rows, totals in tokens.totals(sentences[start : start + SENTENCES]):
                block[rows] = bag.of_sums(totals)
        return result

    @cached_property
    def image(self) -> Projection:
        """Return the projection of image features; its weights are read when it is first used."""
        # Opened again: a process that gets a copy of this network cannot get an open file.
        return self._projection(open_snapshot(self.folder, self.epoch))

    def _projection(self, take: Take) -> Projection:
        """Make the projection of image features from weights that `take` returns."""
        standardize = self.description.get("image", {}).get("standardize", False)
        size = self.description["encoder"]["size"]
        return Projection(under(take, "image."), self.width, size, standardize)

    def embed_features(self, batch: np.ndarray) -> np.ndarray:
        """Embed a batch of image features (B, width): (B, size)."""
        vectors = self.image(batch)
        if self.similarity == "cosine":
            vectors = unit(vectors)
        # Captions of an encoder with `state` have more columns; see `groundvec.model.network`.
        return np.pad(vectors, [(0, 0), (0, self.size - vectors.shape[1])])

    def embed_batch(self, language: str, batch: Sequence[np.ndarray]) -> np.ndarray:
        """Embed a batch of encoded sentences of a language: (B, size)."""
        vectors: np.ndarray = self.captions[self.name_of(language)](*batch)
        return unit(vectors) if self.similarity == "cosine" else vectors


def can_compute(description: Description) -> bool:
    """Return whether there is a NumPy encoder for a model's description."""
    return find_spec(_module(description)) is not None


def _module(description: Description) -> str:
    """Return the name of the module of a description's encoder, which may not exist."""
    return f"{__name__}.{description['encoder']['name'].replace('-', '_')}"
