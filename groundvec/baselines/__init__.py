"""Other sentence encoders to compare with: one module each, next to the YAML of its options.

Each module has a class `Baseline`::

    Baseline(**options)
    baseline.encode(sentences)   (N, size) float32; tokens are separated by spaces
    baseline.device              such as `cpu`

>>> load("bag-of-words", vectors="glove.6B.zip/glove.6B.100d.txt").encode(["a dog runs ."]).shape
(1, 100)
"""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from groundvec.config import parts


class Baseline(Protocol):
    """Sentences in, vectors out."""

    device: str

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        """Embed tokenized sentences (tokens separated by spaces): (N, size) float32."""


def load(encoder: str, **options: Any) -> Baseline:
    """Make the baseline of this name, without importing the other baselines' modules.

    Args:
        encoder: such as `trigrams`; InputError if it is unknown.
        options: described in its YAML file, such as `vectors` for bag-of-words.
    """
    return parts.find("baselines", encoder)(**options)
