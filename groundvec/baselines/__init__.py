"""Other sentence encoders, to put the trained models' numbers beside.

>>> load("bag-of-words", vectors="glove.6B.zip/glove.6B.100d.txt").encode(["a dog runs ."]).shape
(1, 100)
"""

import argparse
from collections.abc import Callable, Sequence
from inspect import signature
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from groundvec.errors import InputError

ENCODERS = ("trigrams", "bag-of-words", "infersent", "sentence-transformers")


class Baseline(Protocol):
    """Sentences in, vectors out."""

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        """Embed tokenised sentences (tokens separated by spaces): (N, size) float32."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what the baselines take to a program's command line, for `of_arguments`."""
    parser.add_argument(
        "--vectors", type=Path, help="bag-of-words, infersent: word vectors, FILE or ZIP/MEMBER"
    )
    parser.add_argument("--state", type=Path, help="infersent: the published weights")
    parser.add_argument("--version", type=int, help="infersent: 1 or 2")
    parser.add_argument("--model", help="sentence-transformers: a model's name")


def of_arguments(arguments: argparse.Namespace) -> Baseline:
    """The baseline that a command line describes, by `--encoder` and what `add_options` adds."""
    names = ("vectors", "state", "version", "model")
    given = {name: getattr(arguments, name) for name in names if getattr(arguments, name)}
    return load(arguments.encoder, **given)


def load(encoder: str, **options: Any) -> Baseline:
    """Make the baseline of this name; only its own module, and what that needs, is imported.

    Args:
        encoder: one of `ENCODERS`.
        options: what its class takes: `vectors` for bag-of-words; `state`, `vectors` and
            `version` for infersent; `model` for sentence-transformers.

    Raises:
        InputError: an unknown name, an option that is missing or unknown, or a bad file.
    """
    make: Callable[..., Baseline]
    if encoder == "trigrams":
        from groundvec.baselines.trigrams import Trigrams as make
    elif encoder == "bag-of-words":
        from groundvec.baselines.bag_of_words import BagOfWords as make
    elif encoder == "infersent":
        from groundvec.baselines.infersent import InferSent as make
    elif encoder == "sentence-transformers":
        from groundvec.baselines.sentence_transformers import SentenceTransformer as make
    else:
        raise InputError(f"unknown baseline {encoder!r}: choose one of {', '.join(ENCODERS)}")
    try:
        signature(make).bind(**options)
    except TypeError as error:
        takes = ", ".join(signature(make).parameters) or "none"
        raise InputError(f"baseline {encoder}: {error} (its options: {takes})") from None
    return make(**options)
